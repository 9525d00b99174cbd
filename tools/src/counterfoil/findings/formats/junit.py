"""Findings as a JUnit report, which build servers show as failed tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from counterfoil.findings.finding import ERROR, Finding


def as_junit(findings: Sequence[Finding], command: str) -> str:
    """Return one test suite: a case for each finding, or one that passes when there is none."""
    name = f"counterfoil {command}"
    errors = [finding for finding in findings if finding.severity == ERROR]
    counts = {
        "tests": str(max(len(findings), 1)),
        "failures": str(len(errors)),
        "errors": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", {"name": name} | counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, "skipped": "0"} | counts)
    for finding in findings:
        _case(suite, name, finding)
    if not findings:
        ElementTree.SubElement(
            suite, "testcase", {"name": "no findings", "classname": name, "time": "0"}
        )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, name: str, finding: Finding) -> None:
    title = _legal(f"{finding.code} {finding.place}")
    case = ElementTree.SubElement(
        suite, "testcase", {"name": title, "classname": name, "time": "0"}
    )
    body = _legal("\n".join(filter(None, (finding.message, finding.detail, finding.hint))))
    if finding.severity == ERROR:
        failure = ElementTree.SubElement(
            case, "failure", {"message": _legal(finding.message), "type": finding.code}
        )
        failure.text = body
    else:
        ElementTree.SubElement(case, "system-out").text = body


def _legal(text: str) -> str:
    """Replace what XML 1.0 cannot hold, section 2.2."""
    return "".join(
        character
        if character in "\t\n\r" or " " <= character <= "\ud7ff" or character >= "\ue000"
        else "\ufffd"
        for character in text
        if character not in "\ufffe\uffff"
    )
