"""Names of the interpreter's inside, which a wrapper has no business with."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


RUNNERS = frozenset(
    {"__import__", "breakpoint", "compile", "eval", "exec", "globals", "help", "locals", "vars"}
)
"""Built-ins that run text, or hand out namespaces."""

OPENERS = frozenset({"open"})
"""Built-ins that open files."""

ACCESSORS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
"""Built-ins that take an attribute by name."""

PLAIN_ATTRIBUTES = words(
    """
    __aenter__ __aexit__ __aiter__ __anext__ __await__ __call__ __class__ __contains__ __doc__
    __enter__ __eq__ __exit__ __getitem__ __hash__ __init__ __init_subclass__ __iter__ __len__
    __lt__ __members__ __name__ __new__ __next__ __notes__ __post_init__ __qualname__ __repr__
    __setitem__ __str__ __version__
    """
)
"""Attributes with two underscores around them that reveal nothing; every other one is refused."""

PLAIN_NAMES = words(
    """
    __all__ __author__ __debug__ __doc__ __eq__ __hash__ __name__ __repr__ __slots__ __str__
    __version__
    """
)
"""Names with two underscores around them that a module or class may set or read."""

RECORD_ATTRIBUTES = frozenset({"_asdict", "_fields", "_make", "_replace"})
"""Attributes of named tuples, public in spite of their underscore."""

REVEALING = words(
    """
    ag_await ag_code ag_frame cell_contents co_code co_consts cr_await cr_code cr_frame
    cr_origin currentframe f_back f_builtins f_code f_globals f_locals func_closure
    func_globals get_coro get_field get_stack gi_code gi_frame gi_yieldfrom mro tb_frame tb_next
    exec_module find_spec import_attribute import_module import_string load_module resolve_name
    setprofile settrace
    """
)
"""Attributes of frames, cells, generators, tasks and loaders."""

CONNECTING = words(
    """
    connect_accepted_socket connect_ex connect_read_pipe connect_write_pipe create_connection
    create_datagram_endpoint create_server create_subprocess_exec create_subprocess_shell
    create_unix_connection create_unix_server getaddrinfo gethostbyaddr gethostbyname
    gethostbyname_ex getnameinfo open_connection open_unix_connection sock_accept sock_connect
    sock_sendfile sock_sendto start_server start_unix_server subprocess_exec subprocess_shell
    urlopen urlretrieve
    """
)
"""Attributes of event loops and clients that open connections, resolve names, start processes."""

OPENING = frozenset({"buffer", "detach"})
"""Attributes of text streams that lead to files, which open other files."""

PARTS = words("_calls _gate _transport _trees")
"""Attributes by which the library holds the gate and its parts.

They are refused on a method's own object too: any object can be given to a method as its own.
"""

GIVEAWAYS = words(
    """
    builtins ctypes gc httpcore httpcore2 httpx httpx2 importlib inspect marshal os pickle posix
    socket subprocess sys
    """
)
"""Modules that other modules have as attributes, under their own names or private ones."""

HAZARDS = frozenset({"assigned", "from_attributes", "updated"})
"""Keyword arguments that let a library read attributes by name, such as Pydantic's."""

_TEXTS = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"__(?!(?:all|author|debug|doc|eq|future|hash|init|main|name|repr|slots|str|type|typename"
    r"|version)__)[a-z_]+?__"
    r"|f_globals|f_locals|f_builtins|gi_frame|cr_frame|ag_frame|tb_frame|cell_contents"
    r"|from_attributes|(?:eval|exec)(?=\()"
    r")(?![A-Za-z0-9_])"
)


def named_inside(text: str) -> str:
    """Return the first name of the interpreter's inside that a text holds; empty for none."""
    found = _TEXTS.search(text)
    return found[0] if found else ""


def is_special(name: str) -> bool:
    """Say whether a name has two underscores around it."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_giveaway(name: str) -> bool:
    """Say whether a name is that of a module that leads everywhere, such as ``sys`` or ``_os``."""
    return name.strip("_") in GIVEAWAYS and not is_special(name)
