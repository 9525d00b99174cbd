"""The view of a schema that Python's types can say, and the rules that are left over.

datamodel-code-generator is given the view. It is a plain dialect: every class and every
constrained item stands in ``$defs`` under its final name, so that names depend on nothing but
the place and the titles above it; formats are gone, so that values stay as they were sent. Every
value that keeps the schema keeps the view. What the view lost stands at its class as a rule, a
schema that generated code judges values by.
"""

from __future__ import annotations

from typing import Any

from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_object
from counterfoil.errors import GenerationError
from counterfoil.schema.refs import DanglingReference, follow, shared_name
from counterfoil.targets.models.choices import (
    common,
    disjoint,
    keep_types,
    require,
    types_of,
    with_types,
)
from counterfoil.targets.models.conjunctions import merged, without
from counterfoil.targets.models.generation import PLAIN, RULED, RULES
from counterfoil.targets.models.kinds import (
    Split,
    admits,
    is_class,
    is_closed,
    items,
    mapping,
    members,
    union,
)
from counterfoil.targets.models.places import Place, word
from counterfoil.targets.models.prose import documented
from counterfoil.targets.models.rules import both, judging, rule
from counterfoil.targets.models.values import NUMBER, STRING, constants, is_a, number, text

_CONDITIONS = (
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
)
_WHOLE = ("unevaluatedItems", "unevaluatedProperties")
_CHOICES = ("anyOf", "oneOf")
_NULL: dict[str, Any] = {"type": "null"}


def view(schema: dict[str, Any], name: str, description: str) -> dict[str, Any]:
    """Return the document to generate models of one schema from.

    Args:
        schema: a schema of objects that stands on its own.
        name: its class.
        description: what the docstring of the class says.

    Raises:
        GenerationError: two different objects need the same class name.
    """
    splitter = _Splitter(schema, name)
    made = splitter.top()
    defs = {key: splitter.defs[key] for key in sorted(splitter.defs)}
    described = documented({"description": description})
    return {**without(made, "description"), **described, "$defs": defs}


