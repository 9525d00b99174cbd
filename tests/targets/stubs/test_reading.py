"""Resources go through one handler; prompts come from the contract."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

Speak = Callable[..., list[dict[str, Any]]]
ERAS = ("2025-11-25", "2026-07-28")
NOT_FOUND = {"2025-11-25": -32002, "2026-07-28": -32602}


def read(uri: str) -> tuple[str, dict[str, Any]]:
    return "resources/read", {"uri": uri}


def prompt(**arguments: str) -> tuple[str, dict[str, Any]]:
    return "prompts/get", {"name": "file_it", "arguments": arguments}


@pytest.mark.parametrize("version", ERAS)
def test_text_and_bytes_are_read_with_the_contracts_type(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    (text,) = speak(server, version, read("papers://guide"))
    assert text["result"]["contents"] == [
        {"uri": "papers://guide", "mimeType": "text/markdown", "text": "# Filing"}
    ]
    handlers.content = b"\x89PNG"
    (blob,) = speak(server, version, read("papers://seal"))
    assert blob["result"]["contents"] == [
        {"uri": "papers://seal", "mimeType": "image/png", "blob": "iVBORw=="}
    ]


def test_a_uri_of_a_template_is_read(server: Any, handlers: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2026-07-28", read("papers://receipts/R0001"))
    (contents,) = answer["result"]["contents"]
    assert contents["mimeType"] == "text/plain"
    assert handlers.seen.args == "papers://receipts/R0001"
    assert handlers.seen.ctx.name == "papers://receipts/R0001"


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("uri", ["papers://nothing", "papers://receipts/a/b", "file:///etc/passwd"])
def test_a_uri_that_the_contract_does_not_offer_is_not_found(
    server: Any, handlers: Any, speak: Speak, uri: str, version: str
) -> None:
    (answer,) = speak(server, version, read(uri))
    assert answer["error"]["code"] == NOT_FOUND[version]
    assert answer["error"]["data"] == {"uri": uri}
    assert handlers.seen.args is None


@pytest.mark.parametrize("version", ERAS)
def test_none_from_the_handler_is_not_found(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    handlers.content = None
    (answer,) = speak(server, version, read("papers://receipts/R0001"))
    assert answer["error"]["code"] == NOT_FOUND[version]


@pytest.mark.parametrize("version", ERAS)
def test_a_server_without_resources_finds_none(
    quiet: ModuleType, speak: Speak, version: str
) -> None:
    (answer,) = speak(quiet.bind(object()), version, read("papers://guide"))
    assert answer["error"]["code"] == NOT_FOUND[version]


@pytest.mark.parametrize("version", ERAS)
def test_a_failed_read_says_what_failed_and_a_crash_does_not(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    handlers.content = runtime.ToolFailure("The guide could not be read.")
    (failed,) = speak(server, version, read("papers://guide"))
    assert failed["error"] == {"code": -32603, "message": "The guide could not be read."}
    for content in (OSError("/etc/desk"), 7):
        handlers.content = content
        (crashed,) = speak(server, version, read("papers://guide"))
        assert crashed["error"] == {"code": -32603, "message": "Internal error"}


def test_a_prompt_is_filled_once(server: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2026-07-28", prompt(paper="{drawer}", drawer="A"))
    assert answer["result"]["description"] == "File a paper."
    assert answer["result"]["messages"] == [
        {
            "role": "user",
            "content": {"type": "text", "text": "File {drawer} into A. Leave {this} alone."},
        },
        {"role": "assistant", "content": {"type": "text", "text": "{drawer}: filed."}},
    ]


def test_an_absent_argument_reads_as_the_contract_says(server: Any, speak: Speak) -> None:
    left_out, empty = speak(server, "2025-06-18", prompt(paper="P"), prompt(paper="P", drawer=""))
    text = left_out["result"]["messages"][0]["content"]["text"]
    assert text == "File P into any drawer. Leave {this} alone."
    assert left_out["result"] == empty["result"]


@pytest.mark.parametrize("version", ERAS)
def test_faulty_arguments_of_a_prompt_are_all_named(
    server: Any, speak: Speak, version: str
) -> None:
    (answer,) = speak(server, version, prompt(shelf="1"))
    assert answer["error"] == {
        "code": -32602,
        "message": 'Prompt file_it: unknown argument "shelf", missing argument paper',
    }


def test_an_unknown_prompt_is_refused_with_the_known_ones(server: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2026-07-28", ("prompts/get", {"name": "burn_it"}))
    assert answer["error"] == {
        "code": -32602,
        "message": 'Unknown prompt: "burn_it". Known prompts: file_it',
    }
