"""What the original's ``build --json`` prints and stores, for a comparison byte for byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from haia_trace_mcp.ecmascript import Json, print_json
from haia_trace_mcp.errors import RunError
from haia_trace_mcp.receipts.assembly import Assembly, assemble
from haia_trace_mcp.receipts.receipt import Completeness, Receipt
from haia_trace_mcp.runs.lines import read_lines
from haia_trace_mcp.templates import Loaded

_FILE_NAME_LIMIT: Final = 255
_ESCAPED = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class RunInput:
    """The bytes of a run file, its id, and the path that the document shows."""

    run_id: str
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """What is printed, and what is stored by file name."""

    text: str
    files: Mapping[str, str]


def build_document(
    runs: Sequence[RunInput], template: Loaded, status: Completeness | None = None
) -> Document:
    """Do what ``build --json`` does with run files, apart from finding and storing files.

    Like the original, it takes lines that break the event contract as far as they go.

    Raises:
        RunError: the original fails for this run.
    """
    shown: list[Json] = []
    files: dict[str, str] = {}
    for run in runs:
        assembly = _assemble(run, template)
        for receipt in assembly.receipts:
            files[_file_name(run.run_id, receipt)] = receipt.text()
        shown.append(_run(run, assembly, status))
    about: Json = {"name": template.name, "path": template.path, "origin": template.origin}
    return Document(print_json({"runs": shown, "template": about}) + "\n", files)


def _assemble(run: RunInput, template: Loaded) -> Assembly:
    values: list[Json] = []
    for line, value in read_lines(run.data, run.run_id):
        if value is None:
            raise RunError(run.run_id, "is null; an event is an object", code="envelope", line=line)
        values.append(value)
    return assemble(values, template.template)


def _run(run: RunInput, assembly: Assembly, status: Completeness | None) -> dict[str, Json]:
    return {
        "run": run.run_id,
        "path": run.path,
        "assembled": float(len(assembly.receipts)),
        "receipts": [
            receipt.to_json()
            for receipt in assembly.receipts
            if status in (None, receipt.completeness)
        ],
        "unassigned": list(assembly.unassigned),
    }


def _file_name(run_id: str, receipt: Receipt) -> str:
    operation_id = receipt.operation_id
    if not isinstance(operation_id, str) and operation_id is not None:
        raise RunError(
            run_id,
            "is no string; no receipt can be stored for it",
            code="envelope",
            field="context_id",
        )
    operation = "operation" if operation_id is None else _encoded(operation_id)
    name = f"{_encoded(run_id)}~{operation}.json"
    if len(name) > _FILE_NAME_LIMIT:
        raise RunError(
            run_id, f"the name of a receipt's file is too long: {name}", code="too_large"
        )
    return name


def _encoded(text: str) -> str:
    """Write what is not plain in a file name as its UTF-16 code units."""
    return _ESCAPED.sub(_units, text)


def _units(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"%{units[place : place + 4]}" for place in range(0, len(units), 4))
