"""What an agent of a tournament is: a hash by which it is known again, and its place in a study."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from agents import checkpoint as checkpoints
from agents import registry, wrappers
from agents.shipped import folder_of
from canasta_env.rules import Rules
from canasta_env.sources import source_hash

__all__ = ["Entrant", "describe"]

_OF_ONE_RUN: Final = frozenset(
    {
        "run",
        "resume",
        "seed",
        "threads",
        "save_every",
        "keep_every",
        "eval_every",
        "eval_decks",
        "eval_opponent",
    }
)
"""Settings of a training run in which runs of the same arm may differ."""


@dataclass(frozen=True)
class Entrant:
    """An agent in the file.

    ``hash``: of a checkpoint's network, or of the sources behind an agent that is none. ``arm``:
    the same for all runs that differ in their seed alone; ``training_seed``: that seed; both None
    where the agent was not trained.
    """

    name: str
    hash: str
    arm: str | None = None
    training_seed: str | None = None


def describe(name: str, rules: str, players: int) -> Entrant:
    """What the agent called ``name`` is.

    Raises:
        ValueError: there is none, or it is for another game; one clear line.
    """
    if registry.is_wrapped(name):
        return _wrapped(name, rules, players)
    path, temperature = registry.split(name)
    if path == registry.CHAMPION:
        return _trained(name, str(folder_of(rules, players)), temperature, rules, players)
    if name not in registry.BOTS and Path(path).exists():
        return _trained(name, path, temperature, rules, players)
    return Entrant(name, _sources(name, rules, players))


def _wrapped(name: str, rules: str, players: int) -> Entrant:
    """An agent in another: known by what is inside, and by what is done to it."""
    inner, rules_inside = wrappers.inside(name, rules)
    found = describe(inner, str(rules_inside), players)
    registry.make(name, rules, players)  # a wrong one is told now
    around = name.replace(inner, "", 1)
    sources = source_hash(Path(wrappers.__file__), wrappers.__name__)
    arm = f"{around} {found.arm}" if found.arm else None
    return Entrant(name, _digest([around, found.hash, sources]), arm, found.training_seed)


@cache
def _sources(name: str, rules: str, players: int) -> str:
    """The hash of the sources of an agent's module and of all that it imports."""
    module = type(registry.make(name, rules, players)).__module__
    return source_hash(Path(str(sys.modules[module].__file__)), module)


def _trained(name: str, path: str, temperature: float, rules: str, players: int) -> Entrant:
    saved = checkpoints.read(path)
    wanted = {"rules": str(Rules.parse(rules)), "players": players}
    checkpoints.check_identity(saved, {**saved.meta, **wanted})
    entry = saved.meta["files"].get("network")
    if entry is None:
        raise checkpoints.CheckpointError(f"{path}: holds no network")
    what = {"network": saved.meta.get("network"), "sha256": entry["sha256"]}
    settings = saved.meta.get("settings")
    return Entrant(name, _digest(what), *_place(saved.meta, settings or {}, temperature))


def _place(
    meta: dict[str, Any], settings: dict[str, Any], temperature: float
) -> tuple[str | None, str | None]:
    """The arm and the training seed of a checkpoint; None where it does not say."""
    if "seed" not in settings:
        return None, None
    same = {key: value for key, value in settings.items() if key not in _OF_ONE_RUN}
    suffix = f" @{temperature:g}" if temperature else ""
    return f"{meta.get('trainer')} {_digest(same)[:8]}{suffix}", str(settings["seed"])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
