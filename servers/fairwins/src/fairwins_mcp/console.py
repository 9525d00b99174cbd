"""How a command speaks: its help, its streams, and how it ends.

The same text is in every distribution with a command, because none of them may need another. A
test holds the copies together; edit the one of the toolchain, and copy it over the others.
"""

from __future__ import annotations

import argparse
import codecs
import errno
import io
import os
import re
import shutil
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn, TextIO, TypeAlias

    Entry: TypeAlias = "str | tuple[str, str]"

DONE, FAILED, INTERRUPTED, UNREAD = 0, 2, 130, 141
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
_WORD = re.compile(r"(\s*)(\S+)")
_SIGN = re.compile(r"\A([-+~!]) ")  # stands before what was done to a file, and stays there
_QUOTED = re.compile(r"`[^`]*`")
# What a terminal obeys instead of showing it: controls, and marks of direction (UAX #9).
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_PLAIN = str.maketrans(
    {"…": "...", "—": "--", "–": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "→": "->"}
)
COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}


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
        width = min(shutil.get_terminal_size().columns, WIDEST) - 1
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


def visible(text: str) -> str:
    """Return text with what a terminal would obey as escapes."""
    return _OBEYED.sub(lambda match: ascii(match[0])[1:-1], text)


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


def folded(text: str, width: int, hang: str = "") -> list[str]:
    """Return one line as several of at most a width, where it has blanks to break at.

    What stands between backticks is to be copied, and stays in one piece.

    Args:
        text: the line; it keeps its own indent.
        width: in characters.
        hang: what the lines after the first begin with.
    """
    if len(text) <= width:
        return [text]
    lead = text[: len(text) - len(text.lstrip())]
    whole = _QUOTED.sub(lambda match: match[0].replace(" ", "\0"), text[len(lead) :])
    whole = _SIGN.sub("\\1\0", whole)
    lines = [lead]
    is_empty = True
    for gap, word in _WORD.findall(whole):
        if not is_empty and len(lines[-1]) + len(gap) + len(word) > width:
            lines.append(f"{hang}{word}")
        else:
            lines[-1] += word if is_empty else f"{gap}{word}"
        is_empty = False
    return [each.replace("\0", " ") for each in lines]


def fitted(text: str, stream: TextIO) -> str:
    """Return text as a stream shows it: on a terminal, long lines of prose are folded.

    Lines with four blanks in front are code, data or differences, and stay whole.
    """
    if not is_terminal(stream):
        return text
    width = columns() - 1
    lines = [
        [line] if line.startswith("    ") else folded(line, width, _hang(line))
        for line in text.split("\n")
    ]
    return "\n".join(each for line in lines for each in line)


def _hang(line: str) -> str:
    return " " * (len(line) - len(line.lstrip()) + 2)


def columns() -> int:
    """Return the width of the terminal, in characters; COLUMNS has the last word."""
    return shutil.get_terminal_size().columns


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether somebody looks at a stream; one that is closed has nobody."""
    return stream is not None and not stream.closed and stream.isatty()


def has_colour(stream: TextIO | None) -> bool:
    """Say whether a stream may be coloured: no-color.org, force-color.org, TERM."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if sys.platform == "win32" and not os.environ.get("WT_SESSION"):
        return False  # the old console shows the codes themselves
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def painted(text: str, colour: str, stream: TextIO | None) -> str:
    """Return text in one of ``COLOURS``, where the stream may be coloured."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if has_colour(stream) else text


def open_streams() -> None:
    """Make standard output and error fit for any text.

    A terminal gets its own encoding, and what that lacks in other words or as an escape. Files and
    pipes are read by programs, and get UTF-8 on every machine.
    """
    if not isinstance(sys.stdout, io.TextIOBase):  # it is closed: None, whatever its type says
        sys.stdout = _Closed()
    if not isinstance(sys.stderr, io.TextIOBase):  # likewise, and print would take stdout
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for good
    codecs.register_error("readable", _readable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="readable")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class _Closed(io.TextIOBase):
    """Stands for a standard output that is closed: servers can do without, and reports cannot."""

    _is_missed = False

    def write(self, text: str, /) -> int:
        self._is_missed = True  # even where nothing was found: nobody can have seen that
        return len(text)

    def flush(self) -> None:
        if self._is_missed:
            self._is_missed = False
            raise OSError(errno.EBADF, "it is closed")


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].translate(_PLAIN)
    return lost.encode("ascii", "backslashreplace").decode("ascii"), error.end


def carry_out(program: str, work: Callable[[], int]) -> int:
    """Call the work and return the status to end with, whatever becomes of the streams.

    Status 2 when what was printed does not arrive, 130 when interrupted, 141 when the reader of
    the output went away: a command that was cut off has not said that it found nothing.
    """
    open_streams()
    failure: OSError | None = None
    try:
        status = work()
    except SystemExit as end:  # the parser has printed the help, or what is wrong
        status = end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        status = INTERRUPTED  # whoever pressed the keys knows
    except BrokenPipeError:
        status = UNREAD
    except OSError as error:
        status, failure = FAILED, error
    return _delivered(program, status, failure)


def _delivered(program: str, status: int, failure: OSError | None) -> int:
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(sys.stdout, _Closed):
            # The interpreter must not complain when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return UNREAD
        failure = error
    if failure is None:
        return status
    place = visible(str(failure.filename)) if failure.filename else "standard output"
    tell(f"{program}: {place}: {failure.strerror or failure}")
    return FAILED


def read_input(program: str, limit: int = -1) -> bytes:
    """Return what standard input holds; whoever sits before it is told that it is read.

    Raises:
        OSError: it is closed.
    """
    if not isinstance(sys.stdin, io.TextIOBase):  # it is closed: None, whatever its type says
        raise OSError(errno.EBADF, "it is closed", "standard input")
    if is_terminal(sys.stdin):
        tell(f"{program}: reading standard input; Ctrl-D ends it")
    return sys.stdin.buffer.read(limit)


def tell(text: str) -> None:
    """Print lines for people to standard error."""
    try:
        print(fitted(text, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        return  # nobody can be told that nobody can be told; the status still says how it went
