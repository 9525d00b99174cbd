"""The forms in which a review is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from counterfoil.review.weighing import Review


def _text(review: Review) -> str:
    from counterfoil.review.formats.text import as_text

    return as_text(review)


def _json(review: Review) -> str:
    from counterfoil.review.formats.machine import as_json

    return as_json(review)


def _github(review: Review) -> str:
    from counterfoil.review.formats.findings import as_github

    return as_github(review)


def _sarif(review: Review) -> str:
    from counterfoil.review.formats.findings import as_sarif

    return as_sarif(review)


def _junit(review: Review) -> str:
    from counterfoil.review.formats.findings import as_junit

    return as_junit(review)


def _markdown(review: Review) -> str:
    from counterfoil.review.formats.markdown import as_markdown

    return as_markdown(review)


def _html(review: Review) -> str:
    from counterfoil.review.formats.page import as_html

    return as_html(review)


# Each form is imported when it is asked for: a check of two small files is over in no time.
FORMATS: Mapping[str, Callable[[Review], str]] = MappingProxyType(
    {
        "text": _text,
        "json": _json,
        "github": _github,
        "sarif": _sarif,
        "junit": _junit,
        "markdown": _markdown,
        "html": _html,
    }
)
