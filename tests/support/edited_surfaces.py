"""A contract with one of each thing beside schemas, and what an edit of it changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterfoil.breaking import Change, Surface, compare, of_contract
from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.reading import read_contract_bytes

Edit = Callable[[dict[str, Any]], object]
ROOT = Path(__file__).parents[2]

CONTRACT: dict[str, Any] = {
    "$defs": {"Row": {"type": "object", "title": "Row", "properties": {"id": {"type": "integer"}}}},
    "counterfoil": 1,
    "servers": {
        "s": {
            "binding": "wrapper",
            "distribution": {
                "author": {"name": "A"},
                "description": "S.",
                "name": "org.example/s",
                "package": {"identifier": "s", "registry": "pypi", "version": "1.2.0"},
            },
            "instructions": "Ask first.",
            "name": "s",
            "outbound": [
                {"method": "GET", "origin": "https://api.example.org", "pathPattern": "/v1/*"}
            ],
            "payment": {
                "offer": {
                    "type": "object",
                    "title": "Offer",
                    "properties": {"price": {"type": "string"}},
                    "required": ["price"],
                }
            },
            "prompts": [
                {
                    "arguments": [
                        {"description": "Whom.", "name": "who", "required": True},
                        {"description": "How.", "name": "tone"},
                    ],
                    "description": "Greet.",
                    "messages": [{"role": "user", "text": "Greet {who}, {tone}."}],
                    "name": "greet",
                    "title": "Greet",
                }
            ],
            "protocolVersions": ["2025-06-18", "2026-07-28"],
            "resources": [
                {
                    "description": "A guide.",
                    "mimeType": "text/markdown",
                    "name": "guide",
                    "source": {"kind": "handler"},
                    "title": "Guide",
                    "uri": "s://guide",
                }
            ],
            "routes": [
                {
                    "auth": "bearer",
                    "class": "free",
                    "description": "Rows.",
                    "errors": {"404": ["not_found"]},
                    "id": "rows",
                    "method": "GET",
                    "path": "/rows/{id}",
                    "pathParams": [{"description": "Id.", "name": "id", "pattern": "^[0-9]+$"}],
                    "queryParams": [
                        {"description": "Page.", "name": "page", "pattern": "^[0-9]+$"},
                        {
                            "description": "Size.",
                            "name": "size",
                            "pattern": "^[0-9]+$",
                            "schema": {"type": "integer", "maximum": 100},
                        },
                    ],
                    "response": {"$ref": "#/$defs/Row"},
                }
            ],
            "title": "S",
            "tools": [
                {
                    "annotations": {"destructiveHint": False},
                    "auth": "grant",
                    "deprecated": {"date": "2026-06-30", "replacement": "rows"},
                    "description": "Old.",
                    "exec": {"kind": "handler"},
                    "inputSchema": {"type": "object", "properties": {}},
                    "name": "old",
                    "surfaces": ["mcp"],
                    "title": "Old",
                },
                {
                    "auth": "grant",
                    "description": "Rows.",
                    "exec": {"kind": "handler"},
                    "inputSchema": {
                        "type": "object",
                        "properties": {
                            "gone": {
                                "type": "string",
                                "deprecated": True,
                                "x-deprecated": {"date": "2026-06-30"},
                            },
                            "row": {"$ref": "#/$defs/Row"},
                        },
                    },
                    "name": "rows",
                    "outputSchema": {"$ref": "#/$defs/Row"},
                    "scope": "read",
                    "surfaces": ["assistant", "mcp"],
                    "title": "Rows",
                },
            ],
            "version": "1.2.0",
        }
    },
    "wording": {"unknown": "This is not known."},
}


def surface(data: dict[str, Any]) -> Surface:
    read = read_contract_bytes(canonical_text(data).encode(), "contract.json")
    assert read.contract is not None, read.findings
    return of_contract(read.contract)


def after(edit: Edit, *, today: str = "") -> list[Change]:
    """Return the changes of one edit, without what is said of the version."""
    target = copy.deepcopy(CONTRACT)
    edit(target)
    found = compare(surface(CONTRACT), surface(target), today=today)
    return [each for each in found if each.code != "CF490"]


def server(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["servers"]["s"]
    return found


def rows(data: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in server(data)["tools"] if each["name"] in ("rows", "lines"))


def old(data: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in server(data)["tools"] if each["name"] == "old")


def route(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = server(data)["routes"][0]
    return found


def prompt(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = server(data)["prompts"][0]
    return found


def outbound(path: str, origin: str = "https://api.example.org") -> Edit:
    entry = {"method": "GET", "origin": origin, "pathPattern": path}
    return lambda data: server(data)["outbound"].append(entry)


def local(data: dict[str, Any]) -> None:
    rows(data).update(auth="local", exec={"kind": "local"}, surfaces=["assistant"])
    rows(data).pop("scope")
