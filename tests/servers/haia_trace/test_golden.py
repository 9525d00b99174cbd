"""Golden cases of our own, for those who do not have the recorded output of the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from haia_trace_mcp.receipts import RunInput, build_document
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

GOLDEN = Path(__file__).with_name("golden")
DOCUMENTS = sorted(GOLDEN.glob("*/*.expected.json"))


def built(folder: Path, template: str) -> str:
    templates = Templates(TraceRoot(folder, "templates"), None)
    run = RunInput("run", "run.ndjson", (folder / "run.ndjson").read_bytes())
    return build_document([run], templates.load(template)).text


@pytest.mark.parametrize("path", DOCUMENTS, ids=[f"{p.parent.name}-{p.name}" for p in DOCUMENTS])
def test_the_document_is_the_golden_one(path: Path) -> None:
    template = path.name.removesuffix(".expected.json")
    assert built(path.parent, template).encode() == path.read_bytes()


def test_every_run_and_template_has_a_document() -> None:
    for folder in GOLDEN.iterdir():
        if folder.is_dir():
            names = {path.name for path in folder.iterdir()}
            assert "run.ndjson" in names
            documents = {name for name in names if name.endswith(".expected.json")}
            assert documents
            for name in names - documents - {"run.ndjson"}:
                assert f"{name.removesuffix('.yaml')}.expected.json" in documents
