"""Which revision a POST belongs to, and whether its header fields agree with its body.

Proxies route by the fields and the server acts on the body; where the two differ, somebody is being
deceived. The comparison itself is the SDK's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from mcp import MCPError
from mcp.shared.inbound import (
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp.types import HEADER_MISMATCH, PROTOCOL_VERSION_META_KEY
from mcp_types import DEFAULT_NEGOTIATED_VERSION
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    is_version_at_least,
)
from starlette.datastructures import Headers

from mcp_wrapper_scaffold.http.messages import RpcRequest, is_object

_LAST_BATCHING: Final = "2025-06-18"  # the first revision without arrays


@dataclass(frozen=True, slots=True)
class Era:
    """How one POST is to be served.

    Attributes:
        version: the revision that the fields name, or the one they mean by naming none.
        is_stateless: tells that the version is none of the handshake revisions.
    """

    version: str
    is_stateless: bool

    @property
    def batches(self) -> bool:
        """Tell whether an array of messages may be served."""
        return not self.is_stateless and not is_version_at_least(self.version, _LAST_BATCHING)


def find_era(headers: Headers, body: object) -> Era:
    """Read the version field.

    Raises:
        MCPError: -32020, the field is missing where the body needs it, came twice, or says
            something else than the body.
    """
    versions = headers.getlist(MCP_PROTOCOL_VERSION_HEADER)
    if len(versions) > 1:
        raise MCPError(HEADER_MISMATCH, "MCP-Protocol-Version appears more than once")
    enveloped = _envelope_version(body)
    if not versions:
        if enveloped is not None:
            raise MCPError(HEADER_MISMATCH, "MCP-Protocol-Version is missing")
        return Era(DEFAULT_NEGOTIATED_VERSION, is_stateless=False)
    version = versions[0]
    if version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return Era(version, is_stateless=True)
    if enveloped is not None and enveloped != version:
        raise MCPError(HEADER_MISMATCH, "MCP-Protocol-Version is not the version in the body")
    return Era(version, is_stateless=False)


def check_version(era: Era) -> None:
    """Refuse a version that is not served, where nothing else of the message is looked at.

    Raises:
        MCPError: -32022.
    """
    if era.is_stateless:
        _refuse(unsupported_protocol_version_rejection(era.version))


def route(headers: Headers, request: RpcRequest, era: Era) -> tuple[str, object, object]:
    """Compare a request's fields with its body.

    Returns:
        The revision to serve it in, and what it says of the client and its capabilities.

    Raises:
        MCPError: -32602, -32020 or -32022.
    """
    if not era.is_stateless:
        return _handshake_version(request, era), None, None
    duplicated = find_duplicated_routing_header(headers.items())
    if duplicated is not None:
        raise MCPError(HEADER_MISMATCH, f"{duplicated} appears more than once")
    body = {"method": request.method, "params": request.params}
    verdict = classify_inbound_request(body, headers=dict(headers))
    if isinstance(verdict, InboundLadderRejection):
        raise MCPError(verdict.code, verdict.message, verdict.data)
    return verdict.protocol_version, verdict.client_info, verdict.client_capabilities


def _handshake_version(request: RpcRequest, era: Era) -> str:
    """Return the revision of a handshake request: ``initialize`` comes before there is a field."""
    if request.method != "initialize":
        return era.version
    asked: object = (request.params or {}).get("protocolVersion")
    known = isinstance(asked, str) and asked in HANDSHAKE_PROTOCOL_VERSIONS
    return cast("str", asked) if known else LATEST_HANDSHAKE_VERSION


def _refuse(rejection: InboundLadderRejection | None) -> None:
    if rejection is not None:
        raise MCPError(rejection.code, rejection.message, rejection.data)


def _envelope_version(body: object) -> object:
    """Return the version in a message's ``_meta``, or None where there is no such member."""
    params: object = body.get("params") if is_object(body) else None
    meta: object = params.get("_meta") if is_object(params) else None
    return meta.get(PROTOCOL_VERSION_META_KEY) if is_object(meta) else None
