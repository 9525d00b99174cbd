"""Processes end and come back behind the proxy, and callers do not notice."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from typing import Self

import pytest
from deployment import Deployed, MemberApi, Pair
from proxies import PORTS, Haproxy, Nginx
from public_client import PublicClient
from rpc_post import LATEST

ROUNDS = 5000  # far more than a caller comes to
SECONDS = 30


class Callers:
    """Callers that ask again and again until the block ends, one of each server.

    ``version`` is what they speak, and ``keeps`` whether they keep their connections.
    """

    def __init__(
        self, proxy: Nginx | Haproxy, pairs: Iterable[Pair], version: str, keeps: bool
    ) -> None:
        self._proxy, self._version, self._keeps = proxy, version, keeps
        self._is_over = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._ask, args=(pair,)) for pair in pairs]
        self.answered = Counter[str]()
        self.faults: list[str] = []

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        for thread in self._threads:
            thread.join(SECONDS)

    def go_on(self) -> None:
        """Wait until every caller has got three more answers."""
        before = self.answered.copy()
        callers = len(self._threads)
        self.go_on_until(
            lambda: (
                len(self.answered) == callers
                and all(count >= before[name] + 3 for name, count in self.answered.items())
            )
        )

    def go_on_until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so, which is looked at after each answer."""
        with self._changed:
            assert self._changed.wait_for(condition, SECONDS), self.faults

    def _ask(self, pair: Pair) -> None:
        client = PublicClient(self._proxy, pair.host, pair.bearer)
        for _ in range(ROUNDS):
            if self._is_over:
                break
            fault = _call(client, pair, self._version)
            if fault or not self._keeps:
                client.close()
            with self._changed:
                self.faults.extend([f"{pair.server}: {fault}"] if fault else [])
                self.answered[pair.server] += 1
                self._changed.notify()
        client.close()


def _call(client: PublicClient, pair: Pair, version: str) -> str:
    """Return what is wrong with an answer; nothing if it is as it should be."""
    try:
        answer = client.call(version, *pair.reading)
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    if answer.status == 200 and not answer.json["result"].get("isError"):
        return ""
    return f"{answer.status} {answer.body.decode()}"


def test_no_read_fails_while_a_process_of_each_server_is_restarted(
    proxy: Nginx | Haproxy, deployed: Deployed
) -> None:
    """The proxy is told of nothing: what it sends in vain, it sends to the other process."""
    pairs = deployed.pairs.values()
    with Callers(proxy, pairs, LATEST, keeps=True) as callers:
        callers.go_on()
        for pair in pairs:
            pair.processes[0].tell()
        for pair in pairs:
            assert pair.processes[0].await_end() == 0
        callers.go_on()
        _start(proxy, deployed, 0, callers)
    assert callers.faults == []


def test_no_call_at_all_fails_while_drained_processes_are_restarted(
    proxy: Nginx | Haproxy, deployed: Deployed
) -> None:
    """What is sent once needs the proxy to be told before the process ends."""
    pairs = deployed.pairs.values()
    with Callers(proxy, pairs, "2025-06-18", keeps=False) as callers:
        callers.go_on()
        for pair in pairs:
            proxy.drain(pair.server, 1)
        before = [_count(proxy, pair, 1) for pair in pairs]
        callers.go_on()
        assert [_count(proxy, pair, 1) for pair in pairs] == before
        for pair in pairs:
            pair.processes[1].tell()
        for pair in pairs:
            assert pair.processes[1].await_end() == 0
        for pair in pairs:
            pair.processes[1].launch()
        for pair in pairs:
            pair.processes[1].await_start()
            proxy.resume(pair.server, 1)
        callers.go_on_until(
            lambda: all(
                _count(proxy, pair, 1) > count for pair, count in zip(pairs, before, strict=True)
            )
        )
    assert callers.faults == []


