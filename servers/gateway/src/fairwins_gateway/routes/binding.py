"""Routes of the document and their handlers, held together in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fairwins_gateway.admission import Caller
from fairwins_gateway.document import Operation
from fairwins_gateway.errors import BindingError
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.messages import Inbound, Reply
from fairwins_gateway.parameters import Values, read_body, read_values


@dataclass(frozen=True)
class Call:
    """One admitted request: on which gateway, to which operation, in whose name."""

    gateway: Gateway
    operation: Operation
    caller: Caller
    inbound: Inbound

    def values(self) -> Values:
        """Return the parameters' values by name.

        Raises:
            Refusal: the document does not allow them.
        """
        return read_values(self.operation, self.inbound.path, self.inbound.query)

    def body(self) -> JsonObject:
        """Return the body.

        Raises:
            Refusal: the document does not allow it.
        """
        return read_body(self.operation, self.inbound.body)


Handler = Callable[[Call], Reply]
Handlers = Mapping[str, Handler]


def bind(operations: Iterable[str], handlers: Handlers) -> Handlers:
    """Return the handlers, one for every operation and none beside.

    Raises:
        BindingError: an operation has no handler, or a handler no operation.
    """
    wanted = set(operations)
    missing, extra = wanted - handlers.keys(), handlers.keys() - wanted
    if missing or extra:
        raise BindingError(missing, extra)
    return handlers
