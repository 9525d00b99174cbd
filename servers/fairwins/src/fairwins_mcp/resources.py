"""Resources: texts that ship with the server, and documents read live from the API."""

from __future__ import annotations

from fairwins_mcp.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    ApiError,
    RpcError,
    SnapshotError,
    shorten,
)
from fairwins_mcp.surface import LIST_TTL_MS, read_packaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fairwins_mcp.api import Api
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.shapes import JsonObject, ResourceEntry, Steps, Task
    from fairwins_mcp.surface import Surface


class Resources:
    """Answer ``resources/read``; not every resource needs the API, so it is opened on demand."""

    def __init__(self, surface: Surface, open_api: Callable[[], Api]) -> None:
        self._snapshot = surface.snapshot
        self._open_api = open_api
        self._entries = {entry["uri"]: entry for entry in surface.snapshot["resources"]}

    def read(self, params: JsonObject, revision: Revision, caller: Caller) -> JsonObject | Task:
        """Return a resource's contents, or the task that fetches them.

        Raises:
            RpcError: the URI is no string (-32602) or names nothing (-32602, and -32002 in the
                handshake revisions).
        """
        uri: object = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: uri is not a string")
        entry = self._entries.get(uri)
        if entry is None:
            code = INVALID_PARAMS if revision.stateless else RESOURCE_NOT_FOUND
            available = ", ".join(self._entries)
            message = f"Resource not found: {shorten(uri)}. Available: {available}"
            raise RpcError(code, message, {"uri": uri})
        if entry["source"]["kind"] == "embedded":
            text = _read_embedded(uri)
            return _show(entry, text, revision, ttl_ms=LIST_TTL_MS, scope="public")
        return self._plan(entry, revision, caller)

    def _plan(self, entry: ResourceEntry, revision: Revision, caller: Caller) -> Task:
        from fairwins_mcp.routes import Route

        route_id = entry["source"].get("route")
        if route_id is None or route_id not in self._snapshot["routes"]:
            raise SnapshotError(f"resource {entry['uri']} has no route to read")
        route = self._snapshot["routes"][route_id]
        bearer = route["auth"] == "bearer"
        request = Route(route_id, route).build(path={}, query={}, body=None, bearer=bearer)
        api = self._open_api()

        def task(cancellation: Cancellation) -> Steps[JsonObject]:
            what = f"{entry['uri']} ({request.describe()})"
            try:
                answer = yield from api.send(request, caller, cancellation)
                if answer.is_offer:
                    raise ApiError("http_402", "the API asks a payment for this document")
            except ApiError as failure:
                message = f"{failure.describe(what)} {self._snapshot['wording']['unknown']}"
                data: dict[str, object] = {"uri": entry["uri"], "code": failure.code}
                raise RpcError(INTERNAL_ERROR, message, data) from failure
            scope = "private" if bearer else "public"
            return _show(entry, answer.text, revision, ttl_ms=0, scope=scope)

        return task


def _read_embedded(uri: str) -> str:
    """Read the packaged file that bears the name of the URI's last part, such as ``guide.md``."""
    name = uri.rpartition("/")[2] + ".md"
    try:
        return read_packaged(name).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"The text of {uri} is missing from this installation"
        raise RpcError(INTERNAL_ERROR, message, {"uri": uri}) from error


def _show(
    entry: ResourceEntry, text: str, revision: Revision, ttl_ms: int, scope: str
) -> JsonObject:
    content: JsonObject = {"uri": entry["uri"], "text": text}
    if "mimeType" in entry:
        content["mimeType"] = entry["mimeType"]
    result: JsonObject = {"contents": [content]}
    if revision.stateless:
        result.update(ttlMs=ttl_ms, cacheScope=scope)
    return result
