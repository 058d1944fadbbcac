"""The agents of a population at the tables of a training: they take turns.

A population has many agents, and each of them costs a forward pass in every step in which it is
asked, however few games it has. So only some are in play at a time; the others take over with the
next turn. A game keeps its agents until its deal ends: then it draws anew from those in play. What
is drawn follows from the seed and the number of turns and draws before, so a run that goes on draws
the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from agents.base import Agent

__all__ = ["MEMBERS", "Members"]

MEMBERS: Final = "members"
_SEEDS, _TURNS, _DRAWS = 1, 2, 3
"""Streams of random numbers that come from one seed."""
Ints = npt.NDArray[np.int64]


class Members:
    """A population, and who of it is in play.

    Args:
        names: of the agents, as :func:`agents.registry.make` takes them.
        rules, players: of the game.
        in_play: how many are in play at a time; all of them if there are no more.
        seed: of the turns, the draws and the agents.

    Attributes:
        agents: in the order of the names.
        playing: int64 (in play,), the indices of those in play.

    Raises:
        ValueError: a name is no agent's, comes twice, or ``in_play`` is below 1; one clear line.
    """

    def __init__(
        self, names: Sequence[str], rules: str, players: int, in_play: int, seed: int
    ) -> None:
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"--members: {twice[0]} comes twice; name each agent once")
        if in_play < 1:
            raise ValueError(f"--in-play {in_play} is not possible; 1 or more")
        seeds = np.random.default_rng([seed, _SEEDS]).integers(2**31, size=len(names)).tolist()
        self.agents: list[Agent] = [
            registry.make(name, rules, players, own) for name, own in zip(names, seeds, strict=True)
        ]
        self.seed, self.turns, self.draws = seed, 0, 0
        self.in_play = min(in_play, len(names))
        self.playing = self._row = np.zeros(0, np.int64)
        self.turn()

    def turn(self) -> None:
        """Others are in play: the next ones of a row in random order, which begins anew where it
        ends, so that each is in play as often as the others.
        """
        if len(self._row) < self.in_play:
            random = np.random.default_rng([self.seed, _TURNS, self.turns])
            order = random.permutation(len(self.agents))
            late = np.isin(order, self._row)  # twice in a turn would leave room for fewer
            self._row = np.concatenate([self._row, order[~late], order[late]])
        self.turns += 1
        self.playing, self._row = np.split(self._row, [self.in_play])

    def draw(self, shape: tuple[int, ...]) -> Ints:
        """Indices of agents in play, each as likely as the others; int64 of this shape."""
        random = np.random.default_rng([self.seed, _DRAWS, self.draws])
        self.draws += 1
        return self.playing[random.integers(self.in_play, size=shape)]

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Whose turn it is, and how much was drawn; the agents' own states are not in it."""
        counts = np.array([self.turns, self.draws], np.int64)
        return {"playing": self.playing, "row": self._row, "counts": counts}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.playing, self._row = state["playing"].copy(), state["row"].copy()
        self.turns, self.draws = (int(number) for number in state["counts"])
