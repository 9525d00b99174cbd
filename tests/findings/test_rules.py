"""The rules, their page, and the codes in the source."""

from __future__ import annotations

import re
from pathlib import Path

import counterfoil
from counterfoil.findings import RULES
from counterfoil.findings.page import page

SOURCES = Path(counterfoil.__file__).parent
ROOT = Path(__file__).parents[2]
CODE = re.compile(r"\bCF[1-6][0-9]{2}\b")
NOT_CODE = re.compile(r'#[^\n]*|""".*?"""', re.DOTALL)


def test_every_rule_says_all_that_people_need() -> None:
    for rule in RULES.values():
        for text in (rule.title, rule.why, rule.example, rule.mend):
            assert text.strip(), rule.code
        assert rule.severity in ("error", "warning")


def test_the_page_of_rules_is_as_the_rules_are() -> None:
    assert (ROOT / "docs/rules.md").read_text("utf-8") == page(), (
        "run `counterfoil rules --markdown > docs/rules.md`"
    )


def test_the_page_and_the_rules_name_the_same_codes() -> None:
    headed = re.findall(
        r"^### (CF\d{3}):", (ROOT / "docs/rules.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(headed) == sorted(RULES)


def test_every_code_in_the_source_is_a_rule_and_every_rule_is_used() -> None:
    used: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        if path.parent.name != "rules":
            used |= set(
                CODE.findall(
                    re.sub(r"#[^\n]*|\"\"\".*?\"\"\"", "", path.read_text("utf-8"), flags=re.S)
                )
            )
    assert used == set(RULES)
