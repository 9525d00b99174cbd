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
