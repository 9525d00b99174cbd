"""The keywords of JSON Schema 2020-12 as checks that are built once.

A builder takes the keyword's value, the schema around it and the compiler, and returns a check. A
check takes a value, its place, the list of faults, and the record of what was evaluated, which is
None where nobody will ask.
"""

from __future__ import annotations

from fairwins_mcp.assertions import ASSERTIONS, count, require_count
from fairwins_mcp.errors import SchemaError
from fairwins_mcp.patterns import compile_pattern
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from fairwins_mcp.assertions import Builder as AssertionBuilder
    from fairwins_mcp.schema import Compiler, Node
    from fairwins_mcp.shapes import JsonObject

    At: TypeAlias = tuple["At", str | int] | None
    Found: TypeAlias = list[tuple[At, str]]
    Check: TypeAlias = Callable[[object, At, Found, "Seen | None"], None]
    Builder: TypeAlias = Callable[[object, JsonObject, Compiler], Check | None]

# Where a schema holds schemas: alone, in a list, or as the values of an object.
APPLICATORS = {
    "$defs": "map",
    "additionalProperties": "one",
    "allOf": "list",
    "anyOf": "list",
    "contains": "one",
    "dependentSchemas": "map",
    "else": "one",
    "if": "one",
    "items": "one",
    "not": "one",
    "oneOf": "list",
    "patternProperties": "map",
    "prefixItems": "list",
    "properties": "map",
    "propertyNames": "one",
    "then": "one",
    "unevaluatedItems": "one",
    "unevaluatedProperties": "one",
}
LAST = ("unevaluatedItems", "unevaluatedProperties")  # they ask what all the others evaluated
UNEXPECTED = "is not a known property"


class Seen:
    """Record which items and properties of one value a schema has evaluated.

    ``prefix`` counts evaluated items from the start, ``items`` holds the indices of others.
    """

    __slots__ = ("items", "names", "prefix")

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.items: set[int] = set()
        self.prefix = 0

    def merge(self, other: Seen) -> None:
        """Add what another record holds."""
        self.names |= other.names
        self.items |= other.items
        self.prefix = max(self.prefix, other.prefix)


def point(at: At) -> str:
    """Write a place as a JSON pointer."""
    tokens: list[str] = []
    while at is not None:
        at, token = at
        tokens.append(str(token).replace("~", "~0").replace("/", "~1"))
    return "".join("/" + token for token in reversed(tokens))


def _try(node: Node, value: object, at: At, seen: Seen | None) -> Found:
    """Run a node on the side: its faults are returned, its record counts only without any."""
    found: Found = []
    own = None if seen is None else Seen()
    node.run(value, at, found, own)
    if seen is not None and own is not None and not found:
        seen.merge(own)
    return found


def _compile_list(value: object, keyword: str, compiler: Compiler) -> list[Node]:
    if not is_array(value) or not value:
        raise SchemaError(f"{keyword} is not a list of schemas")
    return [compiler.compile(item) for item in value]


def _compile_map(value: object, keyword: str, compiler: Compiler) -> dict[str, Node]:
    if not is_object(value):
        raise SchemaError(f"{keyword} is not an object of schemas")
    return {name: compiler.compile(schema) for name, schema in value.items()}


def _build_assertion(make: AssertionBuilder) -> Builder:
    def build(value: object, schema: JsonObject, compiler: Compiler) -> Check:
        judge = make(value)

        def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
            sentence = judge(instance)
            if sentence is not None:
                found.append((at, sentence))

        return check

    return build


