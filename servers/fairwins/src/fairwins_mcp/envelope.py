"""The ``_meta`` envelope, by which a stateless revision says in every request what it is."""

from __future__ import annotations

from fairwins_mcp.errors import INVALID_PARAMS, UNSUPPORTED_VERSION, RpcError
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.shapes import JsonObject

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
PAYMENT_KEY = "x402/payment"
LOG_LEVELS = frozenset(
    ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
)


def find_envelope(params: JsonObject) -> JsonObject | None:
    """Return the envelope of a request; None when it belongs to a handshake.

    Raises:
        RpcError: -32602, ``_meta`` is not an object.
    """
    meta: object = params.get("_meta", {})
    if not is_object(meta):
        raise RpcError(INVALID_PARAMS, "Invalid params: _meta is not an object")
    return meta if is_envelope(meta) else None


def is_envelope(meta: object) -> bool:
    """Tell whether a ``_meta`` is that of a stateless revision, complete or not."""
    return is_object(meta) and any(
        key in meta for key in (VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY)
    )


def read_version(envelope: JsonObject) -> str:
    """Return the version that a complete envelope names, whether it is served or not.

    Raises:
        RpcError: -32602, the envelope lacks something or holds it in the wrong form.
    """
    version: object = envelope.get(VERSION_KEY)
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta lacks the string {VERSION_KEY}")
    if not is_object(envelope.get(CAPABILITIES_KEY)):
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta lacks the object {CAPABILITIES_KEY}")
    if not is_object(envelope.get(CLIENT_KEY, {})):
        raise RpcError(INVALID_PARAMS, f"Invalid params: {CLIENT_KEY} is not an object")
    level: object = envelope.get(LOG_LEVEL_KEY)
    if level is not None and (not isinstance(level, str) or level not in LOG_LEVELS):
        raise RpcError(INVALID_PARAMS, f"Invalid params: {LOG_LEVEL_KEY} is no log level")
    return version


def refuse_version(
    requested: str, supported: list[str], message: str = "Unsupported protocol version"
) -> RpcError:
    """Make the error for a version that is not served; it names those that are."""
    data: JsonObject = {"supported": supported, "requested": requested}
    return RpcError(UNSUPPORTED_VERSION, message, data)
