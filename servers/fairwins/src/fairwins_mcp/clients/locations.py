"""Where clients keep their configuration, and where a token is kept beside them."""

from __future__ import annotations

import ntpath
import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TITLES = {
    "claude-desktop": "Claude Desktop",
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "vscode": "VS Code",
}


class Locations:
    """Tell paths on a system from its name and environment; nothing is looked up.

    ``platform`` is what ``sys.platform`` says, ``home`` the user's home folder, ``folder`` the one
    that a project is in.
    """

    def __init__(
        self, platform: str, environment: Mapping[str, str], home: str, folder: str
    ) -> None:
        self._join: Callable[..., str] = ntpath.join if platform == "win32" else posixpath.join
        self._platform = platform
        self._environment = environment
        self._home = home
        self._folder = folder

    def find_file(self, client: str) -> str:
        """Return the file that a client reads: the user's, and for Claude Code the project's."""
        if client == "claude-desktop":
            return self._join(self._settings, "Claude", "claude_desktop_config.json")
        if client == "cursor":
            return self._join(self._home, ".cursor", "mcp.json")
        if client == "vscode":
            return self._join(self._settings, "Code", "User", "mcp.json")
        return self._join(self._folder, ".mcp.json")

    @property
    def token_file(self) -> str:
        """Return where a token is kept for clients that can neither ask for one nor find one."""
        return self._join(self._settings, "fairwins-mcp", "token")

    @property
    def _settings(self) -> str:
        """Return the folder of the user's settings."""
        if self._platform == "win32":
            roaming = self._environment.get("APPDATA", "")
            return roaming or ntpath.join(self._home, "AppData", "Roaming")
        if self._platform == "darwin":
            return posixpath.join(self._home, "Library", "Application Support")
        given = self._environment.get("XDG_CONFIG_HOME", "")
        # The XDG base directory specification: a path that is not absolute does not count.
        return given if given.startswith("/") else posixpath.join(self._home, ".config")
