"""Run the command as ``python -m ga4_mcp``."""

from __future__ import annotations

import sys

from ga4_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
