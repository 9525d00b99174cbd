"""Templates: which stages an operation has, and which events prove them."""

from __future__ import annotations

from haia_trace_mcp.templates.reading import read_template
from haia_trace_mcp.templates.resolution import Loaded, Templates
from haia_trace_mcp.templates.roles import StageRoles, roles_of
from haia_trace_mcp.templates.template import Stage, Template, Witness

__all__ = [
    "Loaded",
    "Stage",
    "StageRoles",
    "Template",
    "Templates",
    "Witness",
    "read_template",
    "roles_of",
]
