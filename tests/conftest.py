"""What all tests share: a cache of their own, interrupts, and as many open files as load needs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from counterfoil.cache import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> None:
    """Let started programs be interrupted, even where these tests run in a shell's background.

    Such a shell has its children ignore SIGINT, and they have theirs ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def many_open_files() -> None:
    """Raise the soft limit: most shells permit 1024 files, and 500 calls take two sockets each."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8192 if hard == resource.RLIM_INFINITY else min(hard, 8192)
    if resource.RLIM_INFINITY != soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
