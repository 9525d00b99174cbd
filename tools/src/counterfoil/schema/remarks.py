"""What to say about the forms of regular expressions that engines read differently.

The differences were observed on CPython 3.11's ``re``, Rust's ``regex`` (through pydantic-core)
and V8 with the u flag.
"""

from __future__ import annotations

from collections.abc import Mapping

_LOOK = "spell the condition out with classes and alternatives"

# code: (what follows the quoted form, what to write instead)
REMARKS: Mapping[str, tuple[str, str]] = {
    "anchor": ("is unknown in ECMAScript", "write ^ for the start and $ for the very end"),
    "astral": (
        "is two characters in an engine without the u flag",
        "put it into a group, or keep the class below U+10000",
    ),
    "atomic": ("is known in Python only", "use an ordinary group (?:…)"),
    "backreference": ("is unknown in Rust", "spell the alternatives out"),
    "boundary": (
        "depends on what is a word: ASCII in ECMAScript, Unicode in Python and Rust",
        "name the neighbouring characters in a class",
    ),
    "bracket": ("must be escaped in ECMAScript", "put a backslash before it"),
    "code-point": ("is not known in every engine", "write \\xHH, \\uHHHH or the character itself"),
    "comment": ("is known in Python only", "move the comment into the description"),
    "control-escape": ("is known in ECMAScript only", "write \\xHH"),
    "dot": (
        "leaves out other line ends in ECMAScript (four) than in Python and Rust (one)",
        "write the class that is meant, for example [^\\x00-\\x1F\\x7F]",
    ),
    "empty-class": (
        "is an empty class in ECMAScript and holds a bracket elsewhere",
        "escape the bracket, or leave the class out",
    ),
    "empty-repeat": ("repeats nothing, which Rust's fancy-regex refuses", "leave it out"),
    "flags": ("is unknown in ECMAScript", "write both cases in a class, as in [Aa]"),
    "identity-escape": ("is an error in ECMAScript", "leave the backslash out"),
    "lookaround": ("is unknown in Rust, and so in a Pydantic model", _LOOK),
    "named-group": ("has another form in Python than in ECMAScript", "use (?:…) without a name"),
    "octal": ("is octal, a reference or an error, by engine", "write \\xHH"),
    "open-count": ("counts from zero in Python and is an error elsewhere", "write {0,n}"),
    "possessive": (
        "is possessive in Python, a repeated repetition in Rust and an error in ECMAScript",
        "use the plain quantifier",
    ),
    "property": (
        "is unknown in Python, and other engines differ in their version of Unicode",
        "write the ranges that are meant",
    ),
    "set-operator": (
        "inside a class is an operator of sets in Rust and a warning in Python",
        "put a backslash before it, or list a character once",
    ),
    "shorthand": (
        "is ASCII in ECMAScript and Unicode in Python and Rust, or another set altogether",
        "write the class: [0-9] for \\d, [A-Za-z0-9_] for \\w, the spaces that are meant for \\s",
    ),
    "size": (
        "is more than Rust's engine, and so a Pydantic model, will compile",
        "bound the length with maxLength, and let the pattern say only which characters",
    ),
    "surrogate": (
        "is half a character",
        "write the character itself",
    ),
    "unknown-escape": ("is an error in ECMAScript", "write the character or class that is meant"),
}
