"""What a wrapper may declare."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.reading import read_contract_bytes
from counterfoil.findings import Finding
from counterfoil.lint import lint_contract

Lint = Callable[..., tuple[Finding, ...]]
Changed = Callable[..., dict[str, Any]]

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("COUNTERFOIL_SHARED", ROOT.parent / "shared"))
ENTRY = "/servers/wrap/outbound/0"


@pytest.mark.parametrize(
    "origin",
    [
        "https://api.example.com",
        "https://api.example.com:8443",
        "http://127.0.0.1:8080",
        "http://[::1]:8080",
        "https://[2001:db8::1]",
        "https://xn--bcher-kva.example",
        "http://localhost:1",
        "https://a-b.c1",
        "https://api.example.com:80",
        "http://api.example.com:443",
    ],
)
def test_an_exact_origin_passes(origin: str, lint: Lint) -> None:
    assert lint((f"{ENTRY}/origin", origin)) == ()


@pytest.mark.parametrize(
    "origin",
    [
        "https://api.example.com/",
        "https://api.example.com/v1",
        "https://API.example.com",
        "HTTPS://api.example.com",
        "https://api.example.com:443",
        "http://api.example.com:80",
        "https://api.example.com:0443",
        "https://api.example.com:0",
        "https://api.example.com:65536",
        "https://api.example.com:",
        "https://*.example.com",
        "https://user@api.example.com",
        "https://user:pw@api.example.com",
        "https://api.example.com.",
        "https://api..example.com",
        "https://.example.com",
        "https://-api.example.com",
        "https://api_.example.com",
        "https://bücher.example",
        "https://api\u3002example.com",
        "api.example.com",
        "//api.example.com",
        "ftp://api.example.com",
        "wss://api.example.com",
        "https://",
        "https://api.example.com?x",
        "https://api.example.com#x",
        "https://api.example.com\\x",
        "https://api.example.com\n",
        "https://api%2Eexample.com",
        "https://2130706433",
        "https://0x7f.1",
        "https://127.1",
        "https://127.0.0.01",
        "https://1.2.3.4.5",
        "https://[::ffff:127.0.0.1]",
        "https://[0:0:0:0:0:0:0:1]",
        "https://[::1%eth0]",
        "https://[v1.a]",
        "https://" + "a" * 64 + ".example",
        "https://" + ".".join(["a" * 60] * 5),
    ],
)
def test_an_origin_that_can_be_read_otherwise_is_refused(origin: str, lint: Lint) -> None:
    findings = lint((f"{ENTRY}/origin", origin))
    assert [(each.code, each.pointer) for each in findings] == [("CF170", f"{ENTRY}/origin")]


@pytest.mark.parametrize(
    "path", ["/", "/v1/*", "/v1/", "/v1/a.b(c)+", "/v1/*:run", "/a*b/*-*", "/.well-known/x", "/..."]
)
def test_an_exact_path_passes(path: str, lint: Lint) -> None:
    assert lint((f"{ENTRY}/pathPattern", path)) == ()


@pytest.mark.parametrize(
    "path",
    [
        "v1",
        "*",
        "/v1/**",
        "/***",
        "/v1//x",
        "//",
        "/v1/../x",
        "/v1/.",
        "/v1/..;x",
        "/v1/%2a",
        "/v1?x",
        "/v1#x",
        "/v1/a b",
        "/v1/ä",
        "/v1\\x",
        "/v1/[x]",
        "/v1/{id}",
        "/v1/x\n",
        '/"',
        "/^",
    ],
)
def test_a_path_that_can_be_read_otherwise_is_refused(path: str, lint: Lint) -> None:
    findings = lint((f"{ENTRY}/pathPattern", path))
    assert [(each.code, each.pointer) for each in findings] == [("CF171", f"{ENTRY}/pathPattern")]


@pytest.mark.parametrize(
    ("method", "path", "warned"),
    [
        ("POST", "/v1/*", True),
        ("POST", "/*", True),
        ("POST", "/v1/*:run", False),
        ("POST", "/v1/*/x", False),
        ("POST", "/v1/a*", False),
        ("GET", "/v1/*", False),
        ("HEAD", "/v1/*", False),
    ],
)
def test_a_post_to_a_bare_wildcard_is_a_warning(
    method: str, path: str, warned: bool, lint: Lint
) -> None:
    findings = lint((f"{ENTRY}/method", method), (f"{ENTRY}/pathPattern", path))
    assert [(each.code, each.severity) for each in findings] == [("CF172", "warning")] * warned


def vectors() -> list[Any]:
    path = SHARED / "data/hostile_urls.json"
    if not path.is_file():
        skipped = pytest.mark.skip(reason="the shared folder with hostile_urls.json is not here")
        return [pytest.param({}, marks=skipped)]
    declarations = json.loads(path.read_text("utf-8"))["declarations"]
    return [
        pytest.param(each, id=f"{each['method']} {each['origin']}{each['path']}")
        for each in declarations
    ]


@pytest.mark.parametrize("vector", vectors())
def test_the_recorded_declarations_are_decided_as_recorded(
    vector: dict[str, Any], changed: Changed
) -> None:
    data = changed(
        (f"{ENTRY}/origin", vector["origin"]),
        (f"{ENTRY}/method", vector["method"]),
        (f"{ENTRY}/pathPattern", vector["path"]),
    )
    reading = read_contract_bytes(json.dumps(data).encode(), "contract.json")
    findings = [each for each in reading.findings if each.code != "CF105"]
    if reading.contract is not None:
        findings += lint_contract(reading.contract)
    assert (findings == []) is vector["accept"], findings
