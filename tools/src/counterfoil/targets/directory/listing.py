"""``server.json``: what a registry of MCP servers is told, in the form of 2025-12-11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.contract.model import Server
from counterfoil.contract.values import items, members
from counterfoil.targets.directory.distribution import Asked, Distribution, Package, Remote

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# The registry refuses every key that it does not know with status 422, and keeps this one.
STAMP = ("_meta", "io.modelcontextprotocol.registry/publisher-provided", "generated")
_RUNNERS = {"npm": "npx", "pypi": "uvx"}
_ICON_KEYS = ("mimeType", "sizes", "src", "theme")
_ICON_TYPES = frozenset({"image/jpeg", "image/jpg", "image/png", "image/svg+xml", "image/webp"})
_LONGEST_ICON_ADDRESS = 255


def listing(server: Server, told: Distribution) -> dict[str, Any]:
    """Return the document, without a stamp."""
    made: dict[str, Any] = {
        "$schema": SCHEMA,
        "name": told.data["name"],
        "title": server.title,
        "description": told.data["description"],
        "version": server.version,
    }
    if "websiteUrl" in server.data:
        made["websiteUrl"] = server.data["websiteUrl"]
    icons = list(_icons(server))
    made |= {"icons": icons} if icons else {}
    if "repository" in told.data:
        url = told.data["repository"]["url"]
        source = "github" if url.startswith("https://github.com/") else "gitlab"
        made["repository"] = {"source": source, **told.data["repository"]}
    if told.package:
        made["packages"] = [_package(told.package, told.variables)]
    if told.remotes:
        made["remotes"] = [_remote(each) for each in told.remotes]
    return made


def _icons(server: Server) -> Iterator[dict[str, Any]]:
    """Yield the icons that a registry takes: by https, in the types that it names."""
    for icon in items(server.data.get("icons")):
        is_near = icon["src"].startswith("https://") and len(icon["src"]) <= _LONGEST_ICON_ADDRESS
        if is_near and icon.get("mimeType", "image/png") in _ICON_TYPES:
            yield {key: icon[key] for key in _ICON_KEYS if key in icon}


def _package(package: Package, variables: tuple[Asked, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "registryType": package.registry,
        "identifier": package.identifier,
        "version": package.version,
        "runtimeHint": _RUNNERS[package.registry],
        "transport": {"type": "stdio"},
    }
    if package.arguments:
        made["packageArguments"] = [
            {"type": "positional", "value": each}
            if isinstance(each, str)
            else {"type": "named", "name": each.name, **_input(each)}
            for each in package.arguments
        ]
    if variables:
        made["environmentVariables"] = [{"name": each.name, **_input(each)} for each in variables]
    return made


def _remote(remote: Remote) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "streamable-http", "url": remote.url}
    if remote.headers:
        made["headers"] = [_header(each) for each in remote.headers]
    return made


def _header(header: Asked) -> dict[str, Any]:
    given = _input(header)
    if not header.prefix:
        return {"name": header.name, **given}
    value = f"{header.prefix}{{{header.key}}}"
    return {"name": header.name, **given, "value": value, "variables": {header.key: given}}


def _input(asked: Asked) -> dict[str, Any]:
    made: dict[str, Any] = {"description": asked.description}
    made |= {"format": asked.format} if asked.format != "string" else {}
    made |= {"isRequired": True} if asked.is_required else {}
    made |= {"isSecret": True} if asked.is_secret else {}
    return made | ({"default": asked.default} if asked.default is not None else {})


def read_listing(document: Any) -> Iterator[tuple[str, str]]:
    """Yield what a document tells, as pairs of kind and name."""
    for package in items(members(document).get("packages")):
        yield "package", str(members(package)["identifier"])
        for variable in items(members(package).get("environmentVariables")):
            yield "variable", str(members(variable)["name"])
    for remote in items(members(document).get("remotes")):
        yield "remote", str(members(remote)["url"])
