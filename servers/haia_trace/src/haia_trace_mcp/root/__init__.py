"""The one way to files: below a root that is resolved once, with no symbolic link at any level."""

from __future__ import annotations

from haia_trace_mcp.root.folder import Entry, Folder, OpenFile
from haia_trace_mcp.root.trace_root import TraceRoot

__all__ = ["Entry", "Folder", "OpenFile", "TraceRoot"]
