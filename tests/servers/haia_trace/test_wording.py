from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from haia_trace_mcp.errors import (
    RootError,
    RunError,
    UnknownOperationError,
    UnknownRunError,
)
from haia_trace_mcp.reviews import UnknownReviewError
from haia_trace_mcp.wording import counted, quoted

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@given(st.text(max_size=120))
def test_no_text_ends_its_quotes_or_controls_a_terminal(text: str) -> None:
    shown = quoted(text)
    assert QUOTED.fullmatch(shown)
    assert shown.isprintable()


@given(st.text(max_size=40), st.text(max_size=40))
def test_errors_quote_what_others_wrote(one: str, other: str) -> None:
    for error, names in (
        (UnknownRunError(one), [one]),
        (UnknownReviewError(one), [one]),
        (UnknownOperationError(one, other), [one, other]),
        (RunError(one, "is broken", code="envelope", line=2), [one]),
        (RootError(one, "is not there"), [one]),
    ):
        assert QUOTED.findall(str(error)) == [quoted(name) for name in names]


def test_numbers_of_things_are_words() -> None:
    told = [counted(number, "line") for number in (0, 1, 2)]
    assert told == ["0 lines", "1 line", "2 lines"]
