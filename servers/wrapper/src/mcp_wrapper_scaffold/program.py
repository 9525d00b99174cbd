"""The command of one wrapper: serve it, over HTTP or stdio, and look at what it was given."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import ssl
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import anyio

from mcp_wrapper_scaffold.console import FAILED, carry_out, fitted, tell, visible
from mcp_wrapper_scaffold.declared_secrets import FILE_SUFFIX, DeclaredSecret
from mcp_wrapper_scaffold.egress import EGRESS_FORMATS
from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.manual import TERMINAL, Parser, sections, statuses
from mcp_wrapper_scaffold.secret_sources import CallableSecret, SecretSource
from mcp_wrapper_scaffold.server import SetupError, WrapperServer
from mcp_wrapper_scaffold.serving import DEFAULT_PORT, serve
from mcp_wrapper_scaffold.stdio import serve_stdio

DONE, FAULTY = 0, 1
_STATUSES: Final = statuses(
    (("0", "done"), ("1", "something that the server needs is missing or faulty"))
)
_TOKEN = re.compile(r"[!-~]{1,4096}")
_SHORTEST_TOKEN: Final = 16
_LEVELS: Final = ("debug", "info", "warning", "error")

# What add_subparsers() returns; argparse gives it no public name.
_Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # pyright: ignore[reportPrivateUsage]


def _find_token_fault(value: str) -> str | None:
    if not _TOKEN.fullmatch(value):
        return "it is not 1 to 4096 characters of visible ASCII"
    if len(value) < _SHORTEST_TOKEN:
        return f"it has less than {_SHORTEST_TOKEN} characters, and can be guessed"
    return None


AGENT_TOKEN: Final = DeclaredSecret(
    name="MCP_AGENT_TOKEN",
    purpose="the token that callers over HTTP bring",
    find_fault=_find_token_fault,
)
NEXT_AGENT_TOKEN: Final = DeclaredSecret(
    name="MCP_AGENT_TOKEN_NEXT",
    purpose="a second one, while the token is being replaced (optional)",
    find_fault=_find_token_fault,
)


class CreateServer(Protocol):
    """Make the wrapper; ``options`` are further ones of ``create_wrapper_server``."""

    def __call__(
        self,
        *,
        agent_token: SecretSource | Sequence[SecretSource],
        secrets: Mapping[str, SecretSource],
        **options: Any,
    ) -> WrapperServer:
        """Return it."""
        ...


@dataclass(frozen=True, kw_only=True)
class WrapperProgram:
    """A command with the subcommands ``serve``, ``stdio``, ``allowlist`` and ``check-config``.

    Attributes:
        name: of the command.
        version: of the wrapper's distribution.
        description: one line.
        secrets: what it needs besides the token of its callers.
        create: makes the server.
    """

    name: str
    version: str
    description: str
    secrets: Sequence[DeclaredSecret]
    create: CreateServer

    def run(self, arguments: Sequence[str] | None = None) -> int:
        """Carry out one command; return the exit status.

        Args:
            arguments: the words; those of the process if left out.
        """
        return carry_out(self.name, lambda: self._status(arguments))

    def _status(self, arguments: Sequence[str] | None) -> int:
        given = self.make_parser().parse_args(arguments)
        try:
            status: int = given.run(given)
        except (WrapperError, ImportError) as error:
            self._tell(str(error))
            return FAILED
        return status

    def make_parser(self) -> Parser:
        """Return the parser of all commands."""
        parser = Parser(
            prog=self.name,
            description=self.description,
            epilog=sections(
                exit_status=_STATUSES,
                environment=(*self._environment(), *TERMINAL),
                examples=(
                    f"{self.name} check-config",
                    f"{self.name} stdio",
                    f"{self.name} serve --port 8080",
                    f"{self.name} allowlist --format squid",
                ),
                see_also=(f"{self.name} COMMAND --help", "mcp-wrapper --help"),
            ),
        )
        parser.add_argument("--version", action="version", version=f"{self.name} {self.version}")
        commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
        self._add_serve(commands)
        self._add_stdio(commands)
        self._add_allowlist(commands)
        self._add_check(commands)
        return parser

    def _environment(self) -> list[tuple[str, str]]:
        declared = (AGENT_TOKEN, NEXT_AGENT_TOKEN, *self.secrets)
        return [
            (each.name, f"{each.purpose}; {each.name}{FILE_SUFFIX} names a file with it instead")
            for each in declared
        ]

    def _add(
        self,
        commands: _Commands,
        name: str,
        summary: str,
        about: str,
        examples: Sequence[str],
        environment: Sequence[tuple[str, str]] = (),
    ) -> Parser:
        """Add a command; its help says the rest of what it reads and ends with."""
        return commands.add_parser(
            name,
            help=summary,
            description=about,
            epilog=sections(
                exit_status=_STATUSES,
                environment=(*environment, ("the rest", f"as `{self.name} --help` says")),
                examples=[f"{self.name} {words}" for words in examples],
                see_also=(f"{self.name} --help",),
            ),
        )

    def _add_serve(self, commands: _Commands) -> None:
        parser = self._add(
            commands,
            "serve",
            "serve over HTTP, at /mcp",
            "Serve MCP over HTTP at /mcp until told to stop, to callers that bring the token. "
            "Options go before variables.",
            ("serve", "serve --host 0.0.0.0 --port 8080 --allow-host mcp.example.com"),
            (
                ("MCP_HOST, MCP_PORT", "stand in for --host and --port"),
                ("MCP_ALLOWED_HOSTS", "stands in for --allow-host, with commas"),
                ("MCP_ALLOWED_ORIGINS", "stands in for --allow-origin, with commas"),
                ("MCP_CA_FILE", "stands in for --ca-file"),
            ),
        )
        parser.set_defaults(run=self._serve)
        environ = os.environ
        parser.add_argument(
            "--host",
            metavar="ADDRESS",
            default=environ.get("MCP_HOST") or "127.0.0.1",
            help="the address to listen on; default: MCP_HOST, or 127.0.0.1",
        )
        parser.add_argument(
            "--port",
            metavar="PORT",
            type=_port,
            default=environ.get("MCP_PORT") or str(DEFAULT_PORT),
            help=f"the port; 0 takes a free one; default: MCP_PORT, or {DEFAULT_PORT}",
        )
        parser.add_argument(
            "--allow-host",
            metavar="NAME",
            action="append",
            default=_listed(environ.get("MCP_ALLOWED_HOSTS")),
            help="a name by which the server is called, beside loopback; also MCP_ALLOWED_HOSTS, "
            "with commas",
        )
        parser.add_argument(
            "--allow-origin",
            metavar="ORIGIN",
            action="append",
            default=_listed(environ.get("MCP_ALLOWED_ORIGINS")),
            help="an origin of pages that may call it; also MCP_ALLOWED_ORIGINS, with commas",
        )
        parser.add_argument(
            "--metrics", action="store_true", help="serve /metrics, to whoever has the token"
        )
        _add_common(parser, "info")

    def _add_stdio(self, commands: _Commands) -> None:
        parser = self._add(
            commands,
            "stdio",
            "serve over standard input and output, to whoever starts it",
            "Serve MCP over standard input and output until the client goes, as desktop clients "
            "start it. A secret that is missing is told on standard error, and by every call.",
            ("stdio", "stdio --log-level info"),
            (("MCP_CA_FILE", "stands in for --ca-file"),),
        )
        parser.set_defaults(run=self._stdio)
        _add_common(parser, "warning")

    def _add_allowlist(self, commands: _Commands) -> None:
        parser = self._add(
            commands,
            "allowlist",
            "print every request that the server can send",
            "Print every request that the server can send: as JSON, in the form of the contract's "
            "`outbound`; as hosts and ports; or as rules of the Squid proxy.",
            ("allowlist", "allowlist --format hosts"),
        )
        parser.set_defaults(run=self._allowlist)
        parser.add_argument(
            "--format",
            choices=tuple(EGRESS_FORMATS),
            default="json",
            help="json: the entries; hosts: one HOST:PORT a line; squid: rules of a proxy; "
            "default: json",
        )

    def _add_check(self, commands: _Commands) -> None:
        parser = self._add(
            commands,
            "check-config",
            "look at what the server was given; nothing is sent",
            "Look at each secret as the server would, say what is missing or faulty, and send "
            "nothing. No secret is shown.",
            ("check-config", "check-config --json"),
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help="print {ok, secrets: [{name, purpose, source, fault, hint}]} as JSON",
        )
        parser.set_defaults(run=self._check)

    def _serve(self, given: argparse.Namespace) -> int:
        faults = [each for each in self._checked(*_tokens()) if each.fault]
        for each in faults:
            self._tell(str(each))
        if faults:
            return FAULTY
        app = self.create(
            agent_token=[token.source(os.environ) for token in _tokens()],
            secrets=self._sources(),
            allowed_hosts=given.allow_host,
            allowed_origins=given.allow_origin,
            public_only=given.public_only,
            ssl_context=_authorities(given.ca_file),
            metrics=_metrics() if given.metrics else (),
        )
        serve(app, host=given.host, port=given.port, log_level=given.log_level)
        return DONE

    def _stdio(self, given: argparse.Namespace) -> int:
        for each in self._checked():
            if each.fault:
                # Its tools can be looked at all the same; a call says what is missing.
                self._tell(str(each))

        def make(token: str) -> WrapperServer:
            return self.create(
                agent_token=CallableSecret(lambda: token),
                secrets=self._sources(),
                public_only=given.public_only,
                ssl_context=context,
            )

        context = _authorities(given.ca_file)
        serve_stdio(make, log_level=given.log_level)
        return DONE

    def _allowlist(self, given: argparse.Namespace) -> int:
        server = self.create(agent_token=AGENT_TOKEN.source({}), secrets=self._sources())
        sys.stdout.write(EGRESS_FORMATS[given.format](server.allowlist))
        return DONE

    def _check(self, given: argparse.Namespace) -> int:
        found = self._checked(*_tokens())
        is_sound = not any(each.fault for each in found)
        if given.json:
            listed = [dataclasses.asdict(each) | {"hint": each.hint} for each in found]
            print(json.dumps({"ok": is_sound, "secrets": listed}, indent=2))
        else:
            print(fitted("\n".join(map(str, found)), sys.stdout))
        return DONE if is_sound else FAULTY

    def _tell(self, line: str) -> None:
        tell(f"{self.name}: {line}")

    def _sources(self) -> dict[str, SecretSource]:
        return {secret.name: secret.source(os.environ) for secret in self.secrets}

    def _checked(self, *first: DeclaredSecret) -> list[_Checked]:
        """Return what each secret is like."""

        async def check() -> list[_Checked]:
            return [
                _Checked(
                    secret.name,
                    secret.purpose,
                    secret.source(os.environ).label,
                    await secret.check(os.environ),
                )
                for secret in (*first, *self.secrets)
            ]

        return anyio.run(check)


@dataclass(frozen=True)
class _Checked:
    """What a secret is like; ``fault`` is None when nothing is wrong with it."""

    name: str
    purpose: str
    source: str
    fault: str | None

    @property
    def hint(self) -> str:
        """Return what to do about the fault; empty when there is none."""
        if self.fault is None:
            return ""
        if self.fault.endswith("are both set"):
            return "unset one of them"
        file = f"{self.name}{FILE_SUFFIX}"
        return f"set {self.name}, or {file} to the name of a file that holds it: {self.purpose}"

    def __str__(self) -> str:
        if self.fault is None:
            return f"{self.name}: ok, from {self.source}"
        return f"{self.name}: {visible(self.fault)}\n  hint: {self.hint}"


def _add_common(parser: argparse.ArgumentParser, level: str) -> None:
    parser.add_argument(
        "--public-only",
        action="store_true",
        help="refuse names with an address that is not public, at each connection",
    )
    parser.add_argument(
        "--ca-file",
        metavar="FILE",
        default=os.environ.get("MCP_CA_FILE"),
        help="authorities (PEM) that may vouch for upstreams, in place of the system's; also "
        "MCP_CA_FILE",
    )
    parser.add_argument(
        "--log-level", choices=_LEVELS, default=level, help=f"of stderr; default: {level}"
    )


def _tokens() -> list[DeclaredSecret]:
    """Return the tokens that are in use: a second one only where somebody set it."""
    names = (NEXT_AGENT_TOKEN.name, f"{NEXT_AGENT_TOKEN.name}{FILE_SUFFIX}")
    has_next = any(os.environ.get(name) for name in names)
    return [AGENT_TOKEN, NEXT_AGENT_TOKEN] if has_next else [AGENT_TOKEN]


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _authorities(path: str | None) -> ssl.SSLContext | None:
    """Return whom to trust; the system's authorities where no file is named.

    Raises:
        SetupError: there are no authorities in the file.
    """
    if not path:
        return None
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:  # ssl.SSLError is one
        is_read = isinstance(error, ssl.SSLError)
        reason = "holds no certificates in PEM" if is_read else error.strerror
        raise SetupError(f"--ca-file: {path}: {reason}") from error


def _metrics() -> object:
    from mcp_wrapper_scaffold.metrics import PrometheusSink

    return PrometheusSink()
