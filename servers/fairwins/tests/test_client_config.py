"""The command that tells clients: what it writes, what it leaves alone, who may read it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import request, run, start

from fairwins_mcp.clients.files import FileError, Original
from fairwins_mcp.clients.locations import TITLES

TOKEN = "fw1.b3du.c2ln"
POSIX = os.name == "posix"


class Command(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.file = self.home / "mcp.json"
        self.environment = {
            "HOME": str(self.home),
            "APPDATA": str(self.home),
            "USERPROFILE": str(self.home),
        }

    def ask(self, *words: str, line: bytes = b"", **more: str) -> tuple[int, str, str]:
        status, out, err = run(
            line,
            arguments=("client-config", *words),
            environment={**self.environment, **more},
        )
        return status, out.decode(), err.decode()

    def write(self, client: str = "cursor", **more: str) -> tuple[int, str, str]:
        return self.ask(client, "--write", "--path", str(self.file), **more)

    def read(self) -> Any:
        return json.loads(self.file.read_text("utf-8"))


class Showing(Command):
    def test_without_a_client_their_files_are_listed(self) -> None:
        status, out, _ = self.ask()
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()], list(TITLES))
        self.assertIn(str(self.home), out)

    def test_the_list_is_there_for_programs(self) -> None:
        status, out, _ = self.ask("--json")
        clients = json.loads(out)["clients"]
        self.assertEqual(status, 0)
        self.assertEqual({each["client"]: each["title"] for each in clients}, dict(TITLES))
        self.assertTrue(all(each["file"].startswith("/") for each in clients) or not POSIX)
        status, out, err = self.ask("cursor", "--json")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("is JSON already", err)

    @unittest.skipUnless(POSIX, "a shell closes the stream")
    def test_a_snippet_that_nobody_can_have_read_is_no_success(self) -> None:
        shell = f"'{sys.executable}' -m fairwins_mcp client-config cursor >&-"
        environment = {**os.environ, **self.environment}
        done = subprocess.run(
            ["sh", "-c", shell], env=environment, capture_output=True, timeout=60, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output: it is closed", done.stderr)

    def test_a_snippet_is_shown_and_nothing_is_written(self) -> None:
        for client in TITLES:
            status, out, err = self.ask(client, FAIRWINS_API_TOKEN=TOKEN)
            self.assertEqual(status, 0, err)
            self.assertIn(next(iter(json.loads(out))), ("mcpServers", "inputs"))
            self.assertIn("--write puts it there", err)
            self.assertNotIn(TOKEN, out + err)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_an_address_with_a_password_is_not_taken_over(self) -> None:
        _, out, err = self.ask("cursor", FAIRWINS_API_URL="https://me:pass-word@gateway.test")
        self.assertNotIn("pass-word", out + err)

    def test_wrong_arguments_end_with_status_2(self) -> None:
        for words in (("netscape",), ("--write",), ("--path", "x"), ("cursor", "--force")):
            status, _, err = self.ask(*words)
            self.assertEqual(status, 2)
            self.assertIn("fairwins-mcp client-config: error", err)

    def test_help_tells_the_whole_of_it(self) -> None:
        status, out, _ = self.ask("--help")
        self.assertEqual(status, 0)
        self.assertIn("No token is ever written into a client's file", out)

    def test_a_serving_start_loads_nothing_of_it(self) -> None:
        code = (
            "status = main(); names = [n for n in sys.modules if 'clients' in n]; "
            "print(names); sys.exit(status)"
        )
        with start(code=code) as process:
            _, err = process.communicate(request("tools/list") + b"\n")
        self.assertEqual(err.strip(), b"[]")


class Writing(Command):
    def test_a_new_file_is_for_its_owner_alone(self) -> None:
        status, out, err = self.write("claude-desktop", FAIRWINS_API_TOKEN=TOKEN)
        self.assertEqual((status, out), (0, ""), err)
        self.assertNotIn(TOKEN, self.file.read_text("utf-8"))
        entry = self.read()["mcpServers"]["fairwins"]
        self.assertTrue(entry["env"]["FAIRWINS_API_TOKEN_FILE"].startswith(str(self.home)))
        self.assertIn("--save-token", err)
        if POSIX:
            self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)

    def test_folders_of_the_clients_own_place_are_made(self) -> None:
        for client in ("claude-desktop", "cursor", "vscode"):
            status, _, err = self.ask(client, "--write")
            self.assertEqual(status, 0, err)
            path = Path(self.ask()[1].splitlines()[list(TITLES).index(client)][32:])
            self.assertIn("fairwins", path.read_text("utf-8"))

    def test_what_is_in_the_file_and_its_mode_stay(self) -> None:
        text = '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {"mine": {"command": "a"}}\r\n}\r\n'
        for mode in (0o644, 0o640, 0o600):
            self.file.write_bytes(text.encode())
            self.file.chmod(mode)
            status, _, err = self.write()
            self.assertEqual(status, 0, err)
            self.assertEqual(list(self.read()["mcpServers"]), ["mine", "fairwins"])
            self.assertTrue(self.file.read_bytes().startswith(text[:40].encode()))
            if POSIX:
                self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), mode)
        self.assertEqual(list(self.home.iterdir()), [self.file])  # and nothing is left beside it

    def test_a_byte_order_mark_stays(self) -> None:
        self.file.write_bytes(b"\xef\xbb\xbf{}")
        self.assertEqual(self.write()[0], 0)
        self.assertTrue(self.file.read_bytes().startswith(b"\xef\xbb\xbf{"))

    def test_a_second_time_nothing_happens(self) -> None:
        self.write()
        before = self.file.stat()
        status, _, err = self.write()
        self.assertEqual(status, 0)
        self.assertIn("already, just as it would be written", err)
        after = self.file.stat()
        self.assertEqual((after.st_ino, after.st_mtime_ns), (before.st_ino, before.st_mtime_ns))

    def test_another_entry_is_never_overwritten_and_never_repeated(self) -> None:
        entry = {"command": "mine", "env": {"FAIRWINS_API_TOKEN": TOKEN}}
        text = json.dumps({"mcpServers": {"fairwins": entry}})
        self.file.write_text(text, "utf-8")
        self.file.chmod(0o644)
        status, out, err = self.write()
        self.assertEqual((status, self.file.read_text("utf-8")), (1, text))
        self.assertIn("stays as it is; it differs", err)
        self.assertIn("env.FAIRWINS_API_TOKEN: differs", err)
        self.assertNotIn(TOKEN, out + err)
        if POSIX:
            self.assertIn("others may read", err)
            self.file.chmod(0o600)
            self.assertNotIn("others may read", self.write()[2])

    def test_a_file_with_comments_is_left_alone_and_told_by_its_place(self) -> None:
        self.file.write_text('{\n  // mine\n  "servers": {}\n}\n', "utf-8")
        status, out, err = self.write("vscode")
        self.assertEqual(status, 1)
        self.assertIn(f"{self.file}:2:3 has a comment; it is left as it is", err)
        self.assertIn("fairwins", json.loads(out)["servers"])
        self.assertIn("// mine", self.file.read_text("utf-8"))

    def test_what_is_no_such_file_is_left_alone(self) -> None:
        for content in (b"\xff", b"[]", b'{"mcpServers": 1}', b'{"a": 1, "a": 2}'):
            self.file.write_bytes(content)
            status, out, _ = self.write()
            self.assertEqual((status, self.file.read_bytes()), (1, content))
            self.assertIn("mcpServers", json.loads(out))
        self.file.unlink()
        self.file.mkdir()
        status, _, err = self.write()
        self.assertEqual(status, 1)
        self.assertIn("is no regular file", err)

    @unittest.skipUnless(POSIX, "links need rights on Windows")
    def test_a_link_stays_a_link(self) -> None:
        real = self.home / "dotfiles.json"
        real.write_text("{}", "utf-8")
        self.file.symlink_to(real)
        self.assertEqual(self.write()[0], 0)
        self.assertTrue(self.file.is_symlink())
        self.assertIn("fairwins", real.read_text("utf-8"))

    @unittest.skipUnless(POSIX, "links need rights on Windows")
    def test_a_link_that_leads_nowhere_is_refused_or_filled(self) -> None:
        self.file.symlink_to(self.file)
        status, _, err = self.write()
        self.assertEqual(status, 1)
        self.assertIn("it is left as it is", err)
        self.file.unlink()
        self.file.symlink_to(self.home / "later" / "mcp.json")
        self.assertEqual(self.write()[0], 0)
        self.assertTrue(self.file.is_symlink())
        self.assertIn("fairwins", self.read()["mcpServers"])

    def test_a_file_that_the_client_has_written_meanwhile_is_not_replaced(self) -> None:
        self.file.write_bytes(b"{}")
        original = Original(str(self.file))
        self.file.write_bytes(b'{"theme": "dark"}')
        with self.assertRaisesRegex(FileError, "has just changed"):
            original.replace(b"{}")
        self.assertEqual(self.file.read_bytes(), b'{"theme": "dark"}')
        gone = Original(str(self.home / "new.json"))
        (self.home / "new.json").write_bytes(b"{}")
        with self.assertRaisesRegex(FileError, "has just changed"):
            gone.replace(b"[]")
        self.assertEqual(
            sorted(each.name for each in self.home.iterdir()), ["mcp.json", "new.json"]
        )

    def test_a_project_names_the_variable_and_no_path_of_this_machine_for_the_token(self) -> None:
        status, _, err = self.write("claude-code")
        self.assertEqual(status, 0, err)
        env = self.read()["mcpServers"]["fairwins"]["env"]
        self.assertEqual(env["FAIRWINS_API_TOKEN"], "${FAIRWINS_API_TOKEN:-}")
        self.assertNotIn("FAIRWINS_API_TOKEN_FILE", env)


@unittest.skipUnless(POSIX, "elsewhere no token is saved")
class Saving(Command):
    def setUp(self) -> None:
        super().setUp()
        self.token = self.home / "mine" / "token"

    def save(self, token: str = TOKEN) -> tuple[int, str, str]:
        return self.ask("--save-token", "--token-file", str(self.token), line=token.encode())

    def test_a_token_is_for_its_owner_alone_and_the_server_takes_it(self) -> None:
        status, out, err = self.save()
        self.assertEqual((status, out), (0, ""), err)
        self.assertNotIn(TOKEN, err)
        self.assertEqual(stat.S_IMODE(self.token.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.token.parent.stat().st_mode), 0o700)
        self.assertEqual(self.token.read_text(), f"{TOKEN}\n")
        _, report, _ = run(
            arguments=("--check-config",),
            environment={"FAIRWINS_API_TOKEN_FILE": str(self.token)},
        )
        self.assertIn(b"from the file of FAIRWINS_API_TOKEN_FILE, not shown", report)
        self.assertNotIn(TOKEN.encode(), report)

    def test_the_same_token_again_is_no_fault_and_another_is_refused(self) -> None:
        self.save()
        status, _, err = self.save()
        self.assertEqual(status, 0)
        self.assertIn("already", err)
        status, _, err = self.save("fw1.b3RoZXI.c2ln")
        self.assertEqual((status, self.token.read_text()), (1, f"{TOKEN}\n"))
        self.assertIn("holds another token, which is not overwritten", err)

    def test_a_file_that_others_may_read_gets_no_token(self) -> None:
        self.token.parent.mkdir()
        for mode in (0o644, 0o640, 0o604, 0o660):
            self.token.write_text("")
            self.token.chmod(mode)
            status, _, err = self.save()
            self.assertEqual((status, self.token.read_text()), (1, ""))
            self.assertIn(f"may be read by others (mode {mode:04o}): chmod 600", err)

    def test_a_link_gets_no_token(self) -> None:
        self.token.parent.mkdir()
        self.token.symlink_to(self.home / "published")
        status, _, err = self.save()
        self.assertEqual(status, 1)
        self.assertIn("is no regular file: name another with --token-file", err)
        self.assertFalse((self.home / "published").exists())

    def test_what_is_no_token_is_not_saved(self) -> None:
        for token in ("", "Bearer fw1.x", "fw1.é", "x" * 8193):
            status, _, err = self.save(token)
            self.assertEqual(status, 1)
            self.assertIn("that is no token: it ", err)
            self.assertIn("; copy it anew from the FairWins app", err)
        self.assertFalse(self.token.exists())


if __name__ == "__main__":
    unittest.main()
