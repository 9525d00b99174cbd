"""The command ``lemonsqueezy-mcp``, whose gate is connected to a port of loopback.

The first two arguments are the port, and the file of the authority that vouches for what listens
there; the rest are the command's own.
"""

from __future__ import annotations

import dataclasses
import functools
import ssl
import sys

from lemonsqueezy_mcp.cli import PROGRAM
from lemonsqueezy_mcp.server import create_server
from mcp_wrapper_scaffold.testing import LoopbackNetwork

if __name__ == "__main__":
    port, authority, *words = sys.argv[1:]
    network = LoopbackNetwork(int(port), ssl.create_default_context(cafile=authority))
    create = functools.partial(create_server, network=network)
    sys.exit(dataclasses.replace(PROGRAM, create=create).run(words))
