"""The document: the parts of every server, remembered by what they are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from counterfoil.cache import key_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.model import Server, Tool
from counterfoil.fingerprint import fingerprint
from counterfoil.targets.page.assets import policy, script, style
from counterfoil.targets.page.markup import anchor, fragment, words
from counterfoil.targets.page.sections import NEWEST, introduction, lists, shared
from counterfoil.targets.page.shapes import Shapes
from counterfoil.targets.page.tools import shown_cases, tool_article
from counterfoil.targets.target import Request

# Tools that are remembered together: an edit of one reads the others of its group one by one.
_GROUP = 32
# What the page leaves out of a tool: pictures, and what only programs read.
_UNSHOWN = frozenset({"_meta", "execution", "icons"})
_LISTS = (
    ("routes", "Routes"),
    ("outbound", "Permitted requests"),
    ("resources", "Resources"),
    ("resourceTemplates", "Resource templates"),
    ("prompts", "Prompts"),
)


class Document:
    """One page about servers of a contract.

    Args:
        request: what the target is asked to make.
        servers: the servers that the page is about.
    """

    def __init__(self, request: Request, servers: Sequence[Server]) -> None:
        self._contract = request.contract
        self._servers = servers
        self._cases = request.cases
        self._launches = request.launches
        self._cache = request.cache
        self._shapes = Shapes(self._contract.defs)
        self._shared = key_of(compact(self._contract.defs), compact(dict(self._contract.wording)))
        self._tools = {
            server.id: [(tool, self._key(server, tool)) for tool in server.tools]
            for server in servers
        }

    @property
    def digest(self) -> str:
        """Return the hash of what the page is made from, 64 hexadecimal digits."""
        parts = [self._shared]
        for server in self._servers:
            rest = {key: value for key, value in server.data.items() if key != "tools"}
            parts += [server.id, compact(rest), repr(self._launches.get(server.id))]
            parts += [key for _, key in self._tools[server.id]]
        return key_of(*parts)

    def html(self) -> str:
        """Return the page without a header. The same contract gives the same text."""
        contract = self._contract
        made = fragment(
            "page",
            policy=policy(),
            style=style(),
            script=script(),
            title=self._title(),
            search="Search the contract",
            counts=self._counts(),
            contents=[self._contents(server) for server in self._servers],
            types=[(anchor("", "type", name), name) for name in contract.defs],
            wording=bool(contract.wording),
            newest=NEWEST,
            servers=[self._server(server) for server in self._servers],
            shared=shared(contract, tuple(contract.defs), self._shapes),
        )
        return str(made)  # what is put before it is no text to be escaped

    def _title(self) -> str:
        return self._servers[0].title if len(self._servers) == 1 else "Contract"

    def _counts(self) -> list[tuple[int, str]]:
        kinds = (("servers", "server"), ("tools", "tool"), ("prompts", "prompt"))
        totals = {
            "servers": len(self._servers),
            "tools": sum(len(server.tools) for server in self._servers),
            "prompts": sum(len(server.parts("prompts")) for server in self._servers),
        }
        return [
            (totals[key], noun if totals[key] == 1 else f"{noun}s")
            for key, noun in kinds
            if totals[key]
        ]

    def _contents(self, server: Server) -> dict[str, Any]:
        return {
            "id": server.id,
            "title": words(server.title),
            "tools": [(anchor(server.id, "tool", tool.name), tool.name) for tool in server.tools],
            "lists": [
                (f"{server.id}/{key}", label, len(server.data[key]))
                for key, label in _LISTS
                if server.data.get(key)
            ],
        }

    def _server(self, server: Server) -> dict[str, Any]:
        return {
            "id": server.id,
            "modern": NEWEST in server.data.get("protocolVersions", ()),
            "introduction": introduction(server, self._launches.get(server.id)),
            "tools": Markup().join(self._groups(server)),
            "lists": lists(server, self._shapes),
        }

    def _groups(self, server: Server) -> Iterator[Markup]:
        keyed = self._tools[server.id]
        made = key_of("page", fingerprint(), self._shared)
        for start in range(0, len(keyed), _GROUP):
            group = keyed[start : start + _GROUP]
            whole = key_of(made, server.id, *(key for _, key in group))
            yield self._remembered(whole, partial(self._articles, server, group, made))

    def _articles(self, server: Server, group: Sequence[tuple[Tool, str]], made: str) -> str:
        return "".join(
            self._remembered(key_of(made, server.id, key), partial(self._article, server, tool))
            for tool, key in group
        )

    def _article(self, server: Server, tool: Tool) -> str:
        return tool_article(server, tool, self._shown(tool), self._shapes)

    def _remembered(self, key: str, make: Callable[[], str]) -> Markup:
        return Markup(self._cache.remember(key, make))  # noqa: S704  # sealed, and made by a template

    def _key(self, server: Server, tool: Tool) -> str:
        route = server.routes.get(tool.exec.get("route", ""))
        shown = {key: value for key, value in tool.data.items() if key not in _UNSHOWN}
        text = tool.text if len(shown) == len(tool.data) else compact(shown)
        return key_of(text, compact(self._shown(tool)), route.text if route else "")

    def _shown(self, tool: Tool) -> Mapping[str, Any]:
        return shown_cases(self._cases.get((tool.server, tool.name), {}))
