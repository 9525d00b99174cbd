# ruff: noqa: A005 - a script that is run by its path and never imported
"""Build ``fairwins-mcp.pyz``: the dependency-free server as one file that any Python 3.11 runs.

Usage: ``python tools/release/zipapp.py [DIST]`` (default ``dist``), then ``python dist/NAME.pyz``.

The archive holds the sources, and beside each its byte code for the Python that builds it, which
spares that version a compilation at every start; other versions compile the sources. Nothing is
compressed, since the archive is read at every start. Dates are fixed, so that the same sources and
the same Python give the same bytes.
"""

from __future__ import annotations

import py_compile
import sys
import tempfile
import zipfile
from pathlib import Path

_MEMBER = Path(__file__).parents[2] / "servers" / "fairwins"
_PACKAGE = "fairwins_mcp"
_NAME = "fairwins-mcp.pyz"
_INTERPRETER = b"#!/usr/bin/env python3\n"
_START = "from fairwins_mcp.cli import main\n\nraise SystemExit(main())\n"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that the format has


def main(arguments: list[str]) -> int:
    """Build the archive into a folder; print its path and size."""
    target = Path(arguments[0] if arguments else "dist") / _NAME
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fairwins-mcp-") as scratch:
        entries = collect(Path(scratch))
    with target.open("wb") as file:
        file.write(_INTERPRETER)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, content in sorted(entries.items()):
                info = zipfile.ZipInfo(name, _DATE)
                info.external_attr = 0o100644 << 16
                archive.writestr(info, content)
    target.chmod(0o755)
    print(f"{target}: {target.stat().st_size} bytes, {len(entries)} files")
    return 0


def collect(scratch: Path) -> dict[str, bytes]:
    """Return the files of the archive by their name in it."""
    source = _MEMBER / "src"
    entries = {"__main__.py": _START.encode(), "LICENSE": (_MEMBER / "LICENSE").read_bytes()}
    for path in sorted((source / _PACKAGE).rglob("*")):
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        name = path.relative_to(source).as_posix()
        entries[name] = path.read_bytes()
        if path.suffix == ".py":
            # Judged by no date: the sources in the archive never change without it.
            compiled = scratch / "module.pyc"
            py_compile.compile(
                str(path),
                cfile=str(compiled),
                dfile=name,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            entries[name + "c"] = compiled.read_bytes()
    return entries


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
