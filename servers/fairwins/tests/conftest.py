"""Let pytest find the tests' shared module, as ``unittest discover`` does by itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
