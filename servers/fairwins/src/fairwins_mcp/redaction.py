"""The caller's own credentials, kept out of everything that the API sends back."""

from __future__ import annotations

import json
import re

from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.caller import Caller

MARK = "[credential removed]"
# Shorter ones are no real credentials, and their few letters stand in ordinary words too.
MIN_LENGTH = 8
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class Redaction:
    """Replace the token and the payment of one caller in foreign text."""

    def __init__(self, caller: Caller) -> None:
        secrets = (caller.token, caller.payment)
        values = [secret.reveal() for secret in secrets if secret is not None]
        self._values = [value for value in values if len(value) >= MIN_LENGTH]

    def clean(self, text: str) -> str:
        """Replace them in plain text."""
        for value in self._values:
            text = text.replace(value, MARK)
        return text

    def clean_json(self, body: bytes) -> bytes:
        """Replace them in the strings of a JSON text, however they are spelled there.

        Everything else keeps its bytes. What is no UTF-8 is returned as it is: nobody quotes it.
        """
        literal = any(value.encode("utf-8") in body for value in self._values)
        if not literal and not (self._values and b"\\" in body):
            return body
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return body
        return _STRING.sub(self._clean_string, text).encode("utf-8")

    def clean_value(self, value: object) -> object:
        """Replace them in every string of a JSON value."""
        if isinstance(value, str):
            return self.clean(value)
        if is_array(value):
            return [self.clean_value(item) for item in value]
        if is_object(value):
            return {self.clean(key): self.clean_value(member) for key, member in value.items()}
        return value

    def _clean_string(self, match: re.Match[str]) -> str:
        token = match[0]
        try:
            text: str = json.loads(token, strict=False)
        except ValueError:
            return self.clean(token)
        cleaned = self.clean(text)
        return token if cleaned == text else json.dumps(cleaned)
