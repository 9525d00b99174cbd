"""What was found, as a page for people and as data for programs."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from counterfoil.render import render
from counterfoil.targets.fidelity.differences import Comparison, Difference
from counterfoil.targets.fidelity.reasons import KINDS, MODES, reason
from counterfoil.targets.models.sources import Source
from counterfoil.targets.reference.markdown import span, table, text

_LONGEST = 160
_HEAD = ("Of", "Place", "Keyword", "The model", "With", "Example")
_SUMMARY = ("Server", "Schemas", "Values tried", "Differences")


@dataclass(frozen=True)
class Result:
    """What is told of one schema.

    Attributes:
        source: the schema.
        beyond: the keywords that its models judge by rules, since types cannot say them.
        compared: what came of comparing its models with it.
    """

    source: Source
    beyond: tuple[str, ...]
    compared: Comparison


def data(results: Sequence[Result]) -> dict[str, Any]:
    """Return the report as JSON: by server, tool and direction."""
    servers: dict[str, dict[str, dict[str, Any]]] = {}
    for result in results:
        source, compared = result.source, result.compared
        tools = servers.setdefault(source.server, {})
        tools.setdefault(source.tool, {})[source.direction] = {
            "beyond": list(result.beyond),
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


def page(results: Sequence[Result]) -> str:
    """Return the report as Markdown."""
    return render(
        "fidelity.md.jinja",
        tried=sum(each.compared.probes for each in results),
        total=sum(len(each.compared.differences) for each in results),
        kinds=KINDS,
        summary=table(_SUMMARY, list(_summary(results))),
        keywords=_keywords(results),
        servers=[
            {"name": text(server), "tools": list(_tools(list(own)))}
            for server, own in itertools.groupby(results, _server)
        ],
    )


def _summary(results: Sequence[Result]) -> Iterator[list[str]]:
    for server, group in itertools.groupby(results, _server):
        own = [each.compared for each in group]
        tried = sum(each.probes for each in own)
        parted = sum(len(each.differences) for each in own)
        yield [text(server), str(len(own)), str(tried), str(parted)]


def _keywords(results: Sequence[Result]) -> str:
    """Return a table of the classes of differences; empty without one."""
    counted = Counter(
        (each.keyword, each.kind) for result in results for each in result.compared.differences
    )
    rows = [
        [span(keyword), KINDS[kind].title, str(count), text(reason(kind, keyword))]
        for (keyword, kind), count in sorted(counted.items())
    ]
    return table(["Keyword", "The model", "Places", "Why"], rows) if rows else ""


def _tools(results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    for tool, group in itertools.groupby(results, _tool):
        own = list(group)
        rows = [
            _row(each.source.direction, difference)
            for each in own
            for difference in each.compared.differences
        ]
        yield {
            "name": text(tool),
            "tried": [f"{each.source.direction} {each.compared.probes}" for each in own],
            "beyond": [
                span(word) for word in sorted({word for each in own for word in each.beyond})
            ],
            "table": table(_HEAD, rows) if rows else "",
        }


def _server(result: Result) -> str:
    return result.source.server


def _tool(result: Result) -> str:
    return result.source.tool


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
