"""Reports: the body that asks for one, and whether the answer's rows fit its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ga4_mcp.reading import misread


def report_body(arguments: BaseModel) -> dict[str, Any]:
    """Return the arguments of a report as Google's API takes them.

    The names are Google's already. What is not given is left to Google, apart from the limit, whose
    default is this server's own.
    """
    given = arguments.model_dump(mode="json")
    body = arguments.model_dump(mode="json", exclude_unset=True)
    del body["propertyId"]
    body["limit"] = given["limit"]
    return body


def check_cells(report: Mapping[str, Any], place: str) -> None:
    """Refuse a report whose rows have other columns than its headers.

    Raises:
        ToolFailure: a cell would be read under the wrong name.
    """
    columns = {
        "dimensionValues": len(report.get("dimensionHeaders", ())),
        "metricValues": len(report["metricHeaders"]),
    }
    for number, row in enumerate(report.get("rows", ())):
        for name, count in columns.items():
            if len(row.get(name, ())) != count:
                misread("POST", place, [f"rows.{number}.{name}: it has not one cell a column"])
