"""Commands of a Markdown page, run in order as a reader would, and what the page shows of them.

How to write a page whose commands are run:

- A fence marked ``sh`` holds commands and nothing else, so that a reader can copy it whole. All
  fences of a page run in order, in one bash, with ``set -e -o pipefail``: folder, variables and
  background jobs live on. No other kind of fence may hold commands, and every fence names a kind.
- A fence marked ``text`` right behind it (prose may be between) shows what was printed, standard
  error included. The whole output has to match. ``...`` in a line stands for anything in that
  line, and a line that is ``...`` for any number of lines, none included. A short output is shown
  whole, a long one is cut with such a line; times, hashes and paths are ``...``.
- An HTML comment right before a fence says what is special about it:

  ``<!-- exit: 1 -->``          its last command ends with this status, and that is right
  ``<!-- file: PATH -->``       not commands: a whole file that the reader writes. The text above
                                the fence names the path
  ``<!-- not run: REASON -->``  it cannot run in a test; ``tests/docs`` has a list of all of these

- An HTML comment anywhere says what is special about the page:

  ``<!-- place: empty -->``     begin in an empty folder; without it, in ``counterfoil``, a clone of
                                the repository on branch main, everything installed, nothing changed
  ``<!-- ports: 8790 8321 -->`` ports that the page uses; free ones take their place while it runs
  ``<!-- needs: nginx -->``     programs without which the page is skipped

What a page installs goes into an environment of its own. It asks no index: what is needed is there
already, with the tests. ``$EDITOR`` changes nothing.

A server is started with ``&``, with its output in a file, and ended with ``kill %1``. A client
that may come too early asks again (``curl --retry 30 --retry-delay 1 --retry-connrefused``).

``python tests/support/walkthrough.py PAGE`` prints each command, what it printed, and where that
differs from what the page shows.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240
_COMMENT = re.compile(r"<!--\s*([a-z ]+?):\s*(.*?)\s*-->", re.DOTALL)
_OF_A_FENCE = frozenset({"exit", "file", "not run"})
_OF_A_PAGE = frozenset({"place", "ports", "needs"})
# A kind that could hold commands without their being run.
_OTHER_SHELLS = frozenset({"", "bash", "bat", "cmd", "console", "powershell", "shell", "zsh"})


class PageError(Exception):
    """Say where a page does not keep to what this module describes."""


@dataclass
class Step:
    """A fence that does something: commands to run, or a file to write."""

    line: int
    kind: Literal["commands", "file"]
    text: str
    path: str = ""
    status: int = 0
    reason: str = ""
    shown: str | None = None
    shown_line: int = 0


@dataclass
class Page:
    """What a page asks a reader to do."""

    path: Path
    steps: list[Step] = field(default_factory=list)
    place: str = "clone"
    ports: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def left_out(self) -> list[Step]:
        """Return the commands that are not run."""
        return [step for step in self.steps if step.reason]


@dataclass(frozen=True)
class Outcome:
    """What a step printed, and what is wrong with it, if anything."""

    step: Step
    printed: str
    fault: str


def read(path: Path) -> Page:
    """Read a page.

    Raises:
        PageError: a fence or comment is not as described above.
    """
    page = Page(path)
    said: dict[str, str] = {}
    prose = ""
    latest: Step | None = None
    for token in MarkdownIt("commonmark").parse(path.read_text("utf-8")):
        if token.type == "html_block":
            _note(page, said, token)
        elif token.type == "inline":
            prose = token.content
        elif token.type == "heading_open":
            latest = None
        elif token.type == "fence":
            latest = _take(page, token, said, prose, latest)
            said = {}
    return page


def _note(page: Page, said: dict[str, str], token: Token) -> None:
    for key, value in _COMMENT.findall(token.content):
        if key in _OF_A_FENCE:
            said[key] = " ".join(value.split())
        elif key == "place":
            page.place = value
        elif key in _OF_A_PAGE:
            setattr(page, key, tuple(value.split()))
        else:
            raise PageError(f"{_at(page, token)}: no comment is called {key!r}")


def _take(
    page: Page, token: Token, said: Mapping[str, str], prose: str, latest: Step | None
) -> Step | None:
    """Add a fence to the page; return the step whose output a fence behind it would show."""
    kind = token.info.strip()
    line = (token.map or [0])[0] + 1
    if kind in _OTHER_SHELLS:
        raise PageError(f"{_at(page, token)}: a fence is marked {kind!r}; for commands, say sh")
    if "file" in said:
        if said["file"] not in prose:
            raise PageError(f"{_at(page, token)}: the text before does not name {said['file']}")
        page.steps.append(Step(line, "file", token.content, path=said["file"]))
        return None
    if kind == "sh":
        reason = said.get("not run", "")
        if "not run" in said and not reason:
            raise PageError(f"{_at(page, token)}: no reason is given")
        status = int(said.get("exit", "0"))
        step = Step(line, "commands", token.content, status=status, reason=reason)
        page.steps.append(step)
        return step
    if kind == "text" and latest is not None and latest.shown is None:
        latest.shown, latest.shown_line = token.content, line
        return None
    return latest


def _at(page: Page, token: Token) -> str:
    return f"{page.path.name}:{(token.map or [0])[0] + 1}"


def run(page: Page, folder: Path) -> Iterator[Outcome]:
    """Do in an empty folder what the page says; yield what came of each step.

    The first step that ends with another status than it should is the last.
    """
    steps = [step for step in page.steps if not step.reason]
    if not steps:
        return
    home, notes = folder / "home", folder / "notes"
    place = folder / ("counterfoil" if page.place == "clone" else "project")
    for each in (home, place, notes):
        each.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\nname = Reader\nemail = reader@example.com\n[init]\ndefaultBranch = main\n"
        "[advice]\ndetachedHead = false\n[core]\nhooksPath = /dev/null\n",
        "utf-8",
    )
    _make_environment(folder, place)
    environment = _environment(folder, place)
    if page.place == "clone":
        _clone(place, environment)
    taken = dict(zip(page.ports, _free_ports(len(page.ports)), strict=True))
    for number, step in enumerate(steps):
        (notes / f"{number}.step").write_text(_exchanged(step.text, taken), "utf-8")
    script = notes / "script"
    script.write_text(_script(steps, notes), "utf-8")
    ended = _bash(script, place, environment)
    back = {free: port for port, free in taken.items()}
    for number, step in enumerate(steps):
        if not (notes / f"{number}.out").exists():
            return
        printed = _exchanged((notes / f"{number}.out").read_text("utf-8", "replace"), back)
        status = (notes / f"{number}.status").exists()
        fault = "" if status else f"ended with {ended} instead of {step.status}"
        if not fault and step.shown is not None:
            fault = _difference(step.shown, printed)
        yield Outcome(step, printed, fault)


def _script(steps: list[Step], notes: Path) -> str:
    lines = ["set -e -o pipefail"]
    for number, step in enumerate(steps):
        kept, out = f"{notes}/{number}.step", f"{notes}/{number}.out"
        if step.kind == "file":
            lines += [f': > {out}; mkdir -p "$(dirname "{step.path}")"; cp {kept} "{step.path}"']
        elif step.status:
            lines += [
                f"set +e; ( set -e; . {kept} ) > {out} 2>&1; ended=$?; set -e",
                f"[ $ended = {step.status} ] || exit $ended",
            ]
        else:
            lines += [f". {kept} > {out} 2>&1"]
        lines += [f": > {notes}/{number}.status"]
    return "\n".join(lines) + "\n"


def _bash(script: Path, place: Path, environment: Mapping[str, str]) -> str:
    """Run the script, and end whatever it left running; return its status in words."""
    bash = subprocess.Popen(
        ["bash", "--norc", "--noprofile", str(script)],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return str(bash.wait(SECONDS))
    except subprocess.TimeoutExpired:
        return f"nothing within {SECONDS} s"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(bash.pid, signal.SIGKILL)
        bash.wait()


def _environment(folder: Path, place: Path) -> dict[str, str]:
    """Return the variables of a reader with the development environment, and no other."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key in {"TMPDIR", "LD_LIBRARY_PATH"} or key.startswith("COUNTERFOIL_")
    }
    scripts = [str(folder / "environment" / "bin"), str(Path(sys.executable).parent)]
    return kept | {
        "PATH": os.pathsep.join([*scripts, os.environ.get("PATH", os.defpath)]),
        "HOME": str(folder / "home"),
        "VIRTUAL_ENV": str(folder / "environment"),
        "EDITOR": "true",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUNBUFFERED": "1",
        # For environments that the page makes itself.
        "PYTHONPATH": os.pathsep.join(_importable(place)),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the value of build isolation
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _make_environment(folder: Path, place: Path) -> None:
    """Make the environment that the page begins in; it sees what the tests have."""
    base = str(folder / "environment")
    venv.create(base, symlinks=True)
    # Unlike PYTHONPATH, this is also there for processes that get no variables.
    site = Path(sysconfig.get_path("purelib", "venv", {"base": base, "platbase": base}))
    (site / "tests.pth").write_text("\n".join(_importable(place)) + "\n", "utf-8")
    # Without these, `pip` would be found further on, and install where the tests are running.
    for name in ("pip", "pip3", f"pip3.{sys.version_info.minor}"):
        script = Path(base, "bin", name)
        script.write_text(f'#!/bin/sh\nexec "{base}/bin/python" -m pip "$@"\n', "utf-8")
        script.chmod(0o755)


def _importable(place: Path) -> list[str]:
    """Return where packages are: in the clone if the page begins in one, and those of the tests."""
    tree = place if place.name == "counterfoil" else ROOT
    sources = [*sorted(ROOT.glob("*/src")), *sorted(ROOT.glob("servers/*/src"))]
    found = [str(tree / path.relative_to(ROOT)) for path in sources]
    return [*found, sysconfig.get_path("purelib")]


def _clone(place: Path, environment: dict[str, str]) -> None:
    """Copy what git knows or would add, as one commit on main."""

    def git(*words: str, cwd: Path) -> bytes:
        return subprocess.run(
            ["git", *words], cwd=cwd, env=environment, check=True, capture_output=True
        ).stdout

    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    # Byte code is good for these copies, too, and spares each page a compilation.
    for folder in {*place.glob("*/src/**/"), *place.glob("servers/*/src/**/")}:
        compiled = ROOT / folder.relative_to(place) / "__pycache__"
        if compiled.is_dir():
            shutil.copytree(compiled, folder / "__pycache__")
    git("init", "--quiet", cwd=place)
    git("add", "--all", cwd=place)
    git("commit", "--quiet", "--message", "The state that everything begins with", cwd=place)


def _free_ports(count: int) -> list[str]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _exchanged(text: str, numbers: Mapping[str, str]) -> str:
    if not numbers:
        return text
    known = "|".join(map(re.escape, numbers))
    return re.sub(rf"(?<!\d)({known})(?!\d)", lambda found: numbers[found[0]], text)


def _difference(shown: str, printed: str) -> str:
    """Return what a page shows that was not printed, empty if it matches."""
    expected = [line.rstrip() for line in shown.splitlines()]
    lines = [line.rstrip() for line in printed.splitlines()]
    patterns = [_pattern(line) for line in expected]
    if re.fullmatch("".join(patterns), "".join(f"{line}\n" for line in lines)):
        return ""
    lost = [
        line
        for line, pattern in zip(expected, patterns, strict=True)
        if line != "..." and not any(re.fullmatch(pattern, f"{each}\n") for each in lines)
    ]
    if lost:
        return "\n  ".join(["it does not print what the page shows:", *lost])
    diff = difflib.unified_diff(expected, lines, "shown", "printed", lineterm="", n=2)
    return "\n".join(["it prints something else than the page shows", *diff])


def _pattern(line: str) -> str:
    if line == "...":
        return r"(?:[^\n]*\n)*"
    return r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"


def main(words: list[str]) -> int:
    """Run pages and print everything; return 1 if something is not as shown."""
    faults = 0
    for word in words:
        with tempfile.TemporaryDirectory(prefix="walkthrough-") as folder:
            for outcome in run(read(Path(word)), Path(folder)):
                step = outcome.step
                print(f"=== {word}:{step.line}", step.path or f"\n{step.text}", sep=" ")
                print(outcome.printed, end="")
                if outcome.fault:
                    faults += 1
                    print(f"!!! {outcome.fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
