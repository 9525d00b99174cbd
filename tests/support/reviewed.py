"""Reviews of small changes, made without any file."""

from __future__ import annotations

import datetime
import json
from typing import Any

from counterfoil.breaking import Level
from counterfoil.config import Breaking
from counterfoil.editions import read_edition
from counterfoil.review import Accepted, Review, Weighing, narrow, weigh


def review(
    base: Any,
    target: Any,
    *,
    policy: Breaking | None = None,
    severities: dict[str, str] | None = None,
    accepted: Accepted | None = None,
    level: Level | None = None,
    server: str = "",
    today: str = "2026-06-01",
) -> Review:
    """Compare two JSON values as if they stood in old.json and new.json."""
    old, new, one = narrow(
        read_edition(json.dumps(base, indent=1).encode(), "old.json"),
        read_edition(json.dumps(target, indent=1).encode(), "new.json"),
        server,
    )
    weighing = Weighing(
        policy or Breaking(),
        severities or {},
        accepted or Accepted("accepted.json"),
        level,
        datetime.date.fromisoformat(today),
        one,
    )
    return weigh(old, new, weighing)
