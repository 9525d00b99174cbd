"""``python -m counterfoil``."""

import sys

from counterfoil.cli import main

sys.exit(main())
