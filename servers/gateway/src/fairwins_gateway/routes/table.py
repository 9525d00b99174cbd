"""The table of handlers by route. It says nothing that the document says."""

from __future__ import annotations

from fairwins_gateway.routes.assistant import answer_chat
from fairwins_gateway.routes.binding import Handlers
from fairwins_gateway.routes.members import (
    read_key_status,
    read_membership,
    read_profile,
    revoke_key,
)
from fairwins_gateway.routes.platform import read_document, read_fees, read_status
from fairwins_gateway.routes.relay import build_intent, read_intent, submit_intent
from fairwins_gateway.routes.vendors import list_markets, list_news, list_pairs
from fairwins_gateway.routes.wagers import list_wagers

HANDLERS: Handlers = {
    "assistantChat": answer_chat,
    "buildIntent": build_intent,
    "fees": read_fees,
    "keyStatus": read_key_status,
    "markets": list_markets,
    "me": read_profile,
    "membership": read_membership,
    "news": list_news,
    "openapi": read_document,
    "pairs": list_pairs,
    "relayStatus": read_intent,
    "relaySubmit": submit_intent,
    "revoke": revoke_key,
    "status": read_status,
    "wagers": list_wagers,
}
