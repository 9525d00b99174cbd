"""Completions: values that a prompt's argument can have, for people who fill in a form."""

from __future__ import annotations

import time

from fairwins_mcp.errors import INVALID_PARAMS, ApiError, RpcError, shorten
from fairwins_mcp.routes import Route
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fairwins_mcp.api import Api
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.shapes import JsonObject, Steps, Task
    from fairwins_mcp.surface import Surface

MAX_VALUES = 100  # the protocol's own limit
MAX_LENGTH = 64  # of a value that is worth offering, and of one that is completed
FRESH_SECONDS = 60.0  # a form asks with every key that is pressed
RETRY_SECONDS = 5.0
# Arguments whose values the API knows: the public route that lists them, and the member of its
# answer whose keys they are.
LIVE = {"chainId": ("status", "chains")}


class Completions:
    """Answer ``completion/complete``.

    Values come live from the API. Where it cannot be read, those that the tools' schemas mention
    stand in, and the result says that there may be more. ``now`` is a clock in seconds.
    """

    def __init__(
        self, surface: Surface, api: Api, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._surface = surface
        self._api = api
        self._now = now
        self._kept: dict[str, tuple[float, list[str] | None]] = {}

    def complete(self, params: JsonObject) -> JsonObject | Task:
        """Return the values that begin as the given one, or the task that asks for them.

        Raises:
            RpcError: -32602 for an unknown prompt, argument or template, or a malformed request.
        """
        name, prefix = _read_argument(params.get("argument"))
        if not self._takes_values(params.get("ref"), name):
            return _show([], prefix, is_complete=True)
        until, values = self._kept.get(name, (0.0, None))
        if self._now() < until:
            return self._answer(name, values, prefix)

        def task(cancellation: Cancellation) -> Steps[JsonObject]:
            return self._answer(name, (yield from self._ask(name, cancellation)), prefix)

        return task

    def _takes_values(self, ref: object, argument: str) -> bool:
        """Check what is to be completed; tell whether there is anything to offer for it."""
        kind: object = ref.get("type") if is_object(ref) else None
        if not is_object(ref) or kind not in ("ref/prompt", "ref/resource"):
            raise RpcError(INVALID_PARAMS, "Invalid params: ref names no prompt and no resource")
        if kind == "ref/resource":
            templates = self._surface.snapshot.get("resourceTemplates", [])
            if ref.get("uri") not in [entry["uriTemplate"] for entry in templates]:
                raise RpcError(INVALID_PARAMS, "Unknown resource template")
            return False
        for entry in self._surface.snapshot["prompts"]:
            if entry["name"] == ref.get("name"):
                if argument not in [item["name"] for item in entry.get("arguments", [])]:
                    raise RpcError(INVALID_PARAMS, f"Unknown prompt argument: {shorten(argument)}")
                return argument in LIVE
        raise RpcError(INVALID_PARAMS, "Unknown prompt")

    def _ask(self, name: str, cancellation: Cancellation) -> Steps[list[str] | None]:
        """Read the values from the API and keep them; None when that is not possible."""
        from fairwins_mcp.caller import Caller

        route_id, member = LIVE[name]
        values: list[str] | None = None
        try:
            route = Route(route_id, self._surface.snapshot["routes"][route_id])
            request = route.build(path={}, query={}, body=None, bearer=False)
            answer = yield from self._api.send(request, Caller(None, ""), cancellation)
            listed: object = None if answer.is_offer else answer.document.get(member)
            values = _sort(listed) if is_object(listed) else None
        except (ApiError, KeyError):
            values = None
        seconds = RETRY_SECONDS if values is None else FRESH_SECONDS
        self._kept[name] = (self._now() + seconds, values)
        return values

    def _answer(self, name: str, values: list[str] | None, prefix: str) -> JsonObject:
        if values is not None:
            return _show(values, prefix, is_complete=True)
        schemas = [entry["inputSchema"] for entry in self._surface.snapshot["tools"]]
        mentioned = {value: None for schema in schemas for value in _mention(schema, name)}
        return _show(_sort(mentioned), prefix, is_complete=False)


def _read_argument(argument: object) -> tuple[str, str]:
    if is_object(argument):
        name: object = argument.get("name")
        value: object = argument.get("value")
        if isinstance(name, str) and isinstance(value, str):
            return name, value
    raise RpcError(INVALID_PARAMS, "Invalid params: argument has no name and value")


def _sort(keys: JsonObject) -> list[str]:
    """Sort numbers by size and put all else after them; leave out what nobody would choose."""
    values = [key for key in keys if 0 < len(key) <= MAX_LENGTH and key.isprintable()]
    numbers = sorted((value for value in values if value.isdecimal()), key=int)
    return numbers + sorted(value for value in values if not value.isdecimal())


def _mention(schema: JsonObject, name: str) -> Iterator[str]:
    """Find the values that a schema mentions for one of its properties."""
    properties: object = schema.get("properties")
    declared: object = properties.get(name) if is_object(properties) else None
    if not is_object(declared):
        return
    for key in ("enum", "examples"):
        listed: object = declared.get(key)
        if is_array(listed):
            yield from (str(value) for value in listed)
    if "default" in declared:
        yield str(declared["default"])


def _show(values: list[str], prefix: str, is_complete: bool) -> JsonObject:
    """Make the result. One that is not complete does not say how many there are."""
    fitting = [value for value in values if value.startswith(prefix)]
    completion: JsonObject = {"values": fitting[:MAX_VALUES]}
    if is_complete:
        completion["total"] = len(fitting)
    completion["hasMore"] = not is_complete or len(fitting) > MAX_VALUES
    return {"completion": completion}
