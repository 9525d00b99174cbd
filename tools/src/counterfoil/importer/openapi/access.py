"""What a document says of access: credentials that callers bring, and addresses that are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from counterfoil.contract.values import items, members, text, texts
from counterfoil.importer.openapi.document import Document

_TOKENS = frozenset({"oauth2", "openIdConnect"})
_CALLED = frozenset({"GET", "POST"})  # what an entry of an outbound list can have


def credential(document: Document, data: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return what an operation asks of its caller, and the scopes that it names.

    A credential of any kind counts as a bearer token; a contract knows no other that the caller
    brings. Of several that will do, the first counts that names scopes.
    """
    asked = data.get("security", document.data.get("security", []))
    options = [members(each) for each in items(asked)]
    if not options or {} in options:
        return "none", []
    named = ([scope for names in option.values() for scope in texts(names)] for option in options)
    return "bearer", next((scopes for scopes in named if scopes), list[str]())


def other_credentials(document: Document) -> Iterator[str]:
    """Yield the names of credentials that are no bearer tokens."""
    schemes = members(members(document.data.get("components")).get("securitySchemes"))
    for name, raw in schemes.items():
        scheme = document.resolved(raw)
        is_bearer = text(scheme.get("scheme")).lower() == "bearer"
        if text(scheme.get("type")) not in _TOKENS and not is_bearer:
            yield name


def outbound(document: Document, routes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what a wrapper may call: the routes, at each address that has no variables."""
    made: list[dict[str, Any]] = []
    for address in items(document.data.get("servers")):
        url = urlsplit(text(address.get("url")))
        if url.scheme != "https" or not url.netloc or "{" in url.geturl():
            continue
        for route in routes:
            path = url.path.rstrip("/") + re.sub(r"\{[^}]+\}", "*", route["path"])
            entry = {
                "method": route["method"],
                "origin": f"https://{url.netloc}",
                "pathPattern": path,
            }
            if route["method"] in _CALLED and entry not in made:
                made.append(entry)
    return made
