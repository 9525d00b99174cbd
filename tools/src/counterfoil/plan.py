"""The plan: a contract and a configuration in, every file and its bytes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from counterfoil.cache import Cache
from counterfoil.config import FILE, Config, Output
from counterfoil.contract.model import Contract, Server
from counterfoil.errors import ConfigError
from counterfoil.targets.registry import target
from counterfoil.targets.target import Launch, Planned, Preparing, Request, Target

Cases = Mapping[tuple[str, str], Mapping[str, object]]
_PLACE = f"{FILE} [[tool.counterfoil.output]]"


@dataclass(frozen=True)
class Step:
    """One output of a configuration: a target and what it is asked to make."""

    target: Target
    request: Request
    config: Config


def steps(contract: Contract, config: Config, cache: Cache, cases: Cases) -> Iterator[Step]:
    """Yield what the configuration asks for, in its order.

    Raises:
        ConfigError: an output names a server or target that there is not, or two servers
            would write the same file.
    """
    launches = {live.id: Launch(live.command, live.url) for live in config.live}
    for output in config.outputs:
        made = target(output.target)
        servers = _servers(contract, output, made)
        _check_path(output, made, servers)
        request = Request(contract, servers, output.path, cache, cases, launches)
        yield Step(made, request, config)


def prepare(config: Config) -> None:
    """Let targets start in the background what takes long, before the contract is read."""
    for name in dict.fromkeys(output.target for output in config.outputs):
        made = target(name)
        if isinstance(made, Preparing):
            made.prepare()


def plan(sequence: Iterable[Step]) -> dict[str, Planned]:
    """Return every file that has to be, by path, sorted.

    Raises:
        ConfigError: two outputs plan the same path with other bytes, or an output would
            replace what it is made from.
        GenerationError: a target cannot represent what the contract says.
    """
    files: dict[str, Planned] = {}
    begun = [(step, step.target.plan(step.request)) for step in sequence]
    # What works in the background by now comes last.
    for step, found in sorted(begun, key=lambda each: isinstance(each[0].target, Preparing)):
        for planned in found:
            _check_source(planned.path, step.config)
            known = files.setdefault(planned.path, planned)
            if known.content != planned.content:
                raise ConfigError(
                    f"two outputs write {planned.path}",
                    place=_PLACE,
                    hint="give each output a path of its own",
                )
    return dict(sorted(files.items()))


def _check_source(path: str, config: Config) -> None:
    """Refuse a path at which the contract, a case or the configuration may stand."""
    within_cases = bool(config.cases) and path.startswith(f"{config.cases}/")
    if within_cases or path in (FILE, config.cases, config.contract):
        raise ConfigError(
            f"an output would replace {path}, which people edit",
            place=_PLACE,
            hint="choose another path",
        )


def _servers(contract: Contract, output: Output, made: Target) -> tuple[Server, ...]:
    known = {server.id: server for server in contract.servers}
    for name in output.servers:
        if name not in known:
            raise ConfigError(
                f"output {output.target!r} names the server {name!r}, which the contract does not",
                place=_PLACE,
                hint=f"servers: {', '.join(known)}",
            )
        if not made.applies(known[name]):
            raise ConfigError(
                f"target {output.target!r} is not for the server {name!r} "
                f"(binding {known[name].binding!r})",
                place=_PLACE,
                hint="take the server out of the list, or leave the list out",
            )
    chosen = output.servers or tuple(known)
    return tuple(known[name] for name in chosen if made.applies(known[name]))


def _check_path(output: Output, made: Target, servers: tuple[Server, ...]) -> None:
    free = "{server}" not in output.path and "{package}" not in output.path
    if made.per_server and free and len(servers) > 1:
        raise ConfigError(
            f"output {output.target!r} writes {output.path} for {len(servers)} servers",
            place=_PLACE,
            hint="put {server} into the path, or name one server",
        )
