"""Patterns: what is one, what is portable, and what it means in Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import warnings

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic_core import SchemaError, SchemaValidator, core_schema

from counterfoil.schema.patterns import PatternError, Problem, parse, translate
from counterfoil.schema.remarks import REMARKS

# form, kind of problem
PROBLEMS = (
    (r"\d", "shorthand"),
    (r"[\W]", "shorthand"),
    (r"a\sb", "shorthand"),
    (r"a.b", "dot"),
    (r"\bword\b", "boundary"),
    (r"[\b]", "boundary"),
    (r"\Aa", "anchor"),
    (r"a\Z", "anchor"),
    (r"a\z", "anchor"),
    (r"(?P<year>[0-9]+)", "named-group"),
    (r"(?<year>[0-9]+)", "named-group"),
    (r"(?i)a", "flags"),
    (r"(?i:a)", "flags"),
    (r"(?-i:a)", "flags"),
    (r"(?=a)a", "lookaround"),
    (r"(?!a)b", "lookaround"),
    (r"(?<=a)b", "lookaround"),
    (r"(?<!a)b", "lookaround"),
    (r"(a)\1", "backreference"),
    (r"(?P=name)", "backreference"),
    (r"\k<name>", "backreference"),
    (r"(?(1)a|b)", "backreference"),
    (r"(?>a)", "atomic"),
    (r"a*+", "possessive"),
    (r"a{2}+", "possessive"),
    (r"\p{L}", "property"),
    (r"\pL", "property"),
    (r"[\P{L}]", "property"),
    (r"[a&&b]", "set-operator"),
    (r"[+--]", "set-operator"),
    (r"[a~~b]", "set-operator"),
    (r"[a||b]", "set-operator"),
    (r"[[a]", "set-operator"),
    (r"a{,3}", "open-count"),
    (r"\_", "identity-escape"),
    (r"\-", "identity-escape"),
    (r"[\&]", "identity-escape"),
    (r"\0", "octal"),
    (r"\012", "octal"),
    (r"[\1]", "octal"),
    (r"\cA", "control-escape"),
    (r"\u{41}", "code-point"),
    (r"\x{41}", "code-point"),
    (r"\U00000041", "code-point"),
    (r"a]", "bracket"),
    (r"a}", "bracket"),
    (r"a{", "bracket"),
    (r"{a", "bracket"),
    (r"[]", "empty-class"),
    (r"[^]", "empty-class"),
    (r"(?#why)a", "comment"),
    (r"(?:)*", "empty-repeat"),
    (r"\a", "unknown-escape"),
    (r"\e", "unknown-escape"),
    ("[\U0001f600]", "astral"),
    ("\U0001f600+", "astral"),
    (r"\ud83d", "surrogate"),
    ("\ud83d", "surrogate"),
    (r"^[^x]{0,100000}$", "size"),
)

PORTABLE = (
    "",
    "^$",
    "abc",
    "a|b||c",
    "()",
    "(?:a)",
    "^(?:0|[1-9][0-9]*)$",
    "^[a-z0-9-]{1,64}$",
    "[-a]",
    "[a-z-9]",
    "[a^$.*+?(){}|/]",
    r"[\]\[\\\^\-]",
    r"\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/",
    r"\t\n\v\f\r",
    r"\x41\u0041",
    "a?b??c*d*?e+f+?g{2}h{2,}i{2,3}j{2,3}?",
    "ä",
    "\U0001f600",
    "(?:\U0001f600)+",
    r"^[\x21-\x7E]{1,8192}$",
    "^[^/]$",
    "a b#c<>'\"%&~,;:=!@`_-",
)

INVALID = (
    "(",
    "(a",
    "a)",
    "[",
    "[a",
    "[a-",
    "[^",
    "\\",
    "[\\",
    "*a",
    "a|*",
    "(+)",
    "a**",
    "a{2}{3}",
    "a+?*",
    "^*",
    "$?",
    r"\b+",
    "{2}",
    "a{3,2}",
    "a{99999999999}",
    "[z-a]",
    r"[\d-z]",
    r"[a-\d]",
    r"\x4",
    r"\u004",
    r"\u{110000}",
    r"\p",
    "(?",
    "(?)",
    "(?P<1>a)",
    "(?<a",
    "(?#a",
    "(" * 100 + ")" * 100,
)


# pattern, texts that it matches, texts that it does not match
MEANINGS: tuple[tuple[str, list[str], list[str]], ...] = (
    ("^a$", ["a"], ["a\n", "b\na", "a\nb"]),
    ("^a|b$", ["ax", "xb"], ["b\n", "\na"]),
    (r"^\d$", ["7"], ["\u0664"]),
    (r"^\w$", ["_"], ["ä"]),
    (r"^\s$", ["\ufeff", "\u2028", " "], ["\x1c", "\x85"]),
    ("^.$", ["a", "\x85"], ["\n", "\r", "\u2028", "\u2029"]),
    (r"^[\D]$", ["\u0664", "a"], ["7"]),
    (r"\bä", ["xä"], ["ä"]),
    ("^[a&&b]$", ["&", "a"], ["&&"]),
    (r"^\cA$", ["\x01"], ["A"]),
    ("^[]$", [], ["", "]"]),
    ("^[^]$", ["\n", "a"], [""]),
    ("^(?=a)[a-z]+$", ["ab"], ["ba"]),
    (r"^\u{1F600}$", ["\U0001f600"], ["u"]),
    ("^(?<x>a)$", ["a"], ["b"]),
    (r"^(?!\.)[.a]+$", ["a."], [".a"]),
)


def compiles_in_rust(pattern: str) -> bool:
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True


def compiles_in_python(pattern: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(pattern)
        except (re.error, OverflowError, FutureWarning):
            return False
    return True


@pytest.mark.parametrize(("pattern", "code"), PROBLEMS)
def test_a_form_that_engines_read_differently_is_a_problem(pattern: str, code: str) -> None:
    problems = {problem.code: problem for problem in parse(pattern).problems}
    assert code in problems
    assert problems[code].message
    assert problems[code].hint


def test_every_remark_is_provoked_and_every_problem_has_one() -> None:
    assert {code for _, code in PROBLEMS} == set(REMARKS)


@pytest.mark.parametrize("pattern", PORTABLE)
def test_a_portable_pattern_has_no_problem_and_compiles_everywhere(pattern: str) -> None:
    assert parse(pattern).problems == ()
    assert compiles_in_python(pattern)
    assert compiles_in_rust(pattern)


@pytest.mark.parametrize("pattern", INVALID)
def test_what_no_engine_reads_is_refused_with_its_place(pattern: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse(pattern)
    assert 0 <= caught.value.at <= len(pattern)
    assert caught.value.what in str(caught.value)


@pytest.mark.parametrize(
    "pattern", [pattern for pattern in INVALID if len(pattern) < 50 and "\\u{" not in pattern]
)
def test_what_we_refuse_is_refused_by_python_or_by_rust(pattern: str) -> None:
    assert not (compiles_in_python(pattern) and compiles_in_rust(pattern))


@pytest.mark.parametrize(("pattern", "accepted", "refused"), MEANINGS)
def test_translation_has_the_meaning_of_ecmascript(
    pattern: str, accepted: list[str], refused: list[str]
) -> None:
    source = translate(pattern)
    assert [text for text in accepted if not re.search(source, text)] == []
    assert [text for text in refused if re.search(source, text)] == []


ASK = """
const [patterns, meanings] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const reads = (source) => { try { new RegExp(source, "u"); return true } catch { return false } };
const told = meanings.map(([source, ...groups]) =>
  groups.map((texts) => texts.map((text) => new RegExp(source, "u").test(text))));
