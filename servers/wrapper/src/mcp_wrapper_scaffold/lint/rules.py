"""What each finding code means; a code is never used again for something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """Explain one finding code.

    Attributes:
        code: ``MWnnn``.
        title: what is wrong.
        why: how it leads past the gate.
        mend: what to do.
    """

    code: str
    title: str
    why: str
    mend: str


_PERMIT = "or permit it in [[tool.mcp-wrapper.permit]] with a reason"

_SOURCES = (
    Rule(
        "MW100",
        "a source cannot be read",
        "What cannot be read cannot be judged, and Python may read it another way.",
        "Write UTF-8 that this version of Python parses.",
    ),
    Rule(
        "MW101",
        "a module that opens connections",
        "A connection of its own is one that the allowlist never sees.",
        f"Send requests with ctx.fetch, {_PERMIT}.",
    ),
    Rule(
        "MW102",
        "a module that starts processes or runs native code",
        "A process, and native code, have the whole network.",
        f"Do without it, {_PERMIT}.",
    ),
    Rule(
        "MW103",
        "a module that finds other modules, runs text, or looks into objects",
        "Whatever was imported by anyone, the client of the gate included, is found through it.",
        f"Do without it, {_PERMIT}.",
    ),
    Rule(
        "MW104",
        "something of the library that is not public",
        "Another gate, with another allowlist, can be made from the parts of the library.",
        "Import public names from mcp_wrapper_scaffold or mcp_wrapper_scaffold.metrics.",
    ),
    Rule(
        "MW105",
        "a module that nobody has allowed",
        "Packages are allowed one by one, since any of them may bring a client of its own.",
        f"Do without it, {_PERMIT}.",
    ),
    Rule(
        "MW106",
        "an import of everything",
        "What it brings is not in the source, and cannot be judged.",
        "Name what is imported.",
    ),
    Rule(
        "MW110",
        "a built-in that runs text as code or hands out namespaces",
        "The code is not in the source, and cannot be judged.",
        "Write the code itself.",
    ),
    Rule(
        "MW111",
        "a built-in that opens files",
        "Files lead out: to devices, to the process's own memory, to modules on the path.",
        f"Take secrets from secret sources and settings from the environment, {_PERMIT}.",
    ),
    Rule(
        "MW112",
        "an attribute of the interpreter's inside",
        "Frames, cells and namespaces hold the parts of the gate: Python hides nothing.",
        "Do without it.",
    ),
    Rule(
        "MW113",
        "an attribute that opens connections or starts processes",
        "It is that of an event loop or a client, whatever it is called on.",
        f"Send requests with ctx.fetch, {_PERMIT}.",
    ),
    Rule(
        "MW114",
        "an attribute by a name that is made at run time",
        "The name is not in the source, and cannot be judged.",
        f"Write the attribute itself, or keep values in a dictionary, {_PERMIT}.",
    ),
    Rule(
        "MW115",
        "a private attribute of something else",
        "What the library keeps to itself is kept so that nobody gets past it.",
        "Use what is public.",
    ),
    Rule(
        "MW116",
        "a text that names the interpreter's inside, or one where a type is evaluated",
        "Annotations and format strings are evaluated: text becomes code or access.",
        "Write the type itself, and no such name.",
    ),
    Rule(
        "MW117",
        "a module, or something of a module, that is passed around or changed",
        "What happens to it then is not in the source any more.",
        "Use modules as `module.name`, and change nothing of them.",
    ),
    Rule(
        "MW118",
        "a second allowlist or server",
        "A wrapper has one list, at one place, that a reviewer reads and parity compares.",
        f"Declare constants at the top of a module and make one server, {_PERMIT}.",
    ),
    Rule(
        "MW120",
        "a file that Python runs and nobody reads",
        "Compiled code, links and path files run as sources do.",
        "Take it out of the package.",
    ),
)

_ARCHIVES = (
    Rule(
        "MW201",
        "an archive that cannot be trusted to be read alike",
        "Installers differ in what they make of it, so that what is judged is not what runs.",
        "Build it again with a known builder.",
    ),
    Rule(
        "MW202",
        "a member's name that leads elsewhere",
        "It is written to, or over, another place than it seems.",
        "Build it again with a known builder.",
    ),
    Rule(
        "MW203",
        "a member that is no plain file",
        "A link or device brings what is not in the archive.",
        "Ship plain files.",
    ),
    Rule(
        "MW204",
        "compiled code",
        "It has the whole network, and its source is not in the archive.",
        f"Ship sources, {_PERMIT}.",
    ),
    Rule(
        "MW205",
        "a file that runs without being imported",
        "It runs when Python starts, or when the archive is installed.",
        "Take it out.",
    ),
    Rule(
        "MW206",
        "a RECORD that does not agree with the archive",
        "Something was put in, taken out or changed after the build.",
        "Build it again.",
    ),
    Rule(
        "MW207",
        "a requirement that nobody has allowed",
        "What is installed beside a wrapper can be imported by it.",
        f"Take it out, {_PERMIT}.",
    ),
    Rule(
        "MW208",
        "an entry point that nobody expects",
        "It is code that other programs load, or a command with a name of theirs.",
        f"Take it out, {_PERMIT}.",
    ),
    Rule(
        "MW209",
        "a data file that is code, or of a kind nobody expects",
        "Data can be run: it needs one line of Python.",
        f"Take it out, {_PERMIT}.",
    ),
    Rule(
        "MW210",
        "a host that is not in the allowlist",
        "A wrapper that names a host which it may not reach may look for another way to it.",
        f"Declare it, take it out, {_PERMIT}.",
    ),
    Rule(
        "MW211",
        "a top-level name that is not the wrapper's own",
        "It hides a module of the same name, or is one that nobody looks for here.",
        f"Ship one package, {_PERMIT}.",
    ),
    Rule(
        "MW212",
        "code that runs while the archive is built or installed",
        "It runs on the machine of whoever installs the wrapper, before any gate is there.",
        "Use a builder that runs no code of the project.",
    ),
)

_SETTINGS = (
    Rule(
        "MW190",
        "a permit that nothing needs",
        "A permit that is left over lets through what nobody has looked at.",
        "Take it out.",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.code: rule for rule in (*_SOURCES, *_SETTINGS, *_ARCHIVES)}
)
"""Every rule by its code."""
