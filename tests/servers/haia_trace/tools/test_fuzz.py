"""Random calls that keep the input schemas, over odd but valid events: answered or refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from mcp import Client
from trace_room import HOST, SELLER, TraceRoom
from trace_served import ask

ROOT = Path(__file__).parents[4]
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
TOOLS = {tool["name"]: tool for tool in CONTRACT["servers"]["haia-trace"]["tools"]}
EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "12"))
KNOWN: dict[str, list[Any]] = {
    "amount": ["0.25", "0", "5.000001", "9" * 70],
    "counterparty": [SELLER, HOST, f"https://{HOST}:8443/x?y", "http://[::1]", "x@y", "1.2.3"],
    "operation_id": ["op", "odd", "..", "é"],
    "run_id": ["1", "2", "latest", "~"],
    "run": ["1", "2", "latest"],
    "template": ["x402-buyer", "x402-seller", "escrow-arc", "mine", "con"],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KINDS = ["required", "creating", "submitted", "responded", "failed", "creation_failed"]


def arguments_of(tool: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return arguments, most of which name something that is there."""
    schema = TOOLS[tool]["inputSchema"]
    return st.builds(
        lambda base, chosen: {
            name: chosen[name] if chosen.get(name) is not None else value
            for name, value in base.items()
        },
        from_schema(schema),
        st.fixed_dictionaries(
            {name: st.none() | st.sampled_from(values) for name, values in KNOWN.items()}
        ),
    )


def events() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return events whose payloads hold anything."""
    members = st.sampled_from(["requirements", "accepts", "resource", "settle", "error"])
    return st.lists(
        st.fixed_dictionaries(
            {
                "event_id": st.text(max_size=3),
                "event_type": st.sampled_from([f"x402.payment.{kind}" for kind in KINDS]),
                "occurred_at": st.sampled_from(["2026-11-09T12:00:00.000Z", "", "yesterday"]),
                "context_id": st.sampled_from(["op", "odd", ""]),
                "seq": st.integers(-3, 3),
                "adapter": st.just("trace-x402"),
                "role": st.sampled_from(["client", "server", ""]),
                "payload": st.dictionaries(members, JSON, max_size=4),
            }
        ),
        max_size=6,
    )


@pytest.mark.parametrize("tool", TOOLS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_call_crashes_and_none_breaks_its_output_schema(
    tool: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    room = TraceRoom(tmp_path_factory.mktemp("root") / ".trace")
    recorded = data.draw(events())
    lines = "".join(json.dumps(each) + "\n" for each in recorded)
    (room.path / "events/1.ndjson").write_text(lines)
    calls = data.draw(st.lists(arguments_of(tool), min_size=1, max_size=4))

    async def work(client: Client) -> list[Any]:
        # An answer that breaks its schema, or a crash, would raise an error of the protocol here.
        return [await client.call_tool(tool, arguments) for arguments in calls]

    for result in ask(room.path, work):
        assert result.is_error is (result.structured_content is None)
        assert result.content[0].text
