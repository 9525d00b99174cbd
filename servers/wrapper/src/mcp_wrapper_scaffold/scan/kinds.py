"""What a file is, by its name and its first bytes."""

from __future__ import annotations

import ast
import json
from pathlib import PurePosixPath

from mcp_wrapper_scaffold.lint.interpreter import words

_COMPILED = words(".a .class .dll .dylib .exe .jar .lib .node .o .pyc .pyd .pyo .so .wasm .xpi")
_STARTING = words(".egg-link .pth .start")
_STARTING_NAMES = words("sitecustomize.py usercustomize.py")
_SCRIPTS = words(
    """
    .bash .bat .c .cc .cmd .com .cpp .cs .go .h .js .lua .mjs .php .pl .ps1 .pxd .pyw .pyx .pyz
    .rb .rs .sh .ts .vbs .zsh
    """
)
_PACKED = words(
    """
    .7z .bz2 .db .dill .egg .gz .joblib .npy .npz .pickle .pkl .rar .sqlite .tar .tgz .whl .xz
    .zip .zst
    """
)
_DATA = words(".cfg .csv .html .ini .json .md .pyi .rst .toml .tsv .txt .typed .yaml .yml")
_BARE = words("AUTHORS CHANGELOG CONTRIBUTORS COPYING LICENSE NOTICE README py.typed")
_MACHINE: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "is a program or library for Linux"),
    (b"MZ", "is a program or library for Windows"),
    (b"\xca\xfe\xba\xbe", "is a program or library for macOS, or a Java class"),
    (b"\xfe\xed\xfa\xce", "is a program or library for macOS"),
    (b"\xfe\xed\xfa\xcf", "is a program or library for macOS"),
    (b"\xce\xfa\xed\xfe", "is a program or library for macOS"),
    (b"\xcf\xfa\xed\xfe", "is a program or library for macOS"),
    (b"\x00asm", "is WebAssembly"),
    (b"!<arch>", "is a library of compiled code"),
)
_CONTAINERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "is an archive"),
    (b"\x1f\x8b", "is an archive"),
    (b"BZh", "is an archive"),
    (b"\xfd7zXZ", "is an archive"),
    (b"(\xb5/\xfd", "is an archive"),
    (b"SQLite format 3", "is a database"),
    (b"\x80\x04", "is a pickle"),
    (b"\x80\x05", "is a pickle"),
)


def file_fault(name: str, content: bytes) -> tuple[str, str]:
    """Return a code, and a clause, for a file that does not belong in a wrapper; or empty ones.

    Sources are let through: they are judged by what they say.
    """
    path = PurePosixPath(name)
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if path.name.lower() in _STARTING_NAMES or suffixes & _STARTING:
        return "MW205", "runs when Python starts"
    if suffixes & _COMPILED:
        return "MW204", "is compiled code by its name"
    for magic, clause in _MACHINE:
        if content.startswith(magic) and b"\x00" in content[:256]:
            return "MW204", clause
    if content[2:4] == b"\r\n" and b"\x00" in content[:16]:  # whatever version made it
        return "MW204", "is compiled Python"
    if path.suffix == ".py":
        return "", ""
    clause = _data_fault(path, content)
    return ("MW209", clause) if clause else ("", "")


def _data_fault(path: PurePosixPath, content: bytes) -> str:
    suffix = path.suffix.lower()
    if suffix in _SCRIPTS:
        return "is code by its name"
    if suffix in _PACKED:
        return "is packed, or data that can hold code, by its name"
    for magic, clause in _CONTAINERS:
        if content.startswith(magic):
            return clause
    if suffix not in _DATA and path.name not in _BARE:
        return "is of a kind that nobody expects"
    return _text_fault(suffix, content)


def _text_fault(suffix: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "is no text"
    if "\x00" in text:
        return "is no text"
    if text.startswith("#!"):
        return "is a script by its first line"
    if suffix == ".json":
        return _json_fault(text)
    if suffix != ".pyi" and _is_python(text):
        return "is Python by what it says"
    return ""


def _json_fault(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "is no JSON, whatever its name says"
    return ""


def _is_python(text: str) -> bool:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))
