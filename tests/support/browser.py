"""A headless Chromium, and what a page did in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# Names the browser to use; where it is set, a missing browser is a failure and no skip.
VARIABLE = "COUNTERFOIL_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# Without these, Chromium asks hosts of its maker at every start.
_QUIET = (
    "--disable-background-networking", "--disable-component-update", "--disable-gpu",
    "--disable-quic", "--disable-sync", "--no-first-run",
)  # fmt: skip


def find_chromium() -> str:
    """Return the path of a Chromium; skip the test without one, unless one is asked for."""
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).exists():
            pytest.fail(f"{VARIABLE} names {named}, which is not there")
        return named
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            return found
    pytest.skip(f"there is no Chromium on the path, and {VARIABLE} names none")


@contextmanager
def chromium(*more: str) -> Iterator[Any]:
    """Run a browser, with further words, while the block lasts."""
    path = find_chromium()
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    # Its sandbox does not run as root, where containers mostly do; pages here are our own.
    words = [*_QUIET, "--no-sandbox"] if hasattr(os, "geteuid") and not os.geteuid() else _QUIET
    with playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=[*words, *more])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Opened:
    """A page that is open.

    Attributes:
        page: Playwright's page.
        complaints: errors and warnings of the console, and exceptions that nobody caught.
        requests: addresses that it asked for beyond itself.
    """

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def opened(browser: Any, path: Path, place: str = "", **context: Any) -> Iterator[Opened]:
    """Open a file in a fresh profile, as from disk.

    Args:
        place: what follows the path in the address, such as ``#x``.
        context: what Playwright's ``new_context`` takes.
    """
    made = browser.new_context(**{"reduced_motion": "reduce", **context})
    try:
        page = made.new_page()
        found = Opened(page)
        page.on("console", lambda said: _hear(found, said))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda asked: found.requests.append(asked.url))
        page.goto(f"{path.resolve().as_uri()}{place}")
        found.requests = [url for url in found.requests if not url.startswith(("file:", "data:"))]
        yield found
    finally:
        made.close()


def _hear(found: Opened, said: Any) -> None:
    if said.type in ("error", "warning"):
        found.complaints.append(said.text)


# What the page says is said for a moment only, so that it is listened to from before the click.
_LISTEN = """() => {
  const said = document.querySelector(".said");
  window.told = new Promise((resolve) => {
    new MutationObserver(() => said.textContent && resolve(said.textContent))
      .observe(said, { childList: true });
    setTimeout(() => resolve("nothing was said"), 20000);
  });
}"""


def copied(page: Any, button: Any) -> str:
    """Press a button that copies, and return what was copied once the page has said so."""
    page.evaluate(_LISTEN)
    button.click()
    assert page.evaluate("window.told") == "Copied"
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text
