"""Patterns: ECMAScript's dialect, as JSON Schema asks."""

from __future__ import annotations

import unittest

from fairwins_mcp.errors import SchemaError
from fairwins_mcp.patterns import compile_pattern

# (pattern, texts in which it is found, texts in which it is not)
CASES: list[tuple[str, list[str], list[str]]] = [
    ("^a$", ["a"], ["a\n", "ab", "\na"]),
    (r"^\d$", ["5"], ["٣", "a"]),
    (r"^\D$", ["٣", "a"], ["5"]),
    (r"^\w+$", ["a_Z9"], ["é", ""]),
    (r"^\W$", ["é", "-"], ["a"]),
    (r"^\s$", [" ", "\n", "\u00a0", "\ufeff", "\u2028", "\u3000"], ["\u0085", "\u180e", "\x1c"]),
    (r"^\S$", ["a", "\u0085", "\x1c"], [" ", "\u00a0", "\ufeff"]),
    (r"^[\s]$", ["\u00a0"], ["\x1c"]),
    (r"^[\S]$", ["\x1c", "a", "😀"], ["\u00a0", "\ufeff", "\u205f"]),
    (r"^[^\s]$", ["\x1c"], ["\u00a0"]),
    (r"^[\d\-]+$", ["1-2"], ["٣"]),
    (r"^[\D]$", ["٣"], ["3"]),
    (r"^[\w.]+$", ["a.b"], ["é"]),
    (r"^.$", ["a", "\x85", "😀"], ["\n", "\r", "\u2028", "\u2029"]),
    (r"\bcat\b", ["a cat", "écat"], ["concat"]),
    (r"^[\b]$", ["\x08"], ["b"]),
    (r"^\u0061\x62\cJ\0$", ["ab\n\0"], ["ab"]),
    (r"^\u{1F600}$", ["😀"], ["\u1f60"]),
    (r"^\ud83d\ude00$", ["😀"], [""]),
    (r"^[\ud83d\ude00-\ud83d\ude02]$", ["😁"], ["😃"]),
    (r"^[\u0041-\u0043]$", ["B"], ["D"]),
    (r"^(?<y>a)(?:b)\k<y>\1$", ["abaa"], ["abab"]),
    (r"^(?=a)(?!ab)a.$", ["ac"], ["ab"]),
    (r"(?<=a)b(?<!cb)", ["ab"], ["cb"]),
    (r"^a{2}b{1,}c{0,1}$", ["aab", "aabbc"], ["ab"]),
    (r"^a{,2}$", ["a{,2}"], ["aa"]),
    (r"^{a}$", ["{a}"], ["a"]),
    (r"^a+?b*?c??$", ["aab"], ["b"]),
    (r"^[]$", [], ["", "a"]),
    (r"^[^]$", ["a", "\n"], [""]),
    (r"^[[&~|^]$", ["[", "&", "~", "|", "^"], ["a"]),
    (r"^[a&&b~~||]$", ["a", "&", "~", "|"], ["c"]),
    (r"^[\]\\]$", ["]", "\\"], ["a"]),
    (r"^\/\.\$\^\-$", ["/.$^-"], [""]),
    ("^a#b c$", ["a#b c"], ["a"]),
    (r"^(a|b)$", ["a"], ["ab"]),
    (r"^$", [""], ["\n"]),
    ("^0x[0-9a-f]{40}$", ["0x" + "a" * 40], ["0x" + "a" * 40 + "\n", "0x" + "A" * 40]),
]
BROKEN = [
    "(",
    ")",
    "[",
    "\\",
    "a**",
    "a++",
    "a?+",
    "a{1}+",
    "a{2}{3}",
    "*",
    r"\Z",
    r"\A",
    r"\q",
    r"\_",
    r"\u12",
    r"\c1",
    r"\01",
    r"\k<a",
    r"\u{110000}",
    r"\p{Letter}",
    "(?i)a",
    "(?P<a>b)",
    "(?#x)",
    "(?>a)",
    "(?<1>a)",
    r"\2(a)",
    "[b-a]",
    "(?<=a+)b",
]


class Patterns(unittest.TestCase):
    def test_patterns_find_what_ecmascript_finds(self) -> None:
        for pattern, found, missed in CASES:
            expression = compile_pattern(pattern)
            for text in found:
                with self.subTest(pattern=pattern, found=text):
                    self.assertIsNotNone(expression.search(text))
            for text in missed:
                with self.subTest(pattern=pattern, missed=text):
                    self.assertIsNone(expression.search(text))

    def test_what_ecmascript_or_the_engine_lacks_is_refused(self) -> None:
        for pattern in BROKEN:
            with self.subTest(pattern=pattern), self.assertRaises(SchemaError):
                compile_pattern(pattern)


if __name__ == "__main__":
    unittest.main()
