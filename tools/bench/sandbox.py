"""The sandbox gateway, with a clock so fast that its quotas never end a measurement.

Usage: ``python sandbox.py``; it serves on free ports and says which in one JSON line. ``POST
/faults`` on the admin port makes it slow. It has the fastest parts that uvicorn takes, and answers
without threads, so that it is not the gateway that is measured.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import TypeVar

import uvicorn

from fairwins_gateway.clock import Clock
from fairwins_gateway.faults import Faults
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.settings import Settings
from fairwins_gateway.web import public as public_module
from fairwins_gateway.web.admin import admin_app
from fairwins_gateway.web.public import public_app
from fairwins_gateway.web.serving import PortSwitch

Result = TypeVar("Result")

_SPEED = 3600  # a quota's minute is over after 17 ms


async def run_at_once(job: Callable[..., Result], *arguments: object) -> Result:
    """Do at once what the gateway has a thread do, which costs more than most of its answers."""
    return job(*arguments)


def main() -> None:
    """Serve until a signal comes."""
    vars(public_module)["run_sync"] = run_at_once  # there is no switch for it
    start = time.time_ns()
    clock = Clock(lambda: (start + (time.time_ns() - start) * _SPEED) // 1_000_000)
    gateway = Gateway(Settings(), clock, Faults())
    public, admin = (socket.create_server(("127.0.0.1", 0), backlog=128) for _ in range(2))
    ports = public.getsockname()[1], admin.getsockname()[1]
    apps = dict(zip(ports, (public_app(gateway, HANDLERS), admin_app(gateway)), strict=True))
    print(json.dumps({"port": ports[0], "admin_port": ports[1]}), flush=True)
    config = uvicorn.Config(
        PortSwitch(apps),
        http="httptools",
        loop="uvloop",
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run([public, admin])


if __name__ == "__main__":
    main()
