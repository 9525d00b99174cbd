"""Run the command as ``python -m lemonsqueezy_mcp``."""

from __future__ import annotations

import sys

from lemonsqueezy_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
