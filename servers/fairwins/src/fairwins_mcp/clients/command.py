"""``fairwins-mcp client-config``: show what a client is told, or put it into its file."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from fairwins_mcp.caller import find_fault
from fairwins_mcp.clients.documents import DocumentError
from fairwins_mcp.clients.entries import Snippet, Snippets, find_command
from fairwins_mcp.clients.files import FileError, Original, save_token
from fairwins_mcp.clients.locations import TITLES, Locations
from fairwins_mcp.clients.merging import EntryError, merge
from fairwins_mcp.console import columns, is_terminal, tell, visible
from fairwins_mcp.manual import Parser, sections, statuses
from fairwins_mcp.settings import URL_VARIABLE, BaseUrl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "client-config"
SHARED = "claude-code"  # its file belongs to a project, and is often published with it
BOM = "\ufeff"
DESCRIPTION = """\
Show what an MCP client has to be told of this server, or tell it.

Without --write, nothing is changed: the snippet goes to standard output. With it, the entry is
added to the client's file; one that is there already stays as it is, and what differs is shown.

No token is ever written into a client's file. Claude Code and Cursor take it from the variable
FAIRWINS_API_TOKEN, VS Code asks for it and keeps it encrypted, and Claude Desktop, which does
neither, is told the name of a file that holds it. --save-token makes that file, for you alone."""
STATUSES = (("0", "the client is told"), ("1", "something has to be done by hand"))


def configure_client(words: list[str], environment: Mapping[str, str]) -> int:
    """Carry out the command; return its exit status.

    Exits with status 0 after ``--help``, and with 2 and a sentence on stderr for wrong arguments.

    Raises:
        SnapshotError: the packaged snippets cannot be read.
    """
    parser = make_parser()
    given = parser.parse_args(words)
    if given.client is None and (given.write or given.path):
        parser.error("--write and --path need a CLIENT")
    if given.client is not None and given.json:
        parser.error("--json is for the list of clients; what a CLIENT is told is JSON already")
    home = os.path.expanduser("~")  # noqa: PTH111 - a path where there is no home is no error
    places = Locations(sys.platform, environment, home, str(Path.cwd()))
    token_file = str(Path(given.token_file or places.token_file).absolute())
    if given.save_token:
        status = _save(Path(token_file))
        if status or given.client is None:
            return status
    if given.client is None:
        rows = [(key, title, places.find_file(key)) for key, title in TITLES.items()]
        _put(_as_json(rows) if given.json else _listed(rows))
        return 0
    snippets = Snippets()
    runner = shutil.which("uvx")
    command = find_command(sys.argv[0], sys.executable, given.client == SHARED, runner)
    snippet = snippets.make(given.client, command, _read_settings(environment), token_file)
    path = given.path or places.find_file(given.client)
    if given.write:
        return _write(snippet, given.client, path, token_file)
    _show(snippet, given.client, path)
    return 0


def _listed(rows: list[tuple[str, str, str]]) -> str:
    """Return a line for each client; where a terminal is too narrow, its file on a line below."""
    lines = [f"{key:<16}{title:<16}{visible(path)}" for key, title, path in rows]
    if is_terminal(sys.stdout) and max(map(len, lines)) >= columns():
        lines = [f"{key:<16}{title}\n  {visible(path)}" for key, title, path in rows]
    return "\n".join(lines)


def _as_json(rows: list[tuple[str, str, str]]) -> str:
    clients = [{"client": key, "title": title, "file": path} for key, title, path in rows]
    return json.dumps({"clients": clients}, ensure_ascii=False, indent=2)


def _read_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what is taken over: an address that the server would use, so no password."""
    url = environment.get(URL_VARIABLE, "")
    return {URL_VARIABLE: url} if BaseUrl.parse(url) else {}


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog=f"fairwins-mcp {NAME}",
        description=DESCRIPTION,
        epilog=sections(
            exit_status=statuses(STATUSES),
            environment=(
                (URL_VARIABLE, "address of the gateway; taken over where it is set"),
                ("COLUMNS, NO_COLOR", "and FORCE_COLOR: as `fairwins-mcp --help` says"),
            ),
            examples=[
                f"fairwins-mcp {NAME}",
                f"fairwins-mcp {NAME} cursor",
                f"fairwins-mcp {NAME} claude-desktop --write --save-token",
                f"fairwins-mcp {NAME} --json",
            ],
            see_also=("fairwins-mcp --help",),
        ),
    )
    parser.add_argument(
        "client",
        nargs="?",
        choices=tuple(TITLES),
        metavar="CLIENT",
        help=f"{', '.join(TITLES)}; without one, their files are listed",
    )
    parser.add_argument("--write", action="store_true", help="add the entry to the client's file")
    parser.add_argument("--path", metavar="FILE", help="another file than the client's own")
    parser.add_argument(
        "--token-file", metavar="FILE", help="where the token is, for Claude Desktop"
    )
    parser.add_argument(
        "--save-token",
        action="store_true",
        help="read the token from standard input into that file, which you alone may read",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="without CLIENT: print {clients: [{client, title, file}]} as JSON",
    )
    return parser