def _build_reference(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    return compiler.resolve(value).run


def _build_all(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_list(value, "allOf", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        for node in nodes:
            node.run(instance, at, found, seen)

    return check


def _build_any(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_list(value, "anyOf", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        nearest: Found | None = None
        fits = False
        for node in nodes:
            faults = _try(node, instance, at, seen)
            fits = fits or not faults
            if fits and seen is None:
                return
            if nearest is None or len(faults) < len(nearest):
                nearest = faults
        if not fits:
            _report_alternatives(len(nodes), nearest or [], at, found)

    return check


def _build_one(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_list(value, "oneOf", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        tries = [_try(node, instance, at, seen) for node in nodes]
        fitting = sum(not faults for faults in tries)
        if fitting == 0:
            _report_alternatives(len(nodes), min(tries, key=len), at, found)
        elif fitting > 1:
            found.append((at, f"fits {fitting} of the alternatives, and must fit exactly one"))

    return check


def _report_alternatives(number: int, nearest: Found, at: At, found: Found) -> None:
    """Say that no alternative fits, and why the one that comes closest does not."""
    if number > 1:
        found.append((at, f"fits none of the {number} alternatives; of the nearest one:"))
    found.extend(nearest)


def _build_not(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not _try(node, instance, at, None):
            found.append((at, "has a form that is ruled out"))

    return check


def _build_if(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    condition = compiler.compile(value)
    then = compiler.compile(schema.get("then", True))
    otherwise = compiler.compile(schema.get("else", True))

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        branch = otherwise if _try(condition, instance, at, seen) else then
        branch.run(instance, at, found, seen)

    return check


def _build_dependent_schemas(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_map(value, "dependentSchemas", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if is_object(instance):
            for name, node in nodes.items():
                if name in instance:
                    node.run(instance, at, found, seen)

    return check


def _build_properties(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_map(value, "properties", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_object(instance):
            return
        for name, node in nodes.items():
            if name in instance:
                node.run(instance[name], (at, name), found, None)
                if seen is not None:
                    seen.names.add(name)

    return check


def _build_patterns(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_map(value, "patternProperties", compiler)
    pairs = [(compile_pattern(source), node) for source, node in nodes.items()]

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_object(instance):
            return
        for name, member in instance.items():
            for expression, node in pairs:
                if expression.search(name):
                    node.run(member, (at, name), found, None)
                    if seen is not None:
                        seen.names.add(name)

    return check


def _build_additional(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)
    known = frozenset(_compile_map(schema.get("properties", {}), "properties", compiler))
    patterns = _compile_map(schema.get("patternProperties", {}), "patternProperties", compiler)
    expressions = [compile_pattern(source) for source in patterns]

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_object(instance):
            return
        for name, member in instance.items():
            if name not in known and not any(e.search(name) for e in expressions):
                _run_extra(node, member, (at, name), found, UNEXPECTED)
                if seen is not None:
                    seen.names.add(name)

    return check


def _run_extra(node: Node, value: object, at: At, found: Found, sentence: str) -> None:
    """Run a node for a part that no other keyword named; ``false`` gets its own sentence."""
    if node.verdict:
        node.run(value, at, found, None)
    else:
        found.append((at, sentence))


def _build_names(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_object(instance):
            return
        for name in instance:
            faults = _try(node, name, at, None)
            found.extend(((at, name), f"has a name that does not fit: {s}") for _, s in faults)

    return check


def _build_prefix(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    nodes = _compile_list(value, "prefixItems", compiler)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_array(instance):
            return
        for index, (node, item) in enumerate(zip(nodes, instance, strict=False)):
            node.run(item, (at, index), found, None)
        if seen is not None:
            seen.prefix = max(seen.prefix, min(len(nodes), len(instance)))

    return check


def _build_items(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)
    prefix: object = schema.get("prefixItems", [])
    start = len(prefix) if is_array(prefix) else 0

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_array(instance):
            return
        for index in range(start, len(instance)):
            _run_extra(node, instance[index], (at, index), found, "is one item too many")
        if seen is not None:
            seen.prefix = max(seen.prefix, len(instance))

    return check


def _build_contains(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)
    least = require_count(schema.get("minContains", 1), "minContains")
    limit: object = schema.get("maxContains")
    most = None if limit is None else require_count(limit, "maxContains")

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_array(instance):
            return
        fitting = [i for i, item in enumerate(instance) if not _try(node, item, (at, i), None)]
        if len(fitting) < least:
            found.append((at, f"must hold at least {count(least, 'item')} of the asked form"))
        if most is not None and len(fitting) > most:
            found.append((at, f"must hold at most {count(most, 'item')} of the asked form"))
        if seen is not None:
            seen.items.update(fitting)

    return check


def _build_unevaluated_items(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_array(instance) or seen is None:
            return
        for index in range(seen.prefix, len(instance)):
            if index not in seen.items:
                _run_extra(node, instance[index], (at, index), found, "is one item too many")
        seen.prefix = len(instance)

    return check


def _build_unevaluated_names(value: object, schema: JsonObject, compiler: Compiler) -> Check:
    node = compiler.compile(value)

    def check(instance: object, at: At, found: Found, seen: Seen | None) -> None:
        if not is_object(instance) or seen is None:
            return
        for name, member in instance.items():
            if name not in seen.names:
                _run_extra(node, member, (at, name), found, UNEXPECTED)
        seen.names.update(instance)

    return check


BUILDERS: dict[str, Builder] = {
    **{keyword: _build_assertion(make) for keyword, make in ASSERTIONS.items()},
    "$ref": _build_reference,
    "$dynamicRef": _build_reference,
    "allOf": _build_all,
    "anyOf": _build_any,
    "oneOf": _build_one,
    "not": _build_not,
    "if": _build_if,
    "dependentSchemas": _build_dependent_schemas,
    "properties": _build_properties,
    "patternProperties": _build_patterns,
    "additionalProperties": _build_additional,
    "propertyNames": _build_names,
    "prefixItems": _build_prefix,
    "items": _build_items,
    "contains": _build_contains,
    "unevaluatedItems": _build_unevaluated_items,
    "unevaluatedProperties": _build_unevaluated_names,
}
