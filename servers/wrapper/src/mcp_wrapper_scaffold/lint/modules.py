"""Modules: which do no harm, of which only some names do none, and why others are refused."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mcp_wrapper_scaffold.lint.interpreter import words

LIBRARY = "mcp_wrapper_scaffold"
PUBLIC_PARTS = frozenset({LIBRARY, f"{LIBRARY}.metrics"})
"""The modules of the library that a wrapper takes names from; tests take from ``testing``, too."""


@dataclass(frozen=True)
class Allowance:
    """What may be used of a module.

    Attributes:
        only: the names; none given means all.
        never: names that are taken out.
        like: a pattern that names must match.
    """

    only: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    like: re.Pattern[str] | None = None

    def covers(self, name: str) -> bool:
        """Say whether a name may be used."""
        return (
            name not in self.never
            and (not self.only or name in self.only)
            and (self.like is None or self.like.fullmatch(name) is not None)
        )


def _only(names: str) -> Allowance:
    return Allowance(only=words(names))


def _never(names: str) -> Allowance:
    return Allowance(never=words(names))


# get_type_hints and what it is made of evaluate text.
_TYPING = _never("ForwardRef evaluate_forward_ref get_type_hints")
_CLASSES = Allowance(like=re.compile("[A-Z][A-Za-z0-9_]*"))

ALLOWED: Mapping[str, Allowance] = MappingProxyType(
    {
        **dict.fromkeys(
            words(
                """
            __future__ abc array base64 binascii bisect calendar cmath collections
            collections.abc colorsys contextlib copy csv datetime decimal
            difflib email.utils enum errno fractions graphlib hashlib heapq hmac html
            html.entities ipaddress itertools json keyword math numbers pprint random re reprlib
            secrets statistics struct textwrap time tomllib unicodedata warnings weakref zlib
            zoneinfo
            """
            ),
            Allowance(),
        ),
        "argparse": _never("FileType"),  # it opens files
        "asyncio": _only(
            """
            ALL_COMPLETED Barrier BoundedSemaphore CancelledError Condition Event
            FIRST_COMPLETED FIRST_EXCEPTION Future InvalidStateError LifoQueue Lock
            PriorityQueue Queue QueueEmpty QueueFull Semaphore Task TaskGroup Timeout
            TimeoutError as_completed create_task current_task ensure_future gather
            iscoroutine isfuture run shield sleep timeout timeout_at to_thread wait wait_for
            """
        ),
        "contextvars": _only("ContextVar Token"),  # copy_context hands out everybody's
        "dataclasses": _never("make_dataclass"),  # it takes a whole namespace
        "functools": _never("update_wrapper"),  # it copies attributes by name
        "http": _only("HTTPMethod HTTPStatus"),
        "importlib.metadata": _only("PackageNotFoundError version"),
        "io": _only("BytesIO StringIO"),
        "logging": _never("FileHandler basicConfig currentframe"),  # serve() sets logging up
        "mcp.types": _CLASSES,
        "mcp_types": _CLASSES,
        "operator": _never("attrgetter methodcaller"),
        "os": _only("environ getenv"),
        "string": _never("Formatter"),  # its get_field hands out attributes by name
        "sys": _only(
            """
            argv byteorder exit float_info int_info intern maxsize maxunicode platform stderr
            stdin stdout version version_info
            """
        ),
        "threading": _only("Condition Event Lock RLock Semaphore"),
        "types": _only(
            """
            EllipsisType MappingProxyType NoneType NotImplementedType SimpleNamespace
            TracebackType UnionType
            """
        ),
        "typing": _TYPING,
        "typing_extensions": _TYPING,
        "urllib.parse": _only(
            "ParseResult SplitResult parse_qs parse_qsl quote quote_plus unquote unquote_plus "
            "urlencode urljoin urlparse urlsplit urlunparse urlunsplit"
        ),
        "uuid": _only(
            "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 UUID uuid3 uuid4 uuid5"
        ),
    }
)
"""What may be imported without anybody's permit: it opens, starts and reveals nothing."""

