"""The main job on a copy of the repository: edit the contract, and see what notices.

Run it with ``nox -s demo``. Every line that starts with ``$`` is a command that is really
run; what follows it is what it really printed. The demo fails when a command ends otherwise
than it should, or does not name what it should.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_SERVER = Path("servers/fairwins/src")
_SNAPSHOT = _SERVER / "fairwins_mcp/snapshot.json"
_CONTRACT = Path("contract/contract.json")
_ID = "fairwins"
_TOOL = "get_perps_pairs"
# The grammar is the same for every contract, directories and clients are told no arguments, and
# the others are for bindings with handlers.
_WITHOUT_THE_TOOL = frozenset({"allowlist", "grammar", "registry", "stubs"})
# Where more is printed, differences are counted and not shown: they would hide the findings.
_SHOWN_LINES = 20


class DemoError(Exception):
    """Say which expectation of the demo was not met."""


def main() -> int:
    """Run the demo; return 0 when everything was noticed that should be."""
    with tempfile.TemporaryDirectory(prefix="counterfoil-demo-") as folder:
        copy = Path(folder) / "repository"
        copy_repository(copy)
        try:
            _play(copy, Path(folder))
        except DemoError as error:
            say(f"\nDEMO FAILED: {error}")
            return 1
    say("\nEverything was noticed that should be.")
    return 0


def _play(copy: Path, scratch: Path) -> None:
    say("We work on a copy of the repository; yours is not touched.")
    say("The contract is sound, and every file that is made from it is as it should be:")
    run(copy, "validate")
    run(copy, "check", "--no-cache")

    say(f'\nA contributor adds an argument "venue" to the tool {_TOOL}, and nothing else.')
    say("The check names what is stale, and nothing that is not:")
    tell_of_an_argument_more(copy)

    say("\nOne command mends it:")
    old_snapshot = (copy / _SNAPSHOT).read_bytes()
    run(copy, "generate", names=[_TOOL])
    run(copy, "check")
    say("\nThe running servers are asked what they list, at every MCP revision, and agree:")
    run(copy, "parity")

    say("\nSomebody edits a generated model by hand:")
    model = copy / f"generated/src/counterfoil_bindings/fairwins/models/{_TOOL}_input.py"
    edited_in_passing = model.read_text("utf-8")
    model.write_text(edited_in_passing + "\n\nDEBUG = True\n", "utf-8")
    run(copy, "check", expect=1, names=["CF204", f"{_TOOL}_input.py"])
    model.write_text(edited_in_passing, "utf-8")

    say("\nSomebody restores the old snapshot of the server:")
    new_snapshot = (copy / _SNAPSHOT).read_bytes()
    (copy / _SNAPSHOT).write_bytes(old_snapshot)
    run(copy, "check", expect=1, names=["CF203", "snapshot.json"])
    codes = ["CF320", "CF303"]
    run(copy, "parity", "--server", _ID, expect=1, names=[*codes, _TOOL, "venue"])
    (copy / _SNAPSHOT).write_bytes(new_snapshot)

    say("\nSomebody starts a server that serves one tool too many:")
    line = server_with_one_more(copy, scratch)
    run(
        copy, "parity", "--server", _ID, "--command", line,
        expect=1, names=["CF302", "drop_tables"],
    )  # fmt: skip
    say("\nAnd with all of it undone:")
    run(copy, "check")
    run(copy, "parity", "--server", _ID)


def tell_of_an_argument_more(copy: Path) -> None:
    """Give the tool of a copy an argument more, and insist on what the check says of it."""
    edit_json(copy / _CONTRACT, add_argument)
    told = run(copy, "check", expect=1, names=["CF203", _TOOL, "counterfoil generate"])
    insist_on_exactly(made_from_the_tool(copy), _paths(told))


def copy_repository(copy: Path) -> None:
    """Copy the files of the working tree that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        source = ROOT / name
        if source.is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / name)


def add_argument(contract: dict[str, Any]) -> None:
    """Give a tool one argument more, and its route the query parameter that carries it."""
    pattern = "^(gains|gmx|hyperliquid)$"
    server = contract["servers"][_ID]
    tool = next(each for each in server["tools"] if each["name"] == _TOOL)
    tool["inputSchema"].setdefault("properties", {})["venue"] = {
        "description": "Only pairs of this venue.",
        "pattern": pattern,
        "type": "string",
    }
    tool["exec"]["query"] = ["venue"]
    route = next(each for each in server["routes"] if each["id"] == tool["exec"]["route"])
    route["queryParams"] = [
        {"description": "Only pairs of this venue.", "name": "venue", "pattern": pattern}
    ]


