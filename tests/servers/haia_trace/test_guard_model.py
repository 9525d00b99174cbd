"""Guard and review log against a model of them, through any history, policy and clock."""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from guard_model import MINUTE, GuardModel, ModelOperation
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from trace_room import NOON, SELLER, USDC, TraceRoom, named, offered, paid, requirements, rules

from haia_trace_mcp.guard import Decision
from haia_trace_mcp.reviews import DecidedError

OTHER = "0xC0C0000000000000000000000000000000000003"
ADDRESSES = {"usdc": USDC, "euro": "0x" + "e" * 40}
SELLERS = {SELLER.lower(): SELLER, OTHER.lower(): OTHER}
HOSTS = ("a.example.test", "b.example.test")
AMOUNTS = ("0", "0.25", "0.5", "0.75", "1", "1.25")
UNITS = ("250000", "500000", "750000", "1000000", "0.25", None)

limits = st.fixed_dictionaries(
    {"amount": st.sampled_from(["0.5", "1", "2"]), "windowHours": st.sampled_from([1, 2])}
)
parties = st.sampled_from([*SELLERS, *HOSTS])
policies = st.fixed_dictionaries(
    {
        "allowlist": st.sampled_from([[], [], [], [HOSTS[0], SELLER.lower()]]),
        "denylist": st.sampled_from([[], [], [], [HOSTS[1]]]),
        "perCounterpartyLimit": limits,
        "maxOpenPartialPerCounterparty": st.sampled_from([0, 1, 50]),
        "reviewAbove": st.sampled_from(["0.5", "1", "100"]),
    },
    optional={
        "windowLimit": limits,
        "duplicateWindowMinutes": st.sampled_from([5, 30]),
        "reservationSeconds": st.sampled_from([60, 1800]),
    },
)


