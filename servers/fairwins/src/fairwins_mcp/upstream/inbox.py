"""What has come of an answer, for a reader that cannot wait for more."""

from __future__ import annotations

from io import BytesIO

from fairwins_mcp.upstream.dialogue import DryError


class Inbox(BytesIO):
    """What has come of an answer. Reading beyond that raises DryError, until ``is_ended``."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ended = False
        self._size = 0
        self._mark = 0

    def __len__(self) -> int:
        """Count the bytes that have come."""
        return self._size

    @property
    def is_read(self) -> bool:
        """Tell whether nothing is left."""
        return self.tell() == self._size

    def add(self, data: bytes) -> None:
        """Take what has come."""
        place = self.tell()
        self.seek(self._size)
        self._size += self.write(data)
        self.seek(place)

    def commit(self) -> None:
        """Never go back behind what has been read by now."""
        self._mark = self.tell()

    def go_back(self) -> None:
        """Have all read again that was not committed, and forget the rest."""
        self.seek(self._mark)
        if self._mark:
            left = super().read()
            self.empty()
            self.add(left)

    def empty(self) -> None:
        """Begin anew."""
        self.seek(0)
        self.truncate()
        self._size = self._mark = 0

    def close(self) -> None:
        """Stay open: more may follow."""

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line; one that has not ended is none yet."""
        line = super().readline(size)
        if not self.is_ended and len(line) != size and not line.endswith(b"\n"):
            raise DryError
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        """Read all that is asked for, or nothing yet."""
        if not self.is_ended and (size is None or not 0 <= size <= self._size - self.tell()):
            raise DryError
        return super().read(size)

    def read1(self, size: int | None = -1, /) -> bytes:
        """Read what there is, if there is anything.

        Of all that reads an answer, only this is called within a chunk. By then http.client has
        taken note of the size that stood before, and must not come upon it again.
        """
        data = super().read1(size)
        if not data and size and not self.is_ended:
            self.commit()
            raise DryError
        return data
