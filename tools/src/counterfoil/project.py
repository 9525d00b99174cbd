"""A project: its configuration, its contract, and what has to be generated."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cache import Cache, key_of, replace_file, user_folder
from counterfoil.config import Config
from counterfoil.findings import Finding
from counterfoil.fingerprint import fingerprint
from counterfoil.plan import Step, plan, prepare, steps
from counterfoil.targets.target import Planned
from counterfoil.territory import Territory, territory
from counterfoil.tree import compare, read_file, strays

if TYPE_CHECKING:
    from counterfoil.contract.model import Contract
    from counterfoil.judging import Judged


class Project:
    """Read, judge and plan one project.

    Args:
        config: its configuration.
        cached: whether slow results may be kept in the user's cache folder.
    """

    def __init__(self, config: Config, *, cached: bool = True) -> None:
        self.config = config
        self.root = config.root
        self.cache = Cache(user_folder() if cached else None)

    @functools.cached_property
    def judged(self) -> Judged:
        """Return the contract and its cases, judged.

        Raises:
            CounterfoilError: a file is not there or cannot be read.
        """
        # Imported where it is needed: a check that finds nothing changed never gets here.
        from counterfoil.judging import judge_project

        return judge_project(self.config, self.cache)

    def rewrite(self) -> list[str]:
        """Write the contract and the cases in canonical form; return the paths that changed.

        A file that does not parse, or gives a key twice, is left alone for the judge.
        """
        from counterfoil.contract.reading import canonical_file  # for the same reason

        paths = [self.root / self.config.contract]
        paths += [path for path in self._case_files() if path.suffix == ".json"]
        changed: list[str] = []
        for path in paths:
            shown = path.relative_to(self.root).as_posix()
            text = canonical_file(path, shown)
            if text is not None and text != read_file(self.root, shown):
                replace_file(path.resolve(), text)
                changed.append(shown)
        return changed

    def _case_files(self) -> list[Path]:
        """Return every file below the folder of cases, whether it is a case or not, sorted."""
        if not self.config.cases:
            return []
        found = (self.root / self.config.cases).rglob("*")
        return sorted(path for path in found if not path.is_dir())

    def steps(self, contract: Contract) -> list[Step]:
        """Return what the configuration asks for."""
        return list(steps(contract, self.config, self.cache, self.judged.cases))

    def prepare(self) -> None:
        """Start what takes long to start, when something has probably to be made."""
        if self.cache.get(self._plan_key) is None:
            prepare(self.config)

    def plan(self, contract: Contract) -> dict[str, Planned]:
        """Return every file that has to be, and remember their hashes for :meth:`unchanged`."""
        files = plan(self.steps(contract))
        self.cache.put(self._plan_key, self._summary(files))
        self.cache.prune(time.time())
        return files

    @functools.cached_property
    def territory(self) -> Territory:
        """Return where generated files lie, those of the last generation here included."""
        raw = self.cache.get(self._memory_key())
        remembered: list[str] = json.loads(raw) if raw else []
        return territory(self.config, frozenset(remembered))

    def remember(self, files: Iterable[str]) -> None:
        """Keep in mind which files were written, so that a moved output leaves nothing behind."""
        self.cache.put(self._memory_key(), json.dumps(sorted(files)).encode())

    def _memory_key(self) -> str:
        return key_of("written", str(self.root), self.config.contract)

    def drift(self) -> tuple[Finding, ...]:
        """Report where the tree is not as the contract asks, with what is wrong with the contract.

        A tree that is as the last plan of the same contract left it is recognised by its
        hashes, and no generator is imported.
        """
        known = self._unchanged()
        if known is not None:
            return known
        self.prepare()
        contract = self.judged.usable
        if contract is None:
            return self.judged.findings
        found = compare(self.plan(contract), self.territory)
        return self.config.weighed([*self.judged.findings, *found])

    def _unchanged(self) -> tuple[Finding, ...] | None:
        raw = self.cache.get(self._plan_key)
        if raw is None:
            return None
        summary: dict[str, Any] = json.loads(raw)
        for path, digest in summary["files"].items():
            content = read_file(self.root, path)
            if content is None or hashlib.sha256(content).hexdigest() != digest:
                return None
        planned = frozenset(summary["files"])
        if strays(planned, self.territory):
            return None
        return tuple(Finding(**each) for each in summary["findings"])

    def _summary(self, files: dict[str, Planned]) -> bytes:
        digests = {path: hashlib.sha256(file.content).hexdigest() for path, file in files.items()}
        findings = [dataclasses.asdict(finding) for finding in self.judged.findings]
        return json.dumps({"files": digests, "findings": findings}).encode()

    @functools.cached_property
    def _plan_key(self) -> str:
        """Return what a plan depends on: toolchain, configuration, contract and cases."""
        parts: list[str | bytes] = ["plan", fingerprint(), repr(self.config.outputs)]
        parts += [repr((live.id, live.command, live.url)) for live in self.config.live]
        parts += [self.config.contract, self.config.cases, repr(dict(self.config.severity))]
        parts.append(read_file(self.root, self.config.contract) or b"")
        for path in self._case_files():
            shown = path.relative_to(self.root).as_posix()
            parts += [shown, read_file(self.root, shown) or b""]
        return key_of(*parts)
