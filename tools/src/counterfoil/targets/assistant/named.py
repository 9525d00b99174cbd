"""Names for the types of a TypeScript module, and the types that references lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from counterfoil.contract.model import Contract
from counterfoil.contract.values import members, text
from counterfoil.errors import GenerationError
from counterfoil.names import class_name
from counterfoil.schema.refs import DanglingReference, follow, shared_name
from counterfoil.targets.assistant.comments import comment, notes
from counterfoil.targets.assistant.expression import after
from counterfoil.targets.assistant.types import TypeMaker

_SHARED = "#/$defs/"


@dataclass(frozen=True)
class Root:
    """What local references lead into.

    Attributes:
        pointer: where it is in the contract; ``""`` is the contract, whose ``$defs`` are shared.
        schema: the schema at the root.
        name: what its type would be called.
    """

    pointer: str
    schema: Any
    name: str = ""

    @property
    def own(self) -> frozenset[str]:
        """Return the names that the schema defines itself."""
        return (
            frozenset(members(members(self.schema).get("$defs"))) if self.pointer else frozenset()
        )


class NamedTypes:
    """Declare types by name, each when something first refers to it.

    Args:
        contract: whose shared schemas keep their names.
        taken: names that the module uses for other things.
    """

    def __init__(self, contract: Contract, taken: Sequence[str]) -> None:
        self._contract = contract
        self._shared = Root("", contract.data)
        self._names: dict[tuple[str, str], str] = {}
        self._taken = set(taken)
        self._made: dict[str, str] = {}
        self._bare: dict[str, set[str]] = {}
        for name in contract.defs:
            self._claim(("", f"{_SHARED}{name}"), name)

    def declarations(self) -> list[str]:
        """Return the declarations, sorted by name.

        Raises:
            GenerationError: types are nothing but references to one another.
        """
        try:
            TopologicalSorter(self._bare).prepare()
        except CycleError as error:
            ring: Sequence[str] = error.args[1]
            names = " and ".join(sorted(set(ring)))
            raise GenerationError(
                f"the schemas of {names} refer to one another without end",
                place=self._contract.path,
                hint="put an object or a list between them, or say what stands at the bottom",
            ) from error
        return [self._made[name] for name in sorted(self._made)]

    def name_of(self, root: Root, pointer: str = "#") -> str:
        """Return the name of the type at a place, declaring it when it is new.

        Raises:
            GenerationError: a reference inside it leads nowhere.
        """
        place = (root.pointer, pointer)
        inside = "" if pointer == "#" else class_name(pointer.replace("$defs", ""))
        name = self._names.get(place) or self._claim(place, root.name + inside)
        if name not in self._made:
            self._made[name] = ""  # holds the place while what it refers to is made
            self._made[name] = self._declaration(name, root, pointer)
        return name

    def _claim(self, place: tuple[str, str], wanted: str) -> str:
        """Keep a name for a place; names of the contract have no underscore at their end."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        self._names[place] = wanted
        return wanted

    def _declaration(self, name: str, root: Root, pointer: str) -> str:
        schema = self._schema(root, pointer)

        def refer(reference: str, sheltered: bool) -> str:
            other = self.name_of(self._root_of(root, reference), reference)
            if not sheltered:
                self._bare.setdefault(name, set()).add(other)
            return other

        declared = after(f"export type {name} =", TypeMaker(refer).expression(schema))
        about = comment(text(members(schema).get("description")), notes(schema))
        return f"{about}{declared}\n"

    def _root_of(self, root: Root, reference: str) -> Root:
        name = shared_name(reference)
        if name in self._contract.defs and name not in root.own:
            return self._shared
        if root is self._shared:
            raise self._dangling(root, reference)
        return root

    def _schema(self, root: Root, pointer: str) -> Any:
        try:
            return follow(root.schema, pointer)
        except DanglingReference as error:
            raise self._dangling(root, pointer) from error

    def _dangling(self, root: Root, reference: str) -> GenerationError:
        return GenerationError(
            f"a schema refers to {reference}, which is not there",
            place=f"{self._contract.path}#{root.pointer or '/$defs'}",
            hint="refer to #/$defs/Name of the contract, or to a place in the same schema",
        )
