"""``manifest.json`` of an MCP bundle, in the form of version 0.3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.contract.model import Server
from counterfoil.contract.values import items, members
from counterfoil.targets.directory.distribution import Asked, Distribution, Package

VERSION = "0.3"  # the newest that is not marked as experimental
_TYPES = {"npm": "node", "pypi": "python"}
_FORMATS = {"boolean": "boolean", "filepath": "file", "number": "number", "string": "string"}


def manifest(server: Server, told: Distribution, package: Package) -> dict[str, Any]:
    """Return the manifest, without a stamp."""
    made: dict[str, Any] = {
        "manifest_version": VERSION,
        "name": package.identifier.rpartition("/")[2],
        "display_name": server.title,
        "version": package.version,
        "description": told.data["description"],
        "author": dict(told.data["author"]),
    }
    if "repository" in told.data:
        made["repository"] = {"type": "git", "url": told.data["repository"]["url"]}
    if "websiteUrl" in server.data:
        made["homepage"] = server.data["websiteUrl"]
    if "license" in told.data:
        made["license"] = told.data["license"]
    kind = _TYPES[package.registry]
    made["server"] = {
        "type": kind,
        "entry_point": told.entry_point,
        "mcp_config": _start(kind, told, package),
    }
    made["tools"] = [
        {"name": tool.name, **({"description": tool.description} if tool.description else {})}
        for tool in server.served
    ]
    if server.parts("prompts"):
        made["prompts_generated"] = True  # the form has texts only, and prompts have messages
    made["compatibility"] = {
        "platforms": ["darwin", "linux", "win32"],
        "runtimes": {kind: told.runtime},
    }
    settings = {each.key: _setting(each) for each in (*_flags(package), *told.variables)}
    return made | ({"user_config": settings} if settings else {})


def stamp_path(told: Distribution) -> tuple[str, ...]:
    """Return where the stamp goes: the form takes what it does not know below ``_meta`` only."""
    return ("_meta", str(told.data["name"]), "generated")


def _start(kind: str, told: Distribution, package: Package) -> dict[str, Any]:
    words = ["${__dirname}/" + told.entry_point]
    for each in package.arguments:
        if isinstance(each, str):
            words.append(each)
        elif each.is_required:
            words += [each.name, _reference(each)]
    env = {each.name: _reference(each) for each in told.variables}
    made: dict[str, Any] = {
        "command": "python3" if kind == "python" else "node",
        "args": words,
        **({"env": env} if env else {}),
    }
    if kind == "python":  # the installers for Windows bring no python3
        made["platform_overrides"] = {"win32": {"command": "python"}}
    return made


def _flags(package: Package) -> Iterator[Asked]:
    """Yield the flags that are asked for: one that is left out could not be taken away again."""
    for each in package.arguments:
        if not isinstance(each, str) and each.is_required:
            yield each


def _reference(asked: Asked) -> str:
    return f"${{user_config.{asked.key}}}"


def _setting(asked: Asked) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": _FORMATS[asked.format],
        "title": asked.title,
        "description": asked.description,
        # Hosts do not start a server before what is required was filled in, default or not.
        "required": asked.is_required and asked.default is None,
    }
    made |= {"sensitive": True} if asked.is_secret else {}
    if asked.default is not None:
        made["default"] = _value(asked.default, asked.format)
    elif not asked.is_required:
        # Without a default, hosts hand on the placeholder, ${user_config.key}, as the value.
        made["default"] = False if asked.format == "boolean" else ""
        if asked.format == "number":
            made["type"] = "string"  # no number says that nothing was given
    return made


def _value(default: str, form: str) -> str | float | bool:
    if form == "boolean":
        return default == "true"
    if form == "number":
        return float(default) if "." in default else int(default)
    return default


def read_manifest(document: Any) -> Iterator[tuple[str, str]]:
    """Yield what a manifest tells, as pairs of kind and name."""
    for tool in items(members(document).get("tools")):
        yield "tool", str(members(tool)["name"])
    start = members(members(members(document).get("server")).get("mcp_config"))
    yield from (("setting", name) for name in members(start.get("env")))
