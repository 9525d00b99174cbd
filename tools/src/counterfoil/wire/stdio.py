"""MCP over the standard streams of a process: one message a line."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator

from counterfoil.wire.errors import Reporter, WireError
from counterfoil.wire.messages import MESSAGE_LIMIT, Dialogue, JsonObject
from counterfoil.wire.process import Ending, ServerProcess
from counterfoil.wire.redaction import Redaction, command_secrets, environment_secrets
from counterfoil.wire.targets import StdioTarget

_NAME_LIMIT = 200


class StdioChannel:
    """Speak one revision with a server that this channel starts and ends.

    Raises:
        WireError: when the server cannot be started.
    """

    def __init__(self, target: StdioTarget, revision: str) -> None:
        redaction = Redaction(environment_secrets(target.environment))
        redaction.hide(*command_secrets(target.command))
        self.reporter = Reporter(_name(target, redaction), revision, redaction)
        if not target.command or not target.command[0]:
            raise self.reporter.error(
                "target", "the target has no command", "Name the program that is the server."
            )
        self._timeout = target.timeout
        self._dialogue = Dialogue(revision, self.reporter)
        self._process = ServerProcess(target, self.reporter)

    def request(self, method: str, params: JsonObject) -> JsonObject:
        """Send a request and return its result.

        Raises:
            WireError: for an error answer, no answer in time, or anything but JSON-RPC.
        """
        call = self._dialogue.call(method, params)
        with self._deadline(method) as deadline:
            self._process.send(call.body, deadline)
            while True:
                for message in self._receive(method, deadline):
                    reply = self._dialogue.reply(message)
                    result = self._dialogue.answer(message, call)
                    if reply is not None:
                        self._process.send(reply, deadline)
                    elif result is not None:
                        return result

    def notify(self, method: str) -> None:
        """Send a notification; none is ever answered."""
        with self._deadline(method) as deadline:
            self._process.send(self._dialogue.notification(method), deadline)

    def close(self) -> None:
        """End the server."""
        self._process.close()

    @contextlib.contextmanager
    def _deadline(self, method: str) -> Generator[float]:
        """Yield the moment by which the answer is due, and report when it has passed."""
        try:
            yield time.monotonic() + self._timeout
        except TimeoutError:
            raise self.reporter.error(
                "timed-out",
                f"no answer to {method} within {self._timeout:g} s{self._process.last_words()}",
                "Raise the timeout if the server is slow to start; else let it answer.",
            ) from None

    def _receive(self, method: str, deadline: float) -> list[JsonObject]:
        line = self._process.receive(deadline)
        if isinstance(line, Ending):
            raise self._ended(line, method)
        return self._dialogue.read(line, "stdout line") if line.strip() else []

    def _ended(self, ending: Ending, method: str) -> WireError:
        if ending is Ending.TOO_LONG:
            return self.reporter.error(
                "too-large",
                f"a line of stdout exceeds {MESSAGE_LIMIT >> 20} MiB",
                "Answer in pages, and end each message with a newline.",
            )
        return self.reporter.error(
            "ended",
            f"before it answered {method}, the server {self._process.epitaph()}",
            "Start the command by hand to see why; it must run until its stdin ends.",
        )


def _name(target: StdioTarget, redaction: Redaction) -> str:
    if target.shown:
        return redaction.apply(target.shown)
    words = [word if word and " " not in word else repr(word) for word in target.command]
    name = redaction.apply(" ".join(words))
    return name if len(name) <= _NAME_LIMIT else name[:_NAME_LIMIT] + "…"
