"""What a Dockerfile of the repository says that its image runs."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Image:
    """The last stage of a Dockerfile.

    Attributes:
        variables: its environment.
        copies: the words of each COPY.
        runs: its commands for the shell.
        entry: the words of ENTRYPOINT, and behind them those of CMD.
        health: the words that look after it; none where it has no such check.
    """

    variables: dict[str, str] = field(default_factory=dict[str, str])
    copies: list[list[str]] = field(default_factory=list[list[str]])
    runs: list[str] = field(default_factory=list[str])
    entry: list[str] = field(default_factory=list[str])
    health: list[str] = field(default_factory=list[str])


def read_image(path: Path) -> Image:
    """Read a Dockerfile; its lines are in the few forms that ours have."""
    text = re.sub(r"(?m)^#.*\n", "", path.read_text("utf-8")).replace("\\\n", "")
    image = Image()
    command: list[str] = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, command = Image(), []
        elif word == "ENV":
            image.variables |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "COPY":
            image.copies.append(rest.split())
        elif word == "RUN":
            image.runs.append(rest)
        elif word == "ENTRYPOINT":
            image.entry = json.loads(rest)
        elif word == "CMD":
            command = json.loads(rest)
        elif word == "HEALTHCHECK":
            image.health = json.loads(rest[rest.index("[") :])
    image.entry += command
    return image
