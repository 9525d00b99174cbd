"""What the images run, without an engine: their commands in this environment, on loopback.

Of a Dockerfile that leaves what no machine without an engine can do: to unpack the base image, and
to install the locked requirements and the wheels into it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deployment import Process
from dockerfiles import Image, read_image
from proxies import free_ports
from rpc_post import post, request
from trace_served import initialize

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
TOKEN = "sesame-open-0123456789"
SECRETS = {
    "MCP_AGENT_TOKEN": TOKEN,
    "LEMONSQUEEZY_API_KEY": "key",
}


def image_of(server: str) -> Image:
    return read_image(ROOT / "servers" / server / "Dockerfile")


def on_loopback(words: list[str]) -> list[str]:
    """Return a command that would listen for a container's network, for this machine alone."""
    return ["127.0.0.1" if word == "0.0.0.0" else word for word in words]


def test_the_image_of_fairwins_compiles_serves_and_is_healthy(tmp_path: Path) -> None:
    image = image_of("fairwins")
    [(source, target)] = image.copies
    shutil.copytree(
        ROOT / "servers/fairwins" / source,
        tmp_path / target,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    [run] = image.runs
    compiling, adding = run.split(" && ")
    assert adding.split()[0] == "useradd"
    words = compiling.split()
    assert words.pop(0) == "python"
    subprocess.run([sys.executable, *words], cwd=tmp_path, check=True, timeout=60)
    assert list(tmp_path.rglob("*.pyc"))
    [port] = free_ports(1)
    python, *words = image.entry
    assert python == "python"
    environment = {**image.variables, "PORT": str(port)}
    process = Process(on_loopback(words), port, environment, folder=tmp_path)
    process.launch()
    process.await_start()
    assert_healthy(image, environment)
    answer = post(f"http://127.0.0.1:{port}/mcp", request("tools/list"))
    assert answer.status == 200
    process.stop()
    assert_unhealthy(image, environment)


def test_the_image_of_a_wrapper_serves_and_is_healthy() -> None:
    """That of ga4-mcp is the same, but for names."""
    image = image_of("lemonsqueezy")
    program, *words = image.entry
    assert program == "/app/bin/lemonsqueezy-mcp"
    [port] = free_ports(1)
    assert image.variables == {"MCP_HOST": "0.0.0.0", "MCP_PORT": "8321"}
    environment = {**SECRETS, "MCP_HOST": "127.0.0.1", "MCP_PORT": str(port)}
    process = Process([str(SCRIPTS / Path(program).name), *words], port, environment)
    process.launch()
    process.await_start()
    assert_healthy(image, environment)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert post(f"http://127.0.0.1:{port}/mcp", request("tools/list"), bearer).status == 200
    process.stop()
    assert_unhealthy(image, environment)


def test_the_images_of_the_wrappers_differ_in_names_alone() -> None:
    texts = {
        (ROOT / "servers" / name / "Dockerfile").read_text("utf-8").replace(name, "NAME")
        for name in ("ga4", "lemonsqueezy")
    }
    assert len(texts) == 1


def test_the_image_of_receipts_answers_over_its_input(tmp_path: Path) -> None:
    image = image_of("haia_trace")
    program, *words = image.entry
    assert program == "/app/bin/haia-trace-mcp"
    words = [str(tmp_path) if word == "/trace" else word for word in words]
    done = subprocess.run(
        [SCRIPTS / Path(program).name, *words],
        input=initialize("2025-11-25"),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert b'"protocolVersion":"2025-11-25"' in done.stdout.replace(b" ", b"")


def check_health(image: Image, environment: dict[str, str]) -> int:
    python, *words = image.health
    assert python == "python"
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, timeout=60
    )
    return done.returncode


def assert_healthy(image: Image, environment: dict[str, str]) -> None:
    assert check_health(image, environment) == 0


def assert_unhealthy(image: Image, environment: dict[str, str]) -> None:
    assert check_health(image, environment) != 0


@pytest.mark.parametrize("server", ["fairwins", "ga4", "haia_trace", "lemonsqueezy"])
def test_an_image_runs_as_a_user_that_it_makes(server: str) -> None:
    image = image_of(server)
    text = (ROOT / "servers" / server / "Dockerfile").read_text("utf-8")
    assert any("useradd --system --no-create-home --uid 10001" in run for run in image.runs)
    assert text.index("\nUSER 10001\n") < text.index("\nENTRYPOINT ")
