"""What a wrapper's project is called, and where its parts are."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass

from counterfoil.contract.model import Server
from counterfoil.errors import CounterfoilError
from counterfoil.names import class_name, package_name

CONTRACT = "contract/contract.json"
CASES = "contract/cases"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SUFFIX = "-mcp"


@dataclass(frozen=True)
class Wrapper:
    """The project of one wrapper.

    Attributes:
        name: of the distribution and of its command.
        server: the server's id in the contract.
        title: what the server is called, for people.
        contract, cases: where they are, relative to the project; ``cases`` is empty for none.
    """

    name: str
    server: str
    title: str
    contract: str = CONTRACT
    cases: str = ""

    @property
    def package(self) -> str:
        """Return the import name."""
        return self.name.replace("-", "_")

    @property
    def bindings(self) -> str:
        """Return the package of the server's bindings, within all bindings."""
        return package_name(self.server)

    @property
    def protocol(self) -> str:
        """Return the class that the handlers have to be of."""
        return f"{class_name(self.server)}Handlers"

    @property
    def secret(self) -> str:
        """Return the variable that holds the key of the upstream's API."""
        return f"{self.name.removesuffix(_SUFFIX).replace('-', '_').upper()}_API_KEY"


def check_name(name: str) -> None:
    """Refuse a name that cannot be that of a distribution and a package.

    Raises:
        CounterfoilError: it cannot.
    """
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise CounterfoilError(
            f"{name!r} is no name of a project",
            place="NAME",
            hint="write lower-case words of letters and digits, joined by hyphens",
        )
    if keyword.iskeyword(package) or package in sys.stdlib_module_names:
        raise CounterfoilError(
            f"{package!r} is a name of Python's own", place="NAME", hint=f"call it {name}{_SUFFIX}"
        )


def first_server(name: str) -> str:
    """Return the id that a new contract gives its server."""
    return name.removesuffix(_SUFFIX) or name


def wrapper_of(name: str, server: Server, contract: str, cases: str) -> Wrapper:
    """Return the project of a server."""
    title = str(server.data.get("title", server.data["name"]))
    return Wrapper(name, server.id, title, contract, cases)
