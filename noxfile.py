"""Sessions of Counterfoil. Each calls commands that a person could type."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2026.4"
nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = True
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = [
    "lint", "types", "tests", "generated", "parity", "imports", "gates", "alone", "build",
]  # fmt: skip

MEMBERS = [
    "tools", "generated", "servers/fairwins", "servers/gateway", "servers/wrapper",
    "servers/lemonsqueezy", "servers/ga4", "servers/haia_trace",
]  # fmt: skip
SOURCES = [f"{member}/src" for member in MEMBERS]
LOCKS = [
    "adoption", "bench", "build", "lint", "peers", "receipts", "run", "suite", "tests", "types",
    "wrappers",
]  # fmt: skip


def install(session: nox.Session, lock: str, *members: str) -> None:
    """Install a hashed lock, and members of the workspace as they lie in the tree."""
    session.install("--require-hashes", "-r", f"requirements/{lock}.txt")
    if members:
        session.install("--no-deps", *(word for path in members for word in ("-e", f"./{path}")))


@nox.session
def lint(session: nox.Session) -> None:
    """Ask ruff about style and form."""
    install(session, "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Ask mypy and pyright, both strict."""
    install(session, "types", *MEMBERS)
    session.run("mypy", *SOURCES, "noxfile.py")
    session.run("mypy", "tools/bench", "tools/demo", "tools/drawing", "tools/release")
    session.run("pyright")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests; npm comes from PyPI, and brings compilers, clients and judges."""
    install(session, "tests", *MEMBERS)
    install(session, "suite")
    session.run("npm", "ci", "--prefix", "tests/node", "--silent")
    session.run(
        "python", "-m", "pip", "download", "jsonschema", "--no-deps", "--no-binary", "jsonschema",
        "--require-hashes", "--constraint", "requirements/suite.txt", "--no-build-isolation",
        "--quiet", "--disable-pip-version-check", "--dest", "build/suite",
    )  # fmt: skip
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(default=False)
def conformance(session: nox.Session) -> None:
    """Ask the official MCP conformance suite about the server over HTTP."""
    install(session, "tests", *MEMBERS)
    session.run("npm", "ci", "--prefix", "tests/node", "--silent")
    session.run("pytest", "-m", "conformance", "tests/conformance", *session.posargs)


@nox.session(default=False)
def peers(session: nox.Session) -> None:
    """Import real servers, serve stubs made of them, and compare both with the contract."""
    install(session, "tests", *MEMBERS)
    session.run("uv", "venv", "--quiet", "--clear", "build/peers")
    session.run(
        "uv", "pip", "install", "--quiet", "--python", "build/peers", "--require-hashes",
        "-r", "requirements/peers.txt",
    )  # fmt: skip
    session.run("npm", "ci", "--prefix", "tests/peers", "--silent")
    session.run("pytest", "-m", "peers", "tests/importer", *session.posargs)


@nox.session(default=False)
def adoption(session: nox.Session) -> None:
    """Try the hooks of pre-commit and the action of GitHub in a repository of somebody else."""
    install(session, "tests", *MEMBERS)
    session.run("uv", "pip", "install", "--require-hashes", "-r", "requirements/adoption.txt")
    session.run("pytest", "-m", "adoption", "tests/adoption", *session.posargs)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Try many more random values than the tests do."""
    install(session, "tests", *MEMBERS)
    session.env["COUNTERFOIL_EXAMPLES"] = os.environ.get("COUNTERFOIL_EXAMPLES", "500")
    paths = [
        "tests/breaking/test_properties.py",
        "tests/test_judges.py",
        "tests/servers/fairwins/test_fuzz.py",
        "tests/servers/fairwins/test_upstream_agreement.py",
        "tests/servers/wrapper/gate/test_properties.py",
        "tests/servers/wrapper/test_fuzz.py",
    ]
    session.run("pytest", "-n", "auto", *paths, *session.posargs)


@nox.session
def generated(session: nox.Session) -> None:
    """Refuse generated files that are not as the contract has them."""
    install(session, "run", *MEMBERS)
    session.run("counterfoil", "validate", "--strict")
    session.run("counterfoil", "check", "--no-cache", "--strict")


@nox.session
def parity(session: nox.Session) -> None:
    """Compare the contract with all that repeats it, running servers included."""
    install(session, "run", *MEMBERS)
    session.run("counterfoil", "parity")


