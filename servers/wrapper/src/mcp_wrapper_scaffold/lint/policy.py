"""The decision whether a wrapper may use a module, or a name of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from mcp_wrapper_scaffold.lint.interpreter import CONNECTING, REVEALING, is_giveaway
from mcp_wrapper_scaffold.lint.modules import (
    ALLOWED,
    PUBLIC_PARTS,
    is_standard,
    refusal,
)
from mcp_wrapper_scaffold.lint.references import Reference, Surroundings
from mcp_wrapper_scaffold.lint.settings import Settings

_DEPTH = 4


@dataclass(frozen=True)
class Fault:
    """Why something is not to be used.

    Attributes:
        code: the rule.
        message: one sentence.
        hint: what to do, where it is more than the rule says.
    """

    code: str
    message: str
    hint: str = ""


class Policy:
    """Decide for one check.

    Args:
        surroundings: the modules that there are.
        settings: what was permitted.
    """

    def __init__(self, surroundings: Surroundings, settings: Settings) -> None:
        self.surroundings = surroundings
        self.settings = settings

    def module(self, where: str, module: str) -> Fault | None:
        """Return why a module itself may not be imported.

        Args:
            where: the module that wants it.
            module: its dotted name.
        """
        if self.surroundings.is_own(module):
            return None
        if module in PUBLIC_PARTS:
            fault = Fault(
                "MW104",
                f"{module} is imported as a whole, and its parts come with it",
                f"write `from {module} import NAME`",
            )
        elif module in ALLOWED:
            return None
        else:
            code, clause = refusal(module)
            fault = Fault(code, f"{module} {clause}")
        return None if self._permits(module, where) else fault

    def name(self, where: str, module: str, name: str, depth: int = _DEPTH) -> Fault | None:
        """Return why a name of a module may not be used."""
        fault = self._fault(where, module, name, depth)
        if fault is None or self._permits(f"{module}:{name}", where):
            return None
        return fault

    def chain(
        self, where: str, reference: Reference, attributes: Sequence[str]
    ) -> tuple[Fault | None, Reference]:
        """Follow attributes from a module; return the first fault, and where the chain ends."""
        for attribute in attributes:
            if reference.name:
                break
            fault = self.name(where, reference.module, attribute)
            if fault is not None:
                return fault, reference
            reference = self.surroundings.resolve(reference.module, attribute)
        return None, reference

    def _permits(self, what: str, where: str) -> bool:
        return self.settings.permit("imports", what, where)

    def _fault(self, where: str, module: str, name: str, depth: int) -> Fault | None:
        target = self.surroundings.resolve(module, name)
        if self.surroundings.is_own(module):
            # Names of refused modules are looked at where they are imported; a name that only
            # looks like one comes from an import that could not be followed.
            return self._target(where, module, target, depth)
        if module in PUBLIC_PARTS:
            return None if name in public_names(module) else _not_public(module, name)
        if module in ALLOWED:
            if not ALLOWED[module].covers(name) and not self._permits(module, where):
                code, _ = refusal(module)
                code = "MW103" if code == "MW105" else code
                return Fault(code, f"{module}.{name} is not among what wrappers may use of it")
            return self._target(where, module, target, depth)
        fault = self.module(where, module)
        if fault is not None:
            return fault
        if is_giveaway(name) or name in REVEALING or name in CONNECTING:
            return Fault("MW103", f"{module}.{name} goes by the name of something refused")
        return self._target(where, module, target, depth)

    def _target(self, where: str, module: str, target: Reference, depth: int) -> Fault | None:
        """Judge where a name leads, when that is another module than the one it was asked of."""
        if not target.name:
            return self.module(where, target.module)
        if target.module == module or not depth:
            return None
        if _top(target.module) == _top(module) or is_standard(module):
            return None  # packages share out their own names as they like
        return self.name(where, target.module, target.name, depth - 1)


@cache
def public_names(module: str) -> frozenset[str]:
    """Return the public names of the library, or of a public part of it."""
    return frozenset(getattr(import_module(module), "__all__", ()))


def _not_public(module: str, name: str) -> Fault:
    return Fault("MW104", f"{module}.{name} is not public")


def _top(module: str) -> str:
    return module.partition(".")[0]
