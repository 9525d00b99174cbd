"""A relay before a real server on stdio, which spoils what the server answers.

Its one argument is a JSON object: ``entries`` maps the key of a list to members that its first
entry gets, ``info`` holds members for serverInfo, ``revisions`` replaces what is claimed,
``ends`` names a method at which the server ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SPOIL: dict[str, Any] = json.loads(sys.argv[1])
INFO = "io.modelcontextprotocol/serverInfo"


def spoil(result: dict[str, Any]) -> None:
    """Change a result in place."""
    for key, more in SPOIL.get("entries", {}).items():
        for entry in result.get(key, [])[:1]:
            entry.update(more)
    for holder, key in ((result, "serverInfo"), (result.get("_meta", {}), INFO)):
        if key in holder:
            holder[key].update(SPOIL.get("info", {}))
    if "revisions" in SPOIL:
        if "supportedVersions" in result:
            result["supportedVersions"] = SPOIL["revisions"]
        if "protocolVersion" in result and result["protocolVersion"] not in SPOIL["revisions"]:
            result["protocolVersion"] = SPOIL["revisions"][0]


def main() -> None:
    """Relay until standard input ends."""
    command = [sys.executable, "-m", "fairwins_mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if request.get("method") == SPOIL.get("ends", ""):
                break
            server.stdin.write(line)
            server.stdin.flush()
            if "id" in request:
                message = json.loads(server.stdout.readline())
                spoil(message.get("result", {}))
                sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
                sys.stdout.buffer.flush()
        server.stdin.close()


if __name__ == "__main__":
    main()
