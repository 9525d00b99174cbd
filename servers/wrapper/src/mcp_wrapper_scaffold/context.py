"""What a handler is given: the gated fetch of its own call, and the wrapper's secrets."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcp_wrapper_scaffold.gate import Fetch
from mcp_wrapper_scaffold.secret_cache import Secrets


@dataclass(frozen=True, slots=True)
class Context:
    """One call of a tool.

    The caller's bearer token is not in it.

    Attributes:
        fetch: sends a request that the wrapper's allowlist permits, and raises
            ``GatedFetchDenied`` at the call, before any I/O, for every other. It works until the
            call ends.
        tool: the name of the tool that was called.
        protocol_version: the MCP revision that the caller speaks.
        request_id: the id of the JSON-RPC request.
    """

    fetch: Fetch = field(repr=False)
    tool: str
    protocol_version: str
    request_id: str | int | None
    _secrets: Secrets = field(repr=False)

    async def secret(self, name: str) -> str:
        """Return the present value of a secret that ``create_wrapper_server`` was given.

        Raises:
            LookupError: no secret of this name was declared.
            SecretUnavailable: it cannot be read now. Left alone, it ends the call with a text
                that names the source.
        """
        return await self._secrets.get(name)
