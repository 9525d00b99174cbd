"""What was found, as a page for people and as data for programs."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from counterfoil.render import render
from counterfoil.targets.fidelity.comparison import Comparison, Difference
from counterfoil.targets.fidelity.reasons import KINDS, MODES, reason
from counterfoil.targets.models.sources import Module
from counterfoil.targets.reference.markdown import span, table, text

Results: TypeAlias = Sequence[tuple[Module, Comparison]]

_LONGEST = 160
_HEAD = ("Of", "Place", "Keyword", "The model", "With", "Example")
_SUMMARY = ("Server", "Schemas", "Values tried", "Differences")


def data(results: Results) -> dict[str, Any]:
    """Return the report as JSON: by server, tool and direction."""
    servers: dict[str, dict[str, dict[str, Any]]] = {}
    for module, compared in results:
        source = module.source
        tools = servers.setdefault(source.server, {})
        tools.setdefault(source.tool, {})[source.direction] = {
            "beyond": list(module.beyond),
            "tried": compared.probes,
            "accepted": compared.accepted,
            "differences": [_entry(each) for each in compared.differences],
        }
    return {"servers": servers}


def _entry(difference: Difference) -> dict[str, Any]:
    entry = {**asdict(difference), "modes": list(difference.modes)}
    entry["reason"] = reason(difference.kind, difference.keyword)
    if difference.kind != "changes":
        del entry["became"]
    return entry


def page(results: Results) -> str:
    """Return the report as Markdown."""
    return render(
        "fidelity.md.jinja",
        tried=sum(compared.probes for _, compared in results),
        total=sum(len(compared.differences) for _, compared in results),
        kinds=KINDS,
        summary=table(_SUMMARY, list(_summary(results))),
        keywords=_keywords(results),
        servers=[
            {"name": text(server), "tools": list(_tools(list(own)))}
            for server, own in itertools.groupby(results, _server)
        ],
    )


def _summary(results: Results) -> Iterator[list[str]]:
    for server, group in itertools.groupby(results, _server):
        own = [compared for _, compared in group]
        tried = sum(each.probes for each in own)
        parted = sum(len(each.differences) for each in own)
        yield [text(server), str(len(own)), str(tried), str(parted)]


def _keywords(results: Results) -> str:
    """Return a table of the classes of differences; empty without one."""
    counted = Counter(
        (each.keyword, each.kind) for _, compared in results for each in compared.differences
    )
    rows = [
        [span(keyword), KINDS[kind].title, str(count), text(reason(kind, keyword))]
        for (keyword, kind), count in sorted(counted.items())
    ]
    return table(["Keyword", "The model", "Places", "Why"], rows) if rows else ""


def _tools(results: Results) -> Iterator[dict[str, Any]]:
    for tool, group in itertools.groupby(results, _tool):
        own = list(group)
        rows = [
            _row(module.source.direction, difference)
            for module, compared in own
            for difference in compared.differences
        ]
        yield {
            "name": text(tool),
            "tried": [f"{module.source.direction} {compared.probes}" for module, compared in own],
            "beyond": [span(each) for each in sorted({e for m, _ in own for e in m.beyond})],
            "table": table(_HEAD, rows) if rows else "",
        }


def _server(result: tuple[Module, Comparison]) -> str:
    return result[0].source.server


def _tool(result: tuple[Module, Comparison]) -> str:
    return result[0].source.tool


def _row(direction: str, difference: Difference) -> list[str]:
    example = _shown(difference.example)
    if difference.kind == "changes":
        example = f"{example} becomes {_shown(difference.became)}"
    return [
        direction,
        span(difference.place) if difference.place else "the whole",
        span(difference.keyword),
        KINDS[difference.kind].title,
        " and ".join(MODES[mode] for mode in difference.modes),
        example,
    ]


def _shown(value: Any) -> str:
    """Return a value as a code span, or its beginning."""
    whole = json.dumps(value, sort_keys=True)
    return span(whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…")
