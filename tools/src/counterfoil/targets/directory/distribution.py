"""How people get a server and start it: ``distribution`` of a contract, with defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.model import Server
from counterfoil.contract.values import items, members, text


@dataclass(frozen=True)
class Asked:
    """One value that a user gives: a variable, a flag's value or a header's.

    Attributes:
        name: of the variable, the flag (dashes included) or the header.
        title, description: for people.
        format: ``boolean``, ``filepath``, ``number`` or ``string``.
        is_required: whether the server is of no use without it.
        is_secret: whether it is a credential.
        default: what stands for it when the user says nothing.
        file: another variable, which names a file that holds the value.
        prefix: what stands before the value in a header.
    """

    name: str
    title: str
    description: str
    format: str = "string"
    is_required: bool = False
    is_secret: bool = False
    default: str | None = None
    file: str = ""
    prefix: str = ""

    @property
    def key(self) -> str:
        """Return the name in lower case with underscores, as forms of clients call it."""
        return self.name.strip("-").replace("-", "_").lower()


@dataclass(frozen=True)
class Package:
    """A package whose command serves over stdio.

    Attributes:
        registry: ``npm`` or ``pypi``.
        identifier: its name there, scope included.
        version: one exact version.
        arguments: what follows the command; a text stands as it is, the rest is asked for.
    """

    registry: str
    identifier: str
    version: str
    arguments: tuple[str | Asked, ...]


@dataclass(frozen=True)
class Remote:
    """An endpoint over streamable HTTP, and the headers that it asks for."""

    url: str
    headers: tuple[Asked, ...]


@dataclass(frozen=True)
class Distribution:
    """What a contract says of how a server is had.

    Attributes:
        data: the JSON object.
        package: ``None`` for a server that is only reached by URL.
        variables: what the package reads from its environment.
        remotes: where it is served for everybody.
        entry_point, runtime: of the bundle; both empty without one.
    """

    data: Mapping[str, Any]
    package: Package | None
    variables: tuple[Asked, ...]
    remotes: tuple[Remote, ...]
    entry_point: str
    runtime: str


def read_distribution(server: Server) -> Distribution:
    """Read what the contract says of a server that has a ``distribution``."""
    data = members(server.data["distribution"])
    bundle = members(data.get("bundle"))
    return Distribution(
        data=data,
        package=_package(members(data["package"])) if "package" in data else None,
        variables=tuple(_asked(each) for each in items(data.get("environment"))),
        remotes=tuple(
            Remote(each["url"], tuple(_asked(header) for header in items(each.get("headers"))))
            for each in items(data.get("remotes"))
        ),
        entry_point=text(bundle.get("entryPoint")),
        runtime=text(bundle.get("runtime")),
    )


def _package(data: Mapping[str, Any]) -> Package:
    given = items(data.get("arguments"))
    return Package(
        registry=data["registry"],
        identifier=data["identifier"],
        version=data["version"],
        arguments=tuple(each["value"] if "value" in each else _asked(each) for each in given),
    )


def _asked(data: Mapping[str, Any]) -> Asked:
    return Asked(
        name=data["name"],
        title=data["title"],
        description=data["description"],
        format=data.get("format", "string"),
        is_required=data.get("required", False),
        is_secret=data.get("secret", False),
        default=data.get("default"),
        file=data.get("file", ""),
        prefix=data.get("prefix", ""),
    )
