"""What keeps a contract kept: a workflow of a build server, and hooks before each commit."""

from __future__ import annotations

import re

WORKFLOW = ".github/workflows/counterfoil.yml"
HOOKS = ".pre-commit-config.yaml"

_WORKFLOW = """\
name: counterfoil
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  contract:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # a change is compared with what it is based on
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install "counterfoil=={version}"
      - run: counterfoil validate --format github
      - run: counterfoil check --no-cache --format github
      - run: counterfoil parity --offline --format github
      - if: github.event_name == 'pull_request'
        run: counterfoil breaking --against "origin/$BASE" --allow-new --format github
        env:
          BASE: ${{{{ github.base_ref }}}}
"""
HOOK = """\
  - repo: local
    hooks:
      - id: counterfoil-validate
        name: counterfoil validate
        entry: counterfoil validate
        language: system
        files: ^contract/
        pass_filenames: false
      - id: counterfoil-check
        name: counterfoil check
        entry: counterfoil check
        language: system
        pass_filenames: false
"""


def workflow(version: str) -> str:
    """Return the workflow, with the version of the toolchain that it installs."""
    return _WORKFLOW.format(version=version)


def hooks() -> str:
    """Return the configuration of the hooks as a file of its own."""
    return f"repos:\n{HOOK}"


def with_hooks(text: str) -> str | None:
    """Return the text of a configuration of hooks with ours at its end.

    It is extended as text, so that comments and style stay, and only where nothing but the list
    of repositories, an entry for each `- repo:`, can be at the end.

    Returns:
        ``None`` where that is not certain, or the hooks are in it already.
    """
    lines = text.splitlines()
    keys = [line for line in lines if re.match(r"[^\s#-]", line)]
    entries = [match[1] for line in lines if (match := re.match(r"( *)- repo:", line))]
    if not keys or keys[-1].rstrip() != "repos:" or not entries or "counterfoil" in text:
        return None
    if "\t" in text or any(line.startswith(("---", "...")) for line in lines[1:]):
        return None
    end = "\r\n" if "\r\n" in text else "\n"
    added = "".join(f"{entries[-1]}{line[2:]}{end}" for line in HOOK.splitlines())
    return f"{text.rstrip()}{end}{added}"
