"""What keeps a contract kept: a workflow of a build server, and hooks before each commit."""

from __future__ import annotations

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
