"""Patterns of paths, arranged so that many cost no more than a few."""

from __future__ import annotations

_NOTHING: frozenset[str] = frozenset()


class PathTree:
    """Tell which methods a path permits.

    ``*`` stands for any run of characters within one segment, the empty one too; everything else
    stands for itself; a pattern is compared with the whole path. No regular expression is
    involved: patterns without ``*`` are keys, the others are branches by segment, and segments
    with ``*`` are found by what stands before the first and behind the last one. What a look-up
    costs grows with the length of the path, not with the number of patterns.
    """

    def __init__(self) -> None:
        self._exact: dict[str, frozenset[str]] = {}
        self._root = _Node()

    def add(self, pattern: str, method: str) -> None:
        """Permit a method on the paths of one pattern."""
        if "*" not in pattern:
            self._exact[pattern] = self._exact.get(pattern, _NOTHING) | {method}
            return
        node = self._root
        for segment in pattern.split("/")[1:]:
            node = node.grow(segment)
        node.methods |= {method}

    def methods(self, path: str) -> frozenset[str]:
        """Return the methods that are permitted on a path; none where no pattern matches."""
        found = self._exact.get(path, _NOTHING)
        start, *segments = path.split("/")
        nodes = [] if start else [self._root]
        for segment in segments:
            following: list[_Node] = []
            for node in nodes:
                node.follow(segment, following)
            if not following:
                return found
            nodes = following
        return found.union(*[node.methods for node in nodes])


class _Node:
    """A place in the tree: what may follow, and what is permitted if nothing follows."""

    __slots__ = ("literals", "methods", "whole", "wildcards")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        # After a segment that is "*" alone.
        self.whole: _Node | None = None
        # By the lengths of what stands before the first and behind the last *, then by these two
        # texts; each with the texts between further *, in order.
        self.wildcards: dict[
            tuple[int, int], dict[tuple[str, str], dict[tuple[str, ...], _Node]]
        ] = {}
        self.methods: frozenset[str] = _NOTHING

    def grow(self, segment: str) -> _Node:
        if "*" not in segment:
            return self.literals.setdefault(segment, _Node())
        if segment == "*":
            self.whole = self.whole or _Node()
            return self.whole
        before, *between, behind = segment.split("*")
        group = self.wildcards.setdefault((len(before), len(behind)), {})
        return group.setdefault((before, behind), {}).setdefault(tuple(between), _Node())

    def follow(self, segment: str, following: list[_Node]) -> None:
        literal = self.literals.get(segment)
        if literal is not None:
            following.append(literal)
        if self.whole is not None:
            following.append(self.whole)
        for (before, behind), group in self.wildcards.items():
            end = len(segment) - behind
            if before > end:
                continue
            found = group.get((segment[:before], segment[end:]))
            if found is not None:
                for between, node in found.items():
                    if _holds_in_order(segment, before, end, between):
                        following.append(node)


def _holds_in_order(text: str, start: int, end: int, pieces: tuple[str, ...]) -> bool:
    # The leftmost place of each piece leaves the most room for the next: no going back.
    for piece in pieces:
        place = text.find(piece, start, end)
        if place < 0:
            return False
        start = place + len(piece)
    return True
