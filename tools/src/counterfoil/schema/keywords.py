"""Which keywords of JSON Schema 2020-12 hold schemas, and in what shape."""

from __future__ import annotations

# Source of the three tables: JSON Schema 2020-12, vocabularies core, applicator,
# unevaluated and content.
ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAP = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