class _Splitter:
    """Split one schema.

    Args:
        root: the whole schema.
        name: the class of the root.
    """

    def __init__(self, root: dict[str, Any], name: str) -> None:
        self.root = root
        self.name = name
        self.defs: dict[str, dict[str, Any]] = {}
        self.sources: dict[str, str] = {name: compact(root)}
        self.known: dict[str, Split] = {}
        self.open: dict[str, str] = {}
        self.recursive: set[str] = set()

    def rule(self, schema: Any) -> Any:
        return rule(schema, self.root)

    def admits(self, schema: Any, value: Any) -> bool:
        return admits(schema, self.root, value)

    def top(self) -> dict[str, Any]:
        """Return the view of the root, which is a class whatever its schema says."""
        plain = without(self.root, "type")
        beside = judging(without(plain, "$ref"))
        if beside and "$ref" in plain:
            plain = {"allOf": [{"$ref": plain["$ref"]}, without(plain, "$ref")]}
        root = plain if beside else self.followed(plain)
        made = self.split({**root, "type": "object"}, Place(self.name))
        if not is_class(made.view):
            branches = root.get("oneOf", root.get("anyOf", ()))
            shared = common([self.followed(branch) for branch in branches])
            made = Split(self.split(shared, Place(self.name)).view, self.rule(plain))
        if not is_class(made.view):
            empty: dict[str, Any] = {"properties": {}, "additionalProperties": True}
            made = Split({"type": "object", **empty}, made.rest)
        return _ruled(made)

    def place(self, schema: Any, place: Place, *, inline: bool = False) -> Split:
        """Split a schema and put what needs a name under it.

        Args:
            schema: the schema.
            place: its name, if it needs one: classes do, and so do constrained values.
            inline: whether constraints may stand where the value is, as those of a member do.
        """
        return self.settle(self.split(schema, place), schema, place.name, inline=inline)

    def settle(self, made: Split, schema: Any, name: str, *, inline: bool) -> Split:
        if is_class(made.view):
            return Split(self.define(name, schema, _ruled(made)), {})
        bare = without(made.view, "additionalProperties", "description", "items", "type")
        if bare and "type" in made.view and not inline:
            return Split(self.define(name, schema, made.view), made.rest)
        return made

    def split(self, schema: Any, place: Place) -> Split:
        """Split a schema. Objects inside it are defined; the schema itself is not."""
        if not is_object(schema):
            return Split({}, {} if schema is True else False)
        asked = judging(schema)
        if not asked.keys().isdisjoint(_WHOLE):
            return Split(self.split(without(schema, *_WHOLE), place).view, self.rule(schema))
        if "$ref" in asked:
            return self.reference(schema)
        if "allOf" in asked:
            return self.conjunction(schema, place)
        if not asked.keys().isdisjoint(_CHOICES):
            return self.choice(schema, place)
        made = self.typed(without(schema, *_CONDITIONS), place)
        conditions = {key: asked[key] for key in _CONDITIONS if key in asked}
        return Split(made.view, both(made.rest, self.rule(conditions)))

    def reference(self, schema: dict[str, Any]) -> Split:
        made = self.target(schema["$ref"])
        beside = self.rule(judging(without(schema, "$ref")))
        return Split({**made.view, **documented(schema)}, both(made.rest, beside))

    def target(self, reference: str) -> Split:
        """Split what a reference leads to, once.

        Inside itself it is a bare reference: the rules of a class stay at the class, and the
        rule of anything else would be endless.
        """
        if reference == "#":
            return Split({"$ref": "#"}, {})
        if reference in self.known:
            return self.known[reference]
        if reference in self.open:
            self.recursive.add(reference)
            return Split({"$ref": f"#/$defs/{self.open[reference]}"}, {})
        try:
            target = follow(self.root, reference)
        except DanglingReference:
            return Split({}, {})
        shared = shared_name(reference)
        path = word(shared if reference == f"#/$defs/{shared}" else reference)
        name = f"{self.name}{path}"
        self.open[reference] = name
        made = self.place(target, Place(self.name, path))
        del self.open[reference]
        if reference in self.recursive and "type" in made.view and not is_class(made.view):
            # The generator loses sight of an array of itself, but not of a choice of one.
            made = Split({"anyOf": [made.view]}, made.rest)
        bare = without(made.view, "description")
        if "$ref" not in bare and (reference in self.recursive or bare.keys() - {"type"}):
            bare = self.define(name, target, made.view)
        self.known[reference] = Split(bare, made.rest)
        return self.known[reference]

    def conjunction(self, schema: dict[str, Any], place: Place) -> Split:
        outer = without(schema, "allOf")
        parts = schema["allOf"]
        if len(parts) == 1 and is_object(parts[0]) and not judging(outer):
            return self.split({**parts[0], **outer}, place)
        made = self.split(merged([outer, *parts], self.followed), place)
        return Split({**made.view, **documented(schema)}, self.rule(schema))

    def followed(self, schema: Any) -> Any:
        """Return a schema in which a reference at the top is written out."""
        seen: set[str] = set()
        while is_object(schema) and "$ref" in schema:
            outer = without(schema, "$ref")
            if schema["$ref"] in seen:
                return outer
            seen.add(schema["$ref"])
            try:
                target = follow(self.root, schema["$ref"])
            except DanglingReference:
                return outer
            schema = {**target, **outer} if is_object(target) else outer
        return schema

    def choice(self, schema: dict[str, Any], place: Place) -> Split:
        asked = judging(schema)
        key = "anyOf" if "anyOf" in asked else "oneOf"
        followed = [self.followed(branch) for branch in schema[key]]
        repeated = ("required",) if require(followed, asked.get("required", ())) else ()
        if asked.keys() - {key, "type", *repeated}:
            made = self.split(without(schema, *_CHOICES), place)
            choices = {each: asked[each] for each in _CHOICES if each in asked}
            return Split(made.view, both(made.rest, self.rule(choices)))
        branches = [with_types(branch, asked.get("type")) for branch in schema[key]]
        splits = self.branches(branches, place)
        typed = [self.followed(branch) for branch in branches]
        exact = all(each.rest == {} for each in splits) and keep_types(typed, asked.get("type"))
        exact = exact and (key == "anyOf" or disjoint(typed))
        views = [each.view for each in splits if each.rest is not False]
        return Split({**union(views), **documented(schema)}, {} if exact else self.rule(asked))

    def branches(self, branches: list[Any], place: Place) -> list[Split]:
        """Split the branches of a choice; one that stands beside null only needs no name."""
        alone = sum(branch != _NULL for branch in branches) == 1
        return [
            self.place(
                branch,
                place if alone else place.inner(branch, f"Option{number}"),
                inline=alone,
            )
            for number, branch in enumerate(branches, start=1)
        ]

    def typed(self, schema: dict[str, Any], place: Place) -> Split:
        """Split a schema without references and combinators."""
        if "const" in schema or "enum" in schema:
            return self.enumeration(schema)
        types = types_of(schema)
        if types is None:
            return Split(documented(schema), self.rule(schema))
        if len(types) == 1:
            return self.kind({**schema, "type": types[0]}, place)
        kinds = [kind for kind in types if kind != "null"]
        bare = without(schema, "description")
        splits = [self.part({**bare, "type": kind}, place, len(kinds) == 1) for kind in kinds]
        views = [each.view for each in splits] + ([_NULL] if "null" in types else [])
        # A rule of one type spares values of any other type by itself.
        rest = both(*(each.rest for each in splits))
        return Split({**union(views), **documented(schema)}, rest)

    def part(self, schema: dict[str, Any], place: Place, alone: bool) -> Split:
        """Split one of several types of a schema; ``alone`` stands beside null only."""
        place = place if alone else Place(place.scope, f"{place.path}{word(schema['type'])}")
        return self.settle(self.kind(schema, place), schema, place.name, inline=alone)

    def enumeration(self, schema: dict[str, Any]) -> Split:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        types = types_of(schema)
        values = values if types is None else [value for value in values if is_a(value, types)]
        if not values:
            return Split({}, False)
        made, exact = constants(values)
        alone = len(judging(without(schema, "type"))) == 1
        return Split({**made, **documented(schema)}, {} if exact and alone else self.rule(schema))

    def kind(self, schema: dict[str, Any], place: Place) -> Split:
        """Split a schema of one type."""
        kind = schema["type"]
        if kind == "array":
            return items(self, schema, place)
        if kind == "object":
            shape = members if schema.get("properties") or is_closed(schema) else mapping
            return shape(self, schema, place)
        made: dict[str, Any] = {"type": kind}
        rest: dict[str, Any] = {}
        if kind == "string":
            made, rest = text({key: schema[key] for key in STRING & schema.keys()})
        elif kind in ("integer", "number"):
            made, rest = number({key: schema[key] for key in NUMBER & schema.keys()}, kind)
        return Split({**made, **documented(schema)}, self.rule(rest))

    def define(self, name: str, source: Any, made: dict[str, Any]) -> dict[str, Any]:
        """Put a view under a name, and return the reference to it.

        Raises:
            GenerationError: the name is another schema's.
        """
        if self.sources.setdefault(name, compact(source)) != compact(source):
            raise GenerationError(
                f"two different schemas would have the name {name}",
                place=self.name,
                hint="give one of them another title",
            )
        self.defs[name] = made
        return {"$ref": f"#/$defs/{name}"}


def _ruled(made: Split) -> dict[str, Any]:
    """Return the view of a class with its rules."""
    if made.rest == {}:
        return {**made.view, "customBasePath": PLAIN}
    return {**made.view, RULES: made.rest, "customBasePath": RULED}
