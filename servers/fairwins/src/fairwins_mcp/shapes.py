"""The shape of the vendored snapshot, for type checkers only: nothing imports this at run time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, TypeVar

from fairwins_mcp.answers import RawAnswer
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.upstream.exchange import Exchange

Result = TypeVar("Result")

JsonObject: TypeAlias = dict[str, Any]
RequestId: TypeAlias = str | int
Fault: TypeAlias = tuple[str, str]
HeaderField: TypeAlias = tuple[str, str]  # the value in Latin-1, so that its bytes survive
# Work with exchanges in it. Whoever takes the steps carries each exchange to the API, in whatever
# way it has, and sends in the answer that came, or throws in the error that came of it.
Steps: TypeAlias = Generator[Exchange, RawAnswer, Result]
Task: TypeAlias = Callable[[Cancellation], Steps[JsonObject]]


class Exec(TypedDict):
    """How a call is carried out, and where its arguments travel."""

    kind: Literal["handler", "local", "public", "route"]
    route: NotRequired[str]
    path: NotRequired[list[str]]
    query: NotRequired[list[str]]
    body: NotRequired[list[str]]


class ToolEntry(TypedDict):
    """A tool of the contract."""

    name: str
    title: str
    description: str
    inputSchema: JsonObject
    outputSchema: NotRequired[JsonObject]
    annotations: NotRequired[JsonObject]
    icons: NotRequired[list[JsonObject]]
    _meta: NotRequired[JsonObject]
    auth: Literal["grant", "local", "none"]
    scope: NotRequired[str]
    surfaces: list[str]
    exec: Exec
    priced: NotRequired[bool]


class ResourceSource(TypedDict):
    """Where a resource's text comes from."""

    kind: Literal["embedded", "handler", "route"]
    route: NotRequired[str]


class ResourceEntry(TypedDict):
    """A resource of the contract."""

    uri: str
    name: str
    title: str
    description: str
    mimeType: NotRequired[str]
    source: ResourceSource


class TemplateEntry(TypedDict):
    """A family of resources of the contract, by URI template."""

    uriTemplate: str
    name: str
    title: str
    description: str
    mimeType: NotRequired[str]


class PromptArgument(TypedDict):
    """An argument of a prompt, and what stands for it when it is absent."""

    name: str
    title: NotRequired[str]
    description: str
    required: NotRequired[bool]
    whenAbsent: NotRequired[str]


class PromptMessage(TypedDict):
    """A message with ``{name}`` where an argument's value goes."""

    role: Literal["assistant", "user"]
    text: str


class PromptEntry(TypedDict):
    """A prompt of the contract."""

    name: str
    title: str
    description: str
    arguments: NotRequired[list[PromptArgument]]
    messages: list[PromptMessage]


class Parameter(TypedDict):
    """A path or query parameter with the pattern of its text."""

    name: str
    description: str
    pattern: str
    required: NotRequired[bool]
    schema: NotRequired[JsonObject]


class Unreadable(TypedDict):
    """A place in an answer where ``value`` says that something could not be read."""

    at: str
    value: object
    meaning: str
    reason: NotRequired[str]


class RouteEntry(TypedDict):
    """A route of the Member API."""

    method: str
    path: str
    auth: Literal["bearer", "none", "signature"]
    scope: NotRequired[str]
    pathParams: NotRequired[list[Parameter]]
    queryParams: NotRequired[list[Parameter]]
    unreadable: NotRequired[list[Unreadable]]


class ServerEntry(TypedDict):
    """What the server says of itself."""

    name: str
    title: str
    version: str
    instructions: NotRequired[str]
    protocolVersions: list[str]


class Wording(TypedDict):
    """Sentences that read the same everywhere."""

    unknown: str
    price: str


class Snapshot(TypedDict):
    """The vendored file as a whole."""

    server: ServerEntry
    wording: Wording
    tools: list[ToolEntry]
    resources: list[ResourceEntry]
    resourceTemplates: NotRequired[list[TemplateEntry]]
    prompts: list[PromptEntry]
    routes: dict[str, RouteEntry]
