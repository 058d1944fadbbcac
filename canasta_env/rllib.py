"""The game as a multi-agent environment of Ray RLlib, for its new API stack.

    >>> from ray.rllib.algorithms.ppo import PPOConfig
    >>> from canasta_env.rllib import CanastaMultiAgentEnv
    >>> config = PPOConfig().environment(CanastaMultiAgentEnv, env_config={"rules": "mini"})

It stands on :class:`canasta_env.aec.raw_env`. One agent acts at a time: only that one gets an
observation. A deal pays all agents at once, and those that aren't to act get their rewards too;
RLlib keeps them until the agent's next observation, or for the end of the episode, where every
agent gets its last view. ``python -m train.rllib`` trains on it (docs/rllib.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import gymnasium
import numpy as np
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from canasta_env.aec import IllegalActionError, Observation, raw_env
from canasta_env.observation import observation_scale

__all__ = ["CanastaMultiAgentEnv"]

ALL: Final = "__all__"
"""RLlib's key for all agents together."""

Illegal: TypeAlias = Literal["replace", "raise"]
Observations: TypeAlias = dict[str, Observation]
Stepped: TypeAlias = tuple[
    Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class CanastaMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # not checked with RLlib there
    """One game of Canasta; agents are ``player_0`` … in the order of play.

    An observation is ``{"observation": (O,), "action_mask": int8 (A,)}``, the same spaces for all
    agents. The mask is never empty: in an agent's last view it allows action 0 alone, which isn't
    played any more.

    Args:
        config: RLlib's ``env_config``. ``scaled``: observations are float32 in [0, 1], as
            everywhere (the default), or the bytes before that, uint8, as our own networks read
            them. ``illegal``: an illegal action is replaced by a legal one drawn by lot
            (``replace``, the default, since RLlib's check of environments samples without masks)
            or refused (``raise``). The others are those of :class:`canasta_env.aec.raw_env`.

    Raises:
        ValueError: a setting is not possible; the message names it.
        TypeError: there is no such setting.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        settings = dict(config or {})
        self.is_scaled = bool(settings.pop("scaled", True))
        self.illegal: Illegal = settings.pop("illegal", "replace")
        if self.illegal not in ("replace", "raise"):
            raise ValueError(f"illegal={self.illegal!r} is not possible; 'replace' or 'raise'")
        self.game = raw_env(**settings)
        self._scale = observation_scale(self.game.rules, self.game.players)
        self.possible_agents = list(self.game.possible_agents)
        self.agents = self.possible_agents[:]
        super().__init__()
        self.observation_spaces = {agent: self._space(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: self.game.action_space(agent) for agent in self.agents}
        self.render_mode = self.game.render_mode

    def _space(self, agent: str) -> gymnasium.Space[Any]:
        space: gymnasium.spaces.Dict = self.game.observation_space(agent)
        if self.is_scaled:
            return space
        seen = gymnasium.spaces.Box(0, 255, space["observation"].shape, np.uint8)
        return gymnasium.spaces.Dict({"observation": seen, "action_mask": space["action_mask"]})

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """Begin an episode; the arguments are those of :meth:`canasta_env.aec.raw_env.reset`.

        Returns:
            The observation of the agent that is to act, and its info.
        """
        super().reset(seed=seed)
        self.game.reset(seed=seed, options=options or None)
        self.agents = self.possible_agents[:]
        return self._told([self.game.agent_selection])

    def step(self, action_dict: Mapping[str, Any]) -> Stepped:
        """Play the action of the one agent that is to act.

        Returns:
            The observation of the next agent, or at the end of the episode of all; rewards of all
            agents; terminations and truncations, all agents' under ``__all__``; infos.

        Raises:
            IllegalActionError: the action is not legal, with ``illegal="raise"``.
            ValueError: another agent acts, or more than one.
        """
        agent = self.game.agent_selection
        if set(action_dict) != {agent}:
            who = ", ".join(map(str, action_dict)) or "nobody"
            raise ValueError(f"{agent} is to act, alone; actions came from {who}")
        self._play(agent, int(action_dict[agent]))
        terminated = all(self.game.terminations.values())
        truncated = all(self.game.truncations.values())
        over = terminated or truncated
        seen, infos = self._told(self.possible_agents if over else [self.game.agent_selection])
        rewards = dict(self.game.rewards)
        if over:
            self._end(seen)
        return seen, rewards, {ALL: terminated}, {ALL: truncated}, infos

    def _play(self, agent: str, action: int) -> None:
        try:
            self.game.step(action)
        except IllegalActionError:
            if self.illegal == "raise":
                raise
            legal = np.flatnonzero(self.game.observe(agent)["action_mask"])
            self.game.step(int(self.np_random.choice(legal)))

    def _told(self, agents: list[str]) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """What these agents see, in fresh arrays, and their infos."""
        seen = {agent: self.game.observe(agent) for agent in agents}
        if not self.is_scaled:
            for view in seen.values():
                view["observation"] = np.rint(view["observation"] / self._scale).astype(np.uint8)
        return seen, {agent: self.game.infos[agent] for agent in agents}

    def _end(self, seen: Observations) -> None:
        """At the end of an episode: nobody acts any more, and masks aren't empty."""
        for view in seen.values():
            view["action_mask"][0] = 1
        self.agents = []

    def render(self) -> Any:
        """What :meth:`canasta_env.aec.raw_env.render` gives."""
        return self.game.render()

    def close(self) -> None:
        """Close the window, if one was opened."""
        self.game.close()
