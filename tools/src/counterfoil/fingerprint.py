"""What this toolchain is: results of another one are not taken for its own."""

from __future__ import annotations

import functools
import sys
from importlib import metadata
from pathlib import Path

from counterfoil.cache import key_of

_LIBRARIES = ("datamodel-code-generator", "jinja2", "jsonschema", "jsonschema-rs", "pydantic")
_SUFFIXES = frozenset({".css", ".j2", ".jinja", ".js", ".json", ".py", ".txt"})


@functools.cache
def fingerprint() -> str:
    """Return a hash of this package's files, its libraries' versions and the Python version."""
    folder = Path(__file__).parent
    files = sorted(
        path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()
    )
    parts: list[str | bytes] = [".".join(map(str, sys.version_info[:3]))]
    parts += [f"{name} {metadata.version(name)}" for name in _LIBRARIES]
    for path in files:
        parts += [path.relative_to(folder).as_posix(), path.read_bytes()]
    return key_of(*parts)
