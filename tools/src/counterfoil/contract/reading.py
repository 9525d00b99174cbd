"""Read a contract file: strictly, and with every fault in one run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.grammar import judge_grammar
from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report
from counterfoil.contract.source import SourceError, decode, parse
from counterfoil.contract.values import is_object
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule


@dataclass(frozen=True)
class Reading:
    """What came of reading a contract file.

    Attributes:
        contract: the contract, or ``None`` when it breaks its grammar or is no JSON.
        findings: what is wrong with it, sorted by place.
    """

    contract: Contract | None
    findings: tuple[Finding, ...]


def read_bytes(path: Path, shown: str) -> bytes:
    """Read a file that the command cannot do without.

    Raises:
        CounterfoilError: there is no such file, or it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CounterfoilError(
            "there is no such file",
            place=shown,
            hint="run `counterfoil init`, or name the file in [tool.counterfoil] contract",
        ) from None
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=shown, hint="check what is at that path"
        ) from error


def read_contract(path: Path, shown: str) -> Reading:
    """Read a contract and judge everything that needs no second file.

    Args:
        path: where the file is.
        shown: how findings and headers name it.

    Raises:
        CounterfoilError: the file is not there or cannot be read.
    """
    return read_contract_bytes(read_bytes(path, shown), shown)


def read_contract_bytes(raw: bytes, shown: str) -> Reading:
    """Read a contract from bytes; otherwise like :func:`read_contract`."""
    try:
        text = decode(raw)
        data, duplicates = parse(text)
    except SourceError as error:
        return Reading(None, (_unreadable(shown, error),))
    report = Report(shown, text)
    for duplicate in duplicates:
        report.add("CF102", duplicate.pointer, f'"{duplicate.key}" is given twice in one object')
    # Here, because its patterns take longer to compile than a recorded list takes to be read.
    from counterfoil.contract.text import is_suspect, judge_text

    if is_suspect(text):
        judge_text(data, report)
    kept = judge_grammar(data, report)
    if kept and not report:
        judge_form(data, text, report)
    contract = Contract(shown, text, data) if kept and not duplicates else None
    return Reading(contract, report.findings())


def judge_form(data: dict[str, Any], text: str, report: Report) -> None:
    """Report a contract whose text is not the canonical one (CF105), at the first difference."""
    canonical = canonical_text(data)
    if canonical == text:
        return
    written, wanted = text.split("\n"), canonical.split("\n")
    for index, (ours, theirs) in enumerate(zip(written, wanted, strict=False), start=1):
        if ours != theirs:
            report.add("CF105", "", f"line {index} is not as the canonical form has it")
            return
    report.add("CF105", "", "the file does not end as the canonical form does")


def canonical_file(path: Path, shown: str) -> bytes | None:
    """Return the canonical bytes of a contract or case file.

    Returns:
        ``None`` when the text has no canonical form: no JSON object, a key given twice, or
        text that is no Unicode.

    Raises:
        CounterfoilError: the file is not there or cannot be read.
    """
    try:
        data, duplicates = parse(decode(read_bytes(path, shown)))
        if duplicates or not is_object(data):
            return None
        return canonical_text(data).encode()
    except (SourceError, UnicodeEncodeError):
        return None


def _unreadable(shown: str, error: SourceError) -> Finding:
    return Finding(
        path=shown,
        line=error.line,
        column=error.column,
        pointer="",
        code="CF101",
        message=error.what,
        hint=rule("CF101").mend,
    )
