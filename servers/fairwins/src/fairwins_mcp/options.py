"""The command line, for starts that have one: plain starts never load an argument parser."""

from __future__ import annotations

import argparse

from fairwins_mcp import __version__
from fairwins_mcp.errors import SnapshotError
from fairwins_mcp.manual import TERMINAL, Parser, sections, statuses
from fairwins_mcp.surface import Surface, load_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairwins_mcp.http.gates import Gate

ORIGINS_VARIABLE = "FAIRWINS_MCP_ALLOWED_ORIGINS"
HOSTS_VARIABLE = "FAIRWINS_MCP_ALLOWED_HOSTS"
DEFAULT_PORT = 8790
HTTP_ONLY = ("host", "allowed_origin", "allowed_host", "allow_shared_token")
DESCRIPTION = """\
Serve a FairWins member's data to MCP clients. Reads only: it never signs.

The server speaks MCP over standard input and output, as desktop clients start it, or with --http
over HTTP: POST /mcp, and GET /healthz. Over HTTP each request brings its own token.

With the word client-config before everything else, it shows what Claude Desktop, Claude Code,
Cursor or VS Code has to be told of it, and with --write tells it."""
STATUSES = (
    ("0", "its client has gone, or what --check-config looked at works"),
    ("1", "it cannot serve, or --check-config found what will not work"),
)
ENVIRONMENT = (
    ("FAIRWINS_API_URL", "base URL of the FairWins gateway; without it every call says so"),
    ("FAIRWINS_API_TOKEN", "the member's own token, for the tools that read a member's data"),
    ("FAIRWINS_API_TOKEN_FILE", "a file that holds the token instead"),
    (
        "FAIRWINS_TIMEOUT_MS",
        "longest wait for the gateway in milliseconds, 1 to 600000; default: 15000",
    ),
    (ORIGINS_VARIABLE, "like --allowed-origin, separated by commas"),
    (HOSTS_VARIABLE, "like --allowed-host, separated by commas"),
    ("PORT", "port for --http without a number"),
    ("K_SERVICE", "set by Cloud Run: --http then listens on 0.0.0.0"),
)


class HttpOptions:
    """Where to listen, whom to let in, and whether all of them act as the member in the token."""

    def __init__(self, host: str, port: int, gate: Gate, is_shared: bool) -> None:
        self.host = host
        self.port = port
        self.gate = gate
        self.is_shared = is_shared


class Options:
    """What the arguments ask for: ``http`` is None for stdio, ``checks`` for a look only.

    ``as_json`` is for programs that look.
    """

    def __init__(
        self, surface: Surface, http: HttpOptions | None, checks: bool, as_json: bool = False
    ) -> None:
        self.surface = surface
        self.http = http
        self.checks = checks
        self.as_json = as_json


def read_options(arguments: list[str], environment: Mapping[str, str]) -> Options:
    """Read the arguments, and the variables that stand in for some of them.

    Exits with status 0 after ``--help`` and ``--version``, and with 2 and a sentence on stderr for
    arguments that are wrong.
    """
    parser = make_parser()
    given = parser.parse_args(arguments)
    http: HttpOptions | None = None
    if given.http is not None:
        http = _read_http(parser, given, environment)
    else:
        for name in HTTP_ONLY:
            if getattr(given, name):
                parser.error(f"argument --{name.replace('_', '-')}: only together with --http")
    if given.json and not given.check_config:
        parser.error("argument --json: only together with --check-config")
    surface = _open_surface(parser, given.tools)
    return Options(surface, http, given.check_config, given.json)


def make_parser() -> Parser:
    """Return the parser of a start with arguments."""
    parser = Parser(
        prog="fairwins-mcp",
        description=DESCRIPTION,
        epilog=sections(
            exit_status=statuses(STATUSES),
            environment=(*ENVIRONMENT, *TERMINAL),
            examples=(
                "fairwins-mcp --check-config",
                "fairwins-mcp --tools get_fees,get_wagers",
                "fairwins-mcp --http 8790 --allowed-host mcp.example.com",
            ),
            see_also=("fairwins-mcp client-config --help", "fairwins-gateway --help"),
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--tools",
        metavar="NAMES",
        help="serve these tools only, separated by commas; default: all",
    )
    parser.add_argument(
        "--check-config",
        action="store_true",
        help="ask the gateway what this configuration can do, print it and end",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="with --check-config: print {ok, settings, next, tools: [{name, works, why}]} as JSON",
    )
    parser.add_argument(
        "--http",
        nargs="?",
        const="",
        metavar="PORT",
        help=f"serve over HTTP; default of PORT: the variable PORT, or else {DEFAULT_PORT}",
    )
    group = parser.add_argument_group("with --http")
    group.add_argument(
        "--host",
        metavar="ADDRESS",
        help="address to listen on; default: 127.0.0.1, and 0.0.0.0 on Cloud Run",
    )
    group.add_argument(
        "--allowed-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="serve pages of this origin too, such as https://app.example; may be repeated",
    )
    group.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="answer to this host name too, as behind a proxy; may be repeated",
    )
    group.add_argument(
        "--allow-shared-token",
        action="store_true",
        help="let every request without a token act as the member of FAIRWINS_API_TOKEN",
    )
    return parser


def _open_surface(parser: argparse.ArgumentParser, given: str | None) -> Surface:
    if given is None:
        return Surface(load_snapshot())
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        parser.error("argument --tools: no tool is named")
    try:
        return Surface(load_snapshot(), names)
    except SnapshotError as error:
        parser.error(f"argument --tools: {error}")


def _read_http(
    parser: argparse.ArgumentParser, given: argparse.Namespace, environment: Mapping[str, str]
) -> HttpOptions:
    from fairwins_mcp.http.gates import Gate, Origin, is_host, is_loopback

    origins: list[Origin] = []
    for text in [*given.allowed_origin, *_split(environment.get(ORIGINS_VARIABLE, ""))]:
        origin = Origin.parse(text)
        if origin is None:
            parser.error(
                f"argument --allowed-origin (or {ORIGINS_VARIABLE}): {text!r} is no origin like "
                "https://app.example or http://10.0.0.1:8080; there is no wildcard"
            )
        origins.append(origin)
    hosts: list[str] = [*given.allowed_host, *_split(environment.get(HOSTS_VARIABLE, ""))]
    for name in hosts:
        if not is_host(name):
            parser.error(
                f"argument --allowed-host (or {HOSTS_VARIABLE}): {name!r} is no host name without "
                "a port; there is no wildcard"
            )
    host: str = given.host or ("0.0.0.0" if environment.get("K_SERVICE") else "127.0.0.1")  # noqa: S104 - Cloud Run routes in from outside the container
    if given.host == "":
        parser.error("argument --host: no address is named")
    gate = Gate(origins, hosts, checks_host=is_loopback(host) or bool(hosts))
    return HttpOptions(host, _read_port(parser, given, environment), gate, given.allow_shared_token)


def _read_port(
    parser: argparse.ArgumentParser, given: argparse.Namespace, environment: Mapping[str, str]
) -> int:
    text: str = given.http or environment.get("PORT", "") or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65535):
        source = "argument --http" if given.http else "variable PORT"
        parser.error(f"{source}: {text!r} is not a port from 1 to 65535")
    return int(text[:6])


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
