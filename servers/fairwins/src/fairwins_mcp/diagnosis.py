"""A look at the configuration: what is set, what the gateway says, and what will work with it."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from fairwins_mcp.api import Api
from fairwins_mcp.caller import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, Caller
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.console import columns, folded, is_terminal
from fairwins_mcp.errors import ApiError, shorten
from fairwins_mcp.routes import Route
from fairwins_mcp.settings import (
    MAX_TIMEOUT_MS,
    TIMEOUT_VARIABLE,
    URL_VARIABLE,
    Settings,
    is_timeout,
)
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
from fairwins_mcp.values import is_array, is_number, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairwins_mcp.answers import Answer
    from fairwins_mcp.options import HttpOptions, Options
    from fairwins_mcp.shapes import JsonObject, ToolEntry

NEXT = "next"
STATUS_ROUTE, TOKEN_ROUTE = "status", "me"
# With these the API refuses the token itself. Other refusals leave open what it is good for.
REFUSED = frozenset(
    ("invalid_signature", "invalid_token", "token_expired", "token_revoked", "token_ttl_exceeded")
)
# With these it refuses the member: the token is good, and still no tool of the member works.
BARRED = frozenset(("membership_required", "sanctioned_signer"))


def diagnose(options: Options, environment: Mapping[str, str]) -> tuple[str, bool]:
    """Return a report, for people or as JSON, and whether everything that is configured works.

    The token is never part of it.
    """
    diagnosis = _Diagnosis(options, environment)
    try:
        lines, verdicts = diagnosis.report()
    finally:
        diagnosis.close()
    write = _as_json if options.as_json else _as_text
    return write(lines, verdicts, diagnosis.is_sound), diagnosis.is_sound


def _as_text(lines: list[tuple[str, str]], verdicts: dict[str, str], is_sound: bool) -> str:
    rows = [(f"{name:<20} ", text) for name, text in lines]
    rows.append(("tools", ""))
    rows += [(f"  {name:<24} ", verdict) for name, verdict in verdicts.items()]
    width = columns() - 1 if is_terminal(sys.stdout) else sys.maxsize
    parts = (folded(f"{head}{text}", width, " " * len(head)) for head, text in rows)
    return "".join(f"{line}\n" for part in parts for line in part)


def _as_json(lines: list[tuple[str, str]], verdicts: dict[str, str], is_sound: bool) -> str:
    tools: list[dict[str, str]] = []
    for name, verdict in verdicts.items():
        works, _, why = verdict.partition(": ")
        tools.append({"name": name, "works": works, "why": why})
    settings = [{"name": name, "text": text} for name, text in lines if name != NEXT]
    steps = [text for name, text in lines if name == NEXT]
    document = {"ok": is_sound, "settings": settings, "next": steps, "tools": tools}
    return json.dumps(document, indent=2) + "\n"


class _Diagnosis:
    def __init__(self, options: Options, environment: Mapping[str, str]) -> None:
        self._options = options
        self._environment = environment
        self._settings = Settings.from_environment(environment)
        self._caller = Caller.from_environment(environment)
        self._api = Api(self._settings)
        self._carrier = BlockingCarrier()
        self._is_sound = True

    @property
    def is_sound(self) -> bool:
        """Say whether everything that is configured works, as far as it was looked at."""
        return self._is_sound

    def report(self) -> tuple[list[tuple[str, str]], dict[str, str]]:
        """Return a line for each setting and what came of it, and a verdict on each tool."""
        lines = self._describe_settings()
        gateway, is_reached = self._ask_gateway()
        lines.append(("gateway", gateway))
        verdicts: dict[str, str] = {}
        if self._caller.token is not None and is_reached:
            token, scopes, gap = self._ask_token()
            lines.append(("token", token))
        else:
            scopes, gap = None, "no: it needs a token with the scope {scope}"
            if self._caller.has_unusable_token:
                gap = f"no: {TOKEN_VARIABLE} is not sent"
        for name, tool in self._options.surface.tools.items():
            verdicts[name] = self._judge(tool, is_reached, scopes, gap)
        if self._options.http is not None:
            lines += self._describe_http(self._options.http)
        lines += [(NEXT, step) for step in self._next_steps(is_reached)]
        return lines, verdicts

    def _next_steps(self, is_reached: bool) -> list[str]:
        if self._settings.base is None:
            return [f"set {URL_VARIABLE} to the address of the gateway, https://HOST/PATH"]
        if not is_reached:
            return [f"see that the gateway runs, and that {URL_VARIABLE} is its address"]
        if self._caller.is_anonymous:
            return [f"set {TOKEN_VARIABLE} for the tools that read a member's data"]
        return []

    def close(self) -> None:
        self._carrier.close()

    def _judge(self, tool: ToolEntry, is_reached: bool, scopes: list[str] | None, gap: str) -> str:
        """Say whether a tool will work."""
        if not is_reached:
            if self._settings.base is None:
                return f"no: {URL_VARIABLE} names no gateway"
            return "no: the gateway does not answer"
        if tool["auth"] == "none":
            return "yes"
        scope = tool.get("scope", "")
        if gap:
            return gap.format(scope=scope)
        if scopes is None:
            return self._try(tool)
        if scope and scope not in scopes:
            return f"no: the token lacks the scope {scope}"
        return "yes"

    def _try(self, tool: ToolEntry) -> str:
        """Ask for a tool's own data, where the token may not tell what it permits."""
        route_id = tool["exec"].get("route", TOKEN_ROUTE)
        is_read = self._options.surface.snapshot["routes"][route_id]["method"] == "GET"
        if not is_read or tool["inputSchema"].get("required"):
            return "unknown: only a call of it can tell"
        try:
            self._ask(route_id)
        except ApiError as failure:
            if failure.code == "insufficient_scope":
                return f"no: the token lacks the scope {tool.get('scope', '')}"
            return f"unknown: {failure.code}"
        return "yes"

    def _describe_settings(self) -> list[tuple[str, str]]:
        base = self._settings.base
        url = self._settings.base_gap
        if base is not None:
            url = f"{base.scheme}://{base.authority}{base.path}"
        credential = "not set"
        if self._caller.token is not None:
            credential = "set, not shown"
            if not self._environment.get(TOKEN_VARIABLE):
                credential = self._describe_file(self._environment[TOKEN_FILE_VARIABLE])
        elif self._caller.has_unusable_token:
            credential = self._caller.token_gap
            self._is_sound = False
        timeout = f"{self._settings.timeout * 1000:g} ms"
        given = self._environment.get(TIMEOUT_VARIABLE, "")
        if given and not is_timeout(given):
            self._is_sound = False
            timeout += f", since it is not set to milliseconds from 1 to {MAX_TIMEOUT_MS}"
        return [(URL_VARIABLE, url), (TOKEN_VARIABLE, credential), (TIMEOUT_VARIABLE, timeout)]

    def _describe_file(self, path: str) -> str:
        """Say where the token comes from, and whether others may read it there."""
        mode = Path(path).stat().st_mode & 0o777
        if os.name == "nt" or not mode & 0o077:  # Windows keeps permissions elsewhere
            return f"from the file of {TOKEN_FILE_VARIABLE}, not shown"
        return f"from the file of {TOKEN_FILE_VARIABLE}, which others may read: chmod 600"

    def _describe_http(self, http: HttpOptions) -> list[tuple[str, str]]:
        from fairwins_mcp.http.service import SHARED_REFUSAL

        lines = [("http", f"listens on {http.host}, port {http.port}")]
        if not self._caller.is_anonymous:
            shared = "every request without a token of its own acts as this member"
            if self._caller.has_unusable_token:
                shared = "no request without a token of its own can read a member's data"
            if not http.is_shared:
                self._is_sound = False
                shared = f"does not start: {SHARED_REFUSAL}"
            lines.append(("http", shared))
        return lines

    def _ask(self, route_id: str) -> Answer:
        entry = self._options.surface.snapshot["routes"][route_id]
        bearer = entry["auth"] == "bearer"
        request = Route(route_id, entry).build(path={}, query={}, body=None, bearer=bearer)
        answer = self._carrier.run(self._api.send(request, self._caller, Cancellation()))
        if answer.is_offer:
            code: object = answer.document.get("error")
            shown = shorten(code) if isinstance(code, str) else "http_402"
            raise ApiError(shown, "the API asks a payment")
        return answer

    def _ask_gateway(self) -> tuple[str, bool]:
        if self._settings.base is None:
            self._is_sound = False
            return "not asked: its address is missing", False
        try:
            self._ask(STATUS_ROUTE)
        except ApiError as failure:
            self._is_sound = False
            return f"{failure.code} — {failure.reason}", False
        return "answers", True

    def _ask_token(self) -> tuple[str, list[str] | None, str]:
        """Return a line about the token, its scopes when known, and a reason when not."""
        try:
            document = self._ask(TOKEN_ROUTE).document
        except ApiError as failure:
            said = f"{failure.code} — {failure.reason}"
            if failure.code in REFUSED:
                self._is_sound = False
                return f"refused: {said}", [], f"no: the token is refused ({failure.code})"
            if failure.code in BARRED:
                self._is_sound = False
                return f"refused: {said}", [], f"no: {failure.code}"
            if failure.code == "insufficient_scope":
                return f"may not tell what it permits: {said}", None, ""
            self._is_sound = False
            gap = f"unknown: what the token may do could not be read ({failure.code})"
            return f"could not be read: {said}", None, gap
        listed: object = document.get("scopes")
        scopes = [item for item in listed if isinstance(item, str)] if is_array(listed) else []
        shown = ", ".join(shorten(scope) for scope in scopes[:20]) or "none"
        return f"accepted; scopes: {shown}{_describe_end(document)}", scopes, ""


def _describe_end(document: JsonObject) -> str:
    text = ""
    seconds: object = document.get("expiresAt")
    if is_number(seconds) and 0 < seconds < 1 << 33:
        text = f"; ends {datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    membership: object = document.get("membership")
    state: object = membership.get("state") if is_object(membership) else None
    if is_object(membership) and isinstance(state, str):
        text += f"; membership: {shorten(state)}"
        if state == "read":
            text += ", active" if membership.get("active") is True else ", not active"
    return text
