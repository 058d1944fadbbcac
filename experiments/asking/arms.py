"""What is compared with what: the agents of a game, and the matches between them.

*Switched off*: an agent against itself without the question, on the same decks at both sides. Where
nobody asks, both teams play the same and the lead is exactly zero, so all of it comes from asking;
but the muted team plays on as its training never taught it. *Against another*: the agent, and
itself muted, against the same opponent on the same decks. *Never had it*: agents trained with the
question against agents trained under the rules without it, each with each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from agents import registry
from agents.shipped import folder_of
from canasta_env.bots import styles
from experiments.asking.config import PLAYERS, Game
from experiments.asking.forget import forget
from experiments.asking.matches import Hall, Played

__all__ = [
    "BY_LOT", "DRAWN", "NO", "OWN", "REGIMES", "TOLD", "YES", "Agents", "Grid", "against",
    "crossing", "itself", "switched_off", "yes_share",
]  # fmt: skip

Floats = npt.NDArray[np.float64]

OWN: Final = "asks"
BY_LOT: Final = "asks, answers by lot"
YES: Final = "asks, always yes"
NO: Final = "asks, always no"
TOLD: Final = "own answers less those by lot"
DRAWN: Final = "asks, actions drawn"
REGIMES: Final = (OWN, BY_LOT, TOLD, YES, NO, DRAWN)
"""What is compared with the muted agent; :data:`TOLD` is the difference of the first two."""


@dataclass(frozen=True)
class Agents:
    """The names of a game's trained agents, by training seed; ``runs`` is the folder of runs."""

    game: Game
    runs: Path

    @property
    def label(self) -> str:
        """The game's rules as part of a file's name."""
        return re.sub(r"\W+", "-", self.game.rules).strip("-").lower()

    def run(self, arm: str) -> str:
        """The runs of an arm, ``with`` or ``without``, without ``-seed1`` and so on."""
        return str(self.runs / f"{self.label}-{arm}")

    def settings(self, arm: str) -> tuple[str, ...]:
        """What :mod:`train.ppo` is told; writes what the arm without begins with, if anything.

        Raises:
            ValueError: there is no such checkpoint, or the question can't be taken from it.
        """
        game = self.game
        rules = game.rules if arm == "with" else game.without
        if not game.start:
            return ("--rules", rules, *game.training)
        first = Path(game.start)
        if game.start == registry.CHAMPION:
            first = _from_here(folder_of(game.rules, PLAYERS))
        if arm == "without":
            folder = Path(f"{self.run(arm)}-start")
            if not folder.exists():
                forget(first, folder)
            first = folder
        return ("--rules", rules, "--start", str(first), *game.training)

    def trained_with(self, seed: int) -> str:
        """Trained with the question."""
        return f"{self.run('with')}-seed{seed}"

    def trained_without(self, seed: int) -> str:
        """Trained under the rules without the question."""
        return f"{self.run('without')}-seed{seed}"


def _from_here(path: Path) -> Path:
    """A path as a user here would write it, so that runs name no folder of a machine."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def yes_share(played: Played) -> float:
    """The share of team A's questions that were answered yes; a half if there were none."""
    yes, no = played.uses["yes"][0], played.uses["no"][0]
    return float(yes / (yes + no)) if yes + no else 0.5


def switched_off(hall: Hall, game: Game, name: str) -> dict[str, Floats]:
    """The leads of an agent over itself muted, (pairs,), under each of :data:`REGIMES`. Answers by
    lot are yes as often as its own are; drawn actions are those at temperature 1.
    """

    def play(asking: str, muted: str) -> Played:
        return hall.play(game, (asking, f"mute({muted})"), game.pairs)

    own = play(name, name)
    found = {OWN: own.leads}
    for regime, share in ((BY_LOT, f"{yes_share(own):.4f}"), (YES, "yes"), (NO, "no")):
        found[regime] = play(f"answering({name},{share})", name).leads
    found[TOLD] = found[OWN] - found[BY_LOT]
    if not styles.is_name(name):  # rule bots draw nothing but ties
        found[DRAWN] = play(f"{name}@1", f"{name}@1").leads
    return {regime: found[regime] for regime in REGIMES if regime in found}


def against(hall: Hall, game: Game, name: str) -> Floats:
    """How much better than itself muted an agent does against the game's opponent, (pairs,)."""
    asking, muted = (
        hall.play(game, (team, game.opponent), game.pairs).leads for team in (name, f"mute({name})")
    )
    return asking - muted


@dataclass(frozen=True)
class Grid:
    """Matches of each with each: ``leads`` (seeds, seeds, decks)."""

    leads: Floats

    @property
    def means(self) -> Floats:
        """Of each match, (seeds, seeds)."""
        means: Floats = self.leads.mean(2)
        return means

    @property
    def error(self) -> float:
        """The standard error that the decks leave in one match, on average."""
        return float(self.leads.std(axis=2, ddof=1).mean() / self.leads.shape[2] ** 0.5)


def crossing(
    hall: Hall, game: Game, first: Callable[[int], str], second: Callable[[int], str]
) -> Grid:
    """All agents of one arm against all of another; both give an agent's name by its seed."""
    found = [
        [hall.play(game, (first(one), second(other)), game.crossed).leads for other in game.seeds]
        for one in game.seeds
    ]
    return Grid(np.array(found))


def itself(hall: Hall, game: Game, names: Sequence[str], rules: str = "") -> list[Played]:
    """Each agent at all four seats."""
    return [hall.play(game, (name, name), game.alone, rules) for name in names]
