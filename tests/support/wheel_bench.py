"""Wheels and source archives made by hand, honest ones and others."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

INFO = "notes_mcp-0.1.0.dist-info"
WHEEL = "notes_mcp-0.1.0-py3-none-any.whl"
SDIST = "notes_mcp-0.1.0.tar.gz"
Files = dict[str, bytes]

METADATA = b"""Metadata-Version: 2.4
Name: notes-mcp
Version: 0.1.0
Requires-Dist: mcp-wrapper-scaffold>=0.1
Requires-Dist: pydantic>=2; extra == "typed"
"""
SERVER = b'''"""Notes."""

from mcp_wrapper_scaffold import AllowEntry, EnvSecret, create_wrapper_server

API = "https://api.example.com"
ALLOWLIST = (AllowEntry(API, "GET", "/v1/notes/*"),)
app = create_wrapper_server(tools=[], agent_token=EnvSecret("T"), allowlist=ALLOWLIST)
BASE = "https://api.example.com/v1"
'''
PYPROJECT = b"""[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "notes-mcp"
version = "0.1.0"
"""


def honest_files() -> Files:
    """Return the members of a wheel with which nothing is wrong, without RECORD."""
    return {
        "notes_mcp/__init__.py": b'"""Notes."""\n',
        "notes_mcp/server.py": SERVER,
        "notes_mcp/surface.json": b'{"$schema": "https://json-schema.org/draft/2020-12/schema"}\n',
        "notes_mcp/py.typed": b"",
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/entry_points.txt": b"[console_scripts]\nnotes-mcp = notes_mcp.server:app\n",
        f"{INFO}/licenses/LICENSE": b"MIT\n",
    }


def record(files: Mapping[str, bytes]) -> bytes:
    """Return the RECORD of members."""
    lines = [f"{name},sha256={_hash(content)},{len(content)}" for name, content in files.items()]
    return "\n".join([*lines, f"{INFO}/RECORD,,", ""]).encode()


def wheel(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    name: str = WHEEL,
    change: Callable[[zipfile.ZipInfo], None] = lambda info: None,
    recorded: bool = True,
) -> Path:
    """Write a wheel and return its path.

    Args:
        folder: where to.
        files: the members.
        name: of the file.
        change: changes what the archive says of a member.
        recorded: whether RECORD is added, and lists them.
    """
    path = folder / name
    members = {**files, f"{INFO}/RECORD": record(files)} if recorded else dict(files)
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            info = zipfile.ZipInfo(member)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            change(info)
            archive.writestr(info, content)
    return path


def sdist(folder: Path, files: Mapping[str, bytes], *links: tarfile.TarInfo) -> Path:
    """Write a source archive and return its path."""
    path = folder / SDIST
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"notes_mcp-0.1.0/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for link in links:
            archive.addfile(link)
    path.write_bytes(gzip.compress(buffer.getvalue()))
    return path


def honest_sdist_files() -> Files:
    """Return the members of a source archive with which nothing is wrong."""
    return {
        "PKG-INFO": METADATA,
        "pyproject.toml": PYPROJECT,
        "README.md": b"# Notes\n",
        "src/notes_mcp/__init__.py": b'"""Notes."""\n',
        "src/notes_mcp/server.py": SERVER,
        "tests/test_server.py": b"import subprocess\n",
    }


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
