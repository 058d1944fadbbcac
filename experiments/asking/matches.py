"""The matches of the study: played once, and kept in a folder, a file for each.

A file's name is a hash of all that a match depends on: the networks of its agents or their sources,
the engine's sources, the rules and the decks. So a study that was broken off plays what is missing,
and one with other agents plays anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.console import Console

from canasta_env import entries
from canasta_env.sources import source_hash
from experiments import leads
from experiments.asking.config import Game
from experiments.asking.questions import ANSWER, USES, Questions
from experiments.behaviour import COUNTS
from experiments.block import Block, Setup
from experiments.play import by_team, line_up
from experiments.tournament_agents import describe

__all__ = ["Hall", "Played", "play"]

FORMAT: Final = "canasta asking 1"
_UNITS: Final = 2048
"""Decks in lock step. Part of the result, since lots are drawn in the order of the calls."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Played:
    """What came of a match.

    ``leads`` (pairs,): team A's lead in points a deal, the mean of a deck's two tables. ``counts``
    of :data:`experiments.behaviour.COUNTS` and ``uses`` of
    :data:`experiments.asking.questions.USES` are sums, (2,) for the teams. ``turns``: begun in all
    deals together. ``answers`` (k, 5) have the columns of
    :data:`experiments.asking.questions.ANSWER`.
    """

    leads: Floats
    counts: dict[str, Ints]
    uses: dict[str, Ints]
    turns: int
    answers: Ints


def play(setup: Setup, teams: tuple[str, str]) -> Played:
    """Plays all decks of a match; raises ValueError for a name that is no agent's."""
    lineup = line_up(*teams, setup)
    found = []
    for first in range(0, setup.units, _UNITS):
        units = np.arange(first, min(first + _UNITS, setup.units))
        block = Block(setup, lineup, units)
        questions = Questions(np.tile(lineup.team, (len(units), 1)))
        block.watching.append(questions)
        tables = block.play()
        counts = {name: by_team(lineup, tables.counts[name]).sum(0) for name in COUNTS}
        found.append((leads.differences(tables.scores).mean(1), counts, questions))
    return Played(
        leads=np.concatenate([one for one, _, _ in found]),
        counts={name: np.sum([counts[name] for _, counts, _ in found], 0) for name in COUNTS},
        uses={name: np.sum([q.uses[name] for *_, q in found], 0) for name in USES},
        turns=int(sum(q.turns.sum() for *_, q in found)),
        answers=np.concatenate([part for *_, q in found for part in q.answers]),
    )


class Hall:
    """Where matches are played, or found as they were played before.

    Args:
        folder: of the files; it is made.
        seed: of the decks.
        console: told of every match that is played.
    """

    def __init__(self, folder: Path, seed: int, console: Console) -> None:
        self.folder, self.seed, self.console = folder, seed, console
        folder.mkdir(parents=True, exist_ok=True)

    def play(self, game: Game, teams: tuple[str, str], pairs: int, rules: str = "") -> Played:
        """A match of ``pairs`` decks by the game's rules, if no others are given.

        Raises:
            ValueError: a name is no agent's, or a file is damaged; one clear line.
        """
        setup = game.setup(pairs, self.seed, rules)
        key = _key(setup, teams)
        file = self.folder / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]}.json"
        if not file.exists():
            self.console.print(f"{setup.text}: {teams[0]} – {teams[1]}", highlight=False)
            _write(file, {"format": FORMAT, "key": key, **_plain(play(setup, teams))})
        return _read(file)


def _key(setup: Setup, teams: tuple[str, str]) -> dict[str, Any]:
    """All that a match depends on."""
    return {
        "teams": teams,
        "hashes": [describe(team, setup.text, setup.players).hash for team in teams],
        "rules": setup.text,
        "players": setup.players,
        "pairs": setup.units,
        "seed": setup.seed,
        "scores": setup.scores,
        "stock": setup.stock,
        "engine": source_hash(Path(entries.__file__), entries.__name__),
    }


def _plain(played: Played) -> dict[str, Any]:
    """A match as JSON knows it."""
    return {
        "leads": played.leads.tolist(),
        "counts": {name: x.tolist() for name, x in played.counts.items()},
        "uses": {name: x.tolist() for name, x in played.uses.items()},
        "turns": played.turns,
        "answers": played.answers.tolist(),
    }


def _write(file: Path, document: dict[str, Any]) -> None:
    """Writes a file whole or not at all."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(document) + "\n", encoding="utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _read(file: Path) -> Played:
    """What :func:`_write` wrote; raises ValueError if it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Played(
            leads=np.array(found["leads"], np.float64),
            counts={name: np.array(x, np.int64) for name, x in found["counts"].items()},
            uses={name: np.array(x, np.int64) for name, x in found["uses"].items()},
            turns=int(found["turns"]),
            answers=np.array(found["answers"], np.int64).reshape(-1, len(ANSWER)),
        )
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file}: not a match of this study, or damaged; remove it") from None