def _show(snippet: Snippet, client: str, path: str) -> None:
    _put(json.dumps(snippet.content, ensure_ascii=False, indent=2))
    _tell(f"this goes into {path}; --write puts it there")
    if client == SHARED:
        _tell("the file belongs to the project in this folder; each user sets FAIRWINS_API_TOKEN")


def _write(snippet: Snippet, client: str, path: str, token_file: str) -> int:
    try:
        original = Original(path)
        if not _change(original, snippet, path):
            return 1
    except UnicodeDecodeError:
        return _refuse(path, "is not UTF-8", snippet)
    except DocumentError as error:
        place = f"{path}:{error.line}:{error.column}" if error.line else path
        return _refuse(place, error.reason, snippet)
    except FileError as error:
        return _refuse(path, str(error), snippet)
    if token_file in snippet.entry["env"].values() and not Path(token_file).exists():
        _tell(f"no token yet: fairwins-mcp {NAME} --save-token puts yours into {token_file}")
    return 0


def _change(original: Original, snippet: Snippet, path: str) -> bool:
    """Add the entry to a file, or say that it is there; return False when another one is."""
    text = (original.content or b"").decode("utf-8")
    lead = BOM if text.startswith(BOM) else ""
    text = text.removeprefix(BOM)
    try:
        changed = merge(snippet, text)
    except EntryError as error:
        _tell(f'"{snippet.server}" is in {path} already, and stays as it is; it differs:')
        for each in error.differences:
            _tell(f"  {each}")
        if error.holds_secret and original.is_open:
            _tell(f"it holds a token in the open, and others may read {path}: chmod 600 it")
        return False
    if changed == text:
        _tell(f'"{snippet.server}" is in {path} already, just as it would be written')
        return True
    original.replace(f"{lead}{changed}".encode())
    _tell(f'added "{snippet.server}" to {path}; start the client anew')
    return True


def _save(path: Path) -> int:
    stream: object = sys.stdin  # None where the process was started with a closed one
    if stream is None:
        _tell("standard input is closed; pipe the token in, or type it")
        return 1
    if sys.stdin.isatty():
        # The terminal has to be given back as it was before this process ends.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            token = getpass.getpass("token: ")
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
    else:
        token = sys.stdin.readline()
    fault = find_fault(token.rstrip("\r\n"))
    if fault is not None:
        _tell(f"that is no token: it {fault}; copy it anew from the FairWins app")
        return 1
    try:
        is_new = save_token(path, token.rstrip("\r\n"))
    except FileError as error:
        _tell(f"{path} {error}")
        return 1
    _tell(f"the token is in {path}{'' if is_new else ' already'}, for you alone")
    return 0


def _refuse(place: str, reason: str, snippet: Snippet) -> int:
    """Say why a file is left alone, and what a person can put there."""
    _tell(f"{place} {reason}; it is left as it is. Add this to it by hand:")
    _put(json.dumps(snippet.content, ensure_ascii=False, indent=2))
    return 1


def _put(text: str) -> None:
    """Print what was asked for.

    Raises:
        OSError: it does not arrive, which is no success.
    """
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _tell(sentence: str) -> None:
    tell(f"fairwins-mcp: {visible(sentence)}")
