"""Where a server is: a command to start, or a URL to ask."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_TIMEOUT = 10.0


@dataclass(frozen=True)
class StdioTarget:
    """Name a server that is started as a process and spoken to over its pipes.

    Args:
        command: the program and its arguments; no shell reads it.
        cwd: the directory to start it in, or None for the current one.
        env: variables for it, over those of this process. Values stay out of ``repr``.
        timeout: seconds to wait for each answer, the first one including the start.
        shown: how errors name it; default: the command.
    """

    command: tuple[str, ...]
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout: float = DEFAULT_TIMEOUT
    shown: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return every variable that the server gets."""
        return {**os.environ, **self.env}


@dataclass(frozen=True)
class HttpTarget:
    """Name a server that is asked over Streamable HTTP.

    Args:
        url: ``http`` or ``https``, with no user name or password in it.
        headers: sent with every request, for example ``Authorization``. Values stay out
            of ``repr`` and out of every message.
        timeout: seconds for each answer, from connecting to its last byte.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout: float = DEFAULT_TIMEOUT


Target = StdioTarget | HttpTarget
