"""The targets by name. A target's module is imported when it is asked for."""

from __future__ import annotations

import importlib

from counterfoil.errors import ConfigError
from counterfoil.targets.target import Target

# Name in the configuration, and the module whose TARGET makes it. A target that reads what
# another one wrote comes after it.
_MODULES = {
    "allowlist": "counterfoil.targets.allowlist",
    "assistant": "counterfoil.targets.assistant",
    "fidelity": "counterfoil.targets.fidelity",
    "grammar": "counterfoil.targets.grammar",
    "models": "counterfoil.targets.models",
    "openapi": "counterfoil.targets.openapi",
    "page": "counterfoil.targets.page",
    "reference": "counterfoil.targets.reference",
    "registry": "counterfoil.targets.directory",
    "snapshot": "counterfoil.targets.snapshot",
    "stubs": "counterfoil.targets.stubs",
}
NAMES = tuple(_MODULES)


def target(name: str) -> Target:
    """Return a target.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in _MODULES:
        raise ConfigError(
            f"there is no target {name!r}",
            place="pyproject.toml [[tool.counterfoil.output]]",
            hint=f"targets: {', '.join(NAMES)}",
        )
    found: Target = importlib.import_module(_MODULES[name]).TARGET
    return found
