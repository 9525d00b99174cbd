"""A small contract without a fault, its cases, and ways to change and judge them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.cases import read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.findings import Finding
from counterfoil.lint import lint_cases, lint_contract

PATH = "contract.json"
REMOVE = ...

Change = tuple[str, Any]
Changed = Callable[..., dict[str, Any]]
Lint = Callable[..., tuple[Finding, ...]]


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


ITEM_ID = {"type": "string", "pattern": "^[a-z0-9]{1,8}$"}

BASE: dict[str, Any] = {
    "counterfoil": 1,
    "$defs": {
        "Item": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name", "state"],
            "properties": {
                "name": {"type": "string"},
                "state": {"enum": ["read", "unreadable"]},
                "reason": {"type": "string"},
            },
        }
    },
    "servers": {
        "shop": {
            "binding": "snapshot",
            "name": "shop-mcp",
            "title": "Shop",
            "version": "1.0.0",
            "tools": [
                {
                    "name": "find_on_page",
                    "title": "Find on page",
                    "description": "Finds a word on the page.",
                    "inputSchema": {**_object(word={"type": "string"}), "required": ["word"]},
                    "auth": "local",
                    "surfaces": ["assistant"],
                    "exec": {"kind": "local"},
                },
                {
                    "name": "get_item",
                    "title": "Item",
                    "description": "Reads one item.",
                    "inputSchema": {
                        **_object(
                            itemId=ITEM_ID,
                            limit={"type": "integer", "minimum": 1, "default": 5},
                        ),
                        "required": ["itemId"],
                    },
                    "outputSchema": {"$ref": "#/$defs/Item"},
                    "auth": "grant",
                    "scope": "read:items",
                    "priced": True,
                    "surfaces": ["assistant", "mcp"],
                    "exec": {
                        "kind": "route",
                        "route": "item",
                        "path": ["itemId"],
                        "query": ["limit"],
                    },
                },
                {
                    "name": "order_item",
                    "title": "Order",
                    "description": "Orders one item.",
                    "inputSchema": {
                        **_object(count={"type": "integer", "minimum": 1}),
                        "required": ["count"],
                    },
                    "auth": "grant",
                    "surfaces": ["mcp"],
                    "exec": {"kind": "route", "route": "order", "body": ["count"]},
                },
            ],
            "resources": [
                {
                    "uri": "shop://status",
                    "name": "status",
                    "title": "Status",
                    "description": "Whether the shop is open.",
                    "source": {"kind": "route", "route": "status"},
                }
            ],
            "resourceTemplates": [
                {
                    "uriTemplate": "shop://item/{itemId}",
                    "name": "item",
                    "title": "Item",
                    "description": "One item.",
                }
            ],
            "prompts": [
                {
                    "name": "review",
                    "title": "Review",
                    "description": "Reviews an item.",
                    "arguments": [
                        {"name": "itemId", "description": "The item.", "required": True},
                        {"name": "tone", "description": "How.", "whenAbsent": "plainly"},
                    ],
                    "messages": [{"role": "user", "text": 'Review {itemId} {tone}: {"a": 1}'}],
                }
            ],
            "routes": [
                {
                    "id": "item",
                    "method": "GET",
                    "path": "/v1/items/{itemId}",
                    "description": "One item.",
                    "auth": "bearer",
                    "scope": "read:items",
                    "class": "read",
                    "pathParams": [
                        {
                            "name": "itemId",
                            "description": "The item.",
                            "pattern": "^[a-z0-9]{1,8}$",
                        }
                    ],
                    "queryParams": [
                        {"name": "limit", "description": "How many.", "pattern": "^[0-9]+$"}
                    ],
                    "response": {"$ref": "#/$defs/Item"},
                    "unreadable": [
                        {
                            "at": "/state",
                            "value": "unreadable",
                            "reason": "/reason",
                            "meaning": "The item could not be read.",
                        }
                    ],
                },
                {
                    "id": "order",
                    "method": "POST",
                    "path": "/v1/orders",
                    "description": "Orders.",
                    "auth": "bearer",
                    "class": "never",
                    "body": {**_object(count={"type": "integer"}), "required": ["count"]},
                },
                {
                    "id": "status",
                    "method": "GET",
                    "path": "/v1/status",
                    "description": "Whether the shop is open.",
                    "auth": "none",
                    "class": "free",
                },
            ],
        },
        "wrap": {
            "binding": "wrapper",
            "name": "wrap-mcp",
            "title": "Wrapper",
            "version": "1.0.0",
            "tools": [
                {
                    "name": "get_page",
                    "title": "Page",
                    "description": "Reads a page.",
                    "inputSchema": _object(),
                    "auth": "none",
                    "surfaces": ["mcp"],
                    "exec": {"kind": "handler"},
                }
            ],
            "outbound": [
                {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/*"}
            ],
        },
    },
}

_TEXTS = {"a1": "a word", "b2": "another"}
CASES: dict[str, dict[str, Any]] = {
    "shop/find_on_page.json": {
        "accepted": [{"name": name, "arguments": {"word": text}} for name, text in _TEXTS.items()],
        "refused": [
            {"name": "no word", "arguments": {}, "because": "a word is needed"},
            {"name": "a number", "arguments": {"word": 1}, "because": "a text is needed"},
            {"name": "a list", "arguments": [], "because": "an object is needed"},
            {"name": "unknown", "arguments": {"word": "a", "x": 1}, "because": "x is unknown"},
        ],
    },
    "shop/get_item.json": {
        "accepted": [
            {"name": "one", "arguments": {"itemId": "a1"}},
            {"name": "one with a limit", "arguments": {"itemId": "a1", "limit": 1}},
        ],
        "refused": [
            {"name": "no id", "arguments": {}, "because": "an id is needed"},
            {"name": "an empty id", "arguments": {"itemId": ""}, "because": "too short"},
            {"name": "a line end", "arguments": {"itemId": "a\n"}, "because": "not in the id"},
            {"name": "limit 0", "arguments": {"itemId": "a", "limit": 0}, "because": "too few"},
        ],
        "results": {
            "accepted": [{"name": "read", "value": {"name": "a", "state": "read"}}],
            "refused": [{"name": "no state", "value": {"name": "a"}, "because": "is it read?"}],
        },
    },
    "shop/order_item.json": {
        "accepted": [{"name": "one", "arguments": {"count": 1}}],
        "refused": [
            {"name": f"count {count!r}", "arguments": {"count": count}, "because": "no count"}
            for count in (0, -1, 1.5, "1", None)
        ],
    },
    "wrap/get_page.json": {
        "accepted": [{"name": "nothing", "arguments": {}}],
        "refused": [
            {"name": f"with {name}", "arguments": {name: 1}, "because": "no argument"}
            for name in "abcde"
        ],
    },
}


def change(data: dict[str, Any], pointer: str, value: Any) -> None:
    """Set, append to (last token ``-``) or remove what a pointer leads to."""
    *tokens, last = [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]
    node: Any = data
    for token in tokens:
        node = node[int(token)] if isinstance(node, list) else node[token]
    if last == "-":
        node.append(value)
    elif value is REMOVE:
        del node[int(last) if isinstance(node, list) else last]
    else:
        node[int(last) if isinstance(node, list) else last] = value


def read(data: dict[str, Any]) -> Contract:
    """Return the contract of data that keeps the grammar; its lists keep their order."""
    reading = read_contract_bytes(json.dumps(data, indent=2).encode(), PATH)
    assert [each for each in reading.findings if each.code != "CF105"] == []
    assert reading.contract is not None
    return reading.contract


@pytest.fixture
def changed() -> Changed:
    """Give a function that returns the small contract with changes."""

    def make(*changes: Change) -> dict[str, Any]:
        data = copy.deepcopy(BASE)
        for pointer, value in changes:
            change(data, pointer, copy.deepcopy(value))
        return data

    return make


@pytest.fixture
def lint(changed: Changed) -> Lint:
    """Give a function that lints the small contract with changes."""
    return lambda *changes: lint_contract(read(changed(*changes)))


@pytest.fixture
def lint_files(changed: Changed, tmp_path: Path) -> Lint:
    """Give a function that reads and lints cases, with files changed, added or removed.

    A change's first part is ``server/tool.json``, or that with a pointer after ``#``.
    """

    def run(*changes: Change, contract: tuple[Change, ...] = ()) -> tuple[Finding, ...]:
        files: dict[str, Any] = copy.deepcopy(CASES)
        for place, value in changes:
            path, _, pointer = place.partition("#")
            if pointer:
                change(files[path], pointer, value)
            elif value is REMOVE:
                del files[path]
            else:
                files[path] = value
        for path, value in files.items():
            target = tmp_path / "cases" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            target.write_bytes(raw)
        made = read(changed(*contract))
        cases, faults = read_cases(tmp_path, "cases", made)
        return tuple(sorted({*faults, *lint_cases(made, cases)}))

    return run


@pytest.fixture
def text(changed: Changed) -> str:
    """Give the small contract's canonical text."""
    return canonical_text(changed())
