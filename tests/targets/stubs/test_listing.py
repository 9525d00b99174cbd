"""What a bound server lists is the contract's JSON, in every revision."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from counterfoil.contract.model import Contract
from counterfoil.targets.snapshot import standalone

Object = dict[str, Any]
Requests = list[tuple[str, Object]]
Speak = Callable[..., list[Object]]
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
LISTS = ("tools", "prompts", "resources", "resources/templates")
SINCE = {
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "annotations": "2025-03-26",
    "icons": "2025-11-25",
    "_meta": "2025-06-18",
}
TOOL = ("_meta", "annotations", "description", "icons", "inputSchema", "name", "outputSchema")
RESOURCE = ("uri", "uriTemplate", "name", "description", "mimeType")


def canonical(value: Any) -> str:
    """Return JSON that differs only where more than the order of keys does."""
    return json.dumps(value, sort_keys=True)


def wanted(entry: Any, fields: tuple[str, ...], version: str) -> dict[str, Any]:
    names = (*fields, "title")
    return {
        key: value for key, value in entry.items() if key in names and SINCE.get(key, "") <= version
    }


@pytest.mark.parametrize("version", REVISIONS)
def test_tools_are_listed_as_the_contract_has_them(
    contract: Contract, server: Any, speak: Speak, version: str
) -> None:
    (answer,) = speak(server, version, ("tools/list", {}))
    served = contract.server("paper-desk").served
    expected = [wanted(standalone(contract, tool), TOOL, version) for tool in served]
    if version < "2026-07-28":  # the schema of a property had to be an object
        schema = expected[1]["inputSchema"]
        booleans: Object = {"barred": {"not": {}}, "extra": {}}
        properties = {**schema["properties"], **booleans}
        expected[1] = {**expected[1], "inputSchema": {**schema, "properties": properties}}
    listed = answer["result"]["tools"]
    execution = [tool.pop("execution", None) for tool in listed]
    assert canonical(listed) == canonical(expected)
    # The revision 2025-11-25 alone knows how a tool is executed.
    task = {"taskSupport": "forbidden"} if version == "2025-11-25" else None
    assert execution == [None, task, None, None]


@pytest.mark.parametrize("version", REVISIONS)
def test_resources_and_templates_are_listed_as_the_contract_has_them(
    contract: Contract, server: Any, speak: Speak, version: str
) -> None:
    both: Requests = [("resources/list", {}), ("resources/templates/list", {})]
    resources, templates = speak(server, version, *both)
    desk = contract.server("paper-desk")
    expected = [wanted(part.data, RESOURCE, version) for part in desk.parts("resources")]
    assert canonical(resources["result"]["resources"]) == canonical(expected)
    expected = [wanted(part.data, RESOURCE, version) for part in desk.parts("resourceTemplates")]
    assert canonical(templates["result"]["resourceTemplates"]) == canonical(expected)


def test_prompts_are_listed_without_their_messages(
    contract: Contract, server: Any, speak: Speak
) -> None:
    (answer,) = speak(server, "2026-07-28", ("prompts/list", {}))
    (prompt,) = contract.server("paper-desk").parts("prompts")
    expected = {key: value for key, value in prompt.data.items() if key != "messages"}
    expected["arguments"] = [
        {key: value for key, value in each.items() if key != "whenAbsent"}
        for each in prompt.data["arguments"]
    ]
    assert canonical(answer["result"]["prompts"]) == canonical([expected])


def test_the_first_revision_gets_prompts_without_titles(server: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2024-11-05", ("prompts/list", {}))
    (prompt,) = answer["result"]["prompts"]
    assert sorted(prompt) == ["arguments", "description", "name"]
    assert [sorted(each) for each in prompt["arguments"]] == [
        ["description", "name", "required"],
        ["description", "name"],
    ]


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_server_with_nothing_serves_empty_lists(
    quiet: ModuleType, speak: Speak, version: str
) -> None:
    server = quiet.bind(object())
    answers = speak(server, version, *((f"{name}/list", {}) for name in LISTS))
    lists = [answer["result"] for answer in answers]
    assert [each["tools"] for each in lists[:1]] == [[]]
    assert [each["prompts"] for each in lists[1:2]] == [[]]
    assert [each["resources"] for each in lists[2:3]] == [[]]
    assert [each["resourceTemplates"] for each in lists[3:]] == [[]]


def test_the_server_says_of_itself_what_the_contract_says(
    contract: Contract, server: Any, speak: Speak
) -> None:
    data = contract.server("paper-desk").data
    (found,) = speak(server, "2026-07-28", ("server/discover", {}))
    result = found["result"]
    assert result["instructions"] == data["instructions"]
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == {
        key: data[key] for key in ("name", "title", "version")
    }
    # What is declared is what is served; nothing tells of changes.
    assert result["capabilities"] == {
        "prompts": {"listChanged": False},
        "resources": {"subscribe": False, "listChanged": False},
        "tools": {"listChanged": False},
    }


def test_lists_may_be_shared_and_kept_and_resources_may_not(server: Any, speak: Speak) -> None:
    requests: Requests = [(f"{name}/list", {}) for name in LISTS]
    *lists, read = speak(
        server, "2026-07-28", *requests, ("resources/read", {"uri": "papers://guide"})
    )
    hints = [(each["result"]["cacheScope"], each["result"]["ttlMs"]) for each in lists]
    assert hints == [("public", 300_000)] * 4
    assert (read["result"]["cacheScope"], read["result"]["ttlMs"]) == ("private", 0)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_that_was_never_handed_out_is_refused(
    server: Any, speak: Speak, name: str, version: str
) -> None:
    refused, listed = speak(
        server, version, (f"{name}/list", {"cursor": "two"}), (f"{name}/list", {"cursor": ""})
    )
    assert refused["error"]["code"] == -32602
    assert "result" in listed


def test_listing_to_an_old_revision_does_not_change_what_is_listed_to_a_new_one(
    server: Any, speak: Speak
) -> None:
    first = speak(server, "2026-07-28", ("tools/list", {}))
    speak(server, "2024-11-05", ("tools/list", {}))
    assert speak(server, "2026-07-28", ("tools/list", {})) == first


def test_an_output_that_is_no_object_is_listed_to_the_stateless_revision_only(
    runtime: ModuleType,
) -> None:
    revisions = importlib.import_module(f"{runtime.__name__}.revisions")
    tool = {"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}
    assert "outputSchema" in revisions.select_tool(tool, "2026-07-28")
    assert "outputSchema" not in revisions.select_tool(tool, "2025-11-25")
