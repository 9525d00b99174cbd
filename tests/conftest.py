"""What all tests share: a cache of their own, so that none sees results of another run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from counterfoil.cache import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield
