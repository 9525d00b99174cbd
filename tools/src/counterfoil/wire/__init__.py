"""Read the whole surface of a running MCP server, as a client would, in any revision.

Standard library only, and little of it: ``subprocess`` is imported when a command is
started, ``http.client`` and ``ssl`` when a URL is asked.
"""

from counterfoil.wire.errors import WireError
from counterfoil.wire.messages import REVISIONS
from counterfoil.wire.revisions import Survey, claimed_revisions, read_one, survey
from counterfoil.wire.surface import Surface, read_surface
from counterfoil.wire.targets import HttpTarget, StdioTarget, Target

__all__ = [
    "REVISIONS",
    "HttpTarget",
    "StdioTarget",
    "Surface",
    "Survey",
    "Target",
    "WireError",
    "claimed_revisions",
    "read_one",
    "read_surface",
    "survey",
]
