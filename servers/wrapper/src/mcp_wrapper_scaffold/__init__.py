"""Read-only MCP wrappers that can only send the requests they declared.

A wrapper is made by ``create_wrapper_server``, from hand-written tools or from the typed handlers
of a contract, and served by ``serve`` or any ASGI server::

    async def list_orders(args: dict[str, Any], ctx: Context) -> object:
        key = await ctx.secret("LS_API_KEY")
        answer = await ctx.fetch(
            "https://api.lemonsqueezy.com/v1/orders", headers={"Authorization": f"Bearer {key}"}
        )
        return answer.json()

    app = create_wrapper_server(
        tools=[ToolDef(name="list_orders", description="Lists orders.", handler=list_orders)],
        # or: bind=lambda context: stubs.bind(Handlers(), context=context),
        agent_token=EnvSecret("AGENT_TOKEN"),
        secrets={"LS_API_KEY": EnvSecret("LS_API_KEY")},
        allowlist=[AllowEntry("https://api.lemonsqueezy.com", "GET", "/v1/*")],
    )

Typed handlers are ``async def list_orders(self, args: models.ListOrdersInput, ctx: Context)``. To
tell the model what went wrong, a handler raises ``ToolError`` (typed ones may raise the bindings'
``ToolFailure``). A ``FetchError`` that it lets through is told by itself, without query and body.
"""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from mcp_wrapper_scaffold.allowlist import AllowEntry
    from mcp_wrapper_scaffold.context import Context
    from mcp_wrapper_scaffold.declared_secrets import DeclaredSecret
    from mcp_wrapper_scaffold.errors import (
        DeclarationError,
        FetchError,
        GatedFetchDenied,
        WrapperError,
    )
    from mcp_wrapper_scaffold.gate import Fetch, FetchResponse
    from mcp_wrapper_scaffold.google import get_google_access_token
    from mcp_wrapper_scaffold.google_tokens import AccessToken, GoogleTokenError
    from mcp_wrapper_scaffold.limits import Limits
    from mcp_wrapper_scaffold.program import WrapperProgram
    from mcp_wrapper_scaffold.secret_cache import Freshness
    from mcp_wrapper_scaffold.secret_sources import (
        CallableSecret,
        EnvSecret,
        FileSecret,
        SecretMissing,
        SecretSource,
        SecretUnavailable,
    )
    from mcp_wrapper_scaffold.server import SetupError, WrapperServer, create_wrapper_server
    from mcp_wrapper_scaffold.service_account import find_service_account_fault
    from mcp_wrapper_scaffold.serving import ListenError, serve
    from mcp_wrapper_scaffold.tokens import verify_agent_token
    from mcp_wrapper_scaffold.tooldefs import Handler, ToolDeclarationError, ToolDef, ToolError
    from mcp_wrapper_scaffold.upstream import Refusal, describe_refusal

__version__ = "0.1.0"

__all__ = [
    "AccessToken",
    "AllowEntry",
    "CallableSecret",
    "Context",
    "DeclarationError",
    "DeclaredSecret",
    "EnvSecret",
    "Fetch",
    "FetchError",
    "FetchResponse",
    "FileSecret",
    "Freshness",
    "GatedFetchDenied",
    "GoogleTokenError",
    "Handler",
    "Limits",
    "ListenError",
    "Refusal",
    "SecretMissing",
    "SecretSource",
    "SecretUnavailable",
    "SetupError",
    "ToolDeclarationError",
    "ToolDef",
    "ToolError",
    "WrapperError",
    "WrapperProgram",
    "WrapperServer",
    "create_wrapper_server",
    "describe_refusal",
    "find_service_account_fault",
    "get_google_access_token",
    "serve",
    "verify_agent_token",
]

# A name is imported from its home when it is asked for: the plugin for pytest, and the checks of
# the command, need no server, which takes a second.
_HOMES = {
    "AccessToken": "google_tokens",
    "AllowEntry": "allowlist",
    "CallableSecret": "secret_sources",
    "Context": "context",
    "DeclarationError": "errors",
    "DeclaredSecret": "declared_secrets",
    "EnvSecret": "secret_sources",
    "Fetch": "gate",
    "FetchError": "errors",
    "FetchResponse": "gate",
    "FileSecret": "secret_sources",
    "Freshness": "secret_cache",
    "GatedFetchDenied": "errors",
    "GoogleTokenError": "google_tokens",
    "Handler": "tooldefs",
    "Limits": "limits",
    "ListenError": "serving",
    "Refusal": "upstream",
    "SecretMissing": "secret_sources",
    "SecretSource": "secret_sources",
    "SecretUnavailable": "secret_sources",
    "SetupError": "server",
    "ToolDeclarationError": "tooldefs",
    "ToolDef": "tooldefs",
    "ToolError": "tooldefs",
    "WrapperError": "errors",
    "WrapperProgram": "program",
    "WrapperServer": "server",
    "create_wrapper_server": "server",
    "describe_refusal": "upstream",
    "find_service_account_fault": "service_account",
    "get_google_access_token": "google",
    "serve": "serving",
    "verify_agent_token": "tokens",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
