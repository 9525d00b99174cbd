"""Older dialects of JSON Schema, and where they mean something else than 2020-12.

Libraries write the dialect that they were made for into every schema, even into those that say
the same in all of them. Such a schema is read as 2020-12, and served as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DRAFT_7 = "http://json-schema.org/draft-07/schema"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"

# Source: the release notes of 2019-09 and 2020-12. Keywords that the older dialect reads and
# 2020-12 does not, and the reverse.
_2020 = frozenset({"$dynamicAnchor", "$dynamicRef", "prefixItems"})
_2019 = frozenset(
    {
        "dependentRequired", "dependentSchemas", "maxContains", "minContains", "unevaluatedItems",
        "unevaluatedProperties",
    }
)  # fmt: skip
_OTHERWISE: Mapping[str, frozenset[str]] = {
    DRAFT_7: _2020 | _2019 | {"additionalItems", "dependencies"},
    DRAFT_2019: _2020 | {"$recursiveAnchor", "$recursiveRef", "additionalItems"},
}
# What may stand beside a reference in draft-07, which passes over it: it judges no value.
_TELLING = frozenset(
    {
        "$comment", "$defs", "$ref", "$schema", "default", "definitions", "deprecated",
        "description", "examples", "readOnly", "title", "writeOnly",
    }
)  # fmt: skip


def is_known(dialect: object) -> bool:
    """Say whether a dialect is one whose schemas may be read as 2020-12."""
    return isinstance(dialect, str) and dialect.removesuffix("#") in _OTHERWISE


def divergence(dialect: str, node: Mapping[str, Any]) -> str:
    """Return a keyword of a subschema that means something else in 2020-12, or ``""``.

    Args:
        dialect: one that is known.
        node: the subschema, without those inside it.
    """
    name = dialect.removesuffix("#")
    found = sorted(_OTHERWISE[name] & node.keys())
    if isinstance(node.get("items"), list):
        found.append("items")
    if name == DRAFT_7 and "$ref" in node and not node.keys() <= _TELLING:
        found.append("$ref")
    return found[0] if found else ""
