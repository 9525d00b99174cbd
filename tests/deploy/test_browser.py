"""A page in a real browser asks a server on another origin, by what the proxy lets it read."""

from __future__ import annotations

import json
from typing import Any

from browser import chromium
from deployment import PAGE, Deployed
from proxies import HOSTS, Haproxy, Nginx
from public_client import spell
from rpc_post import LATEST

ASK = """async ({url, body, fields}) => {
  try {
    const answer = await fetch(url, {method: "POST", headers: fields, body});
    return {status: answer.status, challenge: answer.headers.get("WWW-Authenticate"),
            text: await answer.text()};
  } catch (error) {
    return {refused: String(error)};
  }
}"""


def test_a_page_of_the_list_reads_answers_and_another_reads_none(
    proxy: Nginx | Haproxy, deployed: Deployed
) -> None:
    names = ",".join(f"MAP {host}:443 127.0.0.1:{proxy.port}" for host in HOSTS.values())
    with chromium(f"--host-resolver-rules={names}") as browser:
        found = {
            origin: [ask(browser, origin, deployed, server) for server in HOSTS]
            for origin in (PAGE, "https://other.example.com")
        }
    fairwins, shop, receipts = found[PAGE]
    assert fairwins["status"] == shop["status"] == 200
    assert "get_fees" in fairwins["text"]
    # Without a token, a page learns where it gets one.
    assert receipts["status"] == 401
    assert "resource_metadata=" in receipts["challenge"]
    assert all("refused" in each for each in found["https://other.example.com"])


def ask(browser: Any, origin: str, deployed: Deployed, server: str) -> Any:
    """Return what a page reads of a list of tools."""
    context = browser.new_context(ignore_https_errors=True, permissions=["local-network-access"])
    try:
        page = context.new_page()
        # The page itself comes from nowhere; its requests go out.
        page.route(
            f"{origin}/**", lambda route: route.fulfill(body="<p>", content_type="text/html")
        )
        page.goto(f"{origin}/")
        body, fields = spell(LATEST, "tools/list")
        bearer = {} if server == "receipts" else deployed.pairs[server].bearer
        asked = {
            "url": f"https://{HOSTS[server]}/mcp",
            "body": json.dumps(body),
            "fields": {"Content-Type": "application/json", **fields, **bearer},
        }
        return page.evaluate(ASK, asked)
    finally:
        context.close()
