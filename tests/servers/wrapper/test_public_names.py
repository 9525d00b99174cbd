"""The exact public names, and that none of them is or makes a gated fetch of its own."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mcp_wrapper_scaffold
from mcp_wrapper_scaffold.gate import Gate

PACKAGE = Path(mcp_wrapper_scaffold.__file__).parent
# What wrappers may import, by module. The other modules are the library's own.
PUBLIC = {
    "mcp_wrapper_scaffold": {
        "AccessToken", "AllowEntry", "CallableSecret", "Context", "DeclarationError",
        "DeclaredSecret", "EnvSecret", "Fetch", "FetchError", "FetchResponse", "FileSecret",
        "Freshness", "GatedFetchDenied", "GoogleTokenError", "Handler", "Limits", "ListenError",
        "Refusal", "SecretMissing", "SecretSource", "SecretUnavailable", "SetupError",
        "ToolDeclarationError", "ToolDef", "ToolError", "WrapperError", "WrapperProgram",
        "WrapperServer", "create_wrapper_server", "describe_refusal",
        "find_service_account_fault", "get_google_access_token", "serve", "verify_agent_token",
    },
    "mcp_wrapper_scaffold.metrics": {
        "DenialSink", "MetricsPage", "MetricsSink", "OpenTelemetrySink", "PrometheusSink",
    },
    "mcp_wrapper_scaffold.testing": {  # for tests alone
        "Answer", "Attempt", "CallRefused", "Guard", "LoopbackNetwork", "OutsideGate",
        "RecordedUpstream", "SentRequest", "UpstreamFault", "WrapperClient", "exchange",
    },
}  # fmt: skip
# Of the package's own names, these are about MCP or a gate's answer, and take no allowlist.
TAKES_AN_ALLOWLIST = {"create_wrapper_server", "WrapperServer"}


def visible(module: ModuleType) -> set[str]:
    """Return the names that a module shows, its submodules apart, once all were asked for."""
    for name in module.__all__:
        getattr(module, name)
    # Pytest puts names of its own into modules of packages with a plugin; they begin with "@".
    shown = {name for name in vars(module) if name.isidentifier() and not name.startswith("_")}
    submodules = {each.name for each in pkgutil.iter_modules(module.__path__)}
    return shown - submodules


@pytest.mark.parametrize("name", PUBLIC)
def test_the_public_names_are_exactly_these(name: str) -> None:
    assert set(importlib.import_module(name).__all__) == PUBLIC[name]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_shows_nothing_but_its_public_names(name: str) -> None:
    assert visible(importlib.import_module(name)) == PUBLIC[name]


def test_a_server_shows_what_it_may_send_and_no_way_to_send_it() -> None:
    app = mcp_wrapper_scaffold.create_wrapper_server(
        tools=[], agent_token=mcp_wrapper_scaffold.EnvSecret("T"), allowlist=[]
    )
    shown = {name for name in dir(app) if not name.startswith("_")}
    assert shown == {"name", "allowlist", "allowed_hosts", "cut_off"}


def test_no_public_name_is_a_gate_or_makes_one() -> None:
    for module, names in PUBLIC.items():
        for name in names:
            value = getattr(importlib.import_module(module), name)
            assert value is not Gate
            assert not isinstance(value, Gate)
            assert getattr(value, "__module__", "") != "mcp_wrapper_scaffold.gate.transport"
            if name == "Fetch":
                assert getattr(value, "_is_protocol", False)  # a type, and nothing that can be made
                with pytest.raises(TypeError, match="Protocols cannot be instantiated"):
                    value()


def test_no_public_function_takes_an_allowlist_but_the_one_that_makes_a_server() -> None:
    found = set[str]()
    for name in PUBLIC["mcp_wrapper_scaffold"]:
        annotations = getattr(getattr(mcp_wrapper_scaffold, name), "__annotations__", {})
        if "allowlist" in annotations:
            found.add(name)
    assert found <= TAKES_AN_ALLOWLIST


def test_the_http_library_is_imported_in_one_module() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(name.partition(".")[0] in ("httpx2", "httpx", "httpcore2") for name in imports(path))
    }
    assert found == {"gate/transport.py"}


def imports(path: Path) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
    return found


def test_only_the_server_makes_a_gate() -> None:
    made = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Gate"
    }
    assert made == {"server.py"}


def test_importing_the_package_brings_no_sink_s_library() -> None:
    code = (
        "import sys, mcp_wrapper_scaffold, mcp_wrapper_scaffold.metrics as m; "
        "assert 'prometheus_client' not in sys.modules; m.PrometheusSink; "
        "assert 'prometheus_client' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_name_that_metrics_does_not_have_is_an_attribute_error() -> None:
    metrics = importlib.import_module("mcp_wrapper_scaffold.metrics")
    with pytest.raises(AttributeError):
        _ = metrics.StatsdSink
