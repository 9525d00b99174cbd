"""Names of classes, functions and modules, made from names on the wire."""

from __future__ import annotations

import keyword
import re

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
# Names that a generated class body or module uses for itself.
_TAKEN = frozenset({"self", "cls", "args", "ctx", "model", "models", "stubs"})


def words(name: str) -> list[str]:
    """Split a name into lower-case words at case changes and punctuation; digits end a word."""
    return [word.lower() for word in _WORD.findall(name)]


def class_name(name: str) -> str:
    """Return a PascalCase class name: ``get_wagers`` and ``get-wagers`` give ``GetWagers``.

    Only separators are lost, so names that differ in more than separators and the case of
    word starts stay different: see :func:`collision_key`.
    """
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
    joined = "".join(part[0].upper() + part[1:] for part in parts)
    return joined if joined[:1].isalpha() else f"N{joined}"


def function_name(name: str) -> str:
    """Return a snake_case function or module name; a keyword gets a trailing underscore."""
    joined = "_".join(words(name)) or "n"
    if not joined[0].isalpha():
        joined = f"n{joined}"
    return f"{joined}_" if keyword.iskeyword(joined) or joined in _TAKEN else joined


def package_name(server: str) -> str:
    """Return the package name of a server id: ``haia-trace`` gives ``haia_trace``."""
    return function_name(server)


def collision_keys(name: str) -> frozenset[str]:
    """Return what two names must not share if both are to be classes and functions.

    Keys fold case, since file names do so on some systems.
    """
    return frozenset({f"class {class_name(name).lower()}", f"function {function_name(name)}"})
