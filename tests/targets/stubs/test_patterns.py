"""Patterns at run time: as the toolchain reads them, or refused when a server is bound."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from counterfoil.schema.patterns import PatternError, translate

READ = (
    # Edges, and what stands for one character.
    *(
        "",
        "a",
        "^a$",
        "^$",
        "a|b",
        "^a|b$",
        "|",
        ".",
        "^.$",
        "é",
        "^\U0001f600$",
        "]",
        "}",
        "a{",
        "{a}",
    ),
    *(r"\.", r"\/", r"\-", r"\^", r"\$", r"\\", r"\@", r"\_", r"\ä", "\\\n", r"\{", r"\}", r"\]"),
    *(r"^\t$", r"\n", r"\v", r"\f", r"\r", r"^\0$", r"\x41", r"\u00e9", r"\u{41}", r"\u{1f600}"),
    *(r"^\u{d800}$", r"\cA", r"\cj", r"^\d$", r"^\D$", r"^\w$", r"^\W$", r"^\s$", r"^\S$"),
    *(r"\bb", r"a\B", r"^\b", r"\B$", "~", "&", "#", " ", "-", "^-$", "a-b"),
    # Classes.
    *(
        "[a]",
        "[^a]",
        "^[a-c]$",
        "[-a]",
        "[a-]",
        "[]",
        "[^]",
        "a[^]b",
        "^[.]$",
        "[$]",
        "[^^]",
        "[(]",
    ),
    *(
        r"^[\s]$",
        r"^[^\s]$",
        r"^[\S]$",
        r"^[^\S]$",
        r"[\d]",
        r"^[^\d]$",
        r"[\D]",
        r"[\w-]",
        r"^[^\W]$",
    ),
    *(r"[\]]", r"[\\]", r"[\b]", r"[\-]", r"[\^a]", r"[a\-c]", r"[\x41-\x43]", r"[\u0041-\u{43}]"),
    *(
        r"^[^\s\S]$",
        r"[\s\S]",
        r"[\cA]",
        r"[\0]",
        "[a&&b]",
        "[[a]",
        "[a||b]",
        "[~~]",
        "[+--]",
        "[{}]",
    ),
    *("^[é-ü]$", "[\U0001f600]", "^[^\n]$", r"[\.]", r"[\n\t]", "[#]", "[ ]", r"[+-\]]"),
    # Repetition.
    *("^a*$", "^a+$", "^a?$", "^a{2}$", "^a{1,}$", "^a{1,2}$", "^a*?$", "^a+?b", "^a{1,2}?$"),
    *("^(?:ab)*$", "^[ab]+$", r"^\d{2}$", "^.*$", "^é+$", "a{0}", "^(?:)*$", "^(a|b)?$", "(?=a)*"),
    # Groups.
    *("(a)", "(?:a|b)c", "^(?<n>a)$", "(?<n>a)(?<m>b)", "(?P<n>a)", "(?=a)", "a(?!b)", "(?<=a)b"),
    *("(?<!a)b", "()", "(|a)", "^(?:a|)$", "(?<n>a)|(?<n>b)", "^(?=.*b)a", "((((a))))"),
)
REFUSED = (
    *(r"\p{L}", r"\P{L}", r"\pL", r"[\p{L}]", r"[^\p{Lu}]", r"(a)\1", r"(?<n>a)\k<n>", r"\2"),
    *(
        "(?i)a",
        "(?i:a)",
        "(?-i:a)",
        "(?#x)a",
        "(?>a)",
        "(?P=n)",
        "(?(1)a)",
        "(?",
        "(?x",
        "(?<",
        "(?<1>a)",
    ),
    *(
        "a*+",
        "a++",
        "a?+",
        "a{2}+",
        "a**",
        "a{2}{3}",
        "a*?*",
        "*",
        "+a",
        "?",
        "{2}",
        "a|*",
        "(*)",
        "^*",
    ),
    *("$+", r"\b*", "a{,5}", "{,5}", "a{2,1}", "a{2000000}", "a{0,9999999999}"),
    *(r"\A", r"\Z", r"\z", r"\G", r"\e", r"\a", r"\h", r"\q", r"\c", r"\c1", r"\01", r"\00", "\\"),
    *(r"\x", r"\x4", r"\x{41}", r"\u", r"\u12", r"\u{}", r"\u{110000}", r"\U00000041", r"\ud800"),
    *(r"\ud83d\ude00", r"[\B]", r"[\q]", r"[\1]", r"[\ud800]", "[", "[a", "[^", "[a\\]", "[c-a]"),
    *(
        r"[\d-x]",
        r"[a-\d]",
        "[a--]",
        "(",
        ")",
        "(a",
        "a)",
        "(?:a",
        "(?=a",
        "(?<=a*)b",
        "(?<!a|bc)d",
    ),
    *("(" * 41 + ")" * 41, "[z-a]", r"[\x]"),
)
TEXTS = (
    *(
        "",
        "a",
        "b",
        "ab",
        "aab",
        "ba",
        "abc",
        "aa",
        "aaa",
        "A",
        "B",
        "1",
        "12",
        "_",
        "-",
        "+",
        ",",
        ".",
    ),
    *(
        "\n",
        "a\n",
        "\r",
        "\t",
        "\v",
        "\f",
        "\x00",
        "\x01",
        "\x08",
        " ",
        "$",
        "^",
        "[",
        "]",
        "{",
        "}",
    ),
    *(
        "{a}",
        "a{",
        "(",
        ")",
        "|",
        "&",
        "~",
        "#",
        "/",
        "\\",
        "@",
        "é",
        "ü",
        "ä",
        "٣",
        "\xa0",
        "\ufeff",
    ),
    *(
        "\u2028",
        "\u180e",
        "\U0001f600",
        "\ud800",
        "a.b",
        "a b",
        "acb",
        "a-b",
        "ſ",
        "K",
        "\U0010ffff",
    ),
)


@pytest.fixture(scope="session")
def patterns(package: str) -> ModuleType:
    return importlib.import_module(f"{package}.runtime.patterns")


@pytest.mark.parametrize("pattern", READ)
def test_the_runtime_reads_a_pattern_as_the_toolchain_does(
    patterns: ModuleType, pattern: str
) -> None:
    ours, theirs = re.compile(translate(pattern)), re.compile(patterns.python_pattern(pattern))
    for text in TEXTS:
        assert bool(ours.search(text)) is bool(theirs.search(text)), ascii(text)


@pytest.mark.parametrize("pattern", REFUSED)
def test_the_runtime_refuses_a_pattern_that_the_toolchain_refuses(
    patterns: ModuleType, pattern: str
) -> None:
    with pytest.raises(PatternError):
        translate(pattern)
    with pytest.raises(patterns.PatternError):
        patterns.python_pattern(pattern)


def test_each_of_two_equal_patterns_is_shown_as_it_is_spelled(judge_of: Any) -> None:
    judge = judge_of({"prefixItems": [{"pattern": "[0-9]"}, {"pattern": r"\d"}]})
    assert judge.faults(["a", "b"]) == [
        "$[0]: must match the pattern [0-9]",
        r"$[1]: must match the pattern \d",
    ]


def test_a_text_that_is_too_long_is_not_held_against_a_pattern(judge_of: Any) -> None:
    judge = judge_of({"maxLength": 3, "pattern": "^a*$"})
    assert judge.faults("bbbb") == ["$: must have a length of at most 3"]
    assert judge.faults("bbb") == ["$: must match the pattern ^a*$"]


def test_a_server_with_a_pattern_that_python_cannot_use_is_not_bound(
    runtime: ModuleType, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def word(args: Any, ctx: Any) -> dict[str, Any]:
        return {}

    made = tmp_path / "unreadable_surface"
    made.mkdir()
    (made / "__init__.py").touch()
    schema = {"type": "object", "properties": {"a": {"pattern": r"^\p{L}$"}}}
    answer = {"type": "object", "patternProperties": {r"(a)\1": {}}}
    tool = {"name": "word", "inputSchema": schema, "outputSchema": answer}
    empty: dict[str, list[Any]] = {"prompts": [], "resources": [], "resourceTemplates": []}
    (made / "surface.json").write_text(json.dumps({"tools": [tool], **empty}), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    load: Callable[[], None] = lambda: None  # noqa: E731 # a model that nobody asks for
    with pytest.raises(runtime.BindingError) as caught:
        runtime.bind_server(
            "unreadable_surface",
            SimpleNamespace(word=word),
            protocol=object,
            bindings={"word": runtime.Binding("word", load)},
        )
    first, second = caught.value.faults
    assert first.startswith(r'tool word: the pattern "^\\p{L}$" cannot be used: ')
    assert second.startswith(r'tool word: the pattern "(a)\\1" cannot be used: ')
