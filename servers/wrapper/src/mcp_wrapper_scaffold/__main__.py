"""Run the command as ``python -m mcp_wrapper_scaffold``."""

from __future__ import annotations

import sys

from mcp_wrapper_scaffold.cli import main

if __name__ == "__main__":
    sys.exit(main())