_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "MW101": (
            "opens connections",
            """
            _asyncio _socket _ssl aiodns aiohttp aioquic anthropic anyio asgiref asks asynchat
            asyncio asyncore asyncpg asyncssh autobahn blacksheep boto3 botocore certifi
            cloudscraper curl_cffi dns elasticsearch eventlet fabric fastapi fastmcp ftplib gevent
            google googleapiclient grequests grpc h11 h2 hishel http httpcore httpcore2 httplib2
            httptools httpx httpx2 hypercorn imaplib impit influxdb_client jwt kafka ldap3
            mechanize motor nats niquests nntplib oauthlib openai paho paramiko pika playwright
            poplib primp psycopg psycopg2 pycares pycurl pymongo pymysql pyreqwest redis requests
            requests_html requests_oauthlib rnet scrapy select selectors selenium sentry_sdk
            smbprotocol smtpd smtplib socket socketserver socks sqlalchemy ssl starlette telnetlib
            tls_client tornado treq trio twisted urllib urllib3 urllib3_future uvicorn uvloop
            webbrowser websocket websockets wreq wsgiref xmlrpc zmq
            """,
        ),
        "MW102": (
            "starts processes or runs native code",
            """
            Cython _cffi_backend _ctypes _multiprocessing _posixshmem _posixsubprocess _winapi
            billiard cffi clr concurrent ctypes cython dask faulthandler fcntl invoke jpype joblib
            llvmlite loky mmap msvcrt multiprocess multiprocessing nt numba os pexpect plumbum
            posix psutil pty pyximport ray resource sh signal subprocess termios tty winreg
            """,
        ),
        "MW103": (
            "finds modules, runs text or looks into objects",
            """
            _frozen_importlib _frozen_importlib_external _imp _interpreters _io _pickle _thread
            _xxsubinterpreters ast atexit bdb builtins cProfile cloudpickle code codecs codeop
            copyreg debugpy dill dis doctest ensurepip gc imp importlib inspect io jsonpickle
            lib2to3 linecache marshal mock modulefinder opcode pdb pickle pickletools pip
            pkg_resources pkgutil profile pydoc rlcompleter runpy setuptools shelve site symtable
            sys sysconfig test threading timeit trace traceback tracemalloc types unittest venv
            yaml zipapp zipimport
            """,
        ),
    }
)
_CODES: Mapping[str, str] = MappingProxyType(
    {name: code for code, (_, names) in _KINDS.items() for name in names.split()}
)
# Deeper modules of packages that are not refused as a whole.
_DEEPER: Mapping[str, str] = MappingProxyType(
    {
        "logging.config": "MW103",
        "logging.handlers": "MW101",
        "mcp": "MW101",
        "opentelemetry.exporter": "MW101",
        "prometheus_client": "MW101",
    }
)


def refusal(module: str) -> tuple[str, str]:
    """Return the code for a module that is not allowed, and a clause that says why."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        code = _DEEPER.get(name) or (_CODES.get(name) if length == 1 else None)
        if code:
            return code, _KINDS[code][0]
    if parts[0] == LIBRARY:
        return "MW104", "is not public"
    return "MW105", "is not on the list of what wrappers may import"


def refused_names() -> Mapping[str, str]:
    """Return every module that is refused by name, with why; for other linters' settings."""
    named = {name: _KINDS[code][0] for name, code in (*_CODES.items(), *_DEEPER.items())}
    return dict(sorted(named.items()))


def is_named(module: str) -> bool:
    """Say whether a module has a line of its own in the tables here."""
    return module in _CODES or module in _DEEPER or module in ALLOWED


def is_standard(module: str) -> bool:
    """Say whether a module comes with Python."""
    return module.partition(".")[0] in sys.stdlib_module_names
