"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest

from support import SOURCE, request, run

from fairwins_mcp import __version__


class CommandLine(unittest.TestCase):
    def test_version_is_that_of_the_package(self) -> None:
        self.assertEqual(
            run(arguments=("--version",)), (0, f"fairwins-mcp {__version__}\n".encode(), b"")
        )

    def test_help_names_options_and_variables(self) -> None:
        status, out, err = run(arguments=("--help",))
        self.assertEqual((status, err), (0, b""))
        for word in (b"--tools", b"--version", b"FAIRWINS_API_URL", b"FAIRWINS_API_TOKEN"):
            self.assertIn(word, out)

    def test_tools_narrows_what_is_served(self) -> None:
        status, out, _ = run(
            request("tools/list"), arguments=("--tools", "get_wagers, get_gateway_status")
        )
        names = [tool["name"] for tool in json.loads(out)["result"]["tools"]]
        self.assertEqual((status, names), (0, ["get_gateway_status", "get_wagers"]))

    def test_wrong_arguments_end_with_status_2_and_a_sentence(self) -> None:
        for arguments, sentence in (
            (("--tools", "get_wagers,nothing"), b"unknown tool nothing; available: build_intent, "),
            (("--tools", "find_in_app"), b"unknown tool find_in_app"),
            (("--tools", " , "), b"no tool is named"),
            (("--tools",), b"expected one argument"),
            (("--port", "80"), b"unrecognized arguments: --port 80"),
            (("x",), b"unrecognized arguments: x"),
        ):
            with self.subTest(arguments=arguments):
                status, out, err = run(request("tools/list"), arguments=arguments)
                self.assertEqual((status, out), (2, b""))
                self.assertIn(sentence, err)
                self.assertNotIn(b"Traceback", err)

    def test_the_module_is_the_command(self) -> None:
        process = subprocess.run(
            [sys.executable, "-S", "-m", "fairwins_mcp", "--version"],
            capture_output=True,
            env={"PYTHONPATH": str(SOURCE)},
            timeout=30,
            check=True,
        )
        self.assertEqual(process.stdout.decode().split(), ["fairwins-mcp", __version__])


if __name__ == "__main__":
    unittest.main()
