"""Schemas of an OpenAPI document: where they stand and how they refer to one another."""

from __future__ import annotations

from typing import Any

from counterfoil.contract.model import Contract
from counterfoil.contract.values import members
from counterfoil.errors import GenerationError
from counterfoil.schema.refs import DanglingReference, follow, references, shared_name
from counterfoil.schema.relocation import relocated
from counterfoil.schema.walk import subschemas

_FOLDER = "#/components/schemas/"
# Keywords that change where a reference leads; moved into a document they would lead astray.
_REBASING = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$id")


class Components:
    """Collect schemas for ``#/components/schemas`` while a document is made.

    Names of shared schemas begin with a capital and have no dot, by the contract's grammar;
    the other components are named so that they never meet one of them.
    """

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._made: dict[str, Any] = {}

    def as_sorted(self) -> dict[str, Any]:
        """Return the components by name."""
        return dict(sorted(self._made.items()))

    def own(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Put in a schema that the contract does not have; return a reference to it."""
        self._made[name] = schema
        return {"$ref": _FOLDER + name}

    def resolved(self, schema: Any) -> Any:
        """Return a schema, or the shared schema that it is a reference to."""
        seen: set[str] = set()
        while (reference := members(schema).get("$ref")) and reference not in seen:
            seen.add(reference)
            if shared_name(reference) not in self._contract.defs:
                break
            schema = follow(self._contract.data, reference)
        return schema

    def placed(self, schema: Any, name: str, pointer: str) -> Any:
        """Return what stands for a schema where the document needs it.

        A schema that refers only to shared ones stays in place. One that refers to itself or
        to its own ``$defs`` becomes a component, so that its references have an address.

        Args:
            schema: the author's schema.
            name: what to call the component.
            pointer: where the schema is in the contract.

        Raises:
            GenerationError: a reference leads nowhere, or the schema sets its own base.
        """
        own = _own_names(schema)
        self._judge(schema, pointer, own, schema)
        if all(self._is_shared(reference, own) for _, reference in references(schema)):
            return relocated(schema, self._shared)
        address = _FOLDER + name

        def moved(reference: str) -> str:
            if self._is_shared(reference, own):
                return self._shared(reference)
            return address + reference.removeprefix("#")

        self._made[name] = relocated(schema, moved)
        return {"$ref": address}

    def _is_shared(self, reference: str, own: frozenset[str]) -> bool:
        name = shared_name(reference)
        return name in self._contract.defs and name not in own

    def _shared(self, reference: str) -> str:
        """Return where a reference to a shared schema leads, and see that it is there."""
        name = shared_name(reference)
        if name not in self._made:
            schema = self._contract.defs[name]
            self._made[name] = {}  # holds the place while schemas that refer to it are made
            self._judge(schema, f"/$defs/{name}", frozenset(), None)
            self._made[name] = relocated(schema, self._shared)
        return _FOLDER + reference.removeprefix("#/$defs/")

    def _judge(self, schema: Any, pointer: str, own: frozenset[str], root: Any) -> None:
        """See that every reference leads somewhere; ``root`` is ``None`` for a shared schema."""
        for at, node in subschemas(schema, pointer):
            for keyword in _REBASING:
                if isinstance(node, dict) and keyword in node:
                    raise self._error(at, f"holds {keyword}, which cannot be moved")
        for at, reference in references(schema):
            base = self._contract.data if self._is_shared(reference, own) else root
            try:
                if base is None:
                    raise DanglingReference(reference)
                follow(base, reference)
            except DanglingReference as error:
                what = f"refers to {reference}, which is not there"
                raise self._error(pointer + at, what) from error

    def _error(self, pointer: str, what: str) -> GenerationError:
        return GenerationError(
            f"the schema {what}",
            place=f"{self._contract.path}#{pointer}",
            hint="refer to #/$defs/Name of the contract, or to a place in the same schema",
        )


def _own_names(schema: Any) -> frozenset[str]:
    return frozenset(members(members(schema).get("$defs")))
