"""Roots of output schemas."""

from __future__ import annotations

from counterfoil.contract.report import Report
from counterfoil.contract.values import members, text
from counterfoil.lint.survey import Place, Survey
from counterfoil.schema.refs import follow


def judge_roots(survey: Survey, sound: tuple[Place, ...], report: Report) -> None:
    """Report output schemas whose root is a reference that does not end at an object.

    Args:
        sound: places whose references lead somewhere, and not in a circle.
    """
    for place in sound:
        if place.role != "output":
            continue
        root = members(survey.standalone(place))
        data = members(place.schema)
        while "type" not in data and "$ref" in data:
            data = members(follow(root, text(data["$ref"])))
        if data.get("type") != "object":
            report.add("CF136", f"{place.pointer}/$ref", "the root does not lead to an object")
