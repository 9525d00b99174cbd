"""Start and end of the HTTP transport as a process."""

from __future__ import annotations

from fairwins_mcp.caller import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, Caller, has_own_token
from fairwins_mcp.http.callers import Callers
from fairwins_mcp.http.endpoint import MCP_PATH, Endpoint
from fairwins_mcp.http.limits import Limits
from fairwins_mcp.http.listener import Listener, ListenError, end_on_signals
from fairwins_mcp.protocol import Protocol
from fairwins_mcp.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fairwins_mcp.options import HttpOptions
    from fairwins_mcp.surface import Surface

SHARED_REFUSAL = (
    f"{TOKEN_VARIABLE} or {TOKEN_FILE_VARIABLE} is set, and over HTTP everybody who reaches this "
    "server would act as that member. Unset it, so that each request brings its own token, or say "
    "--allow-shared-token."
)


def serve_http(
    surface: Surface,
    options: HttpOptions,
    environment: Mapping[str, str],
    note: Callable[[str], None],
) -> int:
    """Serve until SIGINT or SIGTERM; return the exit status: 0, or 1 when it cannot start.

    A token in the environment is refused before anything listens, unless the options share it.
    """
    if has_own_token(environment) and not options.is_shared:
        note(SHARED_REFUSAL)
        return 1
    shared = Caller.from_environment(environment) if has_own_token(environment) else None
    if shared is not None and shared.has_unusable_token:
        note(shared.token_gap)
    limits = Limits()
    protocol = Protocol(surface, Settings.from_environment(environment), note)
    endpoint = Endpoint(protocol, surface, Callers(shared), options.gate, limits)

    def announce(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        note(f"listening on http://{shown}:{port}{MCP_PATH}")

    listener = Listener(endpoint, limits, note, announce)
    end_on_signals(listener)
    try:
        listener.serve(options.host, options.port)
    except ListenError as error:
        note(f"cannot listen on {options.host}:{options.port}: {error}")
        return 1
    note("stopped")
    return 0
