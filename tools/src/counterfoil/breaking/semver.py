"""The step that changes ask of a server's version, and the step that it has taken."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from counterfoil.breaking.changes import Change, Klass

Step: TypeAlias = Literal["none", "patch", "minor", "major"]

_STEPS: tuple[Step, ...] = ("none", "patch", "minor", "major")
_LARGEST: tuple[Step, ...] = ("major", "minor", "patch")
_NEEDS: dict[Klass, Step] = {
    "additive": "minor",
    "behaviour": "patch",
    "breaking": "major",
    "security": "minor",
    "undecided": "major",
}
_EARLY: dict[Step, Step] = {
    "none": "none",
    "patch": "patch",
    "minor": "patch",
    "major": "minor",
}
_ANNOUNCED: dict[str, Step] = {"CF467": "minor", "CF468": "minor"}
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?\Z")


@dataclass(frozen=True)
class VersionVerdict:
    """Whether a version has taken the step that its changes ask for.

    Attributes:
        needs: the step that the changes ask for; before 1.0.0 the one that counts as such.
        has: the step from the base's version to the target's; ``None`` where one of the two is
            no semantic version.
        base, target: the two versions; empty where there is none.
    """

    needs: Step
    has: Step | None
    base: str
    target: str

    @property
    def enough(self) -> bool:
        """Say whether the step is large enough, or nobody can tell."""
        return self.has is None or _STEPS.index(self.has) >= _STEPS.index(self.needs)

    @property
    def sentence(self) -> str:
        """Say what is needed, and what there is, as a clause for people."""
        if self.has is None:
            given = " and ".join(each or "none" for each in (self.base, self.target))
            return f"needs {self.needs}; the versions ({given}) do not say what it has"
        return f"needs {self.needs}, has {self.has}: {self.base} to {self.target}"


def needed(changes: Iterable[Change]) -> Step:
    """Return the step that changes ask for, for a version from 1.0.0 on.

    Breaking and undecided changes ask for a major one; new things, weaker demands and announced
    ends for a minor one; what only reads otherwise for a patch.
    """
    steps: Iterable[Step] = (_ANNOUNCED.get(each.code, _NEEDS[each.klass]) for each in changes)
    return max((*steps, _STEPS[0]), key=_STEPS.index)


def judge(changes: Iterable[Change], base: str, target: str) -> VersionVerdict:
    """Return the verdict about two versions.

    Before 1.0.0, Semantic Versioning 2.0.0 (item 4) promises nothing; as most tools have it, the
    second number then counts as the first, and the third as the second.
    """
    before, after = _VERSION.match(base), _VERSION.match(target)
    if before is None or after is None:
        return VersionVerdict(needed(changes), None, base, target)
    old, new = _numbers(before), _numbers(after)
    has: Step = "none"
    if new > old:
        has = next(step for step, was, now in zip(_LARGEST, old, new, strict=True) if was != now)
    elif new == old and before[4] and before[4] != after[4]:
        has = "major"  # the last candidate is not the release; what it breaks was never promised
    needs = needed(changes)
    if old[0] == new[0] == 0:
        needs = _EARLY[needs]
    return VersionVerdict(needs, has, base, target)


def _numbers(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match[1]), int(match[2]), int(match[3])
