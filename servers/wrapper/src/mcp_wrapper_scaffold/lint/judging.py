"""The lint of a package: every source, and what several of them make together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.modules import LIBRARY, is_named, is_standard
from mcp_wrapper_scaffold.lint.policy import Policy
from mcp_wrapper_scaffold.lint.references import Surroundings
from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.lint.sources import Source, outermost, read_sources
from mcp_wrapper_scaffold.lint.usage import Usage


def lint(paths: Sequence[Path], settings: Settings) -> list[Finding]:
    """Return what is wrong with the Python files below paths, sorted.

    Permits that nothing needs are reported when whole packages are checked.

    Raises:
        SourceError: there is nothing to check.
    """
    reading = read_sources(paths)
    around = read_sources({outermost(path) for path in paths}).sources
    found = {*judge(reading.sources, settings, around), *reading.findings}
    if {source.path for source in reading.sources} >= {source.path for source in around}:
        modules = [source.module for source in reading.sources]
        found.update(settings.stale(("codes", "imports"), modules))
    return sorted(found)


def judge(
    sources: Sequence[Source], settings: Settings, around: Iterable[Source] = ()
) -> list[Finding]:
    """Return what is wrong with sources, sorted.

    Args:
        sources: what is judged.
        settings: what was permitted.
        around: other sources of the same packages.
    """
    surroundings = Surroundings([*around, *sources])
    policy = Policy(surroundings, settings)
    found: set[Finding] = set()
    servers: list[Finding] = []
    for source in sources:
        tree = source.parse()
        if isinstance(tree, Finding):
            found.add(tree)
            continue
        found |= _shadow(source)
        found |= _used(source, tree, policy, servers)
    for second in sorted(servers)[1:]:
        found.add(second)
    return sorted(found)


def _used(source: Source, tree: ast.Module, policy: Policy, servers: list[Finding]) -> set[Finding]:
    usage = Usage(source, tree, policy)
    try:
        found = usage.judge()
    except RecursionError:
        message = "the source is nested too deeply to be judged"
        return {Finding(source.path, 0, 0, "MW100", message, RULES["MW100"].mend)}
    servers += [
        each
        for each in usage.servers
        if not policy.settings.permit("codes", each.code, source.module)
    ]
    return found


def _shadow(source: Source) -> set[Finding]:
    """Report a package whose own modules would be taken for others."""
    top = source.module.partition(".")[0]
    if source.module != top or not (is_standard(top) or is_named(top) or top == LIBRARY):
        return set()
    message = f"the top-level name {top} is that of a module that others import"
    return {Finding(source.path, 0, 0, "MW211", message, RULES["MW211"].mend)}
