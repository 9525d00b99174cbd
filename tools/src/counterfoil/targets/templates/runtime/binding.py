"""Bind handlers to a server of the MCP SDK that serves a contract's surface."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from mcp.server import CacheHint, Server
from mcp.server.caching import CacheableMethod
from mcp.types import Icon
from pydantic import BaseModel

from .boundary import ContextFactory, JsonObject
from .prompts import Prompts
from .resources import Resources
from .tools import BoundTool, Tools
from .wording import listed

READER = "read_resource"
PROMPTER = "get_prompt"
_LIST = CacheHint(ttl_ms=300_000, scope="public")  # a surface is fixed while its server runs
_CACHE: Mapping[CacheableMethod, CacheHint] = {
    "server/discover": _LIST,
    "tools/list": _LIST,
    "prompts/list": _LIST,
    "resources/list": _LIST,
    "resources/templates/list": _LIST,
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}


@dataclass(frozen=True)
class Binding:
    """How a tool is carried out.

    Attributes:
        handler: name of the method.
        model: returns the typed view of the arguments.
    """

    handler: str
    model: Callable[[], type[BaseModel]]


class BindingError(Exception):
    """Report handlers that do not match the contract, or patterns that Python cannot use.

    Attributes:
        faults: every fault, one sentence each.
    """

    def __init__(self, faults: list[str]) -> None:
        super().__init__(listed("The handlers cannot be bound:", faults))
        self.faults = tuple(faults)


def bind_server(
    package: str,
    handlers: object,
    *,
    protocol: type,
    bindings: Mapping[str, Binding],
    context: ContextFactory | None = None,
) -> Server[Any]:
    """Return a server that serves the surface beside a stubs module.

    Args:
        package: the package that holds ``surface.json``.
        handlers: has an async method for each tool, and no other public ones.
        protocol: the class that says which methods there are; its own bodies do not count.
        bindings: how each served tool is carried out.
        context: makes what handlers get as ``ctx``; without it, they get a ``CallContext``.

    Raises:
        BindingError: the handlers do not match, or a schema has a pattern that Python cannot
            use, with every fault in one message.
    """
    surface = json.loads(resources.files(package).joinpath("surface.json").read_bytes())
    offered = {tool["name"]: tool for tool in surface["tools"] if tool["name"] in bindings}
    readable = bool(surface["resources"] or surface["resourceTemplates"])
    wanted = {binding.handler: f"tool {name}" for name, binding in bindings.items()}
    if readable:
        wanted[READER] = "the resources"
    prompted = any("messages" not in prompt for prompt in surface["prompts"])
    if prompted:
        wanted[PROMPTER] = "the prompts"
    lost = bindings.keys() - offered.keys()
    faults = [f"tool {name} is not in surface.json; generate both again" for name in lost]
    faults += _faults(handlers, protocol, wanted)
    if faults:
        raise BindingError(sorted(faults))
    tools = [
        BoundTool(entry, getattr(handlers, bindings[name].handler), bindings[name].model)
        for name, entry in offered.items()
    ]
    faults = [f"tool {tool.name}: {fault}" for tool in tools for fault in tool.unreadable]
    if faults:
        raise BindingError(faults)
    reader = getattr(handlers, READER) if readable else None
    served = Resources(surface["resources"], surface["resourceTemplates"], reader, context)
    answer = getattr(handlers, PROMPTER) if prompted else None
    prompts = Prompts(surface["prompts"], answer, context)
    return _server(surface, Tools(tools, context), served, prompts)


def _server(
    surface: JsonObject, tools: Tools, readable: Resources, prompts: Prompts
) -> Server[Any]:
    """Return the server; lists that are empty are served as such."""
    about = surface["server"]
    return Server(
        about["name"],
        version=about.get("version", ""),
        title=about.get("title"),
        description=about.get("description"),
        website_url=about.get("websiteUrl"),
        icons=[Icon.model_validate(each) for each in about.get("icons", ())] or None,
        instructions=about.get("instructions"),
        cache_hints=_CACHE,
        get_tool_input_schema=tools.input_schema,
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call,
        on_list_resources=readable.list_resources,
        on_list_resource_templates=readable.list_templates,
        on_read_resource=readable.read,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get,
    )


def _faults(handlers: object, protocol: type, wanted: Mapping[str, str]) -> Iterator[str]:
    for name, purpose in wanted.items():
        found = getattr(handlers, name, None)
        declared = vars(protocol).get(name)
        if found is None or getattr(found, "__func__", found) is declared:
            yield f"{name} is missing ({purpose})"
        elif not _is_async(found):
            yield f"{name} is not async ({purpose})"
    for name in dir(handlers):
        # Read without running properties.
        found = inspect.getattr_static(handlers, name)
        if name not in wanted and not name.startswith("_") and _is_async(found):
            yield f"{name} is a public async method and no handler; begin its name with _"


def _is_async(found: object) -> bool:
    function: object = getattr(found, "__func__", found)  # what a static or class method holds
    called = inspect.getattr_static(function, "__call__", None)  # an object with an async call
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
