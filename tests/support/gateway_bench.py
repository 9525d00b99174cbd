"""A gateway in this process whose every answer is held against the contract, and one in another."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from counterfoil.schema.judge import faults as find_faults
from counterfoil.schema.judge import judge
from fairwins_gateway.clock import Clock
from fairwins_gateway.exchange import Exchange
from fairwins_gateway.faults import Faults
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.messages import Inbound, Reply
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.seeding.members import ALICE
from fairwins_gateway.settings import Settings
from fairwins_gateway.tokens import SCOPES, Grant, encode_token
from fairwins_gateway.wallet import Wallet

CONTRACT: Any = json.loads(
    (Path(__file__).parents[2] / "contract" / "contract.json").read_text("utf-8")
)
SERVER = CONTRACT["servers"]["fairwins"]
ROUTES: dict[str, Any] = {route["id"]: route for route in SERVER["routes"]}
START = 1_790_000_000
DAY = 24 * 3600
KEY_ID = f"0x{'5e' * 32}"
TURN = {"messages": [{"role": "user", "content": "How are my wagers?"}]}
CLAIM = {"action": "claimPayout", "chainId": 137, "params": {"wagerId": "42"}}

# A request for each route that a member with every scope is answered.
GOOD: dict[str, dict[str, Any]] = {
    "assistantChat": {"body": TURN},
    "buildIntent": {"body": CLAIM},
    "fees": {},
    "keyStatus": {"query": [("keyId", KEY_ID)]},
    "markets": {"path": {"chainId": "137"}},
    "me": {},
    "membership": {},
    "news": {"path": {"chainId": "137", "asset": "native"}, "query": [("slug", "polygon")]},
    "openapi": {},
    "pairs": {},
    "relayStatus": {"path": {"id": "int_0"}},
    "relaySubmit": {"body": {}},
    "revoke": {"body": {}},
    "status": {},
    "wagers": {},
}


@cache
def response_judge(route: str, status: int, offered: bool) -> Any:
    """Return the judge of a route's answers with a status, out of the contract."""
    schema = ROUTES[route]["response"]
    if status != 200:
        schema = SERVER["payment"]["offer"] if offered else SERVER["errorBody"]
    return judge({"allOf": [schema], "$defs": CONTRACT["$defs"]})


def require_lawful(route: str, status: int, document: Any) -> None:
    """Refuse an answer that the contract does not allow."""
    offered = status == 402 and isinstance(document.get("accepts"), list)
    assert find_faults(response_judge(route, status, offered), document) == []
    if status != 200:
        assert set(document) == {"error"} or offered
        code = document["error"] if offered else document["error"]["code"]
        assert code in ROUTES[route]["errors"][str(status)], (route, status, code)


@dataclass(frozen=True)
class Answer:
    """An answer that the contract allows: its status, parsed body, code, headers."""

    status: int
    document: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        """Return the failure's code, wherever it is; empty for none."""
        error: Any = self.document.get("error", "")
        return str(error["code"] if isinstance(error, dict) else error)


