"""The answer to a permitted request, as a handler sees it."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from mcp_wrapper_scaffold.errors import FetchError

# By the names that Python gives them; its other codecs are not for text that comes from elsewhere.
_CHARSETS = re.compile(
    r"ascii|utf-(?:8|16|32)(?:-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]"
    r"|gb2312|gbk|gb18030|big5|shift_jis|euc_jp|euc_kr|iso2022_[a-z0-9_]+"
)
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([A-Za-z0-9._:-]+)", re.IGNORECASE)


class AnswerHeaders(Mapping[str, str]):
    """Hold header fields; names are found in any case, and lines of one name are joined."""

    def __init__(self, lines: Iterable[tuple[str, str]] = ()) -> None:
        self._fields: dict[str, str] = {}
        for name, value in lines:
            folded = name.lower()
            before = self._fields.get(folded)
            self._fields[folded] = value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._fields)})"


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """Hold a whole answer: a value without a connection, a client or the request behind it.

    Attributes:
        status: the status of the answer. A redirect (3xx) is an answer like any other: it is not
            followed, and whoever follows it by hand asks the gate anew.
        headers: the fields by name, in any case.
        content: the decoded body.
        method: the method of the request.
        origin: where the request went.
        path: the path of the request, without its query.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=AnswerHeaders)
    content: bytes = b""
    method: str = "GET"
    origin: str = ""
    path: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether the status is one of success (2xx)."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """Return the body in the charset it names, UTF-8 otherwise; bad bytes become U+FFFD."""
        match = _CHARSET.search(self.headers.get("content-type", ""))
        return self.content.decode(_codec(match[1]) if match else "utf-8", "replace")

    def json(self) -> Any:
        """Return the value of a JSON body.

        Raises:
            FetchError: ``not_json``; the message has nothing of the body.
        """
        try:
            return json.loads(self.content, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            # Not chained: the cause would carry the body along.
            raise FetchError(
                "not_json",
                method=self.method,
                origin=self.origin,
                path=self.path,
                detail=f"status {self.status}",
            ) from None

    def __repr__(self) -> str:
        place = f"{self.method} {self.origin}{self.path}"
        return f"<FetchResponse {self.status} {place}: {len(self.content)} bytes>"


def _codec(charset: str) -> str:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return "utf-8"
    return name if _CHARSETS.fullmatch(name) else "utf-8"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
