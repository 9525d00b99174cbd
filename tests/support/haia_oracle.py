"""The recorded output of the original, where the shared folder is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haia_trace_mcp.receipts import Document, RunInput, build_document
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.runs import list_runs
from haia_trace_mcp.templates import Templates

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("COUNTERFOIL_SHARED", ROOT.parent / "shared"))
ORACLE = SHARED / "data/haia-oracle"
ABSENT = "the shared folder with haia-oracle is not here"


@dataclass(frozen=True)
class Recorded:
    """One run of the original: the arguments, and what came of it."""

    folder: Path
    category: str
    title: str
    contract: str
    name: str
    arguments: list[str]
    status: int
    out: bytes
    err: str
    stored: dict[str, str] = field(repr=False)

    @property
    def id(self) -> str:
        """Return what a test is called after."""
        return f"{self.folder.name}-{self.name}"

    @property
    def is_build(self) -> bool:
        """Tell whether this is about making receipts, not about the original's command line."""
        return self.arguments[0] == "build" and self.category != "cli-error"

    def option(self, name: str) -> str | None:
        """Return the value of an option; the last one counts."""
        places = [place for place, each in enumerate(self.arguments) if each == name]
        return self.arguments[places[-1] + 1] if places else None

    def files(self) -> list[str]:
        """Return the run files that are named."""
        found: list[str] = []
        words = iter(self.arguments[1:])
        for word in words:
            if word in ("--template", "--dir", "--templates-dir", "--status"):
                next(words)
            elif not word.startswith("--"):
                found.append(word)
        return found

    def templates(self) -> Templates:
        """Return where the templates are looked for; paths are from the case's folder."""
        folder = self.option("--templates-dir")
        if folder is not None:
            return Templates(TraceRoot(self.folder / folder, folder), None)
        root = self.option("--dir") or ".trace"
        return Templates(TraceRoot(self.folder / root, root))

    def runs(self) -> list[RunInput]:
        """Return the run files that are read, in their order."""
        files = self.files()
        if not files:
            root = f"{self.option('--dir') or '.trace'}/events"
            listing = (each.name for each in (self.folder / root).iterdir())
            names = [run.name for run in list_runs(listing)]
            chosen = names if "--all" in self.arguments else names[-1:]
            files = [f"{root}/{name}" for name in chosen]
        by_path: dict[Path, str] = {}
        for each in files:
            by_path.setdefault((self.folder / each).resolve(), each)
        return [
            RunInput(path.name.removesuffix(".ndjson"), shown, path.read_bytes())
            for path, shown in by_path.items()
        ]

    def build(self) -> Document:
        """Do the same with this project's library."""
        status: Any = self.option("--status")
        template = self.templates().load(self.option("--template") or "x402-buyer")
        return build_document(self.runs(), template, status)


def recorded() -> Iterator[Recorded]:
    """Yield all that was recorded; nothing where the shared folder is not there."""
    if not ORACLE.is_dir():
        return
    for about in json.loads((ORACLE / "index.json").read_text("utf-8")):
        folder = ORACLE / about["id"]
        case = json.loads((folder / "case.json").read_text("utf-8"))
        for each in case["invocations"]:
            out, err = each.get("stdout"), each.get("stderr")
            yield Recorded(
                folder=folder,
                category=case["category"],
                title=case["title"],
                contract=case["contract"],
                name=each["name"],
                arguments=each["args"],
                status=each["exit"],
                out=(folder / out).read_bytes() if out else b"",
                err=(folder / err).read_text("utf-8") if err else "",
                stored={Path(path).name: digest for path, digest in each.get("receipt_files", [])},
            )
