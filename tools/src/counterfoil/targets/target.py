"""What a target is: a planner of files, and a reader of what such files hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from counterfoil.cache import Cache
from counterfoil.contract.model import Contract, Server


@dataclass(frozen=True)
class Planned:
    """A file as it has to be.

    Attributes:
        path: relative to the project, with forward slashes.
        content: its bytes, header included.
        about: what of the contract it is made from, for people: ``tool fairwins/get_fees``.
    """

    path: str
    content: bytes
    about: str


@dataclass(frozen=True, order=True)
class Entry:
    """One thing of the contract that an output must hold, or holds.

    Attributes:
        server: id of the server.
        kind: ``tool``, ``handler``, ``route``, ``outbound``, ``resource``, ``template``,
            ``prompt``, ``schema``; of what directories are told, ``package``, ``variable``,
            ``remote``, ``setting``, ``client``.
        name: its name.
        path: the file that it was read from; empty for what is expected. Entries of the same
            thing in two files are equal.
    """

    server: str
    kind: str
    name: str
    path: str = field(default="", compare=False)


@dataclass(frozen=True)
class Launch:
    """How a server is started or reached, as far as a page may tell it.

    Attributes:
        command: what starts it over stdio; empty for a URL.
        url: its endpoint over HTTP; empty for a command.
    """

    command: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True)
class Request:
    """What a target is asked to make.

    Attributes:
        contract: the contract.
        servers: the servers to make it for; the target applies to each of them.
        path: the configured path; ``{server}`` and ``{package}`` are still in it.
        cache: remembers slow results by content.
        cases: example calls by (server id, tool name), as the case files have them.
        launches: by server id, for the servers that the configuration can start or reach.
    """

    contract: Contract
    servers: tuple[Server, ...]
    path: str
    cache: Cache
    cases: Mapping[tuple[str, str], Mapping[str, object]]
    launches: Mapping[str, Launch] = field(default_factory=dict[str, Launch])


@runtime_checkable
class Preparing(Protocol):
    """A target that can start in the background what takes long to start."""

    def prepare(self) -> None:
        """Start it. Nothing is lost when no file has to be made after all."""
        ...


class Target(Protocol):
    """One kind of generated output."""

    @property
    def name(self) -> str:
        """Return the name that the configuration uses."""
        ...

    @property
    def per_server(self) -> bool:
        """Say whether the path names one server's output, so that two need ``{server}``."""
        ...

    def applies(self, server: Server) -> bool:
        """Say whether a server has something for this target."""
        ...

    def plan(self, request: Request) -> Iterable[Planned]:
        """Return the files; the same request gives the same bytes everywhere.

        A call may begin in the background what its files are then waited for.

        Raises:
            GenerationError: the target cannot represent what the contract says.
        """
        ...

    def expected(self, request: Request) -> set[Entry]:
        """Return what the output must hold, from the contract alone."""
        ...

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        """Return what files hold, read independently of how they were made.

        Args:
            files: content by path, of the files in the tree that carry our header or are
                planned. Content that cannot be read counts as holding nothing.
        """
        ...
