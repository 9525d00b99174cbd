"""Read a regular expression once: its tree, and what other engines would read otherwise.

The tree has the meaning of ECMAScript with the u flag, which JSON Schema recommends. Three
engines decide in practice: Python's ``re``, ECMAScript, and Rust's ``regex`` behind Pydantic;
every difference between them that a pattern can show is a :class:`Problem`.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from counterfoil.schema.characters import CharacterReader, Problem
from counterfoil.schema.expressions import (
    LINE_ENDS,
    Characters,
    Choice,
    Edge,
    Foreign,
    Item,
    Look,
    Repeat,
    inverted,
    weight,
)
from counterfoil.schema.translation import PatternError, emit

__all__ = ["Pattern", "PatternError", "Problem", "parse", "translate"]

# No pattern for people is nested so deeply; it keeps every walk of the tree off Python's limit.
_DEEPEST = 40
_LARGEST_COUNT = 1_000_000
# Rust's limit is about 10 MB of program; below this many repeated characters it is far away.
_LIGHT = 1_000

_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_OPEN_COUNT = re.compile(r"\{,[0-9]*\}")
_GROUP_NAME = re.compile(r"(P?)<([A-Za-z_$][A-Za-z0-9_$]*)>")
_FLAGS = re.compile(r"(?:[a-zA-Z]+(?:-[a-zA-Z]+)?|-[a-zA-Z]+)[:)]")


@dataclass(frozen=True)
class Pattern:
    """A pattern that can be read.

    Attributes:
        source: the text.
        root: its tree.
        problems: what is not portable in it, in the order of the text, each kind once.
    """

    source: str
    root: Choice
    problems: tuple[Problem, ...]


@functools.lru_cache(maxsize=4096)
def parse(source: str) -> Pattern:
    """Read a pattern.

    Raises:
        PatternError: no engine reads it.
    """
    reader = _Reader(source)
    root = reader.choice(0)
    if reader.at < len(source):
        raise PatternError('unmatched ")"', reader.at)
    if not reader.problems and weight(root) > _LIGHT and not _rust_compiles(source):
        reader.note("size", 0, source)
    first: dict[str, Problem] = {}
    for problem in reader.problems:
        first.setdefault(problem.code, problem)
    return Pattern(source, root, tuple(first.values()))


@functools.lru_cache(maxsize=4096)
def translate(source: str) -> str:
    """Return source for Python's ``re.search`` with the meaning that ECMAScript gives a pattern.

    In particular ``$`` is the very end, ``^`` the very start, and the shorthands are ASCII.

    Raises:
        PatternError: the pattern is not one, or uses what has no such form.
    """
    return emit(parse(source).root)


def _rust_compiles(source: str) -> bool:
    # Imported here, since few patterns are heavy and the import costs more than most runs.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=source))
    except SchemaError:
        return False
    return True


class _Reader(CharacterReader):
    """A recursive descent over the pattern's characters."""

    def choice(self, depth: int) -> Choice:
        """Read alternatives up to the end or a closing bracket, which is left standing."""
        if depth > _DEEPEST:
            raise PatternError(f"groups are nested more than {_DEEPEST} deep", self.at)
        branches: list[tuple[Item, ...]] = []
        items: list[Item] = []
        while self.at < len(self.source) and not self.rest(")"):
            if self.rest("|"):
                self.at += 1
                branches.append(tuple(items))
                items = []
            else:
                start = self.at
                items.append(self.quantified(self.atom(depth), start))
        return Choice((*branches, tuple(items)))

    def quantified(self, item: Item, start: int) -> Item:
        """Read the quantifier behind an item, if there is one."""
        begin = self.at
        counts = self.counts()
        if counts is None:
            return item
        if isinstance(item, Edge):
            raise PatternError("nothing to repeat", begin)
        if isinstance(item, Characters):
            self.astral(item, start)
        if not weight(item):
            self.note("empty-repeat", start, self.source[start : self.at])
        repeated: Item = Repeat(item, *counts)
        if self.rest("?"):
            self.at += 1
        elif self.rest("+"):
            self.at += 1
            self.note("possessive", begin, self.source[begin : self.at])
            repeated = Foreign(self.source[begin : self.at])
        if self.at < len(self.source) and (self.source[self.at] in "*+?" or self.counts()):
            raise PatternError("a quantifier follows a quantifier", self.at)
        return repeated

    def counts(self) -> tuple[int, int | None] | None:
        for mark, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.rest(mark):
                self.at += 1
                return counts
        match = _COUNT.match(self.source, self.at)
        if not match:
            return None
        low, comma, top = match.groups()
        if max(len(low), len(top or "")) > 7 or int(max(low, top or "0", key=int)) > _LARGEST_COUNT:
            raise PatternError(f"repeats more than {_LARGEST_COUNT:,} times", self.at)
        high = int(top) if top else None if comma else int(low)
        if high is not None and high < int(low):
            raise PatternError("the counts of a quantifier are out of order", self.at)
        self.at = match.end()
        return int(low), high

    def atom(self, depth: int) -> Item:
        """Read one item without its quantifier."""
        start = self.at
        character = self.source[start]
        if character == "(":
            return self.group(depth)
        if character == "[":
            return self.charset()
        self.at += 1
        if character == "\\":
            return self.escape()
        if character == ".":
            self.note("dot", start, ".")
            return Characters(inverted(LINE_ENDS))
        if character in "^$":
            return Edge("start" if character == "^" else "end")
        return self.stray(character, start)

    def stray(self, character: str, start: int) -> Characters | Foreign:
        """Read a character that stands for itself, or a quantifier with nothing before it."""
        if character in "*+?" or _COUNT.match(self.source, start):
            raise PatternError("nothing to repeat", start)
        if match := _OPEN_COUNT.match(self.source, start):
            self.at = match.end()
            self.note("open-count", start, match.group())
            return Foreign(match.group())
        if character in "]{}":
            self.note("bracket", start, character)
        return self.literal(character, start)

    def group(self, depth: int) -> Item:
        start = self.at
        self.at += 1
        if not self.rest("?"):
            return self.body(depth, start)
        self.at += 1
        for mark, ahead, negative in (
            ("=", True, False),
            ("!", True, True),
            ("<=", False, False),
            ("<!", False, True),
        ):
            if self.rest(mark):
                self.at += len(mark)
                self.note("lookaround", start, f"(?{mark}")
                return Look(self.body(depth, start), ahead, negative)
        if self.rest(":"):
            self.at += 1
            return self.body(depth, start)
        if match := _GROUP_NAME.match(self.source, self.at):
            self.at = match.end()
            self.note("named-group", start, f"(?{match.group()}")
            return self.body(depth, start)
        return self.foreign_group(depth, start)

    def body(self, depth: int, start: int) -> Choice:
        inner = self.choice(depth + 1)
        if not self.rest(")"):
            raise PatternError('"(" is never closed', start)
        self.at += 1
        return inner

    def foreign_group(self, depth: int, start: int) -> Foreign:
        """Read a group that ECMAScript does not know."""
        if self.rest("#"):
            end = self.source.find(")", self.at)
            if end < 0:
                raise PatternError("a comment is never closed", start)
            self.at = end + 1
            self.note("comment", start, "(?#")
        elif self.rest(">"):
            self.at += 1
            self.body(depth, start)
            self.note("atomic", start, "(?>")
        elif match := _FLAGS.match(self.source, self.at):
            self.at = match.end()
            if match.group().endswith(":"):
                self.body(depth, start)
            self.note("flags", start, f"(?{match.group()}")
        elif self.rest("P=") or self.rest("("):
            self.body(depth, start)
            self.note("backreference", start, self.source[start : self.at])
        else:
            raise PatternError('unknown group after "(?"', start)
        return Foreign(self.source[start : self.at])

    def escape(self) -> Item:
        """Read what follows a backslash outside a class."""
        start = self.at - 1
        if self.at >= len(self.source):
            raise PatternError("a backslash ends the pattern", start)
        letter = self.source[self.at]
        if letter in "bB":
            self.at += 1
            self.note("boundary", start, f"\\{letter}")
            return Edge("boundary" if letter == "b" else "inside")
        if letter in "AZzG":
            self.at += 1
            self.note("anchor", start, f"\\{letter}")
            return Foreign(f"\\{letter}")
        if letter in "123456789k":
            self.at += 1
            self.note("backreference", start, f"\\{letter}")
            return Foreign(f"\\{letter}")
        return self.escaped_characters(start, in_class=False)
