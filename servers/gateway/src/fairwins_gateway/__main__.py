"""Run the command as ``python -m fairwins_gateway``."""

from __future__ import annotations

import sys

from fairwins_gateway.cli import main

if __name__ == "__main__":
    sys.exit(main())
