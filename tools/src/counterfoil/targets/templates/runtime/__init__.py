"""What every generated server shares: from a contract's surface to a server of the MCP SDK."""

from .binding import Binding, BindingError, bind_server
from .calls import CallContext, ToolFailure, ToolResult

__all__ = ["Binding", "BindingError", "CallContext", "ToolFailure", "ToolResult", "bind_server"]
