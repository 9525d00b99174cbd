"""The MCP revisions that this server speaks, and what each of them may see on the wire."""

from __future__ import annotations

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
BATCHING = "2025-03-26"  # the only revision with JSON-RPC batches
STRUCTURED_SINCE = "2025-06-18"
COMPLETIONS_SINCE = "2025-03-26"  # the first revision with a capability to declare

# The revision that introduced each field. Older clients get objects without it, because a strict
# one may refuse a shape that its schema does not know.
TOOL_FIELDS = {
    "name": "2024-11-05",
    "title": "2025-06-18",
    "description": "2024-11-05",
    "inputSchema": "2024-11-05",
    "outputSchema": "2025-06-18",
    "annotations": "2025-03-26",
    "icons": "2025-11-25",
    "_meta": "2025-06-18",
}
RESOURCE_FIELDS = {
    "uri": "2024-11-05",
    "name": "2024-11-05",
    "title": "2025-06-18",
    "description": "2024-11-05",
    "mimeType": "2024-11-05",
}
TEMPLATE_FIELDS = {
    "uriTemplate": "2024-11-05",
    "name": "2024-11-05",
    "title": "2025-06-18",
    "description": "2024-11-05",
    "mimeType": "2024-11-05",
}
PROMPT_FIELDS = {
    "name": "2024-11-05",
    "title": "2025-06-18",
    "description": "2024-11-05",
    "arguments": "2024-11-05",
}
ARGUMENT_FIELDS = {
    "name": "2024-11-05",
    "title": "2025-06-18",
    "description": "2024-11-05",
    "required": "2024-11-05",
}
SERVER_FIELDS = {"name": "2024-11-05", "title": "2025-06-18", "version": "2024-11-05"}


class Revision:
    """One revision by ``name``, with what it allows.

    ``stateless`` revisions carry their version in every request; the others open with
    ``initialize``. ``structured`` says whether a tool result may hold ``structuredContent``, and
    ``completes`` whether a server can declare completions.
    """

    __slots__ = ("batches", "completes", "name", "stateless", "structured")

    def __init__(self, name: str) -> None:
        self.name = name
        self.stateless = name in STATELESS
        self.batches = name == BATCHING
        self.structured = name >= STRUCTURED_SINCE
        self.completes = name >= COMPLETIONS_SINCE

    def select(self, entry: dict[str, object], fields: dict[str, str]) -> dict[str, object]:
        """Return the members of ``entry`` that this revision knows, in the order of ``entry``."""
        return {
            key: value for key, value in entry.items() if key in fields and fields[key] <= self.name
        }


# Dates of one form in one closed list: comparing them as text is comparing them in time.
REVISIONS = {name: Revision(name) for name in (*HANDSHAKE, *STATELESS)}
