"""Secrets that others can read: in the configuration, in files, in git."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from counterfoil.config import Config
from counterfoil.diagnosis.diagnosis import OK, WARNING, Diagnosis
from counterfoil.editions.git import Repository
from counterfoil.errors import CounterfoilError
from counterfoil.wire.redaction import command_secrets, environment_secrets, is_telling

_SUBJECT = "secrets"
_FILES = (".env", ".env.local", ".netrc")  # beside the pyproject.toml
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def examine_secrets(config: Config) -> Iterator[Diagnosis]:
    """Look for secrets where they do not belong; no value is shown or kept."""
    found = [*_written_down(config), *_exposed(config)]
    yield from found
    if not found:
        yield Diagnosis(_SUBJECT, OK, "none is written down in pyproject.toml, or open to others")


def _written_down(config: Config) -> Iterator[Diagnosis]:
    entries = [("server", each.id, each.env, each.command) for each in config.live]
    entries += [("allowlist", each.id, each.env, each.command) for each in config.allowlists]
    for table, name, env, command in entries:
        place = f"[[tool.counterfoil.{table}]] {name}"
        if any(environment_secrets(env)):
            what = f"{place}: env holds what looks like a secret, in a file that is committed"
            hint = "take it out: what is set where counterfoil runs reaches the server as well"
            yield Diagnosis(_SUBJECT, WARNING, what, hint)
        if any(command_secrets(command)):
            what = f"{place}: command holds what looks like a secret, and others see it run"
            yield Diagnosis(_SUBJECT, WARNING, what, "let the server read it from a variable")
    for live in config.live:
        if any(
            is_telling(name) and not value.startswith("$") for name, value in live.headers.items()
        ):
            what = f"[[tool.counterfoil.server]] {live.id}: headers hold a secret"
            hint = "take it out, and ask a server of your own machine that needs none"
            yield Diagnosis(_SUBJECT, WARNING, what, hint)


def _exposed(config: Config) -> Iterator[Diagnosis]:
    """Report files with secrets that other users of the machine can read, or that git keeps."""
    paths = {path for name in _FILES if (path := config.root / name).is_file()}
    environments: list[Mapping[str, str]] = [each.env for each in config.live]
    environments += [each.env for each in config.allowlists]
    for env in (*environments, os.environ):
        paths |= {
            Path(value) for name, value in env.items() if is_telling(name) and _is_file(value)
        }
    tracked = _tracked(config.root)
    for path in sorted(paths):
        inside = path.is_relative_to(config.root)
        shown = path.relative_to(config.root).as_posix() if inside else str(path)
        if inside and shown in tracked:
            hint = f"run `git rm --cached {shown}`, ignore it, and give out new secrets"
            yield Diagnosis(_SUBJECT, WARNING, f"{shown} is kept in git", hint)
        if os.name != "nt" and path.stat().st_mode & _OTHERS:
            what = f"{shown} can be read by other users of this machine"
            yield Diagnosis(_SUBJECT, WARNING, what, f"chmod 600 {shown}")


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_absolute() and Path(value).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _tracked(root: Path) -> frozenset[str]:
    try:
        return frozenset(Repository(root).tracked)
    except CounterfoilError:
        return frozenset()
