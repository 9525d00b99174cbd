"""Arguments repeated in header fields, where a tool's schema says so with ``x-mcp-header``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.shared.inbound import validate_mcp_param_headers, x_mcp_header_map
from starlette.datastructures import Headers

from mcp_wrapper_scaffold.http.messages import is_object


class ParamFields:
    """Compare ``Mcp-Param-*`` fields with arguments, for the tools of a server."""

    def __init__(self, server: Server[Any]) -> None:
        self._lookup = server.get_tool_input_schema
        # Schemas by tool, of those that ask for fields; None for the others. Only names of tools
        # are kept, of which there are few.
        self._schemas: dict[str, Mapping[str, Any] | None] = {}

    def check(self, headers: Headers, params: Mapping[str, Any]) -> None:
        """Compare the fields of one call.

        Raises:
            MCPError: -32020, a field is missing, too many, or says something else.
        """
        name: object = params.get("name")
        arguments: object = params.get("arguments") or {}
        schema = self._schema(name) if isinstance(name, str) else None
        if schema is None or not is_object(arguments):
            return
        rejection = validate_mcp_param_headers(schema, arguments, headers)
        if rejection is not None:
            raise MCPError(rejection.code, rejection.message, rejection.data)

    def _schema(self, name: str) -> Mapping[str, Any] | None:
        if name not in self._schemas:
            schema = None if self._lookup is None else self._lookup(name)
            if schema is None:
                return None
            self._schemas[name] = schema if x_mcp_header_map(schema) else None
        return self._schemas[name]
