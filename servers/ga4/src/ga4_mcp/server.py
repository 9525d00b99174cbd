"""The server: its tools and what it may send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil_bindings.ga4 import stubs
from counterfoil_bindings.ga4.allowlist import ALLOWLIST
from ga4_mcp.tools import Tools
from mcp_wrapper_scaffold import SecretSource, WrapperServer, create_wrapper_server


def create_server(
    *,
    agent_token: SecretSource | Sequence[SecretSource],
    secrets: Mapping[str, SecretSource],
    **options: Any,
) -> WrapperServer:
    """Return the server as an ASGI application.

    Args:
        agent_token: where the token of callers is; two sources while it is being replaced.
        secrets: where ``SERVICE_ACCOUNT`` of ``ga4_mcp.reading`` is.
        options: more of ``create_wrapper_server``, such as ``metrics`` and ``allowed_hosts``.
    """
    return create_wrapper_server(
        agent_token=agent_token,
        allowlist=ALLOWLIST,
        bind=lambda context: stubs.bind(Tools(), context=context),
        secrets=secrets,
        **options,
    )
