"""What the models of all servers share: JSON Schema's numbers, and rules beyond types."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, TypeAlias, TypeGuard, cast
from weakref import WeakKeyDictionary

from pydantic import (
    MISSING,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Strict,
    model_validator,
)

__all__ = ["RuledModel", "SchemaModel", "StrictFloat", "StrictInt", "exact_validator"]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


StrictInt: TypeAlias = Annotated[int, Strict(), BeforeValidator(_whole)]
"""An ``integer``: ``1.0`` is one, ``true`` and ``"1"`` are none."""

StrictFloat: TypeAlias = Annotated[int, Strict()] | Annotated[float, Strict(), AllowInfNan(False)]
"""A ``number``: an integer stays one, so that no digit of it is lost."""


class SchemaModel(BaseModel):
    """A typed view of an object that a JSON Schema describes."""

    # A member may be called model_dump_x; one that hides a method has an alias.
    model_config = ConfigDict(protected_namespaces=())


class RuledModel(SchemaModel):
    """A model whose schema asks for more than types can say.

    What is left over stands in the model's configuration as ``x-rules``, a JSON Schema with
    patterns in Python's dialect. A value is judged by it before its types are.
    """

    @model_validator(mode="before")
    @classmethod
    def _keep_rules(cls, data: object) -> object:
        if _is_object(data):
            for error in _validator(cls).iter_errors(_plain(data)):
                raise ValueError(f"breaks {error.validator} at {error.json_path}")
        return data


_VALIDATORS: WeakKeyDictionary[type[BaseModel], Any] = WeakKeyDictionary()


def _validator(model: type[BaseModel]) -> Any:
    """Return the validator of a model's rules; it is made when the first value comes."""
    if model not in _VALIDATORS:
        extra = cast("dict[str, object]", model.model_config.get("json_schema_extra"))
        _VALIDATORS[model] = exact_validator(extra["x-rules"])
    return _VALIDATORS[model]


def exact_validator(schema: object) -> Any:
    """Return a ``jsonschema`` validator of 2020-12 that compares multiples as decimals.

    A text that is longer than the ``maxLength`` beside a pattern is not held against it: it is
    refused already, and a pattern may take long over a long text.
    """
    # Imported here: it takes longer to import than a package of models does.
    jsonschema = importlib.import_module("jsonschema")
    extended = jsonschema.validators.extend(
        jsonschema.Draft202012Validator, {"multipleOf": _multiple_of, "pattern": _pattern}
    )
    return extended(schema)


def _multiple_of(validator: Any, factor: float, value: Any, schema: object) -> Iterator[Exception]:
    """Compare decimals as they are written: in binary, 0.3 is no multiple of 0.1."""
    del schema
    if not validator.is_type(value, "number"):
        return
    if (Fraction(repr(value)) / Fraction(repr(factor))).denominator != 1:
        yield importlib.import_module("jsonschema").ValidationError("is not a multiple")


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Exception]:
    if not validator.is_type(value, "string") or len(value) > schema.get("maxLength", len(value)):
        return
    if not re.search(pattern, value):
        yield importlib.import_module("jsonschema").ValidationError("does not match the pattern")


def _plain(value: object) -> object:
    """Return the JSON of a value in which instances of models may stand."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if _is_object(value):
        return {key: _plain(each) for key, each in value.items() if each is not MISSING}
    if _is_array(value):
        return [_plain(each) for each in value]
    return value


def _is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_array(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)
