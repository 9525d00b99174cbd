"""The fixed sentences against the files that must hold them."""

from __future__ import annotations

from pathlib import Path

from counterfoil.config import FILE, Config
from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report
from counterfoil.findings import Finding, rule
from counterfoil.tree import read_file

# Targets whose output takes every sentence to the server that says it.
_CARRIERS = frozenset({"snapshot", "stubs"})


def judge_wording(contract: Contract, config: Config, root: Path) -> list[Finding]:
    """Report sentences that are missing where listed, and sentences and entries without use.

    CF340 is a file that lacks its sentence, CF341 a sentence that nothing uses, CF342 an
    entry of the configuration that names a sentence or file that there is not.
    """
    found: list[Finding] = []
    for entry in config.wording:
        sentence = contract.wording.get(entry.name)
        if sentence is None:
            found.append(_stale(f"the contract has no wording {entry.name!r}"))
            continue
        for path in entry.paths:
            content = read_file(root, path)
            if content is None:
                found.append(_stale(f"there is no file {path}"))
            elif sentence not in content.decode("utf-8", "replace"):
                found.append(_lacking(path, entry.name, sentence))
    report = Report(contract.path, contract.text)
    listed = {entry.name for entry in config.wording}
    vendored = any(output.target in _CARRIERS for output in config.outputs)
    for name in contract.wording:
        if name not in listed and not vendored:
            report.add("CF341", f"/wording/{name}", f"nothing uses the sentence {name!r}")
    return [*found, *report.findings()]


def _stale(message: str) -> Finding:
    entry = rule("CF342")
    return Finding(FILE, 0, 0, "", entry.code, message, entry.mend, entry.severity)


def _lacking(path: str, name: str, sentence: str) -> Finding:
    entry = rule("CF340")
    message = f"the sentence {name!r} is not in this file to the letter"
    return Finding(path, 0, 0, "", entry.code, message, entry.mend, entry.severity, sentence)
