"""Routes of the Member API: from checked arguments to a request that cannot go elsewhere."""

from __future__ import annotations

import json
from urllib.parse import quote

from fairwins_mcp.errors import ArgumentError, SnapshotError
from fairwins_mcp.patterns import compile_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from fairwins_mcp.payments import Payment
    from fairwins_mcp.shapes import Fault, JsonObject, Parameter, RouteEntry, Unreadable


class ApiRequest:
    """A request below the API's base URL: ``method``, ``target`` (path and query), JSON ``body``.

    ``bearer`` says whether the caller's token belongs to it. A ``payment`` takes its place.
    ``unreadable`` lists where the answer says what could not be read.
    """

    __slots__ = ("bearer", "body", "method", "payment", "target", "unreadable")

    def __init__(
        self,
        method: str,
        target: str,
        body: bytes | None,
        bearer: bool,
        unreadable: Sequence[Unreadable] = (),
    ) -> None:
        self.method = method
        self.target = target
        self.body = body
        self.bearer = bearer
        self.payment: Payment | None = None
        self.unreadable = unreadable

    def pay(self, payment: Payment) -> None:
        """Send a payment along, and no token: the API serves a payer as the payer."""
        self.payment = payment
        self.bearer = False

    @property
    def is_repeatable(self) -> bool:
        """Tell whether it may arrive twice: a read does, a build or a payment does not."""
        return self.method == "GET" and self.payment is None

    def describe(self) -> str:
        """Name the request for a message, without its body."""
        line = f"{self.method} {self.target}"
        return line if len(line) <= 200 else line[:199] + "…"


class Route:
    """One route by ``id``: its path template with a pattern for every value that can go into it."""

    def __init__(self, route_id: str, entry: RouteEntry) -> None:
        self._id = route_id
        self._method = entry["method"]
        self._bearer = entry["auth"] == "bearer"
        self._segments = entry["path"].split("/")[1:]
        self._path_patterns = _compile_patterns(entry.get("pathParams", []))
        self._query_patterns = _compile_patterns(entry.get("queryParams", []))
        self._unreadable = entry.get("unreadable", [])
        self._required = [p["name"] for p in entry.get("queryParams", []) if p.get("required")]

    def build(
        self, path: JsonObject, query: JsonObject, body: JsonObject | None, bearer: bool
    ) -> ApiRequest:
        """Make a request of named values.

        ``bearer`` asks for the caller's token; a route that takes none does not get it. A value of
        None counts as not given.

        Raises:
            ArgumentError: a value is missing or does not match its pattern, with every such value.
            SnapshotError: the route has no parameter of that name.
        """
        faults: list[Fault] = []
        segments = [self._fill_segment(segment, path, faults) for segment in self._segments]
        pairs = self._fill_query(query, faults)
        encoded = _encode_body(body, faults)
        if faults:
            raise ArgumentError(faults)
        target = "/" + "/".join(segments) + ("?" + "&".join(pairs) if pairs else "")
        bearer = bearer and self._bearer
        return ApiRequest(self._method, target, encoded, bearer, self._unreadable)

    def _fill_segment(self, segment: str, values: JsonObject, faults: list[Fault]) -> str:
        if not (segment.startswith("{") and segment.endswith("}")):
            return segment
        name = segment[1:-1]
        text = render(values.get(name))
        if text is None:
            faults.append((f"/{name}", "is needed for the path, as text or a number"))
            return ""
        # The pattern alone should do. Dot segments and separators are refused whatever it says,
        # since a URL parser on the way would resolve them and reach another route.
        if not self._matches(self._path_patterns, name, text) or _is_path_syntax(text):
            faults.append((f"/{name}", "is not a value that this route takes"))
            return ""
        return quote(text, safe="")

    def _fill_query(self, values: JsonObject, faults: list[Fault]) -> list[str]:
        pairs: list[str] = []
        for name, value in values.items():
            if value is None:
                continue
            text = render(value)
            if text is None or not self._matches(self._query_patterns, name, text):
                faults.append((f"/{name}", "is not a value that this route takes"))
            elif not is_unicode(text):
                faults.append((f"/{name}", "is not valid Unicode text"))
            else:
                pairs.append(f"{name}={quote(text, safe='')}")
        missing = [name for name in self._required if values.get(name) is None]
        faults.extend((f"/{name}", "is needed and was not given") for name in missing)
        return pairs

    def _matches(self, patterns: dict[str, re.Pattern[str]], name: str, text: str) -> bool:
        if name not in patterns:
            raise SnapshotError(f"route {self._id} has no parameter {name}")
        return patterns[name].fullmatch(text) is not None


def _compile_patterns(parameters: Iterable[Parameter]) -> dict[str, re.Pattern[str]]:
    return {item["name"]: compile_pattern(item["pattern"]) for item in parameters}


def _is_path_syntax(text: str) -> bool:
    return text in ("", ".", "..") or not text.isprintable() or any(c in "/\\?#%" for c in text)


def is_unicode(text: str) -> bool:
    """Tell whether text has no lone surrogate, which JSON can spell and UTF-8 cannot."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def render(value: object) -> str | None:
    """Write a JSON scalar as it stands in a URL; None for null, arrays and objects.

    A float without a fraction is the integer that JSON Schema takes it for.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    return value if isinstance(value, str) else None


def _encode_body(body: JsonObject | None, faults: list[Fault]) -> bytes | None:
    if body is None:
        return None
    try:
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode("ascii")
    except RecursionError:
        faults.append(("", "is nested too deeply to be sent"))
        return None
