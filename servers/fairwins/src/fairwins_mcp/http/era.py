"""Which revision a POST belongs to, by its header fields, and whether they agree with its body.

Proxies route by the fields and the server acts on the body; where the two differ, somebody is
being deceived. So the stateless revision has them compared, in the order of ``check_request``.
"""

from __future__ import annotations

import binascii

from fairwins_mcp.envelope import VERSION_KEY, find_envelope, read_version, refuse_version
from fairwins_mcp.errors import HEADER_MISMATCH, INVALID_PARAMS, RpcError
from fairwins_mcp.protocol import Session
from fairwins_mcp.revisions import BATCHING, REVISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.http.heads import Head
    from fairwins_mcp.jsonrpc import Request
    from fairwins_mcp.surface import Surface

VERSION_FIELD = "mcp-protocol-version"
METHOD_FIELD = "mcp-method"
NAME_FIELD = "mcp-name"
# What a client means that names no version: the newest revision without the field.
ASSUMED = BATCHING
# The member of the params that Mcp-Name repeats.
_NAMED_BY = {"prompts/get": "name", "resources/read": "uri", "tools/call": "name"}
_OPENING, _CLOSING = "=?base64?", "?="


class Era:
    """How one POST is to be served.

    ``version`` is what the header names, or None. A message of the stateless revision
    ``is_stateless``; all others get a ``session`` as the handshake would have left it.
    """

    __slots__ = ("is_stateless", "session", "version")

    def __init__(self, version: str | None, is_stateless: bool, session: Session) -> None:
        self.version = version
        self.is_stateless = is_stateless
        self.session = session

    @property
    def batches(self) -> bool:
        """Tell whether an array of messages may be served."""
        revision = self.session.negotiated
        return revision is not None and revision.batches


def find_era(head: Head, surface: Surface, has_envelope: bool) -> Era:
    """Read the version field.

    Raises:
        RpcError: -32020 for a missing field where it is needed, or a repeated one; -32022 for a
            version that is not served.
    """
    version = head.fields.get(VERSION_FIELD)
    session = Session()
    if VERSION_FIELD in head.repeated:
        raise _mismatch("MCP-Protocol-Version came more than once")
    if version is None:
        if has_envelope or ASSUMED not in surface.handshake:
            raise _mismatch("MCP-Protocol-Version is missing")
        session.negotiated = REVISIONS[ASSUMED]
        return Era(None, False, session)
    if version in surface.handshake:
        session.negotiated = REVISIONS[version]
        return Era(version, False, session)
    if version not in surface.stateless and not has_envelope:
        raise refuse_version(version, surface.revisions)
    return Era(version, True, session)


def check_request(head: Head, request: Request, era: Era) -> None:
    """Compare the header fields of a request with its body.

    Raises:
        RpcError: -32602 for an incomplete envelope, -32020 for fields that do not agree.
    """
    envelope = find_envelope(request.params)
    if envelope is not None:
        version = read_version(envelope)
        if version != era.version:
            raise _mismatch(f"MCP-Protocol-Version is not the version in {VERSION_KEY}")
    elif era.is_stateless:
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta lacks the string {VERSION_KEY}")
    if not era.is_stateless:
        return
    for name in (METHOD_FIELD, NAME_FIELD):
        if name in head.repeated:
            raise _mismatch(f"{name} came more than once")
    method = head.fields.get(METHOD_FIELD)
    if method != request.method:
        problem = "is missing" if method is None else "is not the method in the body"
        raise _mismatch(f"Mcp-Method {problem}")
    _check_name(head, request)


def _check_name(head: Head, request: Request) -> None:
    member = _NAMED_BY.get(request.method)
    if member is None:
        return
    given = head.fields.get(NAME_FIELD)
    if given is None:
        raise _mismatch("Mcp-Name is missing")
    named: object = request.params.get(member)
    # What is no string has no name to compare: the method itself refuses it.
    if isinstance(named, str) and decode_field(given) != named:
        raise _mismatch(f"Mcp-Name is not params.{member} in the body")


def decode_field(value: str) -> str | None:
    """Return what a field stands for: itself, or the text in ``=?base64?…?=``.

    None for what cannot be decoded, and for characters that need the encoding.
    """
    if not value.isascii():
        return None
    if not (value.startswith(_OPENING) and value.endswith(_CLOSING)):
        return value
    inner = value[len(_OPENING) : -len(_CLOSING)]
    try:
        return binascii.a2b_base64(inner, strict_mode=True).decode("utf-8")
    except ValueError:  # neither base64 nor UTF-8 that breaks is anything else
        return None


def _mismatch(sentence: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"Header mismatch: {sentence}")
