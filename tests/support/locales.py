"""Locales in which the Python under test can start where this clone lies."""

from __future__ import annotations

from pathlib import Path

import pytest

# Packages that are installed as they lie in the tree have their folder in a .pth file, which
# Python reads in the encoding of the locale before any of our code runs.
needs_ascii_path = pytest.mark.skipif(
    not str(Path(__file__)).isascii(), reason="Python itself does not start in this folder"
)
