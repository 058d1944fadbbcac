"""An AEC environment that does nothing: what PettingZoo itself costs, for the benchmark."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

__all__ = ["empty_env", "empty_raw_env"]

_LENGTH = 140
"""Steps of an episode, about as many as a deal has decisions."""


def empty_env(observation: tuple[int, ...], actions: int, *, fresh: bool = False) -> Any:
    """:class:`empty_raw_env` in the three wrappers of ``canasta_env.env()``."""
    environment: Any = empty_raw_env(observation, actions, fresh=fresh)
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=-1.0)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class empty_raw_env(AECEnv[str, Any, int]):  # named as PettingZoo names them
    """Four agents take turns; observation and mask are always the same.

    Args:
        observation: the shape of the observation, float32.
        actions: the length of the mask, whose actions are all legal.
        fresh: whether each call gives fresh arrays, as the contract of an environment asks; else
            they are the same two objects.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (a plain attribute, as PettingZoo reads it)
        "name": "empty_v0",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(self, observation: tuple[int, ...], actions: int, *, fresh: bool = False) -> None:
        super().__init__()
        self._fresh = fresh
        self.possible_agents = [f"player_{seat}" for seat in range(4)]
        spaces = gymnasium.spaces
        space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, observation, np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(actions))
        self._seen = {
            "observation": np.zeros(observation, np.float32),
            "action_mask": np.ones(actions, np.int8),
        }
        self._steps = 0

    def observation_space(self, agent: str) -> Any:
        """The space of every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of every agent."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        """Always the same."""
        if self._fresh:
            return {name: array.copy() for name, array in self._seen.items()}
        return self._seen

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Starts again."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._steps = 0

    def step(self, action: int | None) -> None:
        """The next agent's turn."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._steps += 1
        if self._steps == _LENGTH:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self._steps % 4]
