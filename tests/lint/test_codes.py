"""Every code of the contract: the smallest edit that provokes it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.contract.reading import read_contract_bytes
from counterfoil.findings import RULES, Finding

SHOP = "/servers/shop"
ITEM, ORDER = f"{SHOP}/tools/1", f"{SHOP}/tools/2"
PROPERTIES = f"{ITEM}/inputSchema/properties"
ORDERED = f"{ORDER}/inputSchema/properties"
WRAP = "/servers/wrap"
ENTRY = f"{WRAP}/outbound/0"
REMOVE = ...

# code: what to replace in the text, and by what
READING: dict[str, tuple[str, str]] = {
    "CF101": ('"counterfoil": 1,', '"counterfoil": NaN,'),
    "CF102": ('"counterfoil": 1,', '"counterfoil": 1,\n  "counterfoil": 1,'),
    "CF103": ('"counterfoil": 1,', '"counterfoil": 2,'),
    "CF105": ('"counterfoil": 1,', '"counterfoil":1,'),
    "CF106": ("Reads one item.", "Reads one\\u202e item."),
}


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def _tool(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": "A",
        "description": "A.",
        "inputSchema": {"type": "object"},
        "auth": "none",
        "surfaces": ["mcp"],
        "exec": {"kind": "handler"},
        **more,
    }


def _filter(**more: Any) -> dict[str, Any]:
    properties = {"a": {"type": "string"}, **more}
    return {"type": "object", "title": "Filter", "properties": properties}


def distributed(*variables: str) -> dict[str, Any]:
    asked = [{"name": name, "title": "A", "description": "A."} for name in variables]
    return {
        "name": "com.example/shop",
        "description": "A shop.",
        "author": {"name": "A"},
        "package": {"registry": "pypi", "identifier": "shop-mcp", "version": "1.0.0"},
        "environment": asked,
    }


# code: changes of the small contract, and where the finding stands
CONTRACT: dict[str, tuple[list[tuple[str, Any]], str]] = {
    "CF104": (
        [
            (f"{ORDERED}/count", {"type": "object", "properties": {"a": {"type": "string"}}}),
            (f"{SHOP}/routes/1/body/properties/count", True),
        ],
        f"{ORDERED}/count",
    ),
    "CF107": ([(f"{ORDER}/title", REMOVE)], ORDER),
    "CF110": ([(f"{WRAP}/tools/0/name", "n" * 65)], f"{WRAP}/tools/0/name"),
    "CF111": ([(f"{WRAP}/tools/-", _tool("get_page"))], f"{WRAP}/tools/1/name"),
    "CF112": (
        [(f"{SHOP}/routes/1/method", "GET"), (f"{SHOP}/routes/1/path", "/v1/status")],
        f"{SHOP}/routes/2/path",
    ),
    "CF113": (
        [
            (
                f"{WRAP}/outbound/-",
                {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/*"},
            )
        ],
        f"{WRAP}/outbound/1",
    ),
    "CF114": ([(f"{WRAP}/tools/-", _tool("get.page"))], f"{WRAP}/tools/1/name"),
    "CF115": ([(f"{SHOP}/tools/-", _tool("x"))], f"{SHOP}/tools/3/exec/kind"),
    "CF116": (
        [(f"{ITEM}/deprecated", {"date": "2027-01-31", "replacement": "no_such"})],
        f"{ITEM}/deprecated/replacement",
    ),
    "CF117": (
        [
            (f"{ITEM}/deprecated", {"date": "2027-01-31", "replacement": "order_item"}),
            (f"{ORDER}/deprecated", {"date": "2027-01-31"}),
        ],
        f"{ITEM}/deprecated/replacement",
    ),
    "CF118": ([("/$defs/Unused", {"type": "string"})], "/$defs/Unused"),
    "CF119": (
        [(f"{SHOP}/resourceTemplates/0/uriTemplate", "shop://item/{itemId")],
        f"{SHOP}/resourceTemplates/0/uriTemplate",
    ),
    "CF120": ([(f"{ORDERED}/count/type", "integr")], f"{ORDERED}/count/type"),
    "CF121": (
        [(f"{ORDER}/inputSchema/$schema", "http://json-schema.org/draft-06/schema#")],
        f"{ORDER}/inputSchema/$schema",
    ),
    "CF122": (
        [(f"{ORDERED}/count", {"$ref": "https://example.com/count.json"})],
        f"{ORDERED}/count/$ref",
    ),
    "CF123": ([(f"{ORDERED}/count", {"$ref": "#/$defs/Count"})], f"{ORDERED}/count/$ref"),
    "CF124": ([(f"{ORDERED}/count/$anchor", "count")], f"{ORDERED}/count/$anchor"),
    "CF125": ([(f"{ORDERED}/count/nullable", True)], f"{ORDERED}/count/nullable"),
    "CF126": (
        [(f"{ORDER}/inputSchema/$defs", {"Item": {"type": "integer"}})],
        f"{ORDER}/inputSchema/$defs/Item",
    ),
    "CF127": ([(f"{ORDERED}/count", _nested(40))], f"{ORDERED}/count{'/items' * 32}"),
    "CF128": (
        [
            (
                f"{ORDER}/inputSchema/$defs",
                {"A": {"anyOf": [{"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A"}},
            )
        ],
        f"{ORDER}/inputSchema/$defs/A/anyOf/0/$ref",
    ),
    "CF129": ([(f"{PROPERTIES}/limit/default", 0)], f"{PROPERTIES}/limit/default"),
    "CF130": (
        [
            (
                f"{WRAP}/tools/0/inputSchema/properties",
                {"a": _filter(), "b": _filter(c={"type": "string"})},
            )
        ],
        f"{WRAP}/tools/0/inputSchema/properties/b/title",
    ),
    "CF131": ([(f"{ORDERED}/count/x-mcp-header", "the count")], f"{ORDERED}/count/x-mcp-header"),
    "CF132": (
        [(f"{ORDERED}/count", {"type": "number", "x-mcp-header": "Count"})],
        f"{ORDERED}/count/type",
    ),
    "CF133": (
        [
            (
                f"{ORDERED}/count",
                {"type": "array", "items": {"type": "string", "x-mcp-header": "Count"}},
            )
        ],
        f"{ORDERED}/count/items/x-mcp-header",
    ),
    "CF134": (
        [
            (
                f"{WRAP}/tools/0/inputSchema/properties/apiKey",
                {"type": "string", "x-mcp-header": "Key"},
            )
        ],
        f"{WRAP}/tools/0/inputSchema/properties/apiKey/x-mcp-header",
    ),
    "CF135": (
        [(f"{SHOP}/tools/0/inputSchema/properties/ownerAddress", {"type": "string"})],
        f"{SHOP}/tools/0/inputSchema/properties/ownerAddress",
    ),
    "CF136": (
        [("/$defs/Name", {"type": "string"}), (f"{ITEM}/outputSchema/$ref", "#/$defs/Name")],
        f"{ITEM}/outputSchema/$ref",
    ),
    "CF137": ([(f"{ORDERED}/count/maximum", 0)], f"{ORDERED}/count"),
    "CF138": ([(f"{SHOP}/tools/0/name", "find.on.page")], f"{SHOP}/tools/0/name"),
    "CF140": (
        [(f"{SHOP}/tools/0/inputSchema/properties/word/pattern", "^(a|b$")],
        f"{SHOP}/tools/0/inputSchema/properties/word/pattern",
    ),
    "CF141": (
        [(f"{SHOP}/tools/0/inputSchema/properties/word/pattern", r"^\d$")],
        f"{SHOP}/tools/0/inputSchema/properties/word/pattern",
    ),
    "CF142": (
        [(f"{SHOP}/routes/0/queryParams/0/pattern", "[0-9]+")],
        f"{SHOP}/routes/0/queryParams/0/pattern",
    ),
    "CF143": (
        [(f"{SHOP}/routes/0/pathParams/0/pattern", "^[a-z0-9.]{1,8}$")],
        f"{SHOP}/routes/0/pathParams/0/pattern",
    ),
    "CF144": (
        [(f"{SHOP}/tools/0/inputSchema/properties/word/pattern", "^([a-z]+)*$")],
        f"{SHOP}/tools/0/inputSchema/properties/word/pattern",
    ),
    "CF150": (
        [(f"{SHOP}/routes/2/path", "/v1/status/{chain}")],
        f"{SHOP}/routes/2/path",
    ),
    "CF151": ([(f"{SHOP}/routes/1/path", "/v1/../orders")], f"{SHOP}/routes/1/path"),
    "CF152": ([(f"{ITEM}/exec/route", "items")], f"{ITEM}/exec/route"),
    "CF153": (
        [
            (f"{ITEM}/exec/query/-", "page"),
            (
                f"{SHOP}/routes/0/queryParams/-",
                {"name": "page", "description": "Which.", "pattern": "^[0-9]+$"},
            ),
        ],
        f"{ITEM}/exec/query/1",
    ),
    "CF154": ([(f"{SHOP}/routes/0/queryParams/0/name", "first")], f"{ITEM}/exec/query/0"),
    "CF155": ([(f"{ITEM}/inputSchema/required", [])], f"{ITEM}/exec"),
    "CF156": ([(f"{PROPERTIES}/page", {"type": "string"})], f"{PROPERTIES}/page"),
    "CF157": ([(f"{ITEM}/scope", "read:all")], f"{ITEM}/scope"),
    "CF158": ([(f"{PROPERTIES}/itemId", {"type": "string"})], f"{PROPERTIES}/itemId"),
    "CF159": (
        [(f"{SHOP}/routes/0/unreadable/0/at", "/status")],
        f"{SHOP}/routes/0/unreadable/0/at",
    ),
    "CF160": (
        [(f"{SHOP}/resources/0/source/route", "item")],
        f"{SHOP}/resources/0/source/route",
    ),
    "CF161": (
        [(f"{SHOP}/prompts/0/messages/0/text", "{itemId} {tone} {word}")],
        f"{SHOP}/prompts/0/messages/0/text",
    ),
    "CF162": (
        [(f"{SHOP}/prompts/0/messages/0/text", "Review {itemId}.")],
        f"{SHOP}/prompts/0/arguments/1/name",
    ),
    "CF163": (
        [(f"{SHOP}/prompts/0/arguments/1/whenAbsent", REMOVE)],
        f"{SHOP}/prompts/0/arguments/1",
    ),
    "CF170": ([(f"{ENTRY}/origin", "https://API.example.com")], f"{ENTRY}/origin"),
    "CF171": ([(f"{ENTRY}/pathPattern", "/v1/**")], f"{ENTRY}/pathPattern"),
    "CF172": ([(f"{ENTRY}/method", "POST")], f"{ENTRY}/pathPattern"),
    "CF190": (
        [(f"{SHOP}/distribution", distributed("SHOP_URL", "SHOP_API_KEY"))],
        f"{SHOP}/distribution/environment/1/name",
    ),
    "CF191": (
        [(f"{SHOP}/distribution", distributed("SHOP_URL", "SHOP_URL"))],
        f"{SHOP}/distribution/environment/1/name",
    ),
}

FIND = "shop/find_on_page.json"

# code: changes of the cases, the file and the place of the finding
CASES: dict[str, tuple[list[tuple[str, Any]], str, str]] = {
    "CF180": (
        [(FIND, b'{"accepted": [], "accepted": [], "refused": []}')],
        f"cases/{FIND}",
        "/accepted",
    ),
    "CF181": ([(f"{FIND}#/refused/0/because", REMOVE)], f"cases/{FIND}", "/refused/0"),
    "CF182": ([(FIND, REMOVE)], "contract.json", f"{SHOP}/tools/0/name"),
    "CF183": ([(f"{FIND}#/refused/0", REMOVE)], f"cases/{FIND}", ""),
    "CF184": (
        [
            (f"{FIND}#/accepted", []),
            *(
                (
                    f"{FIND}#/refused/-",
                    {"name": str(each), "arguments": {"word": each}, "because": "no text"},
                )
                for each in range(2)
            ),
        ],
        f"cases/{FIND}",
        "/accepted",
    ),
    "CF185": ([(f"{FIND}#/refused/0/name", "a1")], f"cases/{FIND}", "/refused/0/name"),
    "CF186": ([(f"{FIND}#/accepted/0/arguments/word", 1)], f"cases/{FIND}", "/accepted/0"),
    "CF187": ([(f"{FIND}#/refused/1/arguments/word", "a")], f"cases/{FIND}", "/refused/1"),
    "CF188": ([(f"{FIND}#/results", {"accepted": []})], f"cases/{FIND}", "/results"),
    "CF189": ([("shop/find.json", {"accepted": [], "refused": []})], "cases/shop/find.json", ""),
}

Lint = Callable[..., tuple[Finding, ...]]


def test_the_tables_and_the_rules_have_the_same_codes() -> None:
    ours = {code for code in RULES if code.startswith("CF1")}
    assert {*READING, *CONTRACT, *CASES} == ours


def test_the_small_contract_and_its_cases_are_clean(
    lint: Lint, lint_files: Lint, text: str
) -> None:
    assert read_contract_bytes(text.encode(), "contract.json").findings == ()
    assert lint() == ()
    assert lint_files() == ()


@pytest.mark.parametrize("code", READING)
def test_a_change_of_the_text_provokes_its_code(code: str, text: str) -> None:
    old, new = READING[code]
    assert text.count(old) == 1
    reading = read_contract_bytes(text.replace(old, new).encode(), "contract.json")
    assert [finding.code for finding in reading.findings] == [code]
    assert reading.findings[0].line > 0


@pytest.mark.parametrize("code", CONTRACT)
def test_a_change_of_the_contract_provokes_its_code(code: str, lint: Lint) -> None:
    changes, pointer = CONTRACT[code]
    findings = lint(*changes)
    assert {finding.code for finding in findings} == {code}, findings
    assert pointer in {finding.pointer for finding in findings}
    for finding in findings:
        assert finding.severity == RULES[code].severity
        assert finding.hint
        assert finding.line > 1
        assert finding.message


@pytest.mark.parametrize("code", CASES)
def test_a_change_of_the_cases_provokes_its_code(code: str, lint_files: Lint) -> None:
    changes, path, pointer = CASES[code]
    findings = lint_files(*changes)
    assert {finding.code for finding in findings} == {code}, findings
    assert [(finding.path, finding.pointer) for finding in findings] == [(path, pointer)]
    assert findings[0].severity == RULES[code].severity
    assert findings[0].hint
