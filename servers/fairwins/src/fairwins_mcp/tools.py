"""Tool calls: check the arguments, build the request, send it, show what came back."""

from __future__ import annotations

from fairwins_mcp.api import Api
from fairwins_mcp.errors import (
    INVALID_PARAMS,
    ApiError,
    ArgumentError,
    RpcError,
    SnapshotError,
    shorten,
)
from fairwins_mcp.results import (
    show_data,
    show_failure,
    show_faults,
    show_offer,
    show_refusal,
)
from fairwins_mcp.routes import Route
from fairwins_mcp.schema import Schema
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.answers import Answer
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.settings import Settings
    from fairwins_mcp.shapes import JsonObject, Snapshot, Task, ToolEntry
    from fairwins_mcp.surface import Surface

PAYMENT_KEY = "x402/payment"


class Tool:
    """One served tool: its snapshot entry with schemas and route compiled."""

    def __init__(self, entry: ToolEntry, snapshot: Snapshot) -> None:
        self.name = entry["name"]
        self._entry = entry
        self._input = Schema(entry["inputSchema"])
        self._output = Schema(entry["outputSchema"]) if "outputSchema" in entry else None
        route_id = entry["exec"].get("route")
        if route_id is None or route_id not in snapshot["routes"]:
            raise SnapshotError(f"tool {self.name} has no route to call")
        self._route = Route(route_id, snapshot["routes"][route_id])

    def plan(self, arguments: JsonObject) -> ApiRequest:
        """Make the API request of a call.

        Raises:
            ArgumentError: the arguments do not fit the input schema or the route.
        """
        faults = self._input.find_faults(arguments)
        if faults:
            raise ArgumentError(faults)
        binding = self._entry["exec"]
        body = binding.get("body")
        return self._route.build(
            path={name: self._pick(arguments, name) for name in binding.get("path", [])},
            query={name: arguments.get(name) for name in binding.get("query", [])},
            body=None if body is None else {n: arguments[n] for n in body if n in arguments},
            bearer=self._entry["auth"] == "grant",
        )

    def _pick(self, arguments: JsonObject, name: str) -> object:
        """Return an argument for the path, or the default that its schema declares."""
        if name in arguments:
            return arguments[name]
        properties: JsonObject = self._entry["inputSchema"].get("properties", {})
        schema: object = properties.get(name)
        return schema.get("default") if is_object(schema) else None

    def check(self, answer: Answer) -> None:
        """Refuse data that the tool's output schema does not allow.

        A client would throw such a result away as a protocol error, and the member would see
        neither the data nor a reason.

        Raises:
            ApiError: ``invalid_response``, with the first fault.
        """
        faults = [] if self._output is None else self._output.find_faults(answer.document)
        if faults:
            pointer, sentence = faults[0]
            where = shorten(pointer) or "the answer"
            reason = f"the API's answer is not of the announced form: {where} {sentence}"
            raise ApiError("invalid_response", reason)


class Tools:
    """Answer ``tools/call``."""

    def __init__(self, surface: Surface, settings: Settings) -> None:
        self._surface = surface
        self._wording = surface.snapshot["wording"]
        self._api = Api(settings)
        self._tools: dict[str, Tool] = {}

    def call(self, params: JsonObject, revision: Revision, caller: Caller) -> JsonObject | Task:
        """Return a call's result, or the task that waits for the API and makes it.

        Raises:
            RpcError: -32602 for an unknown tool or arguments that are no object.
        """
        tool = self._find(params.get("name"))
        given: object = params.get("arguments")
        arguments: object = {} if given is None else given
        if not is_object(arguments):
            raise RpcError(INVALID_PARAMS, "Invalid params: arguments is not an object")
        if PAYMENT_KEY in params.get("_meta", {}):
            return show_refusal(
                f"{tool.name} was not called: this server takes no payment in a message. A payment "
                "is good for one request, and travels as a header of that request over HTTP."
            )
        try:
            request = tool.plan(arguments)
        except ArgumentError as error:
            return show_faults(tool.name, error.faults)
        what = f"{tool.name} ({request.describe()})"
        try:
            self._api.check(request, caller)
        except ApiError as failure:
            return show_failure(failure.describe(what), self._wording["unknown"])

        def task(cancellation: Cancellation) -> JsonObject:
            try:
                answer = self._api.send(request, caller, cancellation)
                if answer.is_offer:
                    return show_offer(what, answer, self._wording["price"], revision)
                tool.check(answer)
            except ApiError as failure:
                return show_failure(failure.describe(what), self._wording["unknown"])
            return show_data(answer, revision)

        return task

    def _find(self, name: object) -> Tool:
        if not isinstance(name, str) or name not in self._surface.tools:
            shown = shorten(name) if isinstance(name, str) else "(no name)"
            available = ", ".join(self._surface.tools)
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {shown}. Available: {available}")
        if name not in self._tools:
            self._tools[name] = Tool(self._surface.tools[name], self._surface.snapshot)
        return self._tools[name]
