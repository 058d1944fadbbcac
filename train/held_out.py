"""Agents that a training may not meet, because what it makes is to be tested with them.

A test with partners that were never met says nothing if one of them was met under another name. So
names are taken widely: ``runs/x`` stands for all checkpoints of that run at any temperature, a
folder for all runs below it, ``basic`` for ``basic(keep_joker=100)`` too, and checkpoints with the
same network are the same agent, wherever they lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agents import checkpoint as checkpoints
from agents import registry
from train import runs

__all__ = ["are_one", "keep_apart", "met", "met_by"]


def keep_apart(held_out: Iterable[str], met: Iterable[str]) -> None:
    """Checks that nobody of ``held_out`` is met; both are names of agents.

    Raises:
        ValueError: somebody is, or a name of ``held_out`` is no agent's; one line that names both.
    """
    met = list(met)
    for held in held_out:
        if not Path(_path(held)).exists() and not _is_name(held):
            raise ValueError(f"--held-out {held}: no such agent; name a bot, a run or a folder")
        for name in met:
            if are_one(held, name):
                also = "" if held == name else f" as {name}"
                raise ValueError(
                    f"--held-out {held}: the training meets it{also}; leave it out of one of them"
                )


def met(settings: Mapping[str, Any]) -> list[str]:
    """The names of all agents that a run with these settings of a trainer meets, imitates, begins
    from or is to differ from, and of those that the run met from which it begins.
    """
    found = [
        word.rpartition("=")[0]
        for word in (*settings.get("pool", ()), *settings.get("partners", ()))
    ]
    for name in ("members", "diversity_from", "others"):
        found += settings.get(name, ())
    if "teacher" in settings and not settings.get("records"):
        found.append(settings["teacher"] or "basic")
    start = settings.get("start")
    return [*found, *([start, *met_by(start)] if start else ())]


def met_by(name: str) -> list[str]:
    """The names of all agents that the one called ``name`` met in its training, as far as its
    checkpoint says; none for one without.
    """
    try:
        return met(checkpoints.read(_path(name)).meta.get("settings", {}))
    except checkpoints.CheckpointError:
        return []


def are_one(held: str, name: str) -> bool:
    """Whether the agent called ``name`` is, or is among, those that ``held`` stands for."""
    one, other = Path(_path(held)), Path(_path(name))
    if not one.exists() or not other.exists():
        return _style(held) == _style(name)
    if _run(other).is_relative_to(_run(one)):
        return True
    networks = _network(one), _network(other)
    return networks[0] is not None and networks[0] == networks[1]


def _path(name: str) -> str:
    return registry.split(name)[0]


def _style(name: str) -> str:
    """A bot's name without its weights, any other name without its temperature."""
    return _path(name).partition("(")[0]


def _is_name(name: str) -> bool:
    return _style(name) in (*registry.BOTS, registry.CHAMPION, registry.SEARCH) or ":" in name


def _run(path: Path) -> Path:
    """The run that a checkpoint belongs to; other folders as they are."""
    path = path.resolve()
    return path.parent if runs.is_of_run(path.name) else path


def _network(path: Path) -> str | None:
    """The hash of a checkpoint's network; None if there is none at the path."""
    try:
        files = checkpoints.read(path).meta["files"]
    except checkpoints.CheckpointError:
        return None
    return str(files["network"]["sha256"]) if "network" in files else None
