"""Templates: their language, their rules, and where they are found."""

from __future__ import annotations

import os
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from haia_trace_events import Trace

from haia_trace_mcp.errors import TemplateError, TemplateUnreadableError, UnknownTemplateError
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates, read_template, roles_of
from haia_trace_mcp.templates.document import read_document

GOOD = "template: t\nversion: 1\nstages:\n- id: a\n  required: true\n  match:\n  - event: e\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("y", "y"),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("~", None),
        ("017", 17.0),
        ("0o17", 15.0),
        ("0x1F", 31.0),
        ("-0x1F", "-0x1F"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+5", 5.0),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1:30", "1:30"),
        ("2026-08-01", "2026-08-01"),
        (".inf", inf),
        ("-.INF", -inf),
        ("!!str 5", "5"),
        ('!!int "5"', 5.0),
        ("!!int 5.5", "5.5"),
        ("!!float 5", "5"),
        ("!!bool yes", "yes"),
        ("!foo 5", "5"),
        ("! 5", "5"),
        ("!!timestamp 2026-08-01", {}),
        ("!!binary aGk=", {}),
        ('"5"', "5"),
        ("'5'", "5"),
        ("|\n  x", "x\n"),
        (">-\n  x\n  y", "x y"),
        ("", None),
        ("# only this", None),
        ("---\n...\n", None),
        ('{"a": [1, true]}', {"a": [1, True]}),
        ("<<: {a: 1}", {"<<": {"a": 1.0}}),
        ("1: a\nb: c", {"b": "c"}),
        ("a: &x 1\nb: *x", {"a": 1, "b": 1}),
        ("a: &x [&x {}]\nb: *x", {"a": [{}], "b": {}}),
        ("9" * 400, inf),
        ("0x" + "f" * 400, inf),
        ("%YAML 1.2\n---\nyes", "yes"),
        ("%FOO bar\n---\n5", 5.0),
        ("a: b #c\n", {"a": "b"}),
    ],
)
def test_documents_are_read_with_the_core_schema(text: str, value: Any) -> None:
    assert read_document(text) == value
    assert type(read_document(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("n", False),
        ("017", 15.0),
        ("0o17", "0o17"),
        ("1_000", 1000.0),
        ("-0b11", -3.0),
        ("0x_1F", 31.0),
        ("1:30", 90.0),
        ("-1:30.5", -90.5),
        ("1_0.5", 10.5),
        ("190:20:30", 685230.0),
        ("2026-08-01", {}),
        ("2026-08-01T10:00:00.5 +01:00", {}),
        ("<<", "<<"),
        ("<<: {a: 1}\na: 2", {"a": 2.0}),
        ("a: 2\n<<: {a: 1, b: 1}", {"a": 2.0, "b": 1.0}),
        ("<<: [{a: 1}, {a: 2}]\n<<: {c: 3}", {"a": 1.0, "c": 3.0}),
        ('"<<": {a: 1}', {"<<": {"a": 1.0}}),
    ],
)
def test_a_document_may_ask_for_the_rules_of_yaml_1_1(text: str, value: Any) -> None:
    assert read_document(f"%YAML 1.1\n---\n{text}") == value


def test_a_number_of_yaml_1_1_may_have_no_value() -> None:
    assert str(read_document("%YAML 1.1\n---\n[., .nan]")) == str([nan, nan])


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2",
        "{a: 1, a: 2}",
        '"a": 1\na: 2',
        "1: a\n1.0: b",
        "~: a\n: b",
        "a: 1\n---\nb: 2",
        "---\n---\n",
        "a: 1\n\tb: 2",
        "[a",
        "{a",
        '"a',
        "a: *x",
        "a: &x [*x]",
        "a: b: c",
        "a: 'x' y",
        "@a",
        "%YAML 1.3\n---\n5",
        "%YAML 2.0\n---\n5",
        "\0",
        "a: !<",
        "%TAG\n---\na",
        "[" * 300,
        "%YAML 1.1\n---\n<<: 5",
        "? " * 300,
        "&a &b c",
        "!!str !!str a",
        "\ud800",
    ],
)
def test_what_is_no_single_document_is_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        read_document(text)


@pytest.mark.parametrize(("count", "is_fine"), [(99, True), (100, False)])
def test_aliases_may_be_used_a_hundred_times(count: int, is_fine: bool) -> None:
    text = f"a: &a x\nb: [{', '.join(['*a'] * count)}]"
    if is_fine:
        assert read_document(text) == {"a": "x", "b": ["x"] * count}
    else:
        with pytest.raises(TemplateError, match=r"^Excessive alias count indicates"):
            read_document(text)


