"""Tools written by hand: what a wrapper offers, and what its handlers may answer."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_types.version import is_version_at_least

from mcp_wrapper_scaffold.context import Context
from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.schemas import find_fault

Handler: TypeAlias = Callable[[dict[str, Any], Context], Awaitable[object]]
# A wrapper cannot write, and what it reads is somebody else's: clients show both.
_READS: Mapping[str, object] = {"readOnlyHint": True, "openWorldHint": True}
# A strict client refuses a member that its own revision does not know.
_SINCE: Mapping[str, str] = {
    "annotations": "2025-03-26",
    "outputSchema": "2025-06-18",
    "title": "2025-06-18",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


class ToolDeclarationError(WrapperError):
    """Say which tool cannot be offered, and why.

    Attributes:
        tool: its name.
        reason: what is wrong with it.
    """

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(tool, reason)
        self.tool = tool
        self.reason = reason

    def __str__(self) -> str:
        return f"tool {self.tool!r} {self.reason}"


class ToolError(WrapperError):
    """Answer a call with ``isError: true`` and a text for the model.

    It is the one way for a handler to say what went wrong: nothing of any other exception leaves
    the server, apart from the requests that the gate could not carry out.

    Attributes:
        text: what failed, in words that may leave the server: no secret, no upstream body.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, kw_only=True)
class ToolDef:
    """One tool: what the model reads, the schemas that judge, the handler that reads upstream.

    Attributes:
        name: 1 to 128 of ``A-Z a-z 0-9 _ . -``.
        description: what the tool does, for the model.
        input_schema: JSON Schema 2020-12 of an object; arguments are judged before the handler
            runs. Without one, the tool takes no arguments.
        handler: an async function of the arguments and the call's ``Context``. It returns what
            JSON can hold, or raises ``ToolError``.
        title: a name for people.
        output_schema: JSON Schema of the answer, which is then held to it.
        annotations: hints of MCP; by default, that the tool only reads.

    Raises:
        ToolDeclarationError: one of them cannot be used.
    """

    name: str
    description: str
    handler: Handler = field(repr=False)
    input_schema: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "additionalProperties": False}, repr=False
    )
    title: str | None = None
    output_schema: Mapping[str, Any] | None = field(default=None, repr=False)
    annotations: Mapping[str, object] = field(default_factory=lambda: dict(_READS), repr=False)

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault is not None:
            raise ToolDeclarationError(self.name, fault)

    def listed(self, version: str) -> dict[str, Any]:
        """Return the tool as ``tools/list`` names it in a revision, without what is not set."""
        members: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": dict(self.input_schema),
            "outputSchema": None if self.output_schema is None else dict(self.output_schema),
            "annotations": dict(self.annotations) or None,
        }
        return {
            key: value
            for key, value in members.items()
            if value is not None and is_version_at_least(version, _SINCE.get(key, version))
        }

    def _fault(self) -> str | None:
        if not _NAME.fullmatch(self.name):
            return "has a name that is not 1 to 128 of A-Z a-z 0-9 _ . -"
        if not self.description.strip():
            return "has no description"
        called = inspect.getattr_static(self.handler, "__call__", None)
        if not (inspect.iscoroutinefunction(self.handler) or inspect.iscoroutinefunction(called)):
            return "has a handler that is not async"
        for key, schema in (("input", self.input_schema), ("output", self.output_schema)):
            fault = None if schema is None else find_fault(schema)
            if fault is not None:
                return f"has an {key} schema that {fault}"
        return None


def check_names(tools: Sequence[ToolDef]) -> None:
    """Refuse two tools of one name.

    Raises:
        ToolDeclarationError: names the first one.
    """
    for name, number in Counter(tool.name for tool in tools).items():
        if number > 1:
            raise ToolDeclarationError(name, f"is declared {number} times")