def made_from_the_tool(copy: Path) -> set[str]:
    """Return the files that the tool's input goes into, from configuration and contract.

    They are the model of its input, what is made of its whole server, and the report about
    all models. The server's binding decides whether it has stubs; this one vendors a snapshot.
    """
    configuration = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))
    server = json.loads((copy / _CONTRACT).read_text("utf-8"))["servers"][_ID]
    if server["binding"] != "snapshot":
        raise DemoError(f"the binding of {_ID} is not the one that this demo knows")
    found: set[str] = set()
    for output in configuration["tool"]["counterfoil"]["output"]:
        path = output["path"].replace("{server}", _ID).replace("{package}", _ID)
        if _ID not in output.get("servers", [_ID]) or output["target"] in _WITHOUT_THE_TOOL:
            continue
        if output["target"] == "models":
            found.add(f"{path}/{_ID}/models/{_TOOL}_input.py")
        elif (copy / path).is_dir():
            files = (each for each in (copy / path).rglob("*") if each.is_file())
            found.update(each.relative_to(copy).as_posix() for each in files)
        else:
            found.add(path)
    return found


def insist_on_exactly(expected: set[str], named: Iterable[str]) -> None:
    """Fail unless the check named the expected files, each once, and no other."""
    counted = Counter(named)
    excess = sorted((counted - Counter(expected)).elements())
    lacking = sorted(expected - counted.keys())
    if excess or lacking:
        raise DemoError(f"the check named {excess} in excess and left out {lacking}")
    say(f"(those {len(expected)} files are all that is made from the tool, and no other)")


def edit_json(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a JSON file in place, in the canonical form of a contract."""
    data = json.loads(path.read_text("utf-8"))
    change(data)
    text = json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    path.write_text(text, "utf-8", newline="\n")


def server_with_one_more(copy: Path, scratch: Path) -> str:
    """Return a command line for a copy of the server whose surface has one tool more."""
    package = scratch / "one_more"
    shutil.copytree(copy / _SERVER, package)

    def add(surface: dict[str, Any]) -> None:
        extra = {**surface["tools"][0], "name": "drop_tables", "title": "One tool too many"}
        surface["tools"].append(extra)

    edit_json(package / "fairwins_mcp/snapshot.json", add)
    starter = scratch / "start.py"
    starter.write_text(
        f"import runpy, sys\nsys.path.insert(0, {str(package)!r})\n"
        "runpy.run_module('fairwins_mcp', run_name='__main__')\n",
        "utf-8",
    )
    return shlex.join([Path(sys.executable).as_posix(), starter.as_posix()])


def run(copy: Path, *words: str, expect: int = 0, names: Iterable[str] = ()) -> str:
    """Run ``counterfoil`` on the copy, show what it prints, and insist on the outcome."""
    say(f"$ counterfoil {' '.join(_short(word) for word in words)}")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(copy / _SERVER), str(copy / "tools/src")]),
        "NO_COLOR": "1",
        "COUNTERFOIL_CACHE_DIR": str(copy.parent / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "counterfoil", *words, "--project", str(copy)],
        cwd=copy,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    printed = done.stdout + done.stderr
    for line in readable(printed.splitlines()):
        say(f"  {line}")
    if done.returncode != expect:
        raise DemoError(f"{' '.join(words)} ended with {done.returncode} and not {expect}")
    for name in names:
        if name not in printed:
            raise DemoError(f"{' '.join(words)} did not name {name}")
    return printed


def readable(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of output; of a long one, a count in the place of each difference."""
    if len(lines) <= _SHOWN_LINES:
        yield from lines
        return
    for is_difference, block in groupby(lines, lambda line: line.startswith("    ")):
        if is_difference:
            yield f"    … {len(list(block))} lines of difference"
        else:
            yield from block


def _paths(printed: str) -> list[str]:
    return [line.split(":")[0] for line in printed.splitlines() if ": CF2" in line]


def _short(word: str) -> str:
    return f'"{word}"' if " " in word else word


def say(line: str) -> None:
    """Print a line at once, so that output stays in order."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
