"""What a learner among other players must see and be paid, played move by move on a plain batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.bots import BotAgent
from canasta_env import Batch
from canasta_env.engine.rng import below, derive
from canasta_env.rounds.kernel import LOTS, SEAT

__all__ = ["QUICK", "Table", "bots", "choose", "compare", "varied"]

QUICK = "classic(canastas_to_go_out=0, hand=3, minimum_by=score, minimums=((None, 0),))"
"""Deals that end within a few turns."""


def varied(mask: Any, observation: Any) -> int:
    """A legal action that depends on nothing but what is seen."""
    legal = np.flatnonzero(mask)
    return int(legal[int(np.rint(100 * observation.sum(dtype=np.float64))) % len(legal)])


class Table:
    """One row of a batch, in which ``choose(table, place)`` plays the others.

    Args:
        seed: that of the batch.
        row: the game; the others are left alone.
        seat: the learner's, or "rotate".
        choose: the action of the player so many places to the learner's left.
        arguments: those of the batch.

    Attributes:
        passed: how many episodes the others ended before the learner had to act.
        early: how many began with a deal that they ended before it had to.
    """

    def __init__(
        self, seed: int, row: int, seat: int | str, choose: Callable[..., int], **arguments: Any
    ) -> None:
        self.batch = Batch(n=row + 1, seed=seed, autoreset="off", **arguments)
        self.batch._slots.episode[:] = 0
        self.seed, self.row, self.fixed, self.choose = seed, row, seat, choose
        self.passed = self.early = 0

    def begin(self) -> None:
        """Begin the next episode in which the learner has something to decide."""
        batch, players = self.batch, self.batch.players
        while True:
            batch.reset()
            episode = int(batch._slots.episode[self.row])
            self.lots = derive(derive(self.seed, LOTS, self.row), LOTS, episode)
            self.owed, self.choices = 0.0, 0
            self.seat = self.fixed
            if self.fixed == "rotate":
                self.seat = (below(self.seed, SEAT, 0, players) + self.row + episode) % players
            self._others()
            if not self.over:
                self.early += self.owed != 0
                return
            self.passed += 1

    def act(self, action: int) -> float:
        """The learner's action; what it is paid until it must act again."""
        self._move(action)
        self._others()
        paid, self.owed = self.owed, 0.0
        return round(paid, 6)

    def _others(self) -> None:
        while not self.over and self.batch.seat[self.row] != self.seat:
            place = int(self.batch.seat[self.row] - self.seat) % self.batch.players
            self._move(self.choose(self, place))
            self.choices += 1

    def _move(self, action: int) -> None:
        batch = self.batch
        assert batch.mask[self.row, action]
        batch._action[:] = -1
        batch._action[self.row] = action
        batch._run()
        self.owed += float(batch.reward[self.row, self.seat])

    @property
    def over(self) -> bool:
        return bool(self.batch.over[self.row])

    @property
    def mask(self) -> Any:
        mask = self.batch.mask[self.row].copy()
        mask[0] |= self.over
        return mask

    @property
    def observation(self) -> Any:
        """What the learner sees, its turn or not."""
        batch = self.batch
        batch._slots.who[self.row] = self.seat
        batch.refresh()
        seen = batch.observation[self.row] * batch.scale
        batch._slots.who[self.row] = -1
        batch.refresh()
        return seen


def bots(*names: str) -> Callable[..., int]:
    """Rule bots, by place from the learner's left, with the lots of the table."""
    agents = [BotAgent(name) for name in names]

    def choose(table: Table, place: int) -> int:
        agent = agents[(place - 1) % len(agents)]
        agent.seed, agent.choices = table.lots, table.choices
        return int(agent.act(table.batch, np.array([table.row]))[0])

    return choose


def choose(envs: Any, observations: Any) -> Any:
    """Actions that depend on nothing but what is seen."""
    masks = envs.action_masks()
    return np.array([varied(*pair) for pair in zip(masks, observations, strict=True)])


def compare(envs: Any, tables: list[Table], steps: int, seed: int) -> int:
    """Step an environment and the tables by the same actions; how many episodes ended."""
    observations, infos = envs.reset(seed=seed)
    over, count = [True] * len(tables), 0
    expected = [(0.0, False)] * len(tables)
    rewards, ended = np.zeros(len(tables)), np.zeros(len(tables), bool)
    for _ in range(steps):
        for row, table in enumerate(tables):
            if over[row]:
                table.begin()
            assert (observations[row] == table.observation).all()
            assert (infos["action_mask"][row] == table.mask).all()
            assert infos["seat"][row] == table.seat
            assert (rewards[row], ended[row]) == expected[row]
            over[row] = table.over
        actions = choose(envs, observations)
        expected = [
            (0.0 if table.over else table.act(int(action)), table.over and not over[row])
            for row, (table, action) in enumerate(zip(tables, actions, strict=True))
        ]
        count += sum(over)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        ended = terminated | truncated
    return count
