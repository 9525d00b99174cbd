"""A model against its schema: run both on many values and keep where they part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from counterfoil.contract.values import is_array, is_object
from counterfoil.schema.judge import fast_judge, judge
from counterfoil.schema.patterns import PatternError
from counterfoil.schema.semantics import equal
from counterfoil.targets.fidelity.differences import MODES, Comparison, Difference, Kind, Mode
from counterfoil.targets.fidelity.probes import Probes
from counterfoil.targets.fidelity.scratch import model

if TYPE_CHECKING:
    from jsonschema import ValidationError as JudgeError
    from jsonschema.protocols import Validator

_PYDANTIC = {
    "extra_forbidden": "additionalProperties",
    "literal_error": "enum",
    "missing": "required",
    "multiple_of": "multipleOf",
    "string_pattern_mismatch": "pattern",
    "string_too_long": "maxLength",
    "string_too_short": "minLength",
    "too_long": "maxItems",
    "too_short": "minItems",
}


def compare(item: dict[str, Any]) -> dict[str, Any]:
    """Compare a model with its schema; from JSON to JSON, for workers.

    Args:
        item: the ``source`` of a model as :attr:`Source.text` has it, its ``code``, and
            ``examples`` of values.
    """
    source = json.loads(item["source"])
    with model(item["code"], source["name"]) as made:
        return asdict(comparison(source["schema"], made, item["examples"]))


def comparison(schema: dict[str, Any], made: type[BaseModel], examples: list[Any]) -> Comparison:
    """Compare a model with its schema.

    Two judges decide what the schema says: the fast one alone where the model agrees with it,
    both where it does not. A value on which the judges part is no difference.
    """
    quick = fast_judge(schema)
    bench = _Bench(schema, made)
    tried = accepted = 0
    for text, value in Probes(schema, examples).all(quick.is_valid):
        tried += 1
        valid = quick.is_valid(value)
        accepted += valid
        bench.try_value(text, value, valid)
    return Comparison(tried, accepted, bench.differences())


class _Bench:
    """Run a model on values and collect where it parts from the judge.

    Args:
        schema: what the slow judge reads.
        made: the model.
    """

    def __init__(self, schema: dict[str, Any], made: type[BaseModel]) -> None:
        self._schema = schema
        self._made = made
        self._slow: Validator | None = None
        self._found: dict[tuple[Kind, str, str], dict[Mode, tuple[bytes, Any, Any]]] = {}

    def try_value(self, text: bytes, value: Any, valid: bool) -> None:
        """Run the model on a value.

        Strict JSON mode is left out where both refuse: no type of a view takes more of it.

        Args:
            text: the value as JSON.
            value: the value.
            valid: what the fast judge says of it.
        """
        if valid:
            self._try_valid(text, value)
        elif self._made.__pydantic_validator__.isinstance_python(value):
            self._accepted("python", text, value)
            if self._instance("json", text, value) is not None:
                self._accepted("json", text, value)

    def _try_valid(self, text: bytes, value: Any) -> None:
        instance = self._instance("python", text, value)
        self._instance("json", text, value)
        if instance is None:
            return
        became = instance.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if to_json(became) != text and not equal(became, value):
            self._note("changes", "type", _apart(value, became), "python", text, value, became)

    def _instance(self, mode: Mode, text: bytes, value: Any) -> BaseModel | None:
        """Return what the model makes of a value, or ``None`` and a note if it refuses."""
        try:
            if mode == "python":
                return self._made.model_validate(value)
            return self._made.model_validate_json(text, strict=True)
        except ValidationError as error:
            self._refused(mode, text, value, error)
            return None

    def differences(self) -> tuple[Difference, ...]:
        made: list[Difference] = []
        for (kind, keyword, place), modes in self._found.items():
            _, example, became = min(modes.values(), key=lambda each: (len(each[0]), each[0]))
            order: tuple[Mode, ...] = tuple(mode for mode in MODES if mode in modes)
            made.append(Difference(kind, keyword, place, order, example, became))
        return tuple(sorted(made, key=lambda each: (each.place, each.keyword, each.kind)))

    def _refused(self, mode: Mode, text: bytes, value: Any, error: ValidationError) -> None:
        slow = self._judge()
        if slow is None or not slow.is_valid(value):
            return
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        keyword = _PYDANTIC.get(first["type"], "type")
        place = _pointer(value, first["loc"])
        self._note("refuses", keyword, place, mode, text, value)

    def _accepted(self, mode: Mode, text: bytes, value: Any) -> None:
        slow = self._judge()
        if slow is None:
            return
        faults = sorted(
            (len(error.absolute_path), _keyword(error), _starred(error.absolute_path))
            for error in slow.iter_errors(value)
        )
        if faults:
            self._note("accepts", faults[0][1], faults[0][2], mode, text, value)

    def _judge(self) -> Validator | None:
        if self._slow is None:
            try:
                self._slow = judge(self._schema)
            except PatternError:
                return None
        return self._slow

    def _note(
        self, kind: Kind, keyword: str, place: str, mode: Mode, text: bytes, *values: Any
    ) -> None:
        modes = self._found.setdefault((kind, keyword, place), {})
        known = modes.get(mode)
        if known is None or (len(text), text) < (len(known[0]), known[0]):
            modes[mode] = (text, values[0], values[1] if len(values) > 1 else None)


def _keyword(error: JudgeError) -> str:
    """Return the keyword that a value breaks; the judge reads ``false`` as ``{"not": {}}``."""
    keyword: object = error.validator  # the library has None for a bare false
    if keyword == "not" and error.validator_value == {}:
        keyword = None
    return "false" if keyword is None else str(keyword)


def _starred(path: Any) -> str:
    return "".join(f"/{'*' if isinstance(each, int) else _escaped(each)}" for each in path)


def _escaped(token: object) -> str:
    return str(token).replace("~", "~0").replace("/", "~1")


def _pointer(value: Any, location: tuple[int | str, ...]) -> str:
    """Return the part of Pydantic's location that leads into the value.

    It also names the branches of unions, which no value has.
    """
    made = ""
    for token in location:
        if is_object(value) and token in value:
            made += f"/{_escaped(token)}"
            value = value[token]
        elif is_array(value) and isinstance(token, int) and token < len(value):
            made += "/*"
            value = value[token]
    return made


def _apart(left: Any, right: Any) -> str:
    """Return the place of the first difference between two values."""
    return next(_places(left, right), "")


def _places(left: Any, right: Any) -> Iterator[str]:
    if is_object(left) and is_object(right):
        for key in sorted(left.keys() | right.keys()):
            if key not in left or key not in right:
                yield f"/{_escaped(key)}"
            elif not equal(left[key], right[key]):
                yield from (f"/{_escaped(key)}{each}" for each in _places(left[key], right[key]))
    elif is_array(left) and is_array(right) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            yield from (f"/*{each}" for each in _places(one, other))
    elif not equal(left, right):
        yield ""
