"""The tools: each one request to Google Analytics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

from counterfoil_bindings.ga4 import models
from counterfoil_bindings.ga4.stubs import Ga4Handlers
from ga4_mcp.metadata import check_parts, narrow
from ga4_mcp.reading import Read, misread, read
from ga4_mcp.reports import check_cells, report_body
from mcp_wrapper_scaffold import Context

ADMIN: Final = "https://analyticsadmin.googleapis.com/v1beta"
DATA: Final = "https://analyticsdata.googleapis.com/v1beta"

Answer = Mapping[str, object]


class Tools(Ga4Handlers[Context]):
    """What the server can do; descriptions are in the contract.

    Every argument was held to its tool's input schema before it comes here, so a property's id is
    digits and cannot end a path segment.
    """

    async def get_metadata(self, args: models.GetMetadataInput, ctx: Context, /) -> Answer:
        """Read the dimensions and metrics of a property."""
        given = args.model_dump(mode="json")
        parts: list[str] = given["parts"]
        name = f"properties/{args.propertyId}/metadata"
        url = f"{DATA}/{name}?{_query({'fields': ','.join(['name', *parts])})}"
        answer = await read(ctx, Read(url), models.GetMetadataOutput)
        _check_name(answer, name, f"{DATA}/{name}")
        check_parts(answer, parts, f"{DATA}/{name}")
        return narrow(answer, given.get("search"))

    async def get_property(self, args: models.GetPropertyInput, ctx: Context, /) -> Answer:
        """Read a property's settings."""
        name = f"properties/{args.propertyId}"
        answer = await read(ctx, Read(f"{ADMIN}/{name}"), models.GetPropertyOutput)
        _check_name(answer, name, f"{ADMIN}/{name}")
        return answer

    async def list_account_summaries(
        self, args: models.ListAccountSummariesInput, ctx: Context, /
    ) -> Answer:
        """Read one page of accounts with their properties."""
        url = f"{ADMIN}/accountSummaries?{_query(args.model_dump(mode='json'))}"
        return await read(ctx, Read(url), models.ListAccountSummariesOutput)

    async def run_realtime_report(
        self, args: models.RunRealtimeReportInput, ctx: Context, /
    ) -> Answer:
        """Run a report over minutes."""
        url = f"{DATA}/properties/{args.propertyId}:runRealtimeReport"
        request = Read(url, report_body(args))
        answer = await read(ctx, request, models.RunRealtimeReportOutput)
        check_cells(answer, url)
        return answer

    async def run_report(self, args: models.RunReportInput, ctx: Context, /) -> Answer:
        """Run a report over days."""
        url = f"{DATA}/properties/{args.propertyId}:runReport"
        answer = await read(ctx, Read(url, report_body(args)), models.RunReportOutput)
        check_cells(answer, url)
        return answer


def _check_name(answer: Mapping[str, object], name: str, place: str) -> None:
    """Refuse an answer about another resource than the one that was asked for.

    Raises:
        ToolFailure: it is about another one.
    """
    if answer["name"] != name:
        misread("GET", place, ["name: it is another resource's"])


def _query(parameters: Mapping[str, object]) -> str:
    return urlencode(parameters, quote_via=quote, safe="")
