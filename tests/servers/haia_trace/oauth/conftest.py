"""One issuer for all tests: making keys takes time."""

from __future__ import annotations

import pytest
from token_issuer import Issuer


@pytest.fixture(scope="session")
def issuer() -> Issuer:
    """Return an issuer."""
    return Issuer()
