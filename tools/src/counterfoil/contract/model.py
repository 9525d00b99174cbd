"""A contract that keeps its grammar, and its parts by name.

The parts are thin views of the JSON: every reader sees what the author wrote.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.canonical import compact, digest

Schema = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One entry of a server's list.

    Attributes:
        server: id of the server it belongs to.
        pointer: RFC 6901 pointer to it in the contract.
        data: the JSON object. Callers do not change it.
    """

    server: str
    pointer: str
    data: Mapping[str, Any]

    @functools.cached_property
    def text(self) -> str:
        """Return the entry on one line with sorted keys, as results made from it are keyed."""
        return compact(self.data)

    @property
    def name(self) -> str:
        """Return what identifies the entry among its kind: for a resource, its URI."""
        for key in ("id", "uri", "uriTemplate", "name"):
            if key in self.data:
                return str(self.data[key])
        return f"{self.data['method']} {self.data['origin']}{self.data['pathPattern']}"

    @property
    def title(self) -> str:
        """Return the name for people, or the identifying name where there is none."""
        return str(self.data.get("title", self.name))

    @property
    def description(self) -> str:
        """Return the description, or the empty string."""
        return str(self.data.get("description", ""))


@dataclass(frozen=True)
class Tool(Part):
    """A tool: what a model may call."""

    @property
    def input_schema(self) -> Schema:
        """Return the author's input schema; its references may lead to the contract."""
        schema: Schema = self.data["inputSchema"]
        return schema

    @property
    def output_schema(self) -> Schema | None:
        """Return the author's output schema, or ``None``."""
        return self.data.get("outputSchema")

    @property
    def surfaces(self) -> frozenset[str]:
        """Return where it is offered: ``mcp``, ``assistant``."""
        return frozenset(self.data["surfaces"])

    @property
    def served(self) -> bool:
        """Say whether the MCP server lists it."""
        return "mcp" in self.surfaces and self.data["auth"] != "local"

    @property
    def priced(self) -> bool:
        """Say whether a call may ask for a payment."""
        return bool(self.data.get("priced", False))

    @property
    def exec(self) -> Mapping[str, Any]:
        """Return how a call is carried out."""
        how: Mapping[str, Any] = self.data["exec"]
        return how


@dataclass(frozen=True)
class Server:
    """A server of the contract.

    Attributes:
        id: its key under ``servers``; names folders and packages.
        data: the JSON object. Callers do not change it.
    """

    id: str
    data: Mapping[str, Any]

    @property
    def pointer(self) -> str:
        """Return the pointer to it in the contract."""
        return f"/servers/{self.id}"

    @property
    def binding(self) -> str:
        """Return what it is fed by: ``mcp``, ``snapshot`` or ``wrapper``."""
        return str(self.data["binding"])

    @property
    def version(self) -> str:
        """Return the version on the wire, or the empty string where there is none."""
        return str(self.data.get("version", ""))

    @functools.cached_property
    def tools(self) -> tuple[Tool, ...]:
        """Return its tools in the contract's order."""
        return tuple(
            Tool(self.id, f"{self.pointer}/tools/{index}", data)
            for index, data in enumerate(self.data["tools"])
        )

    @property
    def served(self) -> tuple[Tool, ...]:
        """Return the tools that its MCP server lists."""
        return tuple(tool for tool in self.tools if tool.served)

    @property
    def prompted(self) -> tuple[Part, ...]:
        """Return the prompts that a handler answers, since the contract has no messages."""
        return tuple(part for part in self.parts("prompts") if "messages" not in part.data)

    @property
    def title(self) -> str:
        """Return the name for people, or the name on the wire where there is none."""
        return str(self.data.get("title", self.data["name"]))

    def parts(self, kind: str) -> tuple[Part, ...]:
        """Return the entries of one of the server's lists, such as ``prompts`` or ``routes``."""
        return tuple(
            Part(self.id, f"{self.pointer}/{kind}/{index}", data)
            for index, data in enumerate(self.data.get(kind, ()))
        )

    @functools.cached_property
    def routes(self) -> Mapping[str, Part]:
        """Return the routes by id."""
        return {part.name: part for part in self.parts("routes")}


@dataclass(frozen=True)
class Contract:
    """A contract that keeps its grammar.

    Attributes:
        path: the file as findings and headers show it, relative, with forward slashes.
        text: the file's text with ``\\n`` line ends.
        data: the JSON object. Callers do not change it.
    """

    path: str
    text: str
    data: dict[str, Any]

    @functools.cached_property
    def sha256(self) -> str:
        """Return the hash of the canonical form, 64 hexadecimal digits."""
        return digest(self.data)

    @functools.cached_property
    def servers(self) -> tuple[Server, ...]:
        """Return the servers, sorted by id."""
        return tuple(Server(key, self.data["servers"][key]) for key in sorted(self.data["servers"]))

    @property
    def defs(self) -> dict[str, Schema]:
        """Return the shared schemas by name."""
        defs: dict[str, Schema] = self.data.get("$defs", {})
        return defs

    @property
    def wording(self) -> Mapping[str, str]:
        """Return the fixed sentences by name."""
        wording: Mapping[str, str] = self.data.get("wording", {})
        return wording

    def server(self, key: str) -> Server:
        """Return a server by id; raise ``KeyError`` for one that is not there."""
        return Server(key, self.data["servers"][key])
