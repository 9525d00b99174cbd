"""The files that people edit, and when they have been saved."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

from counterfoil.config import FILE, Config, read_config
from counterfoil.errors import CounterfoilError

_LONGEST = 2_000  # milliseconds after which is looked again, whatever the system has reported
_GATHERED = 1_600  # milliseconds after which a stream of changes is not waited for any longer


class Sources:
    """What a project is generated from: its configuration, contract and cases.

    Args:
        root: the project's folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._config = Config(root)
        self._seen: dict[str, str] = {}
        self.renew()

    @property
    def names(self) -> tuple[str, ...]:
        """Return what is looked at, relative to the project, as people know it."""
        config = self._config
        return tuple(filter(None, (FILE, config.contract, config.cases)))

    @property
    def folders(self) -> frozenset[Path]:
        """Return the folders in which something may be saved; where there is none, its parent.

        Editors replace a file by another, so a folder tells what a file would not.
        """
        cases = self.root / self._config.cases
        wanted = [self.root, (self.root / self._config.contract).parent]
        if self._config.cases:
            wanted += [cases, *(path for path in cases.rglob("*") if path.is_dir())]
        return frozenset(next(each for each in (p, *p.parents) if each.is_dir()) for p in wanted)

    def concerns(self, _: object, path: str) -> bool:
        """Say whether a path may be a source, or a folder on the way to one."""
        given = Path(path)
        return any(
            given == named or named in given.parents or given in named.parents
            for named in (self.root / name for name in self.names)
        )

    def renew(self) -> list[str]:
        """Look again, and return the paths whose content is another than before, sorted."""
        # Whoever reads a broken one says so; until it is mended, the last one counts.
        with contextlib.suppress(CounterfoilError):
            self._config = read_config(self.root)
        before, self._seen = self._seen, dict(self._digests())
        paths = before.keys() | self._seen.keys()
        return sorted(path for path in paths if before.get(path) != self._seen.get(path))

    def _digests(self) -> Iterator[tuple[str, str]]:
        for name in self.names:
            top = self.root / name
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                try:
                    digest = hashlib.sha256(path.read_bytes()).hexdigest()
                except OSError:
                    continue  # a folder, or gone, or not to be read: as if it were not there
                yield path.relative_to(self.root).as_posix(), digest


def wakings(sources: Sources, quiet: int) -> Iterator[None]:
    """Yield whenever something may have been saved; it is for the caller to look what.

    Args:
        sources: says where to listen, which is asked again after each time.
        quiet: milliseconds without a change that end a change.

    Raises:
        CounterfoilError: the system does not let us listen.
    """
    from watchfiles import watch

    while True:
        folders = sources.folders
        try:
            for _ in watch(
                *folders,
                watch_filter=sources.concerns,
                step=quiet,
                debounce=max(quiet, _GATHERED),
                rust_timeout=_LONGEST,
                yield_on_timeout=True,
                recursive=False,
            ):
                yield
                if sources.folders != folders:
                    break
        except FileNotFoundError:
            continue  # a folder went away since it was named; its parent is named now
        except OSError as error:
            raise CounterfoilError(
                f"changes of files cannot be noticed here: {error.strerror or error}",
                place=str(sources.root),
                hint="set WATCHFILES_FORCE_POLLING=true, which looks at each file instead",
            ) from error