console.log(JSON.stringify([patterns.map(reads), told]));
"""


def test_the_tables_are_what_ecmascript_itself_says() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    asked = json.dumps([[*PORTABLE, *INVALID], MEANINGS])
    done = subprocess.run(
        [node, "-e", ASK], input=asked, capture_output=True, text=True, check=True, timeout=60
    )
    reads, told = json.loads(done.stdout)
    assert reads[: len(PORTABLE)] == [True] * len(PORTABLE)
    # ECMAScript has no bounds on counts and nesting; ours are for readers that have some.
    ours = [len(pattern) >= 200 or "99999999999" in pattern for pattern in INVALID]
    assert reads[len(PORTABLE) :] == ours
    for (pattern, accepted, refused), (yes, no) in zip(MEANINGS, told, strict=True):
        assert (yes, no) == ([True] * len(accepted), [False] * len(refused)), pattern


@pytest.mark.parametrize(
    "pattern", [r"\p{L}", r"(a)\1", "(?i)a", "a*+", "(?>a)", r"\Z", r"\01", "(?<=a*)b", "a{,2}"]
)
def test_what_has_no_form_in_python_is_refused_by_translation(pattern: str) -> None:
    with pytest.raises(PatternError):
        translate(pattern)


ALPHABET = "abcXY019 _-/.\n\r\t\xe9\u2028\U0001f600"
LITERALS = st.sampled_from(
    [
        "a",
        "b",
        "X",
        "0",
        "9",
        " ",
        "_",
        "-",
        "/",
        "é",
        r"\.",
        r"\/",
        r"\t",
        r"\n",
        r"\x61",
        r"\u00e9",
    ]
)
CLASSES = st.sampled_from(
    ["[ab]", "[a-c]", "[^a-c]", "[0-9X-]", "[-.]", r"[^\n]", r"[\]a]", r"[\x00-\x1F]", "[^0-9a-z]"]
)
QUANTIFIERS = st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{1,2}?"])


def _sequences(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.tuples(inner, st.one_of(st.just(""), QUANTIFIERS)).map("".join)
    return st.lists(items, max_size=3).map("".join)


def _groups(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(_sequences(inner), min_size=1, max_size=3).map("|".join)
    return st.tuples(st.sampled_from(["(", "(?:"]), bodies).map(lambda pair: f"{pair[0]}{pair[1]})")


ATOMS = st.recursive(st.one_of(LITERALS, CLASSES), _groups, max_leaves=6)
BRANCHES = st.tuples(st.sampled_from(["", "^"]), _sequences(ATOMS), st.sampled_from(["", "$"])).map(
    "".join
)
PATTERNS = st.lists(BRANCHES, min_size=1, max_size=3).map("|".join)
TEXTS = st.lists(st.text(ALPHABET, max_size=6), min_size=1, max_size=8)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(PATTERNS, TEXTS)
def test_a_portable_pattern_means_the_same_in_python_and_in_rust(
    pattern: str, texts: list[str]
) -> None:
    assume(not any(problem.code == "empty-repeat" for problem in parse(pattern).problems))
    assert parse(pattern).problems == ()
    source = translate(pattern)
    judge = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    model = SchemaValidator(core_schema.str_schema(pattern=pattern))
    for text in texts:
        ours = re.search(source, text) is not None
        assert judge.is_valid(text) is ours, (pattern, text)
        assert model.isinstance_python(text) is ours, (pattern, text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text("ab(){}[]|^$*+?.\\-,19dpux<=!:P#&~", max_size=12))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        problems: tuple[Problem, ...] | None = parse(text).problems
        at = 0
    except PatternError as error:
        problems, at = None, error.at
    assert 0 <= at <= len(text)
    if problems == ():
        assert compiles_in_python(text)
        assert compiles_in_rust(text)
