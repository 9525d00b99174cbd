"""Build ``fairwins-mcp.mcpb``: the dependency-free server as a bundle that desktop clients install.

Usage: ``python tools/release/bundle.py [DIST]`` (default ``dist``).

The manifest is the generated one, as it lies in the tree. Nothing is compressed and dates are
fixed, so the same sources give the same bytes on every machine. What is printed last is the
``fileSha256`` with which a registry's ``server.json`` names a bundle.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_MEMBER = _ROOT / "servers" / "fairwins"
_MANIFEST = _ROOT / "generated" / "registry" / "fairwins" / "manifest.json"
_PACKAGE = "fairwins_mcp"
_NAME = "fairwins-mcp.mcpb"
_START = "from fairwins_mcp.cli import main\n\nraise SystemExit(main())\n"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that the format has


def main(arguments: list[str]) -> int:
    """Build the bundle into a folder; print its path, size and hash."""
    target = Path(arguments[0] if arguments else "dist") / _NAME
    target.parent.mkdir(parents=True, exist_ok=True)
    entries = collect()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = 3  # else Windows marks its own
            info.external_attr = 0o100644 << 16
            archive.writestr(info, content)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    print(f"{target}: {target.stat().st_size} bytes, {len(entries)} files, sha256 {digest}")
    return 0


def collect() -> dict[str, bytes]:
    """Return the files of the bundle by their name in it."""
    manifest = _MANIFEST.read_bytes().replace(b"\r\n", b"\n")
    start = json.loads(manifest)["server"]["entry_point"]
    folder = start.rpartition("/")[0]
    entries = {
        "LICENSE": (_MEMBER / "LICENSE").read_bytes(),
        "manifest.json": manifest,
        start: _START.encode(),
    }
    source = _MEMBER / "src"
    for path in sorted((source / _PACKAGE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            entries[f"{folder}/{path.relative_to(source).as_posix()}"] = path.read_bytes()
    return entries


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