class Bench:
    """A gateway in memory, with a clock that tests move."""

    def __init__(self, *faults: str, database: Path | None = None, **settings: Any) -> None:
        self.now = START
        self.clock = Clock(lambda: self.now * 1000)
        self.faults = Faults(faults)
        self.settings = Settings(database=database, **settings)
        self.gateway = Gateway(self.settings, self.clock, self.faults)
        self.exchange = Exchange(self.gateway, HANDLERS)
        self.wallet = Wallet(self.settings.seed, self.clock)
        self._nonces = 0

    def grant(self, account: str = ALICE, **changes: Any) -> Grant:
        """Return a grant of every scope for 30 days, with changes."""
        usual: dict[str, Any] = {
            "account": account,
            "key_id": KEY_ID,
            "scopes": SCOPES,
            "issued_at": self.now,
            "expires_at": self.now + 30 * DAY,
        }
        return Grant(**{**usual, **changes})

    def token(self, account: str = ALICE, **changes: Any) -> str:
        """Return a token of such a grant."""
        grant = self.grant(account, **changes)
        return encode_token(grant, self.gateway.signer.sign(grant.account, grant.signed_text()))

    def ask(self, route: str, *, token: str | None = "", **request: Any) -> Answer:
        """Send a request: the good one of the route where nothing else is said.

        ``token`` is a good one when empty, and none at all when it is None.
        """
        wanted = {**GOOD[route], **request}
        headers: list[tuple[str, bytes]] = list(wanted.get("headers", ()))
        if token is not None and ROUTES[route]["auth"] == "bearer":
            headers.append(("authorization", f"Bearer {token or self.token()}".encode()))
        body = wanted.get("body", b"")
        inbound = Inbound(
            path=wanted.get("path", {}),
            query=wanted.get("query", ()),
            headers=headers,
            body=body if isinstance(body, bytes) else json.dumps(body).encode(),
            address=wanted.get("address", "127.0.0.1"),
        )
        return read(route, self.exchange.answer(self.gateway.operations[route], inbound))

    def payment(self, route: str = "fees", payer: str = ALICE, **changes: Any) -> dict[str, Any]:
        """Return a new payment for what a route costs; ``changes`` go into its authorization."""
        offer = self.ask(route, token=None).document
        self._nonces += 1
        header = self.wallet.pay(offer, payer, f"{self._nonces:064x}")
        payment: dict[str, Any] = json.loads(base64.b64decode(header))
        payment["payload"]["authorization"].update(changes)
        return payment

    def pay(self, route: str, payment: Any, header: str = "x-payment", **request: Any) -> Answer:
        """Ask with a payment and without a token, unless one is given."""
        value = payment if isinstance(payment, bytes) else encode(payment)
        wanted = {"token": None, **request}
        return self.ask(route, headers=[(header, value)], **wanted)

    def close(self) -> None:
        """Close the database."""
        self.gateway.close()


def read(route: str, reply: Reply) -> Answer:
    """Read an answer, and refuse one that the contract does not allow."""
    document = json.loads(reply.body)
    require_lawful(route, reply.status, document)
    return Answer(reply.status, document, reply.headers)


def encode(document: Any) -> bytes:
    """Write a payment header."""
    return base64.b64encode(json.dumps(document).encode())


def without(document: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return a document without one member."""
    copied: dict[str, Any] = json.loads(json.dumps(document))
    inner = copied
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copied


@dataclass(frozen=True)
class Process:
    """A gateway in a process of its own."""

    url: str
    admin: str
    process: subprocess.Popen[bytes]

    def turn_on(self, name: str, value: str | None = None) -> None:
        """Turn a fault on."""
        self.call("POST", "/faults", {"name": name, "value": value})

    def turn_off(self, name: str) -> None:
        """Turn a fault off."""
        self.call("DELETE", f"/faults/{name}")

    def requests(self, first: int = 20) -> list[dict[str, Any]]:
        """Return the latest requests, the newest first."""
        found: list[dict[str, Any]] = self.call("GET", f"/requests?first={first}")["requests"]
        return found

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call an admin route."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.admin + path, data=data, method=method)
        with urlopen(request, timeout=20) as response:
            return json.load(response)


@contextmanager
def serve(*arguments: str) -> Generator[Process]:
    """Serve a gateway on free ports until the block ends."""
    command = [
        sys.executable,
        "-m",
        "fairwins_gateway",
        "serve",
        "--port",
        "0",
        "--admin-port",
        "0",
    ]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            places = json.loads(process.stdout.readline())
            yield Process(places["url"], places["admin"], process)
        finally:
            process.terminate()
            process.wait(20)


def run(*arguments: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run the command to its end: exit status, stdout, stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "fairwins_gateway", *arguments],
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()
