"""Trains the seeds of each arm, lets them play, and asks whether they listen."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.console import Console

from agents import registry
from experiments.channels.listening import WHOSE, Deaf, Listening, listening
from train import ppo, seeds
from train.evaluate import duplicate
from train.workers import make_batch

__all__ = ["ARMS", "OfArm", "Plain", "Study", "find", "train"]

Floats = npt.NDArray[np.float64]
Tell = Callable[[str], None]

ARMS: Final[dict[str, tuple[str, ...]]] = {"hidden": (), "order": ("order",), "suits": ("suits",)}
"""What each arm is shown; the first one is what the others are compared with."""
OPPONENT: Final = "basic"
PLAYERS: Final = 4
SETTINGS: Final = (
    "--network", "mlp", "--hidden", "128", "128", "--entropy", "0.01", "--num-games", "256",
    "--minibatch", "512", "--threads", "1", "--eval-every", "0", "--save-every", "1000",
)  # fmt: skip


@dataclass(frozen=True)
class Study:
    """The size of the study.

    Attributes:
        rules: the game.
        seeds: of each arm.
        deals: of each training.
        decks: of each comparison, played on both sides.
        asked: deals in which an agent is asked whether it listens.
        runs: folder of the runs.
    """

    rules: str
    seeds: tuple[int, ...]
    deals: int
    decks: int
    asked: int
    runs: str

    def run(self, arm: str) -> str:
        """The runs' common name, without ``-seed1``."""
        return f"{self.runs}/{self.rules}-{arm}"

    def settings(self, arm: str) -> list[str]:
        """What the trainer gets."""
        shown = ["--shown", *ARMS[arm]] if ARMS[arm] else []
        game = ["--rules", self.rules, "--players", str(PLAYERS), "--deals", str(self.deals)]
        return [*game, *SETTINGS, *shown]

    def table(self, arm: str) -> ppo.Args:
        """The settings of an arm's tables."""
        shown: Any = ARMS[arm]
        return ppo.Args(rules=self.rules, players=PLAYERS, threads=1, shown=shown)


class Plain:
    """An agent that knows of no suits and orders, at a table that shows them."""

    def __init__(self, agent: Any) -> None:
        self.agent, self.name = agent, agent.name

    def act(self, batch: Any, rows: Any) -> Any:
        """An action id for each of ``rows``."""
        return self.agent.act(batch.base, rows)


@dataclass(frozen=True)
class OfArm:
    """What came of an arm, a value for each seed, in points a deal.

    Attributes:
        basic: against teams of ``basic``.
        deaf: how much more that is if what other seats show is exchanged at every choice.
        duel: against the same seed of the first arm, at a table that shows it.
        heard: by whose features are exchanged, what that does to each seed's policy.
    """

    name: str
    basic: Floats
    deaf: Floats
    duel: Floats
    heard: dict[str, list[Listening]]


def train(study: Study, console: Console) -> None:
    """Trains the seeds that are not done; raises ValueError where one ends too early."""
    for arm in ARMS:
        options = argparse.Namespace(
            trainer="ppo", seeds=[*study.seeds], jobs=1, run=study.run(arm), decks=0
        )
        seeds.run(options, study.settings(arm), console)


def find(study: Study, tell: Tell) -> tuple[OfArm, ...]:
    """Plays and asks."""
    return tuple(_of_arm(study, arm, tell) for arm in ARMS)


def _of_arm(study: Study, arm: str, tell: Tell) -> OfArm:
    tell(f"{arm}: games")
    basic, deaf, duel = (
        np.array([one(study, arm, seed) for seed in study.seeds]) for one in (_basic, _deaf, _duel)
    )
    tell(f"{arm}: listening")
    whose = WHOSE if ARMS[arm] else ()
    heard = {name: [_heard(study, arm, seed, name) for seed in study.seeds] for name in whose}
    return OfArm(arm, basic, deaf - basic, duel, heard)


def _trained(study: Study, arm: str, seed: int) -> Any:
    return registry.make(f"{study.run(arm)}-seed{seed}", study.rules, PLAYERS)


def _points(study: Study, arm: str, first: Any, second: Any) -> float:
    """Points a deal of one agent above another, always on the same decks."""

    def tables(n: int, *, seed: int) -> Any:
        return make_batch(study.table(arm), n, seed=seed, autoreset="off")

    games = min(1024, 2 * study.decks)
    return float(duplicate(first, second, tables, decks=study.decks, games=games).mean())


def _basic(study: Study, arm: str, seed: int) -> float:
    opponent = registry.make(OPPONENT, study.rules, PLAYERS)
    return _points(study, arm, _trained(study, arm, seed), opponent)


def _deaf(study: Study, arm: str, seed: int) -> float:
    if not ARMS[arm]:
        return _basic(study, arm, seed)  # nothing is exchanged
    opponent = registry.make(OPPONENT, study.rules, PLAYERS)
    agent = Deaf(_trained(study, arm, seed), range(1, PLAYERS), seed)
    return _points(study, arm, agent, opponent)


def _duel(study: Study, arm: str, seed: int) -> float:
    if not ARMS[arm]:
        return 0.0  # against itself
    other = Plain(_trained(study, next(iter(ARMS)), seed))
    return _points(study, arm, _trained(study, arm, seed), other)


def _heard(study: Study, arm: str, seed: int, whose: str) -> Listening:
    deals = make_batch(study.table(arm), study.asked, seed=HELD_OUT + seed, autoreset="off")
    return listening(_trained(study, arm, seed), deals, whose, seed)


HELD_OUT: Final = 2_000_000_011
"""Added to a seed for the deals in which is asked: neither training nor points are from these."""
