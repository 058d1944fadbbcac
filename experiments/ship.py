"""Makes a shipped agent of a run: ``python -m experiments.ship runs/x --results match.json``.

The checkpoint's network goes into ``agents/champions``, without what only training needs. Beside it
lies ``CARD.md``: the first part is for people to write, and kept; the last is written from the
checkpoint and from results of ``python -m experiments.match --json``, so that no figure is typed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from agents import checkpoint as checkpoints
from agents.plain_network import build_plain_network
from agents.registry import CHAMPION, split
from agents.shipped import FOLDER
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments import result, ship_card
from experiments.command import carry_out

__all__ = ["MOST_BYTES", "main", "ship"]

MOST_BYTES: Final = 5_000_000
"""A shipped network is smaller; the repository holds every one that ever was."""
_KEPT: Final = ("trainer", "network", "counters", "settings", "versions")
_OF_THE_MACHINE: Final = ("run", "resume")
"""Settings that only say where a run lay."""
_PATH: Final = re.compile(r"(?<![\w.~-])/(?:[^/\s+]+/)*([^/\s+]+)/?")


def ship(run: Path, results: Sequence[Path] = (), name: str = "", parent: Path = FOLDER) -> Path:
    """Makes the shipped agent ``name`` of a checkpoint or run; its folder. A name that is left out
    is made of rules and players, as ``classic-4p``.

    Raises:
        ValueError: the network is too large or does not fit this version's rules, actions or
            observation; or a result is of another agent or other rules.
        OSError: a file cannot be read or written.
    """
    saved = checkpoints.read(run)
    rules, players = Rules.parse(saved.meta["rules"]), int(saved.meta["players"])
    identity = checkpoints.identity(Batch(rules, 1, players=players))
    checkpoints.check_identity(saved, identity)
    build_plain_network(saved)
    size = int(saved.meta["files"]["network"]["bytes"])
    if size >= MOST_BYTES:
        raise ValueError(
            f"{saved.folder}: its network has {size:,} bytes; a shipped agent has fewer than "
            f"{MOST_BYTES:,}, so train one with a smaller --hidden"
        )
    played = [_result(path, run, identity) for path in results]
    folder = parent / (name or f"{rules.name}-{players}p")
    arrays = saved.arrays("network")
    checkpoints.write(folder, {**identity, **_history(saved.meta)}, {"network": arrays})
    ship_card.write(folder, checkpoints.read(folder).meta, played)
    return folder


def _history(meta: dict[str, Any]) -> dict[str, Any]:
    """How the network came about, without the folders of the machine that it was trained on."""
    kept = {key: meta[key] for key in _KEPT if key in meta}
    settings = kept.get("settings", {})
    kept["settings"] = {k: v for k, v in settings.items() if k not in _OF_THE_MACHINE}
    found: dict[str, Any] = without_folders(kept)
    return found


def without_folders(value: Any) -> Any:
    """A value of JSON in whose texts only the last part of every absolute path is left."""
    if isinstance(value, dict):
        return {key: without_folders(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_folders(item) for item in value]
    return _PATH.sub(r"\1", value) if isinstance(value, str) else value


def _result(path: Path, run: Path, identity: dict[str, Any]) -> dict[str, Any]:
    """The result in a file, whose team A must be this agent, and is called champion from here on,
    under these rules.
    """
    found = result.read(path)
    for key in ("rules", "players", "actions_hash", "observation_hash"):
        if found["identity"].get(key) != identity[key]:
            raise ValueError(
                f"{path}: was played with {key} {found['identity'].get(key)}, not {identity[key]}"
            )
    for match in found["matches"]:
        team = match["team_a"].split("+")
        paths = [split(name)[0] for name in team]
        if not all(one == CHAMPION or _is_there(one, run) for one in paths):
            raise ValueError(f"{path}: team A is {match['team_a']!r}, not {CHAMPION} or {run}")
        names = (CHAMPION + name[len(one) :] for name, one in zip(team, paths, strict=True))
        match["team_a"] = "+".join(names)
    without: dict[str, Any] = without_folders(found)
    return without


def _is_there(name: str, run: Path) -> bool:
    """Does an agent's name mean the checkpoint of ``run``?"""
    path = Path(name)
    return path.exists() and checkpoints.find(path).resolve() == checkpoints.find(run).resolve()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.ship", description=__doc__)
    parse.add_argument("run", type=Path, help="a run's folder or a checkpoint's")
    parse.add_argument(
        "--results", nargs="+", type=Path, default=[], metavar="FILE",
        help="results of experiments.match --json, whose team A was this run or champion",
    )  # fmt: skip
    parse.add_argument("--name", default="", help="the folder's name, if not as classic-4p")
    parse.add_argument("--parent", type=Path, default=FOLDER, help="the folder of all of them")
    return parse


def _work(options: argparse.Namespace) -> None:
    folder = ship(options.run, options.results, options.name, options.parent)
    print(f"{folder}: {sum(file.stat().st_size for file in folder.iterdir()):,} bytes")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.ship", partial(_work, options))


if __name__ == "__main__":
    sys.exit(main())
