"""Media types: what a body is, and what the client takes in return."""

from __future__ import annotations

import re

from fairwins_mcp.http.heads import split_list

_ZERO = re.compile(r"q=0(?:\.0{0,3})?")


def is_json(content_type: str) -> bool:
    """Tell whether a Content-Type is JSON in UTF-8."""
    kind, *parameters = content_type.lower().split(";")
    if kind.strip(" \t") != "application/json":
        return False
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip(" \t") == "charset":
            return value.strip(' \t"') in ("utf-8", "utf8")
    return True


def excludes_json(accept: str) -> bool:
    """Tell whether an Accept field says that JSON is not wanted, which takes a weight of zero.

    A field that merely does not name JSON is no reason to refuse: many clients send one.
    """
    weights: dict[str, bool] = {}
    for item in split_list(accept):
        kind, *parameters = (part.strip(" \t") for part in item.split(";"))
        weights[kind] = any(_ZERO.fullmatch(parameter) for parameter in parameters)
    for kind in ("application/json", "application/*", "*/*"):
        if kind in weights:
            return weights[kind]
    return False