def test_aliases_of_aliases_are_multiplied_before_they_are_followed() -> None:
    levels = [f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]" for n in range(60)]
    with pytest.raises(TemplateError, match=r"^Excessive alias count indicates"):
        read_document("\n".join(["a0: &a0 [x]", *levels]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("template: t", "template: ''"), "`template` must be a non-empty string"),
        (("template: t\n", ""), "`template` must be a non-empty string"),
        (("version: 1", "version: true"), "`version` must be a finite number"),
        (("version: 1", "version: .inf"), "`version` must be a finite number"),
        (("- id: a", "- id: 5"), "stage #0: `id` must be a non-empty string"),
        (("required: true", "required: yes"), "stage a: `required` must be a boolean"),
        (("event: e", "event: ''"), "stage a, match 0: `event` must be a non-empty string"),
        (("- event: e", "- e"), "stage a, match 0: `event` must be a non-empty string"),
        (
            ("event: e", "event: e\n    role:"),
            "stage a, match 0: `role` must be a non-empty string",
        ),
        (
            ("  required", "  missing_explanation:\n  required"),
            "stage a: `missing_explanation` must be a string",
        ),
        (("template", "exceptions:\ntemplate"), "`exceptions` must be a list of non-empty strings"),
        (
            ("template", "exceptions: ['']\ntemplate"),
            "`exceptions` must be a list of non-empty strings",
        ),
        (("- id: a", "- 5\n- id: a"), "stage #0: expected a mapping"),
        (("  - event: e\n", "  - event: e\n- id: a\n"), "stage a: duplicate stage id"),
        (
            ("  match:\n  - event: e\n", "  match: []\n"),
            "stage a: `match` must be a non-empty list",
        ),
    ],
)
def test_the_first_rule_that_is_broken_is_told(change: tuple[str, str], message: str) -> None:
    text = GOOD.replace(*change, 1)
    assert text != GOOD
    with pytest.raises(TemplateError) as refusal:
        read_template(text.encode(), "here.yaml")
    assert str(refusal.value) == f"invalid template (here.yaml): {message}"


def test_earlier_rules_come_first() -> None:
    with pytest.raises(TemplateError, match=r": `template` must be"):
        read_template(b"exceptions: 5\nstages: 5\nversion: x\n", "t")
    with pytest.raises(TemplateError, match=r": stage a: `required` must be"):
        read_template(GOOD.replace("true", "1").encode() + b"- 5\nexceptions: 5\n", "t")


def test_byte_order_marks_and_line_ends_of_windows_are_fine() -> None:
    data = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert read_template(data, "t") == read_template(GOOD.encode(), "t")


def test_a_project_template_wins_and_is_read_again_when_it_changes(trace: Trace) -> None:
    templates = Templates(trace.root)
    assert templates.load("x402-buyer").origin == "builtin"
    trace.template("x402-buyer", GOOD)
    loaded = templates.load("x402-buyer")
    assert (loaded.origin, loaded.path, loaded.template.id) == (
        "local",
        ".trace/templates/x402-buyer.yaml",
        "t",
    )
    assert templates.load("x402-buyer") is loaded
    trace.template("x402-buyer", GOOD.replace("template: t", "template: u"))
    assert templates.load("x402-buyer").template.id == "u"
    (trace.path / "templates/x402-buyer.yaml").unlink()
    assert templates.load("x402-buyer").origin == "builtin"


def test_a_broken_project_template_never_falls_back(trace: Trace) -> None:
    trace.template("x402-buyer", "version: 1")
    with pytest.raises(TemplateError, match=r"^invalid template \(\.trace/templates/x402-buyer"):
        Templates(trace.root).load("x402-buyer")


@pytest.mark.parametrize(
    "name", ["", "../x402-buyer", "a/b", "a.yaml", "x402-buyer\n", "é", "a b", "-", "."]
)
def test_only_bare_names_are_looked_for(name: str, trace: Trace) -> None:
    with pytest.raises(UnknownTemplateError, match=r"^template not found: "):
        Templates(trace.root).load(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of POSIX")
@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "folder", "huge", "linked folder"])
def test_a_project_template_that_is_no_file_is_refused(
    kind: str, trace: Trace, tmp_path: Path
) -> None:
    folder = trace.path / "templates"
    path = folder / "x402-buyer.yaml"
    (tmp_path / "else").mkdir()
    (tmp_path / "else/x402-buyer.yaml").write_text(GOOD)
    if kind == "linked folder":
        folder.symlink_to(tmp_path / "else")
    else:
        folder.mkdir()
    if kind == "link":
        path.symlink_to(tmp_path / "else/x402-buyer.yaml")
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "huge":
        path.write_bytes(b"#" * (64 << 10) + b"\n")
    with pytest.raises(TemplateUnreadableError, match=r"^could not read template \(\.trace/temp"):
        Templates(trace.root).load("x402-buyer")


def test_another_folder_of_templates_has_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/t.yaml").write_text(GOOD)
    (tmp_path / "mine/u.yaml").symlink_to("t.yaml")
    templates = Templates.below(tmp_path / "mine")
    assert templates.load("t").template.id == "t"
    assert templates.load("escrow-arc").origin == "builtin"
    with pytest.raises(TemplateUnreadableError, match=r"symbolic link"):
        templates.load("u")


@pytest.mark.parametrize("name", ["x402-buyer", "x402-seller", "x402-facilitator", "escrow-arc"])
def test_shipped_templates_have_their_roles(name: str, tmp_path: Path) -> None:
    template = Templates(TraceRoot(tmp_path)).load(name).template
    roles = roles_of(name, frozenset(stage.id for stage in template.stages))
    assert roles is not None
    required = {stage.id for stage in template.stages if stage.required}
    assert {roles.paid, roles.settled} <= required


def test_other_templates_have_none() -> None:
    assert roles_of("mine", frozenset({"payment", "settlement"})) is None
    assert roles_of("x402-buyer", frozenset({"payment"})) is None
