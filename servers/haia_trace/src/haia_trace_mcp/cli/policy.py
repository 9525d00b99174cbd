"""Show which policy is in force."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, cast

from haia_trace_mcp.cli.options import Commands, add_json, add_policy, help_end
from haia_trace_mcp.cli.terminal import plain, print_value, say, show

if TYPE_CHECKING:
    from haia_trace_mcp.policy import Policy, SpendLimit


def add_parser(commands: Commands) -> None:
    """Add the command ``policy``."""
    parser = commands.add_parser(
        "policy",
        help="check a policy file, and show the policy that it makes",
        description="Read a policy file as the server does, and show every rule with the value "
        "that it has then. The status is 1 if the file is not valid.",
        epilog=help_end(
            ("policy", "policy --guard-config haia-guard.config.json --json"),
            no="the file is not valid, or is not there; every fault is told",
            files=(("haia-guard.config.json", "the policy; without it, the default one holds"),),
        ),
    )
    add_policy(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Show the policy, or all that is wrong with it."""
    from haia_trace_mcp.policy import PolicyError, load_policy

    try:
        policy = load_policy(chosen.guard_config)
    except PolicyError as error:
        say(str(error))
        return 1
    shown = _shown(policy)
    if chosen.json:
        print_value(shown)
        return 0
    where = "the default policy" if chosen.guard_config is None else str(chosen.guard_config)
    show(plain(where))
    for name, value in shown.items():
        show(f"  {name}: {plain(_text(value))}")
    return 0


def _shown(policy: Policy) -> dict[str, object]:
    """Return the policy in the words of its file; amounts are in display units."""
    from haia_trace_mcp.money import format_amount

    decimals = policy.asset.decimals

    def limit(found: SpendLimit | None) -> dict[str, object] | None:
        if found is None:
            return None
        amount = format_amount(found.atomic, decimals)
        return {"amount": amount, "windowHours": found.window_hours}

    return {
        "allowlist": sorted(policy.allowlist),
        "denylist": sorted(policy.denylist),
        "perCounterpartyLimit": limit(policy.per_counterparty),
        "maxOpenPartialPerCounterparty": policy.max_open,
        "reviewAbove": format_amount(policy.review_above, decimals),
        "windowLimit": limit(policy.window),
        "duplicateWindowMinutes": policy.duplicate_minutes,
        "reservationSeconds": policy.reservation_seconds,
        "defaultAsset": policy.asset.key,
        "assets": {
            asset.key: {"symbol": asset.symbol, "decimals": asset.decimals}
            for asset in policy.assets
        },
    }


def _text(value: object) -> str:
    if value is None:
        return "off"
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return "; ".join(f"{name} {_text(each)}" for name, each in members.items())
    if isinstance(value, list):
        return ", ".join(cast("list[str]", value)) or "empty"
    return str(value)
