"""Keep secrets out of what is shown about a server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping

HIDDEN = "[hidden]"

# Hiding every "1" or "true" would blot out ordinary words, and nothing that short is a secret.
_SHORTEST = 4
_PLAIN = frozenset({"false", "none", "null", "true"})
# A whole part of a name: API_KEY, apiKey, PGPASSWORD and MYSQL_PWD, but not AUTHOR.
_SECRET_PART = re.compile(
    r"keys?|pass|pwd|creds?|o?auth|authorization|authentication|cookies?|private|dsn|jwt|signature|"
    r"[a-z0-9]*(?:token|secret|passw(?:or)?d|passphrase|passcode|credential)s?|"
    r"[a-z0-9]*(?:access|account|api|auth|encryption|license|master|private|secret|signing)keys?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[_\W\d]+|(?<=[a-z\d])(?=[A-Z])")
# The folder that the shell is in, and was in before.
_HARMLESS_NAMES = frozenset({"OLDPWD", "PWD"})
# Long, one word, letters and digits, and no path.
_TOKEN = re.compile(r"(?![./~])(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w+/=.~:-]{20,}", re.ASCII)
_URL_PASSWORD = re.compile(r"://[^/@\s:]*:([^/@\s]+)@")
_SCHEMES = frozenset({"basic", "bearer", "digest", "token"})
# --token X, --token=X, TOKEN=X, and a header as an argument: Authorization: X
_OPTION = re.compile(r"(-{0,2}[\w-]+)[=:]\s*(.*)|(--?[\w-]+)", re.DOTALL)


class Redaction:
    """Replace a set of secret values, wherever they stand in a text."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.hide(*values)

    @property
    def longest(self) -> int:
        """Return the length of the longest hidden value, 0 without any."""
        return max(map(len, self._values), default=0)

    def hide(self, *values: str) -> None:
        """Add secrets; those under four characters, and plain words like true, are let be."""
        for value in values:
            self._values.update(form for form in _forms(value) if _worth_hiding(form))
        # Longest first, so that a whole value is taken before a part of it.
        ordered = sorted(self._values, key=lambda value: (-len(value), value))
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def apply(self, text: str) -> str:
        """Return the text with every secret replaced by ``[hidden]``."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


def environment_secrets(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the values that look like secrets, by their variable's name or by their form."""
    for name, value in environment.items():
        if (is_telling(name) and not _is_path(value)) or _TOKEN.fullmatch(value):
            yield value
        yield from _URL_PASSWORD.findall(value)


def header_secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield every header value, and the words in it: a server may quote the bare token."""
    for value in headers.values():
        yield from _words(value)


def command_secrets(command: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of arguments with a telling name: ``--api-key X``, ``--token=X``."""
    expected = False
    for word in command:
        if expected and not _is_path(word):
            yield word
        option = _OPTION.fullmatch(word)
        telling = option is not None and is_telling(option[1] or option[3])
        if option and telling and option[1] and not _is_path(option[2]):
            yield from _words(option[2])
        expected = option is not None and telling and not option[1]
        yield from _URL_PASSWORD.findall(word)


def is_telling(name: str) -> bool:
    """Say whether a name, of a variable or a header, is that of a secret."""
    if name in _HARMLESS_NAMES:
        return False
    return any(_SECRET_PART.fullmatch(part) for part in _PARTS.split(name))


def _is_path(value: str) -> bool:
    """Tell whether a value names what is there: where a key lies is not the key."""
    try:
        # pathlib takes longer to import than the rest of this package.
        return os.path.isabs(value) and os.path.exists(value)  # noqa: PTH110, PTH117
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _words(value: str) -> Iterator[str]:
    yield value
    for word in re.split(r"[\s,;]+", value):
        if word.lower() not in _SCHEMES:
            yield word
            yield word.partition("=")[2].strip('"')


def _worth_hiding(value: str) -> bool:
    return len(value) >= _SHORTEST and value.lower() not in _PLAIN


def _forms(value: str) -> Iterator[str]:
    """Yield a value as it is, as JSON writes it, and its lines: a log breaks a key at them."""
    stripped = value.strip()
    yield stripped
    yield json.dumps(stripped)[1:-1]
    yield json.dumps(stripped, ensure_ascii=False)[1:-1]
    yield from (line.strip() for line in stripped.splitlines())
