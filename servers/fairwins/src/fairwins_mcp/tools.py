"""Tool calls: check the arguments, build the request, send it, show what came back."""

from __future__ import annotations

from fairwins_mcp.envelope import PAYMENT_KEY
from fairwins_mcp.errors import (
    INVALID_PARAMS,
    ApiError,
    ArgumentError,
    RpcError,
    SnapshotError,
    shorten,
)
from fairwins_mcp.payments import REFUSAL, UNPRICED, find_argument
from fairwins_mcp.redaction import Redaction
from fairwins_mcp.results import (
    add_receipt,
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
    from collections.abc import Callable

    from fairwins_mcp.answers import Answer
    from fairwins_mcp.api import Api
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.shapes import JsonObject, Snapshot, Steps, Task, ToolEntry
    from fairwins_mcp.surface import Surface


# Codes with which the API refuses what a call asks for, with HTTP status 400.
CALLER_FAULTS = frozenset(("bad_request", "invalid_cursor", "invalid_params", "unsupported_action"))


class Tool:
    """One served tool: its snapshot entry with schemas and route compiled."""

    def __init__(self, entry: ToolEntry, snapshot: Snapshot) -> None:
        self.name = entry["name"]
        self._entry = entry
        self._input = Schema(entry["inputSchema"])
        self.is_priced = entry.get("priced", False)
        self._output = Schema(entry["outputSchema"]) if "outputSchema" in entry else None
        route_id = entry["exec"].get("route")
        if route_id is None or route_id not in snapshot["routes"]:
            raise SnapshotError(f"tool {self.name} has no route to call")
        self._route = Route(route_id, snapshot["routes"][route_id])

    def refuse_payment(self, arguments: JsonObject, meta: JsonObject, caller: Caller) -> str | None:
        """Say why a payment that came with a call cannot go on with it; None when it can.

        A model writes arguments, and must not be able to write a payment. ``_meta`` holds it as an
        object, which could not be passed on byte for byte.
        """
        declared: JsonObject = self._entry["inputSchema"].get("properties", {})
        if PAYMENT_KEY in meta or find_argument(arguments, declared) is not None:
            return REFUSAL.format(what=self.name)
        if caller.payment is not None and not self.is_priced:
            return UNPRICED.format(what=self.name)
        return None

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
    """Answer ``tools/call``; calls that are refused here never open the API."""

    def __init__(self, surface: Surface, open_api: Callable[[], Api]) -> None:
        self._surface = surface
        self._wording = surface.snapshot["wording"]
        self._open_api = open_api
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
        refusal = tool.refuse_payment(arguments, params.get("_meta", {}), caller)
        if refusal is not None:
            return show_refusal(refusal)
        try:
            request = tool.plan(arguments)
        except ArgumentError as error:
            return show_faults(tool.name, error.faults)
        if caller.payment is not None:
            request.pay(caller.payment)
        elif tool.is_priced and caller.is_anonymous and caller.can_pay:
            request.bearer = False  # so the API tells what it costs, to somebody who may pay
        try:
            api = self._open_api()
            api.check(request, caller)
        except ApiError as failure:
            return self._show_failure(tool, request, failure, caller)
        return lambda cancellation: self._run(api, tool, request, caller, revision, cancellation)

    def _run(
        self,
        api: Api,
        tool: Tool,
        request: ApiRequest,
        caller: Caller,
        revision: Revision,
        cancellation: Cancellation,
    ) -> Steps[JsonObject]:
        try:
            answer = yield from api.send(request, caller, cancellation)
            if not answer.is_offer:
                tool.check(answer)
            elif not tool.is_priced:
                raise ApiError("http_402", "the API asks a payment, and this tool has no price")
        except ApiError as failure:
            return self._show_failure(tool, request, failure, caller)
        if answer.is_offer:
            what = f"{tool.name} ({request.describe()})"
            result = show_offer(what, answer, self._wording["price"], revision)
        else:
            result = show_data(answer, revision)
        if request.payment is not None:
            refused = answer.document if answer.is_offer else None
            return _add_receipt(result, caller, refused)
        return result

    def _show_failure(
        self, tool: Tool, request: ApiRequest, failure: ApiError, caller: Caller
    ) -> JsonObject:
        what = f"{tool.name} ({request.describe()})"
        # A build that was refused for its own arguments read nothing: there is no unknown in it
        # that anybody could take for none, and to try again would be wrong advice.
        is_read = not (request.method == "POST" and failure.code in CALLER_FAULTS)
        unknown = self._wording["unknown"] if is_read else ""
        result = show_failure(failure.describe(what), unknown)
        if request.payment is None:
            return result
        if failure.is_sent:
            return _add_receipt(result, caller)
        result["content"].append({"type": "text", "text": "The payment was sent nowhere."})
        return result

    def _find(self, name: object) -> Tool:
        if not isinstance(name, str) or name not in self._surface.tools:
            shown = shorten(name) if isinstance(name, str) else "(no name)"
            available = ", ".join(self._surface.tools)
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {shown}. Available: {available}")
        if name not in self._tools:
            self._tools[name] = Tool(self._surface.tools[name], self._surface.snapshot)
        return self._tools[name]


def _add_receipt(
    result: JsonObject, caller: Caller, refused: JsonObject | None = None
) -> JsonObject:
    """Add the receipt without the payment in it: its header alone is passed on to the byte."""
    shown = Redaction(caller).clean_value(
        add_receipt({"content": []}, caller.receipts or [], refused)
    )
    if is_object(shown):
        result["content"] += shown.pop("content")
        result.update(shown)
    return result
