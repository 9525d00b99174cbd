"""One conversation with a server: its greeting, then requests held to the revision's rules."""

from __future__ import annotations

from typing import cast

from counterfoil.wire.channels import Channel
from counterfoil.wire.errors import WireError
from counterfoil.wire.messages import CLIENT, MODERN_REVISIONS, JsonObject, is_object, server_info


class Session:
    """Speak one revision over a channel."""

    def __init__(self, channel: Channel, revision: str) -> None:
        self._channel = channel
        self._revision = revision
        self._modern = revision in MODERN_REVISIONS
        self.server: JsonObject = {}
        self.instructions: str | None = None
        self.capabilities: JsonObject = {}

    def open(self) -> None:
        """Learn who the server is, in the way of the revision, and make ready for requests.

        Raises:
            WireError: also when the server does not offer the revision.
        """
        if self._modern:
            offered = self.discover()
            if self._revision not in offered:
                raise self._other_revision("server/discover", offered)
        else:
            self.initialize()
            self.settle()

    def discover(self) -> tuple[str, ...]:
        """Ask a modern server who it is, and return the revisions it says it supports."""
        result = self.request("server/discover", {})
        names: object = result.get("supportedVersions")
        offered = cast(list[object], names) if isinstance(names, list) else []
        versions = tuple(name for name in offered if isinstance(name, str))
        if not versions or len(versions) != len(offered):
            raise self.malformed("server/discover", "has no list of supportedVersions")
        self._greeted("server/discover", result, server_info(result))
        return versions

    def initialize(self) -> None:
        """Begin a handshake, and leave its end, :meth:`settle`, to the caller."""
        client = {"protocolVersion": self._revision, "capabilities": {}, "clientInfo": CLIENT}
        result = self.request("initialize", client)
        version: object = result.get("protocolVersion")
        if not isinstance(version, str):
            raise self.malformed("initialize", "has no protocolVersion")
        if version != self._revision:
            raise self._other_revision("initialize", (version,))
        info: object = result.get("serverInfo")
        if not is_object(info):
            raise self.malformed("initialize", "has no serverInfo")
        self._greeted("initialize", result, info)

    def settle(self) -> None:
        """End a handshake, after which lists may be asked for."""
        self._channel.notify("notifications/initialized")

    def request(self, method: str, params: JsonObject) -> JsonObject:
        """Return a result that is complete, and (modern) says how long it may be kept.

        All that this client asks is cacheable: server/utilities/caching of 2026-07-28.
        Clients built on the official SDKs reject a result without these members.
        """
        result = self._channel.request(method, params)
        if self._modern:
            if result.get("resultType") != "complete":
                raise self.malformed(method, 'has no resultType "complete"')
            if not _is_duration(result.get("ttlMs")):
                raise self.malformed(method, "has no ttlMs that is an integer from 0 up")
            if result.get("cacheScope") not in ("public", "private"):
                raise self.malformed(method, "has no cacheScope of public or private")
        return result

    def malformed(self, method: str, what: str) -> WireError:
        """Return the error for a result that is not what the revision prescribes."""
        return self._channel.reporter.error(
            "malformed",
            f"the result of {method} {what}",
            f"Send what {self._revision} prescribes for it.",
        )

    def endless(self, method: str, what: str) -> WireError:
        """Return the error for a list that does not come to an end."""
        return self._channel.reporter.error(
            "pages", f"{method} {what}", "Leave nextCursor out of the last page."
        )

    def _greeted(self, method: str, result: JsonObject, server: JsonObject) -> None:
        capabilities: object = result.get("capabilities")
        if not is_object(capabilities) or not all(map(is_object, capabilities.values())):
            raise self.malformed(method, "has no capabilities made of objects")
        instructions: object = result.get("instructions", "")
        if not isinstance(instructions, str):
            raise self.malformed(method, "has instructions that are no string")
        self.server = server
        self.instructions = instructions if "instructions" in result else None
        self.capabilities = capabilities

    def _other_revision(self, method: str, offered: tuple[str, ...]) -> WireError:
        reporter = self._channel.reporter
        names = ", ".join(reporter.quote(name, 40) for name in offered[:20])
        return reporter.error(
            "revision",
            f"{method} offers {names} instead",
            "Ask for a revision that the server offers, or let it serve this one.",
            offered=offered,
        )


def _is_duration(value: object) -> bool:
    # 60000.0 is an integer to JSON Schema; True is one only to Python.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and value == int(value)
