"""Style and script of the page, and the policy that allows them and nothing else."""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib import resources

from markupsafe import Markup

_FOLDER = resources.files("counterfoil") / "targets/templates/page"


@functools.cache
def style() -> Markup:
    """Return the style sheet."""
    return _asset("page.css")


@functools.cache
def script() -> Markup:
    """Return the script."""
    return _asset("page.js")


def policy() -> str:
    """Return the Content-Security-Policy of the page (W3C CSP Level 3, section 2.3.1).

    Nothing is fetched. Only the page's own style and script are used, by their hashes, and no
    script may turn text into markup.
    """
    rules = (
        "default-src 'none'",
        f"style-src {_hash(style())}",
        f"script-src {_hash(script())}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return "; ".join(rules)


def _asset(name: str) -> Markup:
    text = (_FOLDER / name).read_text("utf-8")
    return Markup(text)  # noqa: S704  # a file of this package, with nothing of a contract in it


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
