"""Generate the source of models from a view, with datamodel-code-generator."""

from __future__ import annotations

import json
import re
from typing import Any

# What generated code imports from, as the generator is told and as it stands in the layout.
SUPPORT = "counterfoil_json_schema"
_SUPPORT = "...json_schema"
# Where the view puts the rules of a class; the generator copies it into the configuration.
RULES = "x-rules"
_IMPORT = re.compile(rf"^from {SUPPORT} import", re.MULTILINE)

# The options by name, as plain values: they are a part of the cache's key. Those that set a
# default are here so that a new default of the generator changes nothing.
OPTIONS: dict[str, Any] = {
    # No remote or dangling reference, whatever the schema says.
    "allow_remote_refs": False,
    "strict_refs": True,
    # Our header instead of a time and the generator's version.
    "custom_file_header": " ",
    "disable_timestamp": True,
    # Types that say no more and no less than JSON Schema does: see json_schema.py.
    "strict_types": ["str", "int", "float", "bool"],
    "import_overrides": {"StrictFloat": SUPPORT, "StrictInt": SUPPORT},
    "use_annotated": True,
    # Missing, null and a default are three things.
    "strict_nullable": True,
    "use_missing_sentinel": True,
    # A constant is a Literal, which needs no import to write and no attribute to read.
    "enum_field_as_literal": "all",
    # A name for a constrained item wraps nothing.
    "use_type_alias": True,
    "model_extra_keys": [RULES],
    "use_field_description": True,
    "use_schema_description": True,
    # The generator's own formatter: no other package takes part in the bytes.
    "formatters": ["builtin"],
    "use_double_quotes": True,
    "input_file_type": "jsonschema",
    "output_model_type": "pydantic_v2.BaseModel",
    "schema_version": "2020-12",
    "target_pydantic_version": "2.14",
    "target_python_version": "3.11",
}


def generate(view: dict[str, Any], name: str) -> str:
    """Return the source of a module that has the models of one schema.

    Args:
        view: the document of :func:`counterfoil.targets.models.view.view`.
        name: the class of the root.
    """
    # Imported here: a run whose models are all in the cache does not need it.
    from datamodel_code_generator import generate as run

    source = run(json.dumps(view), class_name=name, **OPTIONS)
    assert isinstance(source, str), "one schema makes one module"
    return _IMPORT.sub(f"from {_SUPPORT} import", source.lstrip(), count=1)


def defines(code: str, name: str) -> bool:
    """Say whether generated code defines a name."""
    return f"\nclass {name}(" in code or f"\n{name} = TypeAliasType(" in code
