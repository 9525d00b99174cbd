"""The command of a wrapper: what it takes from its environment, and how it ends."""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import ssl
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from wrapped import wrap

from mcp_wrapper_scaffold import (
    Context,
    DeclaredSecret,
    SetupError,
    WrapperProgram,
    WrapperServer,
)

TOKEN = "sesame-open-0123456789"
KEY = DeclaredSecret(
    name="SHOP_KEY",
    purpose="a key of the shop",
    find_fault=lambda value: None if value.startswith("k") else "it does not begin with k",
    file_variables=("SHOP_CREDENTIALS",),
)


ENTRIES = """[
  {
    "method": "GET",
    "origin": "http://127.0.0.1:9",
    "pathPattern": "/v1/*"
  }
]
"""


async def hello(args: dict[str, Any], ctx: Context) -> object:
    """Return a greeting."""
    return {"hello": True}


def create(**options: Any) -> WrapperServer:
    """Return a wrapper of one tool."""
    return wrap(hello, **options)


def program() -> WrapperProgram:
    """Return its command."""
    return WrapperProgram(
        name="shop-mcp", version="1.2.3", description="A shop.", secrets=[KEY], create=create
    )


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Take away what the environment of the tests may say."""
    for name in list(os.environ):
        if name.startswith(("MCP_", "SHOP_")):
            monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"], ["stdio", "--help"]])
def test_help_names_commands_and_environment(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program().run(words) == 0
    text = capsys.readouterr().out
    assert "shop-mcp" in text
    if words == ["--help"]:
        for word in ("serve", "stdio", "allowlist", "check-config", "exit status"):
            assert word in text
        flat = " ".join(text.split())
        assert "SHOP_KEY a key of the shop; SHOP_KEY_FILE names a file with it instead" in flat
        assert "MCP_AGENT_TOKEN_FILE names a file with it instead" in flat


def test_the_version_is_that_of_the_wrapper(capsys: pytest.CaptureFixture[str]) -> None:
    assert program().run(["--version"]) == 0
    assert capsys.readouterr().out == "shop-mcp 1.2.3\n"


@pytest.mark.parametrize(
    "words", [[], ["fly"], ["serve", "--port", "65536"], ["serve", "--port", "x"], ["stdio", "x"]]
)
def test_words_that_are_no_command_end_with_two(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program().run(words) == 2
    assert "usage: shop-mcp" in capsys.readouterr().err


def test_a_port_in_the_environment_that_is_none_ends_with_two(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("MCP_PORT", "http")
    assert program().run(["serve"]) == 2
    assert "a port is a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", ENTRIES),
        ("hosts", "127.0.0.1:9\n"),
    ],
)  # fmt: skip
def test_the_allowlist_is_printed_without_any_secret(
    form: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program().run(["allowlist", "--format", form]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("given", "status", "lines"),
    [
        (
            {},
            1,
            ["MCP_AGENT_TOKEN: the variable MCP_AGENT_TOKEN is not set",
             "SHOP_KEY: the variable SHOP_KEY is not set"],
        ),
        (
            {"MCP_AGENT_TOKEN": TOKEN, "SHOP_KEY": "k1"},
            0,
            ["MCP_AGENT_TOKEN: ok, from the variable MCP_AGENT_TOKEN",
             "SHOP_KEY: ok, from the variable SHOP_KEY"],
        ),
        (
            {"MCP_AGENT_TOKEN": "short", "SHOP_KEY": "secret"},
            1,
            ["MCP_AGENT_TOKEN: it has less than 16 characters, and can be guessed",
             "SHOP_KEY: it does not begin with k"],
        ),
        (
            {"MCP_AGENT_TOKEN": TOKEN + " ", "MCP_AGENT_TOKEN_NEXT": "ø" * 20, "SHOP_KEY": "k"},
            1,
            ["MCP_AGENT_TOKEN: it is not 1 to 4096 characters of visible ASCII",
             "MCP_AGENT_TOKEN_NEXT: it is not 1 to 4096 characters of visible ASCII",
             "SHOP_KEY: ok, from the variable SHOP_KEY"],
        ),
        (
            {"MCP_AGENT_TOKEN": TOKEN, "SHOP_KEY": "k", "SHOP_KEY_FILE": "{folder}/key"},
            1,
            ["MCP_AGENT_TOKEN: ok, from the variable MCP_AGENT_TOKEN",
             "SHOP_KEY: SHOP_KEY and SHOP_KEY_FILE are both set"],
        ),
        (
            {"MCP_AGENT_TOKEN": TOKEN, "SHOP_KEY_FILE": "{folder}/key", "SHOP_CREDENTIALS": "/no"},
            0,
            ["MCP_AGENT_TOKEN: ok, from the variable MCP_AGENT_TOKEN",
             "SHOP_KEY: ok, from the file {folder}/key"],
        ),
        (
            {"MCP_AGENT_TOKEN": TOKEN, "SHOP_CREDENTIALS": "{folder}/key"},
            0,
            ["MCP_AGENT_TOKEN: ok, from the variable MCP_AGENT_TOKEN",
             "SHOP_KEY: ok, from the file {folder}/key"],
        ),
    ],
)  # fmt: skip
def test_the_configuration_is_checked_without_a_value_being_shown(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    given: dict[str, str],
    status: int,
    lines: list[str],
) -> None:
    (tmp_path / "key").write_text("k-from-file\n")
    for name, value in given.items():
        environment.setenv(name, value.format(folder=tmp_path))
    assert program().run(["check-config"]) == status
    out = capsys.readouterr().out
    told = [line for line in out.splitlines() if not line.startswith("  hint: ")]
    assert told == [each.format(folder=tmp_path) for each in lines]
    assert TOKEN not in out
    assert "secret" not in out
    assert program().run(["check-config", "--json"]) == status
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is (status == 0)
    faults = {each["name"]: each["fault"] for each in found["secrets"]}
    hinted = {each["name"] for each in found["secrets"] if each["hint"]}
    assert hinted == {name for name, fault in faults.items() if fault}
    assert out.count("  hint: ") == len(hinted)


def test_a_server_over_http_does_not_start_without_its_secrets(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("MCP_AGENT_TOKEN", TOKEN)
    assert program().run(["serve", "--port", "0"]) == 1
    assert capsys.readouterr().err == (
        "shop-mcp: SHOP_KEY: the variable SHOP_KEY is not set\n"
        "  hint: set SHOP_KEY, or SHOP_KEY_FILE to the name of a file that holds it: "
        "a key of the shop\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
        (["--allow-host", "http://x"], "x"),
        (["--allow-origin", "x"], "x"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    environment.setenv("MCP_AGENT_TOKEN", TOKEN)
    environment.setenv("SHOP_KEY", "k")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert program().run(["serve", "--port", "0", *words]) == 2
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    error = capsys.readouterr().err
    assert error.startswith("shop-mcp: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("by_variable", [False, True])
def test_the_authorities_of_a_file_take_the_place_of_the_systems(
    environment: pytest.MonkeyPatch, tmp_path: Path, by_variable: bool
) -> None:
    given: list[dict[str, Any]] = []

    def note(**options: Any) -> WrapperServer:
        given.append(options)
        raise SetupError("noted")

    path = tmp_path / "authority.pem"
    path.write_bytes(authority())
    environment.setenv("MCP_AGENT_TOKEN", TOKEN)
    environment.setenv("SHOP_KEY", "k")
    noting = replace(program(), create=note)
    words = [] if by_variable else ["--ca-file", str(path)]
    if by_variable:
        environment.setenv("MCP_CA_FILE", str(path))
    for command in ("serve", "stdio"):
        assert noting.run([command, *words]) == 2
    assert len(given) == 2
    for options in given:
        (trusted,) = options["ssl_context"].get_ca_certs()
        assert trusted["subject"] == (((("commonName", "an authority"),)),)
        assert options["ssl_context"].verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file"), (b"nothing", "holds no certificates in PEM")]
)
@pytest.mark.parametrize("command", ["serve", "stdio"])
def test_a_file_without_authorities_is_said_in_one_line(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: str,
    content: bytes | None,
    reason: str,
) -> None:
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_bytes(content)
    environment.setenv("MCP_AGENT_TOKEN", TOKEN)
    environment.setenv("SHOP_KEY", "k")
    assert program().run([command, "--ca-file", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"shop-mcp: --ca-file: {path}: {reason}")
    assert error.count("\n") == 1


def authority() -> bytes:
    """Return a certificate that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


