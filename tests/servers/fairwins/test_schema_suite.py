"""The server's own validator against the official test suite of JSON Schema, draft 2020-12.

The source archive of jsonschema carries the suite. Formats are annotations here, so their tests
are left out, and so is a keyword of earlier drafts.
"""

from __future__ import annotations

import json
import os
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from fairwins_mcp.errors import SchemaError
from fairwins_mcp.schema import Schema

NAME = f"jsonschema-{version('jsonschema')}"
ARCHIVE = Path(__file__).parents[3] / "build" / "suite" / f"{NAME}.tar.gz"
FOLDER = f"{NAME}/json/tests/draft2020-12/"
LEFT_OUT = (
    "optional/dependencies-compatibility.json",
    "optional/format-assertion.json",
    "optional/format/",
)

# What the validator refuses to compile, by the reason that it gives: files, and groups of theirs.
REFUSED: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("refused_schemas.json").read_text("utf-8")
)

Group = dict[str, Any]
Suite = dict[str, list[Group]]


@pytest.fixture(scope="module")
def suite() -> Suite:
    """Give every file of the suite that counts, by its name; CI must have it."""
    if not ARCHIVE.is_file():
        reason = f"there is no {ARCHIVE.name} in build/suite: run `nox -s tests`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    files: Suite = {}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            name = member.name.removeprefix(FOLDER)
            if name == member.name or not member.isfile() or name.startswith(LEFT_OUT):
                continue
            content = archive.extractfile(member)
            assert content is not None
            files[name] = json.load(content)
    return files


def name_refusal(schema: Any) -> str | None:
    """Return the validator's reason for refusing a schema, or None."""
    try:
        Schema(schema)
    except SchemaError as error:
        return str(error)
    return None


def test_the_suite_is_whole(suite: Suite) -> None:
    required = [name for name in suite if "/" not in name]
    assert len(required) >= 46
    assert sum(len(group["tests"]) for name in required for group in suite[name]) >= 1257
    for name, groups in suite.items():
        descriptions = [group["description"] for group in groups]
        assert len(descriptions) == len(set(descriptions)), name


def test_every_value_is_judged_as_the_suite_says(suite: Suite) -> None:
    wrong: list[tuple[str, str, str]] = []
    number = 0
    for name, groups in suite.items():
        for group in groups:
            if name_refusal(group["schema"]) is not None:
                continue  # and the next test says which may be refused
            schema = Schema(group["schema"])
            for test in group["tests"]:
                number += 1
                if (schema.find_faults(test["data"]) == []) != test["valid"]:
                    wrong.append((name, group["description"], test["description"]))
    assert wrong == []
    assert number >= 1200


def test_what_is_refused_is_what_is_listed_and_for_the_listed_reason(suite: Suite) -> None:
    refused = {
        (name, group["description"]): reason
        for name, groups in suite.items()
        for group in groups
        if (reason := name_refusal(group["schema"])) is not None
    }
    listed = {
        (name, description): reason
        for reason, files in REFUSED.items()
        for name, descriptions in files.items()
        for description in descriptions
    }
    assert refused == listed


def test_every_file_that_is_left_out_is_one_of_the_suite(suite: Suite) -> None:
    with tarfile.open(ARCHIVE) as archive:
        names = [name.removeprefix(FOLDER) for name in archive.getnames()]
    for left_out in LEFT_OUT:
        assert any(name.startswith(left_out) for name in names), left_out
