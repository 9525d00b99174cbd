"""Resources: listed as the contract has them, read through one handler."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from .boundary import (
    ContextFactory,
    JsonObject,
    Request,
    call_context,
    guarded,
    opened,
    refuse_cursor,
)
from .calls import ToolFailure
from .revisions import RESOURCE, select, stateless

Reader = Callable[[str, Any], Awaitable[object]]
_NOT_FOUND_BEFORE_2026 = -32002  # the stateless revisions say -32602


class Resources:
    """Answer ``resources/list``, ``resources/templates/list`` and ``resources/read``.

    Args:
        entries: the resources as the surface has them.
        templates: the templates as the surface has them.
        reader: takes a URI and the context; ``None`` if there is nothing to read.
        factory: makes the context that the reader gets.

    Raises:
        ValueError: a template is none of RFC 6570 that can be matched.
    """

    def __init__(
        self,
        entries: Sequence[JsonObject],
        templates: Sequence[JsonObject],
        reader: Reader | None,
        factory: ContextFactory | None,
    ) -> None:
        self._entries = entries
        self._templates = templates
        self._types = {str(each["uri"]): each.get("mimeType") for each in entries}
        self._patterns = [
            (UriTemplate.parse(each["uriTemplate"]), each.get("mimeType")) for each in templates
        ]
        self._reader = reader
        self._factory = factory

    async def list_resources(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Return the resources as the caller's revision knows them."""
        refuse_cursor(params)
        shapes = [select(each, RESOURCE, request.protocol_version) for each in self._entries]
        return ListResourcesResult(resources=[Resource.model_validate(each) for each in shapes])

    async def list_templates(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Return the templates as the caller's revision knows them."""
        refuse_cursor(params)
        shapes = [select(each, RESOURCE, request.protocol_version) for each in self._templates]
        made = [ResourceTemplate.model_validate(each) for each in shapes]
        return ListResourceTemplatesResult(resource_templates=made)

    async def read(self, request: Request, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a resource.

        Raises:
            MCPError: there is none at the URI (-32602, before 2026-07-28 -32002), or it could
                not be read (-32603).
        """
        uri = str(params.uri)
        if self._reader is None or not self._offers(uri):
            raise _not_found(request, uri)
        return await guarded(f"resource {uri}", self._read(request, uri, self._reader))

    async def _read(self, request: Request, uri: str, reader: Reader) -> ReadResourceResult:
        content: object = None
        try:
            async with opened(self._factory, call_context(request, uri, {})) as context:
                content = await reader(uri, context)
        except ToolFailure as failure:
            raise MCPError(INTERNAL_ERROR, failure.text) from None
        if content is None:
            raise _not_found(request, uri)
        return ReadResourceResult(contents=[_contents(uri, self._type(uri), content)])

    def _offers(self, uri: str) -> bool:
        return uri in self._types or any(
            pattern.match(uri) is not None for pattern, _ in self._patterns
        )

    def _type(self, uri: str) -> str | None:
        if uri in self._types:
            return self._types[uri]
        found = (kind for pattern, kind in self._patterns if pattern.match(uri) is not None)
        return next(found, None)


def _contents(
    uri: str, kind: str | None, content: object
) -> TextResourceContents | BlobResourceContents:
    if isinstance(content, str):
        return TextResourceContents(uri=uri, mime_type=kind, text=content)
    if isinstance(content, bytes):
        blob = base64.b64encode(content).decode("ascii")
        return BlobResourceContents(uri=uri, mime_type=kind, blob=blob)
    raise TypeError(f"a resource is text or bytes, not {type(content).__name__}")


def _not_found(request: Request, uri: str) -> MCPError:
    code = INVALID_PARAMS if stateless(request.protocol_version) else _NOT_FOUND_BEFORE_2026
    return MCPError(code, "Resource not found", {"uri": uri})
