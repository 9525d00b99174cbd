"""Receipts as a client gets them, byte for byte those that the original printed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from haia_oracle import ABSENT, ORACLE, Recorded, recorded
from mcp import Client
from trace_served import ask

GOLDEN = Path(__file__).parents[1] / "golden"
BARE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def printed(document: str) -> list[tuple[str, str, str]]:
    """Return the receipts of a printed document: run, operation, and the text at no indent."""
    found: list[tuple[str, str, str]] = []
    run = ""
    lines: list[str] | None = None
    for line in document.split("\n"):
        if line.startswith('      "run": '):
            run = json.loads(line.partition(": ")[2].rstrip(","))
        if line == '      "receipts": [':
            lines = []
        elif lines is not None and line.startswith("      ]"):
            lines = None
        elif lines is not None:
            lines.append(line[8:].rstrip(",") if line.startswith("        }") else line[8:])
            if lines[-1] == "}":
                text = "\n".join(lines)
                found.append((run, json.loads(text)["operation"]["operation_id"], text))
                lines = []
    return found


def get_receipts(folder: Path, template: str, wanted: list[tuple[str, str, str]]) -> list[str]:
    """Return the texts of receipts."""

    async def work(client: Client) -> list[str]:
        found: list[str] = []
        for run, operation, _ in wanted:
            arguments = {"run_id": run, "operation_id": operation, "template": template}
            result: Any = await client.call_tool("get_receipt", arguments)
            assert not result.is_error, result.content
            assert result.structured_content["run_id"] == run
            found.append(result.content[0].text)
        return found

    texts: list[str] = ask(folder, work)
    return texts


def expected(wanted: list[tuple[str, str, str]]) -> list[str]:
    return [
        f'{text[:-2]},\n  "run_id": {json.dumps(run, ensure_ascii=False)}\n}}'
        for run, _, text in wanted
    ]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*.expected.json")), ids=str)
def test_golden_receipts_are_served_byte_for_byte(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".trace"
    (folder / "events").mkdir(parents=True)
    (folder / "templates").mkdir()
    [(run_id, *_), *_] = printed(path.read_text("utf-8")) or [("run", "", "")]
    (folder / f"events/{run_id}.ndjson").write_bytes((path.parent / "run.ndjson").read_bytes())
    for each in path.parent.glob("*.yaml"):
        (folder / "templates" / each.name).write_bytes(each.read_bytes())
    wanted = printed(path.read_text("utf-8"))
    template = path.name.removesuffix(".expected.json")
    assert wanted
    assert get_receipts(folder, template, wanted) == expected(wanted)


def is_askable(run: str, operation: str, text: str) -> bool:
    """Tell whether the ids fit the tool's arguments, and a client can read the answer."""
    depth = max(len(line) - len(line.lstrip()) for line in text.split("\n")) // 2
    return (
        0 < len(operation) <= 1024
        and not re.search("[\ud800-\udfff]", operation)
        and 0 < len(run) <= 255
        and depth < 150
    )


def askable(case: Recorded) -> list[tuple[str, str, str]]:
    """Return the receipts that the original printed and that can be asked for."""
    is_served = (
        case.is_build
        and (case.contract, case.status) == ("strict", 0)
        and "--json" in case.arguments
        and case.option("--status") is None
        and BARE.fullmatch(case.option("--template") or "x402-buyer")
    )
    document = case.out.decode() if is_served else ""
    return [each for each in printed(document) if is_askable(*each)]


@pytest.mark.skipif(not ORACLE.is_dir(), reason=ABSENT)
@pytest.mark.parametrize(
    "case", [pytest.param(each, id=each.id) for each in recorded() if askable(each)]
)
def test_receipts_of_the_original_are_served_byte_for_byte(case: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / ".trace"
    (folder / "events").mkdir(parents=True)
    for run in case.runs():
        (folder / "events" / f"{run.run_id}.ndjson").write_bytes(run.data)
    template = case.option("--template") or "x402-buyer"
    loaded = case.templates().load(template)
    if loaded.origin == "local":
        (folder / "templates").mkdir()
        source = case.folder / loaded.path
        (folder / "templates" / source.name).write_bytes(source.read_bytes())
    wanted = askable(case)
    assert get_receipts(folder, template, wanted) == expected(wanted)
