"""Google's side of the GA4 wrapper: token endpoint, Data API, Admin API, as publicly documented.

Documented and followed here: bearer tokens and 401 UNAUTHENTICATED; google.rpc errors with their
codes, ErrorInfo and RetryInfo; 403 PERMISSION_DENIED for properties nobody shared; 404; 429
RESOURCE_EXHAUSTED; empty lists and zeros left out; ``fields``; page tokens; row limits and offsets;
the dateRange column that several spans add.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from google_service import READ, TokenEndpoint, replied
from loopback_upstream import Answer, Request

TOKEN_HOST = "oauth2.googleapis.com"
DATA_HOST = "analyticsdata.googleapis.com"
ADMIN_HOST = "analyticsadmin.googleapis.com"
HOSTS = (TOKEN_HOST, DATA_HOST, ADMIN_HOST)
SHARED = "properties/123456789"

PROPERTY = {
    "name": SHARED,
    "parent": "accounts/55",
    "createTime": "2024-02-01T09:30:00.123Z",
    "updateTime": "2026-05-04T10:00:00Z",
    "displayName": "Shop",
    "industryCategory": "BOOKS_AND_LITERATURE",
    "timeZone": "Europe/Oslo",
    "currencyCode": "EUR",
    "serviceLevel": "GOOGLE_ANALYTICS_STANDARD",
    "account": "accounts/55",
    "propertyType": "PROPERTY_TYPE_ORDINARY",
}
SUMMARIES = [
    {
        "name": f"accountSummaries/{number}",
        "account": f"accounts/{number}",
        "displayName": f"Account {number}",
        "propertySummaries": [
            {
                "property": f"properties/{number}00",
                "displayName": "Shop",
                "propertyType": "PROPERTY_TYPE_ORDINARY",
                "parent": f"accounts/{number}",
            }
        ],
    }
    for number in range(1, 6)
]
METADATA: Mapping[str, list[dict[str, Any]]] = {
    "dimensions": [
        {"apiName": "country", "uiName": "Country", "category": "Geography"},
        {
            "apiName": "customEvent:level",
            "uiName": "Level",
            "category": "Custom",
            "customDefinition": True,
        },
    ],
    "metrics": [
        {"apiName": "activeUsers", "uiName": "Active users", "type": "TYPE_INTEGER"},
        {"apiName": "totalRevenue", "uiName": "Total revenue", "type": "TYPE_CURRENCY"},
    ],
    "comparisons": [{"apiName": "comparisons/1", "uiName": "Mobile"}],
}
COUNTRIES = [("Norway", "31"), ("Sweden", "9007199254740993"), ("", "4")]


@dataclass
class GoogleAnalytics:
    """Answer requests as Google does.

    Attributes:
        tokens: the token endpoint.
        scripted: answers, or exceptions to raise, instead: one for each request that is not for a
            token.
        rows: values of country and of activeUsers.
        bodies: the bodies of reports that were asked for.
    """

    tokens: TokenEndpoint = field(default_factory=TokenEndpoint)
    scripted: list[Answer | Exception] = field(default_factory=list[Any])
    rows: list[tuple[str, str]] = field(default_factory=lambda: list(COUNTRIES))
    bodies: list[dict[str, Any]] = field(default_factory=list[Any])

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        if (request.host, request.method, request.target) == (TOKEN_HOST, "POST", "/token"):
            return self.tokens.answer(request.headers["content-type"], request.body)
        if self.scripted:
            answer = self.scripted.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.tokens.given.get(token) != READ:
            return failed(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        query = dict(parse_qsl(request.query, strict_parsing=True) if request.query else ())
        if request.host == ADMIN_HOST and request.method == "GET":
            return self._administer(request.path, query)
        if request.host == DATA_HOST:
            return self._report(request, query)
        return failed(404, "NOT_FOUND", "Requested entity was not found.")

    def _administer(self, path: str, query: dict[str, str]) -> Answer:
        if path == "/v1beta/accountSummaries":
            token = query.get("pageToken", "0")
            if not token.isdigit():
                return failed(400, "INVALID_ARGUMENT", "The page token is not valid.")
            size, start = int(query.get("pageSize", "50")), int(token)
            shown = SUMMARIES[start : start + size]
            answer: dict[str, Any] = {"accountSummaries": shown} if shown else {}
            if start + size < len(SUMMARIES):
                answer["nextPageToken"] = str(start + size)
            return replied(answer)
        if path == f"/v1beta/{SHARED}":
            return replied(PROPERTY)
        return _not_shared()

    def _report(self, request: Request, query: dict[str, str]) -> Answer:
        match = re.fullmatch(r"/v1beta/(properties/[0-9]+)(/metadata|:\w+)", request.path)
        if match is None:
            return failed(404, "NOT_FOUND", "Requested entity was not found.")
        name, what = match.groups()
        if name not in (SHARED, "properties/0"):
            return _not_shared()
        if what == "/metadata" and request.method == "GET":
            fields = query.get("fields", "name,dimensions,metrics,comparisons").split(",")
            whole = {"name": f"{name}/metadata", **METADATA}
            return replied({key: whole[key] for key in fields})
        if request.method == "POST" and what in (":runReport", ":runRealtimeReport"):
            return self._run(json.loads(request.body), f"analyticsData#{what[1:]}")
        return failed(404, "NOT_FOUND", "Requested entity was not found.")

    def _run(self, body: dict[str, Any], kind: str) -> Answer:
        self.bodies.append(body)
        dimensions = [each["name"] for each in body.get("dimensions", ())]
        metrics = [each["name"] for each in body["metrics"]]
        unknown = [name for name in metrics if name not in ("activeUsers", "totalRevenue")]
        if unknown:
            text = f"Field {unknown[0]} is not a valid metric. For a list of valid metrics, see …"
            return failed(400, "INVALID_ARGUMENT", text)
        spans = [
            each.get("name", f"date_range_{number}")
            for number, each in enumerate(body.get("dateRanges", ()))
        ]
        if len(spans) > 1:
            dimensions.append("dateRange")
        rows = [
            {
                **({"dimensionValues": [{"value": span if name == "dateRange" else country}
                                        for name in dimensions]} if dimensions else {}),
                "metricValues": [{"value": users} for _ in metrics],
            }
            for span in (spans if len(spans) > 1 else [""])
            for country, users in self.rows
        ]  # fmt: skip
        offset = body.get("offset", 0)
        answer = {
            "dimensionHeaders": [{"name": name} for name in dimensions],
            "metricHeaders": [{"name": name, "type": "TYPE_INTEGER"} for name in metrics],
            "rows": rows[offset : offset + body["limit"]],
            "rowCount": len(rows),
            "metadata": {"currencyCode": "EUR", "timeZone": "Europe/Oslo"},
            "kind": kind,
        }
        if body.get("returnPropertyQuota"):
            answer["propertyQuota"] = {"tokensPerDay": {"consumed": 1, "remaining": 199_999}}
        return replied({name: value for name, value in answer.items() if value})


def failed(
    status: int, code: str, message: str, details: list[object] | None = None, **headers: str
) -> Answer:
    """Return an error in the form of google.rpc.Status."""
    error: dict[str, object] = {"code": status, "message": message, "status": code}
    if details:
        error["details"] = details
    return replied({"error": error}, status, **headers)


def _not_shared() -> Answer:
    return failed(
        403,
        "PERMISSION_DENIED",
        "User does not have sufficient permissions for this property. To learn more about Property "
        "ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.",
    )
