"""The game at the terminal and the agents that play in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from agents.base import Agent
from canasta_env.batch import Batch
from canasta_env.game import Game

__all__ = ["Table"]

_ROW: Final = np.zeros(1, np.int64)


class Table:
    """A game, and agents for some of its seats.

    Agents act on batches, so a batch of one is kept, which gets the game's state whenever an agent
    is asked. They see what they see in any batch: the view of the seat that is to act.
    """

    def __init__(self, game: Game, agents: Mapping[int, Agent]) -> None:
        self.game = game
        self.agents = dict(agents)
        self._batch = Batch(
            game.rules, 1, players=game.players, stock=game.stock, autoreset="off",
            recall=game.recall,
        )  # fmt: skip

    @property
    def is_agents_turn(self) -> bool:
        """Is an agent to act?"""
        return not self.game.over and self.game.turn in self.agents

    def ask(self, agent: Agent) -> int:
        """The id of the action that ``agent`` would choose for the seat to act."""
        state = self._batch.state_dict()
        state["games"] = np.frombuffer(self.game.record.tobytes(), np.uint8)
        self._batch.load_state_dict(state)
        return int(agent.act(self._batch, _ROW)[0])

    def step(self) -> None:
        """The agent whose turn it is acts once."""
        self.game.play(self.ask(self.agents[self.game.turn]))
