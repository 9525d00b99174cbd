"""The servers that the configuration names: whether they answer, and with what."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from counterfoil.config import Allowlist, Config, Live
from counterfoil.diagnosis.diagnosis import FAILURE, OK, SKIPPED, Diagnosis, counted
from counterfoil.parity.live import target_of
from counterfoil.wire import Surface, WireError, read_one

_AT_ONCE = 4


@dataclass(frozen=True)
class Answer:
    """What became of asking one server.

    Attributes:
        live: its entry of the configuration.
        surface: what it listed, in the newest revision that it speaks; or
        error: why it could not be read.
    """

    live: Live
    surface: Surface | None = None
    error: WireError | None = None


def ask_servers(config: Config, seconds: float) -> list[Answer]:
    """Ask all servers, several at once; the longest takes as long as all together.

    Args:
        config: names them.
        seconds: how long each answer may take; an entry with a shorter timeout keeps it.
    """
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        asked: Sequence[Future[Answer]] = [
            threads.submit(_ask, replace(live, timeout=min(live.timeout, seconds)), config.root)
            for live in config.live
        ]
        return [each.result() for each in asked]


def _ask(live: Live, root: Path) -> Answer:
    try:
        return Answer(live, read_one(target_of(live, root)))
    except WireError as error:
        return Answer(live, error=error)


def examine_servers(answers: Sequence[Answer]) -> Iterator[Diagnosis]:
    """Say of each server what it lists, or why it does not answer, with its last words."""
    for answer in answers:
        subject = f"server {answer.live.id}"
        if answer.surface is not None:
            surface = answer.surface
            what = f"answers in MCP {surface.revision}: {_lists(surface)}"
            yield Diagnosis(subject, OK, what)
        elif answer.error is not None:
            what, _, detail = str(answer.error).partition("\n")
            yield Diagnosis(subject, FAILURE, f"does not answer: {what}", answer.error.hint, detail)


def unasked(config: Config) -> Iterator[Diagnosis]:
    """Say of each server that it was not asked."""
    for live in config.live:
        yield Diagnosis(f"server {live.id}", SKIPPED, "--offline is given")


def _lists(surface: Surface) -> str:
    counts: Mapping[str, int] = {
        "tool": len(surface.tools),
        "resource": len(surface.resources) + len(surface.resource_templates),
        "prompt": len(surface.prompts),
    }
    return (
        ", ".join(counted(each, noun) for noun, each in counts.items() if each) or "lists nothing"
    )


def examine_allowlists(config: Config) -> Iterator[Diagnosis]:
    """Look whether the commands and files that hold allowlists are there; nothing is run."""
    for entry in config.allowlists:
        subject = f"allowlist {entry.id}"
        missing = _missing(entry, config.root)
        if missing:
            hint = "install what brings it, or mend its [[tool.counterfoil.allowlist]]"
            yield Diagnosis(subject, FAILURE, missing, hint)
        else:
            yield Diagnosis(subject, OK, entry.path or " ".join(entry.command))


def _missing(entry: Allowlist, root: Path) -> str:
    if entry.path:
        return "" if (root / entry.path).is_file() else f"{entry.path} is not there"
    program = entry.command[0]
    found = shutil.which(program) or shutil.which(str(root / entry.cwd / program))
    return "" if found else f"{program} is not found in PATH"
