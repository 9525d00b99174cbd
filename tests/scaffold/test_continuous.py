"""Hooks that are there already, extended where that is certain."""

from __future__ import annotations

import pytest
import yaml

from counterfoil.scaffold.continuous import hooks, with_hooks

ENTRY = "  - repo: https://example.com/x\n    rev: v1\n    hooks:\n      - id: x\n"
OURS = ["counterfoil-validate", "counterfoil-check"]


@pytest.mark.parametrize(
    "text",
    [
        f"repos:\n{ENTRY}",
        f"# why\ndefault_stages: [pre-commit]\n\nrepos:\n{ENTRY}{ENTRY}\n\n",
        "repos:\n- repo: https://example.com/x\n  rev: v1\n  hooks:\n  - id: x",
        f"repos:\n{ENTRY}".replace("\n", "\r\n"),
        f"---\nrepos:\n{ENTRY}",
    ],
)
def test_our_hooks_are_the_last_and_the_rest_is_as_it_was(text: str) -> None:
    made = with_hooks(text)
    assert made is not None
    assert made.startswith(text.rstrip())
    assert ("\r\n" in made) == ("\r\n" in text)
    before, after = yaml.safe_load(text), yaml.safe_load(made)
    assert after["repos"][:-1] == before["repos"]
    assert [each["id"] for each in after["repos"][-1]["hooks"]] == OURS
    assert after["repos"][-1:] == yaml.safe_load(hooks())["repos"]
    assert with_hooks(made) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "repos: []\n",
        "repos: [{repo: local, hooks: []}]\n",
        f"repos:\n{ENTRY}ci:\n  autofix: true\n",
        "repos:\n",
        f"repos:\n{ENTRY}---\na: 1\n",
        f"repos:\n{ENTRY}...\n",
        "repos:\n  - hooks: []\n    repo: local\n",
        hooks(),
    ],
)
def test_hooks_are_left_alone_where_that_is_not_certain(text: str) -> None:
    assert with_hooks(text) is None
