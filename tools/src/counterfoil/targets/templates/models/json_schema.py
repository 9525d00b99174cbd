"""What the models of all servers share: JSON Schema's numbers, and rules beyond types."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias, TypeGuard, cast
from weakref import WeakKeyDictionary

from pydantic import (
    MISSING,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    Strict,
    model_validator,
)

__all__ = ["RuledModel", "StrictFloat", "StrictInt"]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


StrictInt: TypeAlias = Annotated[int, Strict(), BeforeValidator(_whole)]
"""An ``integer``: ``1.0`` is one, ``true`` and ``"1"`` are none."""

StrictFloat: TypeAlias = Annotated[int, Strict()] | Annotated[float, Strict(), AllowInfNan(False)]
"""A ``number``: an integer stays one, so that no digit of it is lost."""


class RuledModel(BaseModel):
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
        # Imported here: it takes longer to import than a package of models does.
        jsonschema = importlib.import_module("jsonschema")
        _VALIDATORS[model] = jsonschema.Draft202012Validator(extra["x-rules"])
    return _VALIDATORS[model]


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
