"""Where the Member API is and how long to wait for it, as the environment says."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

URL_VARIABLE = "FAIRWINS_API_URL"
TIMEOUT_VARIABLE = "FAIRWINS_TIMEOUT_MS"
DEFAULT_TIMEOUT_MS = 15_000
MAX_TIMEOUT_MS = 600_000

MAX_HOST_LENGTH, MAX_LABEL_LENGTH = 253, 63  # RFC 1035, 2.3.4, in text form

# No user name, query, fragment, escape or dot segment: what is matched is what is sent.
_URL = (
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/(?!\.\.?(?:/|\Z))[a-z0-9._~-]+)*)"
    r"/*"
)


class BaseUrl:
    """An API's base: ``scheme`` (http or https), ``host``, ``port`` and ``path``.

    ``host`` has no brackets, also for IPv6. ``path`` is empty, or starts with a slash and does not
    end with one.
    """

    __slots__ = ("host", "path", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int, path: str) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path

    @property
    def authority(self) -> str:
        """Return what the Host header says: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = 443 if self.scheme == "https" else 80
        return host if self.port == default else f"{host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> BaseUrl | None:
        """Read an absolute http or https URL; None for anything that is not plainly one."""
        match = re.fullmatch(_URL, text.strip(), re.IGNORECASE | re.ASCII)
        if match is None:
            return None
        scheme = match["scheme"].lower()
        port = int(match["port"] or (443 if scheme == "https" else 80))
        host = match["host"].strip("[]").lower()
        if not 1 <= port <= 65535 or not _is_resolvable(host):
            return None
        return cls(scheme, host, port, match["path"])


class Settings:
    """What a process was configured with.

    ``base`` is None when there is no usable URL, and ``base_gap`` then says why. ``timeout`` is the
    longest time for one whole exchange, in seconds.
    """

    __slots__ = ("base", "base_gap", "timeout")

    def __init__(self, base: BaseUrl | None, base_gap: str, timeout: float) -> None:
        self.base = base
        self.base_gap = base_gap
        self.timeout = timeout

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings. A value that cannot be used counts as unset."""
        url = environment.get(URL_VARIABLE, "")
        base = BaseUrl.parse(url) if url else None
        gap = f"this server has no API base URL: {URL_VARIABLE} is not set"
        if url and base is None:
            gap = (
                f"this server has no API base URL: {URL_VARIABLE} is set but is not a plain http "
                "or https URL without user name, query and fragment, with a host name of at most "
                f"{MAX_HOST_LENGTH} characters and {MAX_LABEL_LENGTH} between its dots"
            )
        return cls(base, gap, read_timeout(environment.get(TIMEOUT_VARIABLE, "")) / 1000)


def _is_resolvable(host: str) -> bool:
    """Tell whether a host name is short enough: resolvers raise other errors for longer ones."""
    name = host.removesuffix(".")
    labels = name.split(".")
    return len(name) <= MAX_HOST_LENGTH and max(map(len, labels)) <= MAX_LABEL_LENGTH


def read_timeout(text: str) -> int:
    """Read milliseconds from 1 to 600000; anything else is the default of 15000."""
    return int(text[:9]) if is_timeout(text) else DEFAULT_TIMEOUT_MS


def is_timeout(text: str) -> bool:
    """Tell whether a text is a number of milliseconds that is not replaced by the default."""
    return text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_TIMEOUT_MS
