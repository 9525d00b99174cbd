"""Where secrets come from: the environment, a mounted file, or a function of the operator's."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import anyio
import anyio.to_thread

from mcp_wrapper_scaffold.errors import WrapperError

LOG = logging.getLogger(__name__)
MAX_SECRET_BYTES = 64 << 10  # a service account's JSON is some 2 KiB


class SecretUnavailable(WrapperError):
    """Say that a secret could not be read, by the name of its source.

    Attributes:
        label: names the source, such as ``the variable AGENT_TOKEN``.
    """

    def __init__(self, label: str, reason: str = "cannot be read") -> None:
        super().__init__(f"{label} {reason}")
        self.label = label


class SecretMissing(SecretUnavailable):
    """Say that the source works and has no such secret: it was never set, or was withdrawn."""

    def __init__(self, label: str, reason: str = "is not set") -> None:
        super().__init__(label, reason)


@runtime_checkable
class SecretSource(Protocol):
    """Hand out the present value of one secret.

    A source is asked again and again, so that a value can be replaced while a server runs. Its
    ``repr`` and its errors never hold the value.
    """

    @property
    def label(self) -> str:
        """Return a name for messages."""
        ...

    async def get(self) -> str:
        """Return the value.

        Raises:
            SecretMissing: there is no such secret.
            SecretUnavailable: the source failed, and nobody knows whether there is one.
        """
        ...


class EnvSecret:
    """Read a secret from an environment variable; an empty one counts as not set."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def label(self) -> str:
        """Return a name for messages."""
        return f"the variable {self._name}"

    def __repr__(self) -> str:
        return f"EnvSecret({self._name!r})"

    async def get(self) -> str:
        """Return the variable's present value.

        Raises:
            SecretMissing: it is not set, or empty.
        """
        value = os.environ.get(self._name)
        if not value:
            raise SecretMissing(self.label)
        return value


class FileSecret:
    """Read a secret from a file, such as one of a cloud's or Kubernetes' secret mounts.

    The path is opened anew for each reading, symbolic links included, so that a mount that is
    replaced as a whole is noticed. The text is UTF-8; one line end after it is left out.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    @property
    def label(self) -> str:
        """Return a name for messages."""
        return f"the file {self._path}"

    def __repr__(self) -> str:
        return f"FileSecret({str(self._path)!r})"

    async def get(self) -> str:
        """Return the file's present content.

        Raises:
            SecretMissing: there is no such file, or it is empty.
            SecretUnavailable: it cannot be read, is too large or is no UTF-8.
        """
        try:
            content = await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True)
            value = content.decode("utf-8")
        except FileNotFoundError:
            raise SecretMissing(self.label, "is not there") from None
        except OSError as error:
            raise SecretUnavailable(self.label, f"cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SecretUnavailable(self.label, "is no UTF-8") from None
        if len(content) > MAX_SECRET_BYTES:
            raise SecretUnavailable(self.label, f"has more than {MAX_SECRET_BYTES} bytes")
        value = value.removesuffix("\n").removesuffix("\r")
        if not value:
            raise SecretMissing(self.label, "is empty")
        return value

    def _read(self) -> bytes:
        with self._path.open("rb") as file:
            return file.read(MAX_SECRET_BYTES + 1)


class CallableSecret:
    """Ask a function for a secret, such as the client of a cloud's secret manager.

    Args:
        function: returns the value, or None or "" where there is none. An async one is awaited;
            any other runs in a thread, since it may wait.
        label: a name for messages.
    """

    def __init__(
        self, function: Callable[[], str | Awaitable[str | None] | None], label: str = "a secret"
    ) -> None:
        self._function = function
        self._label = label

    @property
    def label(self) -> str:
        """Return a name for messages."""
        return self._label

    def __repr__(self) -> str:
        return f"CallableSecret(label={self._label!r})"

    async def get(self) -> str:
        """Return what the function says now.

        Raises:
            SecretMissing: it returned nothing.
            SecretUnavailable: it raised, or returned something that is no text. What it raised is
                named by its type alone, since its text may quote anything.
        """
        try:
            value = await self._ask()
        except SecretUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - a foreign function; its text may quote the value
            LOG.warning("%s cannot be read: %s", self._label, type(error).__name__)
            raise SecretUnavailable(self._label) from None
        if value is None or value == "":
            raise SecretMissing(self._label)
        if not isinstance(value, str):
            raise SecretUnavailable(self._label, "is no text")
        return value

    async def _ask(self) -> object:
        if inspect.iscoroutinefunction(self._function):
            return await cast("Awaitable[object]", self._function())
        value = await anyio.to_thread.run_sync(self._function, abandon_on_cancel=True)
        return await value if isinstance(value, Awaitable) else value
