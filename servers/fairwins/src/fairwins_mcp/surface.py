"""What the server shows: the vendored snapshot, filtered, and its lists as bytes ready to send."""

from __future__ import annotations

import json

from fairwins_mcp import __path__
from fairwins_mcp.errors import SnapshotError
from fairwins_mcp.jsonrpc import encode
from fairwins_mcp.revisions import (
    ARGUMENT_FIELDS,
    HANDSHAKE,
    PROMPT_FIELDS,
    RESOURCE_FIELDS,
    REVISIONS,
    SERVER_FIELDS,
    STATELESS,
    TEMPLATE_FIELDS,
    TOOL_FIELDS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.shapes import JsonObject, PromptEntry, Snapshot, ToolEntry

LIST_TTL_MS = 300_000  # the lists change with a release only; five minutes bound a stale copy
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_PARTS = ("server", "wording", "tools", "resources", "prompts", "routes")


def read_packaged(name: str) -> bytes:
    """Read a file that ships inside this package, from a folder or from a zip archive.

    It asks the import system's own reader, since ``importlib.resources`` and ``pkgutil`` cost
    more to import than this whole server.

    Raises:
        OSError: there is no such file.
    """
    reader = __spec__.loader
    if reader is None or not hasattr(reader, "get_data"):
        raise OSError(f"{name} cannot be read the way this package was imported")
    data: bytes = reader.get_data(f"{__path__[0]}/{name}")
    return data


def load_snapshot() -> Snapshot:
    """Parse the vendored snapshot.

    Raises:
        SnapshotError: it is missing, is no JSON, or lacks a part.
    """
    try:
        document: Any = json.loads(read_packaged("snapshot.json"))
    except (OSError, ValueError) as error:
        raise SnapshotError("the packaged snapshot.json cannot be read") from error
    missing = [part for part in _PARTS if part not in document]
    if missing:
        raise SnapshotError(f"the packaged snapshot.json lacks {', '.join(missing)}")
    snapshot: Snapshot = document
    return snapshot


class Surface:
    """Hold what one process serves.

    ``only`` narrows the tools to those names; names that are not served are a SnapshotError. A
    tool is served when its surfaces hold ``mcp`` and it is not local to the caller's own app.
    """

    def __init__(self, snapshot: Snapshot, only: list[str] | None = None) -> None:
        self.snapshot = snapshot
        self.tools: dict[str, ToolEntry] = {
            entry["name"]: entry
            for entry in snapshot["tools"]
            if "mcp" in entry["surfaces"] and entry["auth"] != "local"
        }
        if only is not None:
            self.tools = self._narrow(only)
        claimed = snapshot["server"]["protocolVersions"]
        self.revisions = [name for name in claimed if name in REVISIONS]
        self.handshake = [name for name in HANDSHAKE if name in claimed]
        self.stateless = [name for name in STATELESS if name in claimed]
        self._lists: dict[tuple[str, str], bytes] = {}

    def _narrow(self, only: list[str]) -> dict[str, ToolEntry]:
        unknown = [name for name in only if name not in self.tools]
        if unknown:
            raise SnapshotError(
                f"unknown tool {', '.join(unknown)}; available: {', '.join(self.tools)}"
            )
        return {name: entry for name, entry in self.tools.items() if name in only}

    def server_info(self, revision: Revision) -> dict[str, object]:
        """Return the server's name, version and, where the revision has it, title."""
        return revision.select(dict(self.snapshot["server"]), SERVER_FIELDS)

    def encode_list(self, method: str, revision: Revision) -> bytes:
        """Return the encoded result of a list method. It is made once for each revision."""
        key = (method, revision.name)
        if key not in self._lists:
            result = self.seal(self._collect(method, revision), revision)
            if revision.stateless:
                result.update(ttlMs=LIST_TTL_MS, cacheScope="public")
            self._lists[key] = encode(result)
        return self._lists[key]

    def seal(self, result: JsonObject, revision: Revision) -> JsonObject:
        """Add what every result of a stateless revision carries."""
        if not revision.stateless:
            return result
        meta = {SERVER_INFO: self.server_info(revision), **result.get("_meta", {})}
        return {"resultType": "complete", **result, "_meta": meta}

    def _collect(self, method: str, revision: Revision) -> JsonObject:
        if method == "tools/list":
            return {"tools": [_select(e, TOOL_FIELDS, revision) for e in self.tools.values()]}
        if method == "resources/list":
            resources = self.snapshot["resources"]
            return {"resources": [_select(e, RESOURCE_FIELDS, revision) for e in resources]}
        if method == "prompts/list":
            return {"prompts": [_show_prompt(e, revision) for e in self.snapshot["prompts"]]}
        templates = self.snapshot.get("resourceTemplates", [])
        return {"resourceTemplates": [_select(e, TEMPLATE_FIELDS, revision) for e in templates]}


def _select(entry: Mapping[str, object], fields: dict[str, str], revision: Revision) -> JsonObject:
    return revision.select(dict(entry), fields)


def _show_prompt(entry: PromptEntry, revision: Revision) -> JsonObject:
    shown = _select(entry, PROMPT_FIELDS, revision)
    if "arguments" in entry:
        shown["arguments"] = [_select(a, ARGUMENT_FIELDS, revision) for a in entry["arguments"]]
    return shown