@nox.session
def imports(session: nox.Session) -> None:
    """Hold imports to the layers of the house."""
    install(session, "types", *MEMBERS)
    session.run("uv", "pip", "install", "--require-hashes", "-r", "requirements/lint.txt")
    session.run("lint-imports")
    session.run("python", "tools/drawing/architecture.py", "--check")


@nox.session
def gates(session: nox.Session) -> None:
    """Look that the wrappers have no way around their gates, in source and in what is shipped."""
    install(session, "run", *MEMBERS)
    session.run("uv", "pip", "install", "--require-hashes", "-r", "requirements/build.txt")
    for wrapper in ("servers/lemonsqueezy", "servers/ga4"):
        folder = f"build/{wrapper}"
        shutil.rmtree(folder, ignore_errors=True)
        session.run("mcp-wrapper", "lint", wrapper)
        session.run("uv", "build", "--quiet", "--out-dir", folder, f"./{wrapper}")
        built = sorted(map(str, Path(folder).glob("*_mcp-*")))
        session.run("mcp-wrapper", "scan", "--config", f"{wrapper}/pyproject.toml", *built)


@nox.session
def build(session: nox.Session) -> None:
    """Build every distribution, and look that a wheel holds only its own package."""
    install(session, "build")
    shutil.rmtree("dist", ignore_errors=True)
    for member in MEMBERS:
        session.run("uv", "build", "--wheel", "--sdist", "--out-dir", "dist", f"./{member}")
    session.run("python", "tools/release/wheels.py", "dist", *MEMBERS)


@nox.session
def alone(session: nox.Session) -> None:
    """Install each distribution by itself from its wheel, import it, run its --help."""
    install(session, "build")
    session.run("python", "tools/release/alone.py", *MEMBERS)


@nox.session(default=False, venv_backend="none")
def develop(session: nox.Session) -> None:
    """Put everything into the active environment, for the guides and for an editor."""
    if not {"VIRTUAL_ENV", "CONDA_PREFIX"} & os.environ.keys():
        session.error("no environment is active: . .venv/bin/activate")
    command = ["uv", "pip", "install", "--quiet"]
    session.run(*command, "--require-hashes", "-r", "requirements/types.txt")
    session.run(*command, "--no-deps", *(word for path in MEMBERS for word in ("-e", f"./{path}")))
    session.log("the commands are there: try `counterfoil validate`")


@nox.session(default=False)
def generate(session: nox.Session) -> None:
    """Write every binding from the contract."""
    install(session, "run", *MEMBERS)
    session.run("counterfoil", "generate", *session.posargs)


@nox.session(default=False)
def zipapp(session: nox.Session) -> None:
    """Build the dependency-free server as one runnable file, dist/fairwins-mcp.pyz."""
    session.run("python", "tools/release/zipapp.py")


@nox.session(default=False)
def bundle(session: nox.Session) -> None:
    """Build the dependency-free server as an MCP bundle, dist/fairwins-mcp.mcpb."""
    session.run("python", "tools/release/bundle.py")


@nox.session(default=False)
def demo(session: nox.Session) -> None:
    """Show the main job on a copy of the repository, and a payment that ends before a human."""
    install(session, "run", *MEMBERS)
    session.run("python", "tools/demo/main_job.py")
    session.run("haia-trace-mcp", "demo")


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure the toolchain, and the servers against their peers; prints ratios and medians."""
    install(session, "bench", *MEMBERS)
    session.run("npm", "ci", "--prefix", "tools/bench/node", "--silent")
    for measured in ("toolchain", "servers", "gate", "wrapper", "receipts", "evolution"):
        session.run("python", f"tools/bench/{measured}.py", *session.posargs)


@nox.session(default=False)
def lock(session: nox.Session) -> None:
    """Write requirements/*.txt again from pyproject.toml."""
    session.install("uv")
    for group in LOCKS:
        session.run(
            "uv", "export", "--quiet", "--only-group", group, "--no-emit-workspace",
            "--no-header", "--no-annotate", "--output-file", f"requirements/{group}.txt",
        )  # fmt: skip
    Path("uv.lock").unlink(missing_ok=True)
    session.log(f"wrote {len(LOCKS)} locks in {os.path.relpath('requirements')}")
