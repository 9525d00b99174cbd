"""Run the command as ``python -m haia_trace_mcp``."""

from __future__ import annotations

import sys

from haia_trace_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
