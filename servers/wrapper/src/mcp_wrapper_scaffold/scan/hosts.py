"""URLs in sources and data, against the allowlist that the archive's code uses."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import cast

from mcp_wrapper_scaffold.lint.references import Reference, Surroundings, imported
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.lint.sources import Source
from mcp_wrapper_scaffold.lint.texts import constants, folded
from mcp_wrapper_scaffold.scan.members import Contents

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*)://([^\s/?#]+)", re.IGNORECASE)
_ALWAYS = frozenset({"json-schema.org"})  # names of dialects, which nobody fetches
_LIST = "ALLOWLIST"
_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {".json": json.loads, ".toml": tomllib.loads}
)


def judge_hosts(contents: Contents, sources: Sequence[Source], settings: Settings) -> bool:
    """Report hosts of URLs that are not in the allowlist; return whether one was found.

    A text counts that begins with a URL; docstrings and longer texts are for people.

    Args:
        contents: the archive.
        sources: its Python sources; their paths begin with the archive's own.
        settings: what was permitted.
    """
    hosts = set(_declared(sources))
    if not hosts:
        return False
    for source in sources:
        for text in _texts(source):
            _judge(contents, source.path.partition("!")[2], text, hosts, settings)
    for member, content in contents.files.items():
        read = _READERS.get(PurePosixPath(member).suffix)
        if read is not None:
            for text in _members(read, content):
                _judge(contents, member, text, hosts, settings)
    return True


def _judge(contents: Contents, member: str, text: str, hosts: set[str], settings: Settings) -> None:
    match = _URL.match(text)
    if match is None:
        return
    host = _host(match[1])
    if host not in hosts and host not in _ALWAYS and not settings.permit("hosts", host):
        contents.report("MW210", f"a URL leads to {host}, which is not in the allowlist", member)


def _host(authority: str) -> str:
    """Return what stands for the host in an authority, in small letters and without its port."""
    place = authority.rpartition("@")[2].lower()
    return place if place.endswith("]") else re.sub(r":[0-9]*$", "", place)


def _declared(sources: Sequence[Source]) -> Iterator[str]:
    """Yield the hosts of entries, made here or in the module that a list is imported from."""
    surroundings = Surroundings(sources)
    waiting = list(sources)
    seen = {source.module for source in sources}
    for source in waiting:
        tree = source.parse()
        if not isinstance(tree, ast.Module):
            continue
        names = constants(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from _entry(node, names)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for module in _lists(surroundings, imported(source, node)):
                    other = surroundings.source(module)
                    if other is not None and module not in seen:
                        seen.add(module)
                        waiting.append(other)


def _entry(node: ast.Call, names: Mapping[str, str]) -> Iterator[str]:
    match node.func:
        case ast.Name(id="AllowEntry") | ast.Attribute(attr="AllowEntry"):
            given = [
                *node.args[:1],
                *(word.value for word in node.keywords if word.arg == "origin"),
            ]
            for value in given:
                text = names.get(value.id) if isinstance(value, ast.Name) else folded(value)
                match = _URL.match(text or "")
                if match is not None:
                    yield _host(match[1])
        case _:
            pass


def _lists(surroundings: Surroundings, names: Iterator[tuple[str, Reference]]) -> Iterator[str]:
    """Yield the modules of allowlists among imported names."""
    for _, reference in names:
        resolved = reference
        if reference.name:
            resolved = surroundings.resolve(reference.module, reference.name)
        if resolved.name == _LIST or resolved.module.rpartition(".")[2] == "allowlist":
            yield resolved.module


def _texts(source: Source) -> Iterator[str]:
    """Yield the texts of a source, but for docstrings."""
    tree = source.parse()
    if not isinstance(tree, ast.Module):
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        text = folded(node)
        if text is not None:
            yield text
        waiting += ast.iter_child_nodes(node)


def _members(read: Callable[[str], object], content: bytes) -> Iterator[str]:
    """Yield the texts of a data file; none where it cannot be read as what it is called."""
    try:
        waiting = [read(content.decode("utf-8"))]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += cast("list[object]", value)
        elif isinstance(value, dict):
            waiting += cast("dict[str, object]", value).values()
