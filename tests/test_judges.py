"""One corpus, three judges: jsonschema, the check of the stubs, and the Pydantic model.

The judges may part only where the fidelity report says so.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from pydantic import BaseModel, ValidationError

from counterfoil.contract.cases import read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.names import class_name, package_name
from counterfoil.schema.judge import judge
from counterfoil.schema.refs import bundled
from counterfoil_bindings.runtime.schemas import Judge

ROOT = Path(__file__).parents[1]
# `nox -s fuzz` tries many more.
EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "8"))
REPORT = json.loads((ROOT / "generated/fidelity.json").read_text("utf-8"))


def contract() -> Contract:
    read = read_contract(ROOT / "contract/contract.json", "contract/contract.json").contract
    assert read is not None
    return read


CONTRACT = contract()


@dataclass(frozen=True)
class Bench:
    """The three judges of one schema."""

    server: str
    tool: str
    direction: str
    schema: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.server}/{self.tool} {self.direction}"

    @property
    def model(self) -> type[BaseModel]:
        module = importlib.import_module(f"counterfoil_bindings.{package_name(self.server)}.models")
        found: type[BaseModel] = getattr(module, class_name(self.tool) + self.direction.title())
        return found

    @property
    def parts(self) -> bool:
        """Say whether the report knows a difference here."""
        entry = REPORT["servers"][self.server][self.tool][self.direction]
        return bool(entry["differences"])

    def verdicts(self, value: Any) -> dict[str, bool]:
        """Return what each judge says of a value."""
        return {
            "jsonschema": judge(self.schema).is_valid(value),
            "stubs": not Judge(self.schema).faults(value),
            "model": self.fits(value),
        }

    def fits(self, value: Any) -> bool:
        """Say whether the model takes a value and gives it back unchanged."""
        try:
            made = self.model.model_validate(value)
        except ValidationError:
            return False
        assert same(made.model_dump(mode="json", by_alias=True, exclude_unset=True), value)
        return True


def same(left: Any, right: Any) -> bool:
    """Say whether two JSON values are equal; 1 is 1.0 and is not true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def benches() -> Iterator[Bench]:
    for server in CONTRACT.servers:
        for tool in server.tools:
            schemas = {"input": tool.input_schema, "output": tool.output_schema}
            for direction, schema in schemas.items():
                if schema is not None:
                    whole = bundled(schema, CONTRACT.defs)
                    yield Bench(server.id, tool.name, direction, whole)


BENCHES = list(benches())
CASES, FAULTS = read_cases(ROOT, "contract/cases", CONTRACT)
each_bench = pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.name)


def test_every_case_file_is_read() -> None:
    assert FAULTS == ()
    assert set(CASES) == {(bench.server, bench.tool) for bench in BENCHES}


@each_bench
def test_every_case_has_the_same_verdict_from_every_judge(bench: Bench) -> None:
    cases: Any = CASES[bench.server, bench.tool]
    given_cases = cases if bench.direction == "input" else cases.get("results", {})
    key = "arguments" if bench.direction == "input" else "value"
    count = 0
    for verdict in ("accepted", "refused"):
        for case in given_cases.get(verdict, ()):
            expected = dict.fromkeys(("jsonschema", "stubs", "model"), verdict == "accepted")
            found = bench.verdicts(case[key])
            if bench.parts:
                del expected["model"], found["model"]
            assert found == expected, case["name"]
            count += 1
    assert count >= 4, "a schema without examples proves nothing"


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just("a\n"),
)


@st.composite
def nearly(draw: st.DrawFn, fitting: st.SearchStrategy[Any]) -> Any:
    """Draw a value that fits a schema, and often spoil one place in it."""
    value = draw(fitting)
    if draw(st.booleans()):
        return value
    spots = list(places(value))
    path = draw(st.sampled_from(spots))
    return spoiled(value, path, draw(ODD))


def plain(schema: Any) -> Any:
    """Return a schema with ``{"not": {}}`` spelled ``false``: what draws is slow to read it."""
    if schema == {"not": {}}:
        return False
    if isinstance(schema, dict):
        return {key: plain(each) for key, each in schema.items()}
    return [plain(each) for each in schema] if isinstance(schema, list) else schema


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    entries = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else entries
    for key, member in entries:
        yield from places(member, (*path, key))
    if isinstance(value, dict):
        yield (*path, "unheard_of")


def spoiled(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copied = dict(value) if isinstance(value, dict) else list(value)
    inner = copied.get(path[0]) if isinstance(copied, dict) else copied[path[0]]
    copied[path[0]] = spoiled(inner, path[1:], odd)
    return copied


@each_bench
def test_random_values_have_the_same_verdict_from_every_judge(bench: Bench) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(nearly(from_schema(plain(bench.schema))))
    def compare(value: Any) -> None:
        found = bench.verdicts(value)
        if bench.parts:
            del found["model"]
        assert len(set(found.values())) == 1, (value, found)

    compare()
