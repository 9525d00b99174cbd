"""The page of all commands: ``python tests/support/manual_page.py`` writes ``docs/cli.md`` anew.

What stands before its contents is written by hand and kept; the rest is what each parser says of
itself at 80 columns.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from programs import ROOT, Page, pages

COLUMNS = 80
PATH = ROOT / "docs/cli.md"
_CONTENTS = "## Contents"


def settle(environment: MutableMapping[str, str]) -> None:
    """Take away what would make the page of one machine another than that of the next."""
    environment.update({"COLUMNS": str(COLUMNS), "NO_COLOR": "1"})
    for name in [name for name in environment if name.startswith("MCP_")]:
        del environment[name]  # wrappers take defaults from them


def page() -> str:
    """Return the whole page, in an environment that is settled."""
    listed = pages().values()
    introduction = PATH.read_text("utf-8").partition(_CONTENTS)[0]
    contents = [f"{introduction}{_CONTENTS}", "", *map(_entry, listed), ""]
    return "\n".join([*contents, *map(_section, listed)])


def _entry(each: Page) -> str:
    indent = "  " * (len(each.name.split()) - 1)
    return f"{indent}- [{each.name}](#{each.name.replace(' ', '-')})"


def _section(each: Page) -> str:
    depth = min(len(each.name.split()) + 1, 4)
    return f"{'#' * depth} {each.name}\n\n```text\n{each.parser.format_help()}```\n"


if __name__ == "__main__":
    settle(os.environ)
    PATH.write_bytes(page().encode())
