"""Where secrets come from, and what a source says when it has none."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path

import pytest

from mcp_wrapper_scaffold import (
    CallableSecret,
    EnvSecret,
    FileSecret,
    SecretMissing,
    SecretSource,
    SecretUnavailable,
)

VALUE = "sesame-open-0123456789"


def read(source: SecretSource) -> str:
    return asyncio.run(source.get())


def test_a_variable_is_read_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    source = EnvSecret("WRAPPER_TEST_TOKEN")
    for value in (VALUE, "another"):
        monkeypatch.setenv("WRAPPER_TEST_TOKEN", value)
        assert read(source) == value


@pytest.mark.parametrize("value", [None, ""])
def test_a_variable_that_is_unset_or_empty_is_missing(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("WRAPPER_TEST_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("WRAPPER_TEST_TOKEN", value)
    with pytest.raises(SecretMissing, match="the variable WRAPPER_TEST_TOKEN is not set"):
        read(EnvSecret("WRAPPER_TEST_TOKEN"))


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"token", "token"),
        (b"token\n", "token"),
        (b"token\r\n", "token"),
        (b"token\n\n", "token\n"),
        (b" token ", " token "),
        ('{"key": "ü"}\n'.encode(), '{"key": "ü"}'),
    ],
)
def test_a_file_loses_one_line_end_and_nothing_else(
    tmp_path: Path, content: bytes, value: str
) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    assert read(FileSecret(path)) == value


def test_a_mount_that_is_replaced_as_a_whole_is_noticed(tmp_path: Path) -> None:
    """As in Kubernetes: files are links into a folder that is itself a link, and that is moved."""
    for name, value in (("one", "first"), ("two", "second")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "token").write_text(value)
    current, token = tmp_path / "..data", tmp_path / "token"
    try:
        current.symlink_to("one", target_is_directory=True)
        token.symlink_to(Path("..data", "token"))
    except OSError:
        pytest.skip("no links can be made here")
    source = FileSecret(token)
    assert read(source) == "first"
    (tmp_path / "next").symlink_to("two", target_is_directory=True)
    (tmp_path / "next").replace(current)
    assert read(source) == "second"


def test_a_file_that_is_not_there_or_empty_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "token"
    with pytest.raises(SecretMissing, match=f"the file {re.escape(str(path))} is not there"):
        read(FileSecret(path))
    for content in (b"", b"\n", b"\r\n"):
        path.write_bytes(content)
        with pytest.raises(SecretMissing, match=f"the file {re.escape(str(path))} is empty"):
            read(FileSecret(path))


def test_a_file_that_cannot_be_used_is_unavailable_and_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "token"
    for content, reason in ((b"\xff" + VALUE.encode(), "UTF-8"), (b"x" * 70_000, "65536 bytes")):
        path.write_bytes(content)
        with pytest.raises(SecretUnavailable, match=reason) as caught:
            read(FileSecret(path))
        assert not isinstance(caught.value, SecretMissing)
        assert VALUE not in str(caught.value)
    with pytest.raises(SecretUnavailable):
        read(FileSecret(tmp_path))


def test_a_function_is_asked_plain_or_async() -> None:
    async def ask() -> str:
        return VALUE

    assert read(CallableSecret(lambda: VALUE)) == VALUE
    assert read(CallableSecret(ask)) == VALUE
    assert read(CallableSecret(lambda: ask())) == VALUE


def test_a_plain_function_runs_beside_the_loop() -> None:
    threads: list[int] = []

    def ask() -> str:
        threads.append(threading.get_ident())
        return VALUE

    read(CallableSecret(ask))
    assert threads != [threading.get_ident()]


@pytest.mark.parametrize("value", [None, ""])
def test_a_function_that_has_nothing_means_missing(value: str | None) -> None:
    with pytest.raises(SecretMissing, match="the token is not set"):
        read(CallableSecret(lambda: value, label="the token"))


def test_a_function_that_raises_is_unavailable_and_not_quoted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def ask() -> str:
        raise RuntimeError(f"access to {VALUE} denied")

    with pytest.raises(SecretUnavailable) as caught:
        read(CallableSecret(ask, label="the token"))
    assert str(caught.value) == "the token cannot be read"
    assert caught.value.__cause__ is None
    assert "RuntimeError" in caplog.text
    assert VALUE not in caplog.text


def test_a_function_may_say_by_itself_that_there_is_none() -> None:
    def ask() -> str:
        raise SecretMissing("the vault")

    with pytest.raises(SecretMissing, match="the vault"):
        read(CallableSecret(ask))


def test_a_function_that_returns_no_text_is_unavailable() -> None:
    with pytest.raises(SecretUnavailable, match="is no text"):
        read(CallableSecret(lambda: b"bytes"))  # type: ignore[arg-type, return-value] # on purpose


def test_no_repr_holds_a_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WRAPPER_TEST_TOKEN", VALUE)
    (tmp_path / "token").write_text(VALUE)
    sources: list[SecretSource] = [
        EnvSecret("WRAPPER_TEST_TOKEN"),
        FileSecret(tmp_path / "token"),
        CallableSecret(lambda: VALUE),
    ]
    for source in sources:
        assert read(source) == VALUE
        assert VALUE not in repr(source) + source.label