SERVED = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from test_program import program
sys.exit(program().run())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_served_wrapper_answers_until_it_is_told_to_stop(tmp_path: Path) -> None:
    script = tmp_path / "served.py"
    script.write_text(SERVED)
    (tmp_path / "next").write_text("the-next-token-0123456789\n")
    own = Path(__file__)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(own.parents[2] / "support"),
        "MCP_AGENT_TOKEN": TOKEN,
        "MCP_AGENT_TOKEN_NEXT_FILE": str(tmp_path / "next"),
        "SHOP_KEY": "k",
        "MCP_PORT": "0",
        "MCP_ALLOWED_HOSTS": "shop.example, other.example",
    }
    command = [sys.executable, str(script), str(own.parent), "serve", "--metrics"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    with process:
        try:
            url = _address(process.stderr)
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            host = {"Host": "shop.example"}
            with httpx2.Client(trust_env=False) as client:
                assert client.post(url, json=body).status_code == 401
                for token in (TOKEN, "the-next-token-0123456789"):
                    bearer = {"Authorization": f"Bearer {token}"}
                    answer = client.post(url, json=body, headers=bearer | host).json()
                    assert answer["result"]["tools"][0]["name"] == "hello"
                page = client.get(url.replace("/mcp", "/metrics"), headers=bearer)
                assert page.status_code == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()


def _address(log: Any) -> str:
    seen: list[str] = []
    for text in log:
        seen.append(text)
        match = re.search(r"listening on (http://\S+)", text)
        if match:
            return match[1]
    raise AssertionError("".join(seen))


def test_over_stdio_the_tools_can_be_looked_at_without_secrets(tmp_path: Path) -> None:
    script = tmp_path / "served.py"
    script.write_text(SERVED)
    own = Path(__file__)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(own.parents[2] / "support")}
    done = subprocess.run(
        [sys.executable, script, str(own.parent), "stdio"],
        input=b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        capture_output=True,
        timeout=60,
        check=True,
        env=environment,
    )
    assert json.loads(done.stdout)["result"]["tools"][0]["name"] == "hello"
    assert b"shop-mcp: SHOP_KEY: the variable SHOP_KEY is not set" in done.stderr
