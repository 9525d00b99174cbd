"""How a command explains itself: its help as a manual page, and complaints with a way on.

The same text is in every distribution with a command, as that of ``console`` is.
"""

from __future__ import annotations

import argparse
import re
import sys

from .console import FAILED, columns, fitted, folded, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TypeAlias

    Entry: TypeAlias = "str | tuple[str, str]"

# What each command can end with beside its own statuses; the last two are what a shell reports of
# a program that ended by SIGINT or SIGPIPE.
_STATUSES = (
    ("2", "it could not run: wrong words, or something that cannot be read or written"),
    ("130", "interrupted"),
    ("141", "whatever read its output went away before the end"),
)
TERMINAL = (
    ("COLUMNS", "width of the terminal, in characters; default: what the terminal says"),
    ("NO_COLOR", "when not empty: no colours; they never say what the words do not say"),
    ("FORCE_COLOR", "when not empty: colours without a terminal, too"),
)
WIDEST = 100  # longer lines of prose are hard to read, however wide the terminal is
_TERM_COLUMN = 30  # a term that reaches beyond it has its text on the next line
_NARROWEST_TEXT = 24
_DEFINITION = re.compile(r"( +)(\S+(?: \S+)*)  +(\S.*)")


def statuses(own: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return what exit statuses mean: a command's own, and those that all of them share."""
    return sorted((dict(_STATUSES) | dict(own)).items(), key=lambda entry: int(entry[0]))


def sections(**entries: Sequence[Entry]) -> str:
    """Return the end of a help page.

    Args:
        entries: for each section, lines to keep whole, or pairs of a term and its meaning; its
            name has underscores for blanks. One without lines is left out.
    """
    return "\n\n".join(_section(name, lines) for name, lines in entries.items() if lines)


def _section(name: str, lines: Sequence[Entry]) -> str:
    terms = [line[0] for line in lines if not isinstance(line, str)]
    column = max((len(term) for term in terms if len(term) + 4 <= _TERM_COLUMN), default=0)
    shown = [
        f"  {line}" if isinstance(line, str) else f"  {line[0].ljust(column)}  {line[1]}"
        for line in lines
    ]
    return "\n".join([f"{name.replace('_', ' ')}:", *shown])


class Manual(argparse.HelpFormatter):
    """Fill prose to the width of the terminal, and keep what is to be copied in one piece.

    Lines that begin with a blank are kept as they are; where a term is followed by two blanks and
    a text, the text is filled beside the term.
    """

    def __init__(self, prog: str) -> None:
        width = min(columns(), WIDEST) - 1
        super().__init__(prog, max_help_position=_TERM_COLUMN, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}".rstrip() for line in filled(text, width - len(indent)))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return folded(" ".join(text.split()), width)

    def _format_usage(
        self, usage: str | None, actions: Any, groups: Any, prefix: str | None
    ) -> str:
        """Name what has to be given, and stand for the rest with one word."""
        del usage, groups
        words = [self._prog]
        given = [action for action in actions if action.option_strings]
        if any(not action.required for action in given):
            words.append("[OPTIONS]")
        for action in given:
            if action.required:
                value = self._format_args(action, action.dest.upper())
                words.append(f"{action.option_strings[-1]} {value}")
        words += [self._named(action) for action in actions if not action.option_strings]
        lead = "usage: " if prefix is None else prefix
        end = "\n\n" if lead else ""
        lines = folded(f"{lead}{' '.join(words)}", self._width, " " * len(lead))
        return "\n".join(lines) + end if lead else " ".join(words)

    def _named(self, action: argparse.Action) -> str:
        words = self._format_args(action, action.dest)
        return f"[{words}]" if action.nargs == argparse.PARSER and not action.required else words

    def _format_action(self, action: argparse.Action) -> str:
        if action.nargs != argparse.PARSER:
            return super()._format_action(action)
        self._dedent()  # the heading says what they are, and needs no line of its own
        parts = [self._format_action(each) for each in self._iter_indented_subactions(action)]
        self._indent()
        return "".join(parts)


class Parser(argparse.ArgumentParser):
    """A parser whose help is a manual page, and whose complaints say what to do next."""

    def __init__(self, *args: Any, **options: Any) -> None:
        set_up: dict[str, Any] = {"formatter_class": Manual, "allow_abbrev": False} | options
        super().__init__(*args, **set_up)

    def parse_known_args(self, *args: Any, **options: Any) -> tuple[Any, list[str]]:
        """Read the arguments; what is left over is told by the command that does not know it."""
        found, rest = super().parse_known_args(*args, **options)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}{self._near(rest)}")
        return found, rest

    def _near(self, words: Sequence[str]) -> str:
        import difflib  # only for words that nobody knows

        known = [name for name in self._option_string_actions if name.startswith("--")]
        wanted = [word.partition("=")[0] for word in words]
        near = [each for word in wanted for each in difflib.get_close_matches(word, known, 1)]
        return f" (near: {', '.join(near)})" if near else ""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)  # a disk that is full is nothing to keep quiet about
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and where it is written what is right."""
        told = f"{self.prog}: error: {visible(message)}\n  hint: see `{self.prog} --help`"
        self.exit(FAILED, f"{self.format_usage()}{fitted(told, sys.stderr)}\n")


def filled(text: str, width: int) -> list[str]:
    """Return the lines of a text whose prose is filled; see :class:`Manual`."""
    lines: list[str] = []
    for block in _blocks(text.split("\n")):
        found = _DEFINITION.fullmatch(block)
        if found is not None:
            lines += _defined(found, width)
        else:
            lines += folded(block, width) if block[:1].strip() else [block]
    return lines


def _blocks(lines: Sequence[str]) -> list[str]:
    """Return lines with those that go on what the one before began joined to it."""
    blocks: list[str] = []
    column = -1  # where such a line begins; a blank one ends all
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line and indent == column:
            blocks[-1] += f" {line.lstrip()}"
            continue
        blocks.append(line)
        found = _DEFINITION.fullmatch(line)
        column = found.start(3) if found else 0 if line[:1].strip() else -1
    return blocks


def _defined(line: re.Match[str], width: int) -> list[str]:
    column = line.start(3)
    if len(line[0]) <= width:
        return [line[0]]
    if column <= _TERM_COLUMN and width - column >= _NARROWEST_TEXT:
        return folded(line[0], width, " " * column)
    inner = f"{line[1]}    "
    return [f"{line[1]}{line[2]}", *folded(f"{inner}{line[3]}", width, inner)]
