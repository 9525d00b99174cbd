"""Text of a contract as HTML that says just that text.

Everything returned is ``Markup``; the templates escape whatever is not.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from counterfoil.contract.values import members
from counterfoil.render import render
from counterfoil.schema.phrases import Phrase, Piece

# Candidates for what a person does not see: all but printable ASCII and the frequent letters.
_RARE = re.compile(r"[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u0377\u200c\u200d]")
# Format, control, surrogate, separators; a joiner belongs to the spelling of some scripts.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def words(value: str) -> Markup:
    """Return text inside a line, kept apart from the direction of what stands around it."""
    return _made(f"<bdi>{seen(value)}</bdi>") if value else Markup()


def paragraphs(value: str) -> Markup:
    """Return text as paragraphs; blank lines part them, other line ends stay line ends."""
    parts = _BLANK_LINES.split(value.replace("\r\n", "\n").strip())
    return _made("".join(f'<p dir="auto">{seen(part)}</p>' for part in parts if part))


def code(value: str) -> Markup:
    """Return a name or value in a code font; line ends and tabs in it are written out."""
    shown = value.replace("\n", "\\n").replace("\t", "\\t")
    return _made(f'<code dir="auto">{seen(shown)}</code>')


def seen(value: str) -> Markup:
    """Return escaped text in which characters that nobody sees show as their number."""
    if not _RARE.search(value):
        return escape(value)
    parts: list[str] = []
    last = 0
    for found in _RARE.finditer(value):
        if unicodedata.category(found[0]) in _UNSEEN:
            parts += [escape(value[last : found.start()]), f"<mark>U+{ord(found[0]):04X}</mark>"]
            last = found.end()
    return _made("".join([*parts, escape(value[last:])]))


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """Return a value as JSON in which characters that nobody sees are escapes: the same value."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _RARE.sub(_as_escape, text)


def _as_escape(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) not in _UNSEEN:
        return character
    return json.dumps(character)[1:-1] if ord(character) > 0x7F else f"\\u{ord(character):04x}"


def phrase(pieces: Phrase, linked: Collection[str] = ()) -> Markup:
    """Return a phrase; names of the linked types lead to where they are described."""
    return _made("".join(_piece(piece, linked) for piece in pieces))


def _piece(piece: Piece, linked: Collection[str]) -> Markup:
    if piece.style == "words":
        return seen(piece.text)
    if piece.style == "type" and piece.text in linked:
        place = anchor("", "type", piece.text)
        return _made(f'<a class="type" href="#{place}">{escape(piece.text)}</a>')
    return code(piece.text)


def anchor(server: str, kind: str, name: str) -> str:
    """Return the id of an entry, which is also what follows ``#`` in its address."""
    parts = [part for part in (server, kind, name) if part]
    return "/".join(quote(part, safe="") for part in parts)


def deprecation(gone: Any) -> Markup:
    """Return when something deprecated may be removed, and what to use instead."""
    known = members(gone)
    if not known:
        return Markup()
    said = Markup("May be removed from {} on.").format(known["date"])
    if "replacement" in known:
        said += Markup(" Use ") + code(known["replacement"]) + Markup(" instead.")
    return said + (Markup(" ") + words(known["note"]) if "note" in known else Markup())


def marked(gone: Any) -> Markup:
    """Return the paragraph that stands before what is said of something deprecated."""
    said = deprecation(gone)
    return Markup('<p class="gone">Deprecated. {}</p>').format(said) if said else said


def fragment(template: str, **values: Any) -> Markup:
    """Return what a template of ``templates/page`` makes; it escapes every value."""
    return _made(render(f"page/{template}.html.jinja", **values))


def _made(text: str) -> Markup:
    """Take text for markup: what of it comes from a contract is escaped already."""
    return Markup(text)  # noqa: S704  # called in this module alone
