"""Serve the tools of a JSON file over stdio, with as little as a client can live with.

Usage: ``python -I -S listing.py TOOLS.json``
"""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(message: dict[str, Any], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a result or an error, in the handshake era."""
    method = message["method"]
    if method == "initialize":
        result: dict[str, Any] = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "listing", "version": "1.0.0"},
        }
    elif method == "tools/list":
        result = {"tools": tools}
    else:
        return {"error": {"code": -32601, "message": "no such method"}}
    return {"result": result}


def main() -> None:
    """Answer until stdin ends."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123  # pathlib is slow to import
        tools = json.load(file)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, tools)}
            print(json.dumps(reply), flush=True)


main()
