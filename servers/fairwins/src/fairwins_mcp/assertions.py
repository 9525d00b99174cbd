"""The keywords of JSON Schema that judge a value by itself, without a subschema."""

from __future__ import annotations

from fairwins_mcp.equality import ARTICLES, describe, freeze, name_type
from fairwins_mcp.errors import SchemaError
from fairwins_mcp.patterns import compile_pattern
from fairwins_mcp.values import is_array, is_number, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeAlias, TypeGuard

    Judge: TypeAlias = Callable[[object], str | None]
    Builder: TypeAlias = Callable[[object], Judge]
    Sizable: TypeAlias = Callable[[object], TypeGuard[Collection[object]]]

MAX_CHOICES = 12  # alternatives that a sentence names
# The classes whose values have a type, whatever they are. A float can be an integer too.
_CERTAIN: dict[str, tuple[type[object], ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}


def require_count(value: object, keyword: str) -> int:
    """Read a keyword's value as a number of things: a whole number, not negative."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SchemaError(f"{keyword} is not a whole number")
    return value


def require_number(value: object, keyword: str) -> int | float:
    """Read a keyword's value as a number."""
    if is_number(value):
        return value
    raise SchemaError(f"{keyword} is not a number")


def require_names(value: object, keyword: str) -> list[str]:
    """Read a keyword's value as a list of strings."""
    if not is_array(value):
        raise SchemaError(f"{keyword} is not a list of strings")
    names = [item for item in value if isinstance(item, str)]
    if len(names) != len(value):
        raise SchemaError(f"{keyword} is not a list of strings")
    return names


def count(number: int, noun: str) -> str:
    """Write a number with its noun in the right form."""
    plural = "properties" if noun == "property" else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def _judge_type(value: object) -> Judge:
    names = [value] if isinstance(value, str) else require_names(value, "type")
    if not names or any(name not in ARTICLES for name in names):
        raise SchemaError("type names an unknown type")
    allowed = frozenset(names)
    wanted = " or ".join(ARTICLES[name] for name in names)
    certain = frozenset(kind for name in names for kind in _CERTAIN[name])

    def judge(instance: object) -> str | None:
        if type(instance) in certain:
            return None
        name = name_type(instance)
        if name in allowed or (name == "integer" and "number" in allowed):
            return None
        return f"must be {wanted}, not {ARTICLES[name]}"

    return judge


def _judge_enum(value: object) -> Judge:
    if not is_array(value):
        raise SchemaError("enum is not a list")
    allowed = frozenset(freeze(choice) for choice in value)
    shown = ", ".join(describe(choice) for choice in value[:MAX_CHOICES])
    if len(value) > MAX_CHOICES:
        shown += f" and {len(value) - MAX_CHOICES} more"
    return lambda instance: None if freeze(instance) in allowed else f"must be one of {shown}"


def _judge_const(value: object) -> Judge:
    allowed, sentence = freeze(value), f"must be {describe(value)}"
    return lambda instance: None if freeze(instance) == allowed else sentence


def _judge_multiple(value: object) -> Judge:
    step = require_number(value, "multipleOf")
    if step <= 0:
        raise SchemaError("multipleOf is not above zero")
    sentence = f"must be a multiple of {describe(value)}"

    def judge(instance: object) -> str | None:
        if not is_number(instance):
            return None
        if isinstance(instance, int) and isinstance(step, int):
            return sentence if instance % step else None
        # Decimal fractions have no exact binary form: compute with the numbers as written.
        from fractions import Fraction

        return sentence if Fraction(repr(instance)) % Fraction(repr(step)) else None

    return judge


def _judge_bound(keyword: str, words: str, fits: Callable[[float, float], bool]) -> Builder:
    def build(value: object) -> Judge:
        bound = require_number(value, keyword)
        sentence = f"must be {words} {describe(value)}"

        def judge(instance: object) -> str | None:
            if not is_number(instance):
                return None
            return None if fits(instance, bound) else sentence

        return judge

    return build


def _judge_size(is_kind: Sizable, noun: str, keyword: str, least: bool) -> Builder:
    """Build a check of a length: characters (code points), items or properties."""

    def build(value: object) -> Judge:
        bound = require_count(value, keyword)
        sentence = f"must have at {'least' if least else 'most'} {count(bound, noun)}"

        def judge(instance: object) -> str | None:
            if not is_kind(instance):
                return None
            size = len(instance)
            return sentence if (size < bound if least else size > bound) else None

        return judge

    return build


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _judge_pattern(value: object) -> Judge:
    if not isinstance(value, str):
        raise SchemaError("pattern is not a string")
    expression = compile_pattern(value)
    sentence = f"must match the pattern {describe(value)}"

    def judge(instance: object) -> str | None:
        if not isinstance(instance, str) or expression.search(instance):
            return None
        return sentence

    return judge


def _judge_unique(value: object) -> Judge:
    if not isinstance(value, bool):
        raise SchemaError("uniqueItems is not a boolean")

    def judge(instance: object) -> str | None:
        if not value or not is_array(instance):
            return None
        if len({freeze(item) for item in instance}) == len(instance):
            return None
        return "must not hold the same item twice"

    return judge


def _judge_required(value: object) -> Judge:
    names = require_names(value, "required")

    def judge(instance: object) -> str | None:
        if not is_object(instance):
            return None
        missing = [describe(name) for name in names if name not in instance]
        return f"must have {', '.join(missing)}" if missing else None

    return judge


def _judge_dependencies(value: object) -> Judge:
    if not is_object(value):
        raise SchemaError("dependentRequired is not an object")
    table = {name: require_names(needs, "dependentRequired") for name, needs in value.items()}

    def judge(instance: object) -> str | None:
        if not is_object(instance):
            return None
        for name, needs in table.items():
            missing = [describe(need) for need in needs if need not in instance]
            if name in instance and missing:
                return f"must have {', '.join(missing)} beside {describe(name)}"
        return None

    return judge


ASSERTIONS: dict[str, Builder] = {
    "type": _judge_type,
    "enum": _judge_enum,
    "const": _judge_const,
    "multipleOf": _judge_multiple,
    "maximum": _judge_bound("maximum", "at most", lambda value, bound: value <= bound),
    "exclusiveMaximum": _judge_bound(
        "exclusiveMaximum", "below", lambda value, bound: value < bound
    ),
    "minimum": _judge_bound("minimum", "at least", lambda value, bound: value >= bound),
    "exclusiveMinimum": _judge_bound(
        "exclusiveMinimum", "above", lambda value, bound: value > bound
    ),
    "maxLength": _judge_size(_is_text, "character", "maxLength", least=False),
    "minLength": _judge_size(_is_text, "character", "minLength", least=True),
    "pattern": _judge_pattern,
    "maxItems": _judge_size(is_array, "item", "maxItems", least=False),
    "minItems": _judge_size(is_array, "item", "minItems", least=True),
    "uniqueItems": _judge_unique,
    "maxProperties": _judge_size(is_object, "property", "maxProperties", least=False),
    "minProperties": _judge_size(is_object, "property", "minProperties", least=True),
    "required": _judge_required,
    "dependentRequired": _judge_dependencies,
}
