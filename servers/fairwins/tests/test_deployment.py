"""The container and its service, by what their files say."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]
TERRAFORM = ROOT / "terraform"


def read(*parts: str) -> str:
    """Return a file without its comments."""
    text = ROOT.joinpath(*parts).read_text(encoding="utf-8")
    return re.sub(r"(?m)^\s*#.*\n", "", text)


@unittest.skipUnless(TERRAFORM.is_dir(), "a source distribution holds the package and its tests")
class Container(unittest.TestCase):
    def setUp(self) -> None:
        self.text = read("Dockerfile")

    def test_it_is_a_bare_python(self) -> None:
        self.assertEqual(re.findall(r"(?m)^FROM (.*)$", self.text), ["python:3.11-slim"])
        for word in ("pip", "apt", "curl", "http://", "https://"):
            self.assertNotIn(word, self.text)

    def test_it_copies_the_package_and_nothing_else(self) -> None:
        copied = re.findall(r"(?m)^(?:COPY|ADD) (.*)$", self.text)
        self.assertEqual(copied, ["src/fairwins_mcp fairwins_mcp"])
        ignored = read(".dockerignore").split()
        self.assertEqual(ignored, ["*", "!src/fairwins_mcp", "**/__pycache__"])

    def test_it_runs_as_a_user_without_privileges(self) -> None:
        (user,) = re.findall(r"(?m)^USER (.*)$", self.text)
        self.assertGreater(int(user), 0)
        self.assertLess(self.text.index("USER"), self.text.index("ENTRYPOINT"))

    def test_it_serves_http_on_its_port_and_looks_after_its_health(self) -> None:
        self.assertIn("\nEXPOSE 8790\n", self.text)
        self.assertRegex(self.text, r"(?m)^ENV PORT=8790$")
        (entry,) = re.findall(r"(?m)^ENTRYPOINT (.*)$", self.text)
        self.assertTrue(entry.endswith('"--http", "--host", "0.0.0.0"]'), entry)
        self.assertIn("/healthz", self.text[self.text.index("HEALTHCHECK") :])

    def test_it_holds_no_token(self) -> None:
        self.assertNotIn("TOKEN", self.text)
        self.assertEqual(re.findall(r"(?m)^(?:ENV|ARG) (\w+)", self.text), ["PORT"])


@unittest.skipUnless(TERRAFORM.is_dir(), "a source distribution holds the package and its tests")
class Service(unittest.TestCase):
    def test_it_is_not_managed_unless_somebody_says_so(self) -> None:
        for folder in ("module", "prod", "staging"):
            text = read("terraform", folder, "variables.tf")
            block = re.search(r'variable "manage_mcp_server" \{(.*?)\n\}', text, re.DOTALL)
            assert block is not None
            self.assertRegex(block[1], r"(?m)^  default +(= )false$")
        main = read("terraform", "module", "main.tf")
        resources = re.findall(r'(?m)^resource "\w+" "\w+" \{\n  (.*)$', main)
        self.assertEqual(len(resources), 2)
        self.assertEqual(set(resources), {"count = var.manage_mcp_server ? 1 : 0"})

    def test_each_environment_has_a_service_of_its_own(self) -> None:
        for folder, name in (
            ("prod", "fairwins-mcp-server"),
            ("staging", "fairwins-mcp-server-staging"),
        ):
            text = read("terraform", folder, "main.tf")
            self.assertRegex(text, rf'(?m)^  name +(= )"{name}"$')
            self.assertRegex(text, r"(?m)^  manage_mcp_server = var\.manage_mcp_server$")

    def test_it_holds_no_secret_and_has_no_account(self) -> None:
        paths = sorted(TERRAFORM.rglob("*.tf"))
        self.assertGreaterEqual(len(paths), 9)
        for path in paths:
            text = read(*path.relative_to(ROOT).parts)
            for word in (
                "secret",
                "service_account",
                "TOKEN",
                "allow-shared-token",
                "value_source",
            ):
                self.assertNotIn(word, text, path)
        names = re.findall(
            r'(?m)^ +name +(?:= )"(FAIRWINS\w+)"$', read("terraform", "module", "main.tf")
        )
        self.assertEqual(names, ["FAIRWINS_API_URL", "FAIRWINS_MCP_ALLOWED_ORIGINS"])

    def test_it_is_one_container_that_scales_to_none(self) -> None:
        main = read("terraform", "module", "main.tf")
        self.assertIn("min_instance_count = 0", main)
        self.assertEqual(len(re.findall(r"(?m)^ +containers \{$", main)), 1)
        self.assertIn("container_port = 8790", main)
        self.assertEqual(len(re.findall('path = "/healthz"', main)), 2)


if __name__ == "__main__":
    unittest.main()
