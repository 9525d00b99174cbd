"""Secrets that a wrapper's command takes from its environment: as they are, or by a file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_wrapper_scaffold.secret_sources import (
    EnvSecret,
    FileSecret,
    SecretSource,
    SecretUnavailable,
)

FILE_SUFFIX = "_FILE"


def _find_no_fault(value: str) -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class DeclaredSecret:
    """A secret that is in the variable NAME, or in the file that NAME_FILE names.

    Attributes:
        name: of the variable; handlers ask for it with ``ctx.secret(name)``.
        purpose: what it is, for ``--help``.
        find_fault: returns what is wrong with a value, without the value, or None.
        file_variables: further variables that may name its file.
    """

    name: str
    purpose: str
    find_fault: Callable[[str], str | None] = _find_no_fault
    file_variables: tuple[str, ...] = ()

    def source(self, environ: Mapping[str, str]) -> SecretSource:
        """Return where the secret is; the variable itself goes before files."""
        if not environ.get(self.name):
            for variable in self._file_variables:
                path = environ.get(variable)
                if path:
                    return FileSecret(path)
        return EnvSecret(self.name)

    async def check(self, environ: Mapping[str, str]) -> str | None:
        """Return what is wrong with the secret as it is now, or None."""
        named = [variable for variable in self._file_variables[:1] if environ.get(variable)]
        if environ.get(self.name) and named:
            return f"{self.name} and {named[0]} are both set"
        try:
            value = await self.source(environ).get()
        except SecretUnavailable as error:
            return str(error)
        return self.find_fault(value)

    @property
    def _file_variables(self) -> tuple[str, ...]:
        return (f"{self.name}{FILE_SUFFIX}", *self.file_variables)