class GuardMachine(RuleBasedStateMachine):
    """Does the same to the product and to the model."""

    @initialize(policy=policies)
    def start(self, policy: dict[str, Any]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.room = TraceRoom(Path(self.folder.name) / ".trace")
        self.policy = policy
        self.guard = self.room.guard(**policy)
        self.model = GuardModel(policy, NOON)
        self.ids: list[str] = []
        self.torn = 0
        self.asked: list[tuple[str, str]] = []

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(minutes=st.sampled_from([0, 1, 4, 11, 45, 90, -1, -30, -180]))
    def time_goes_on_or_back(self, minutes: int) -> None:
        self.room.now += minutes * MINUTE
        self.model.now = self.room.now

    @rule(
        run=st.sampled_from(["1", "2"]),
        seller=st.sampled_from(sorted(SELLERS)),
        host=st.sampled_from(HOSTS),
        network=st.sampled_from(["base", "eip155:8453", "eip155:8453", "polygon"]),
        asset=st.sampled_from(["usdc", "usdc", "usdc", "euro"]),
        units=st.sampled_from(UNITS),
        steps=st.lists(st.sampled_from(["offer", "pay", "settle", "fail"]), min_size=1, max_size=4),
    )
    def an_operation_begins(
        self,
        run: str,
        seller: str,
        host: str,
        network: str,
        asset: str,
        units: str | None,
        steps: list[str],
    ) -> None:
        name = f"op-{len(self.model.operations)}"
        operation = ModelOperation(run, name, seller, host, (network, asset, units))
        self.model.operations.append(operation)
        for step in steps:
            self.record(operation, step)

    @precondition(lambda self: self.model.operations)
    @rule(data=st.data(), step=st.sampled_from(["offer", "pay", "settle", "settle", "fail"]))
    def an_operation_goes_on(self, data: st.DataObject, step: str) -> None:
        self.record(data.draw(st.sampled_from(self.model.operations)), step)

    def record(self, operation: ModelOperation, step: str) -> None:
        network, asset, units = operation.terms
        terms = {"to": SELLERS[operation.seller], "network": network, "asset": ADDRESSES[asset]}
        payload = paid(units, host=operation.host, **terms)
        if step == "offer":
            payload = offered(requirements(units, **terms), host=operation.host)
            kind, operation.offered = "x402.payment.required", True
        elif step == "pay":
            kind = "x402.payment.submitted"
            operation.paid_at.append(self.room.now)
        elif step == "settle":
            kind = "x402.payment.responded"
            operation.settled_at.append(self.room.now)
        else:
            kind, operation.faults = "x402.settle.failed", operation.faults + 1
        self.room.record(kind, operation.name, payload, run=operation.run)

    @rule(party=parties, amount=st.sampled_from(AMOUNTS), is_odd=st.booleans())
    def somebody_asks(self, party: str, amount: str, is_odd: bool) -> None:
        self.ask(party, amount, is_odd)

    @precondition(lambda self: self.asked)
    @rule(minutes=st.sampled_from([0, 0, 1, 9, 10, 11]))
    def somebody_asks_again(self, minutes: int) -> None:
        self.time_goes_on_or_back(minutes)
        self.ask(*self.asked[-1], is_odd=False)

    @precondition(lambda self: self.asked)
    @rule(steps=st.sampled_from([["pay"], ["offer", "pay", "settle"]]))
    def somebody_pays_what_was_asked_about(self, steps: list[str]) -> None:
        party, amount = self.asked[-1]
        seller = party if party in SELLERS else OTHER.lower()
        host = party if party in HOSTS else HOSTS[0]
        units = str(int(Fraction(amount) * 10**6))
        self.an_operation_begins("1", seller, host, "base", "usdc", units, steps)

    @precondition(lambda self: "pending" in [each.status for each in self.model.reviews])
    @rule(status=st.sampled_from(["approved", "rejected"]))
    def a_person_decides_what_is_pending(self, status: str) -> None:
        pending = [n for n, each in enumerate(self.model.reviews) if each.status == "pending"]
        self.decide(pending[-1], status)

    def ask(self, party: str, amount: str, is_odd: bool) -> None:
        self.asked.append((party, amount))
        expected = self.model.rules(party, Fraction(amount))
        decision, place, is_new = self.model.answer(party, Fraction(amount))
        asked = SELLERS.get(party) or (f"https://{party.upper()}.:99/x" if is_odd else party)
        written = self.log_lines()
        found = self.guard.check(asked, f"{amount}.000" if "." not in amount else f"{amount}00")
        assert (found.decision, rules(found)) == (decision, expected)
        if "open_partial" in expected:
            assert set(named(found, "open_partial")) == self.model.open(party)
        self.look_at_history(found, party)
        assert (found.review_id is None) == (place is None)
        if found.review_id is not None and place is not None:
            if is_new:
                assert found.review_id not in self.ids
                self.ids.append(found.review_id)
            assert self.ids[place] == found.review_id
        reserves = decision == "allow" and "reservationSeconds" in self.policy
        new_lines = int(is_new or reserves)
        closed, self.torn = (self.torn, 0) if new_lines else (0, self.torn)
        assert self.log_lines() - written == new_lines + closed

    def look_at_history(self, found: Decision, party: str) -> None:
        total, full, still_open = self.model.history(party)
        said = found.reasons[-1].detail
        if total:
            assert f": {full} full, {total - full} partial, {still_open} open." in said
        else:
            assert said.startswith("No operation")

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), status=st.sampled_from(["approved", "rejected"]))
    def a_person_decides(self, data: st.DataObject, status: str) -> None:
        self.decide(data.draw(st.integers(0, len(self.ids) - 1)), status)

    def decide(self, place: int, status: str) -> None:
        elsewhere = self.room.new_reviews()  # the command line is another process
        decide = elsewhere.approve if status == "approved" else elsewhere.reject
        if self.model.decide(place, status):
            assert decide(self.ids[place]).status == status
            self.torn = 0
        else:
            try:
                decide(self.ids[place])
            except DecidedError as error:
                was = error.status
            else:
                was = ""
            assert was == self.model.reviews[place].status

    @precondition(lambda self: self.ids and not self.torn)
    @rule(kept=st.integers(1, 400))
    def a_writer_is_cut_off(self, kept: int) -> None:
        """The start of some line comes a second time, and its writer is gone."""
        again = self.room.log.read_bytes().splitlines()[-1][:kept]
        with self.room.log.open("ab") as file:
            file.write(again)
        self.torn = 1

    @precondition(lambda self: self.ids)
    @rule()
    def the_server_starts_again(self) -> None:
        self.room.reviews = self.room.new_reviews()
        self.guard = self.room.guard(**self.policy)

    @invariant()
    def reviews_are_those_of_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        reviews = self.room.reviews.list_reviews()
        assert [each.review_id for each in reviews] == self.ids
        assert [each.status for each in reviews] == [each.status for each in self.model.reviews]
        found = self.room.reviews.verify()
        assert found.first_broken is None
        assert bool(found.unfinished) == bool(self.torn)

    def log_lines(self) -> int:
        return self.room.log.read_bytes().count(b"\n") if self.room.log.exists() else 0


TestGuardAgainstTheModel = GuardMachine.TestCase
TestGuardAgainstTheModel.settings = settings(
    max_examples=int(os.environ.get("GUARD_MODEL_EXAMPLES", "60")),
    stateful_step_count=40,
    deadline=None,
)
