"""What ruff is told of the same matter: it speaks up while people type, and sees less."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcp_wrapper_scaffold.lint.interpreter import words
from mcp_wrapper_scaffold.lint.modules import ALLOWED, refused_names

# Ruff bans a module with all of its names. Of those that are allowed in part, the worst.
_PARTS = {
    "asyncio": "create_subprocess_exec create_subprocess_shell get_event_loop get_running_loop "
    "open_connection open_unix_connection start_server start_unix_server streams subprocess",
    "http": "client cookiejar server",
    "importlib": "import_module machinery reload resources util",
    "io": "FileIO open open_code",
    "mcp": "Client ClientSession ClientSessionGroup client stdio_client",
    "os": "execl execle execlp execv execve execvp fork forkpty open popen posix_spawn "
    "posix_spawnp spawnl spawnv startfile system",
    "sys": "_getframe meta_path modules path_hooks setprofile settrace",
    "types": "CodeType FrameType FunctionType GenericAlias ModuleType new_class",
    "urllib": "request robotparser",
}


def banned_api() -> dict[str, str]:
    """Return what ruff's ``flake8-tidy-imports.banned-api`` holds, with a message each."""
    return dict(sorted(_banned()))


def as_toml() -> str:
    """Return the table as part of a ``ruff.toml``."""
    lines = [f"{json.dumps(name)}.msg = {json.dumps(said)}" for name, said in banned_api().items()]
    return "\n".join(["[lint.flake8-tidy-imports.banned-api]", *lines]) + "\n"


def _banned() -> Iterator[tuple[str, str]]:
    partly = {name.partition(".")[0] for name in ALLOWED}
    for name, why in refused_names().items():
        if name not in partly and name not in _PARTS:
            yield name, f"it {why}; send requests with ctx.fetch"
    for module, names in _PARTS.items():
        for name in words(names):
            yield f"{module}.{name}", "it leads past the gate; send requests with ctx.fetch"
    for module, allowance in ALLOWED.items():
        for name in allowance.never:
            yield f"{module}.{name}", "it leads past the gate"