def _start(proxy: Nginx | Haproxy, deployed: Deployed, number: int, callers: Callers) -> None:
    """Start a process of each server, and let the proxy find out by itself that it is there."""
    pairs = deployed.pairs.values()
    for pair in pairs:
        pair.processes[number].launch()
    for pair in pairs:
        pair.processes[number].await_start()
    before = [_count(proxy, pair, number) for pair in pairs]
    callers.go_on_until(
        lambda: all(
            _count(proxy, pair, number) > count for pair, count in zip(pairs, before, strict=True)
        )
    )


def _count(proxy: Nginx | Haproxy, pair: Pair, number: int) -> int:
    return proxy.passed(pair.server)[PORTS[pair.server][number]]


@contextlib.contextmanager
def holding(api: MemberApi, process: int) -> Generator[None]:
    """Let the gateway leave one process without an answer while the block lasts."""
    api.held.add(process)
    try:
        yield
    finally:
        api.held.discard(process)


@pytest.fixture
def fairwins(deployed: Deployed) -> Pair:
    return deployed.pairs["fairwins"]


@pytest.fixture
def caller(proxy: Nginx | Haproxy, fairwins: Pair) -> Generator[PublicClient]:
    made = PublicClient(proxy, fairwins.host, fairwins.bearer)
    yield made
    made.close()


BUILD = {"action": "poolJoin", "chainId": 137, "params": {}}
CALLS = {
    "a read": (LATEST, "get_gateway_status", {}, {}),
    "a read that is paid for": (LATEST, "get_fees", {}, {"X-PAYMENT": "eyJ4NDAyVmVyc2lvbiI6Mn0="}),
    "a build": (LATEST, "build_intent", BUILD, {}),
    "a read of an older revision": ("2025-11-25", "get_fees", {}, {}),
}


@pytest.mark.parametrize("call", CALLS)
def test_only_a_read_is_sent_again_when_a_process_ends_in_the_middle_of_it(
    proxy: Nginx | Haproxy, deployed: Deployed, fairwins: Pair, caller: PublicClient, call: str
) -> None:
    version, tool, arguments, fields = CALLS[call]
    api = deployed.member_api
    first, other = fairwins.processes
    other.stop()  # so that it is the first one that gets the call
    with holding(api, 0):
        seen = len(api.asked)
        caller.begin_call(version, tool, arguments, fields)
        assert api.wait_for(lambda: len(api.asked) > seen)
        other.launch()
        other.await_start()
        _await_turn(proxy, fairwins, 1)
        first.stop()
        answer = caller.receive()
    first.launch()
    first.await_start()
    _await_turn(proxy, fairwins, 0)
    turns = [process for process, _ in api.asked[seen:]]
    if call == "a read":
        assert (answer.status, turns) == (200, [0, 1])
        assert not answer.json["result"]["isError"]
    else:
        assert (answer.status, turns) == (503, [0])
        assert "has cut the call off" in answer.json["error"]["message"]


def _await_turn(proxy: Nginx | Haproxy, pair: Pair, number: int) -> None:
    """Ask until the proxy has found out by itself that a process is there again."""
    before = _count(proxy, pair, number)
    client = PublicClient(proxy, pair.host, pair.bearer)
    for _ in range(ROUNDS):
        assert client.ask(LATEST, "tools/list").status == 200
        if _count(proxy, pair, number) > before:
            client.close()
            return
    raise AssertionError(f"{pair.processes[number].port} gets no turn")


def test_a_caller_that_hangs_up_ends_its_call_in_the_process(
    proxy: Nginx | Haproxy, deployed: Deployed, caller: PublicClient
) -> None:
    api = deployed.member_api
    seen, gone = len(api.asked), sum(api.gone.values())
    api.held.update((0, 1))
    try:
        caller.begin_call(LATEST, "get_fees", {})
        assert api.wait_for(lambda: len(api.asked) > seen)
        caller.close()
        assert api.wait_for(lambda: sum(api.gone.values()) > gone)
    finally:
        api.held.clear()
