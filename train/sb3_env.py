"""The vector environment of one learner as a Stable-Baselines3 ``VecEnv``.

    envs = CanastaVectorEnv(num_envs=256, opponents="basic", autoreset_mode="SameStep")
    model = MaskablePPO("MlpPolicy", LearnerVecEnv(envs))

Masks, observations and rewards of all games are one array each; nothing is done game by game but
where an episode ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from canasta_env.vector import AutoresetMode, CanastaVectorEnv

__all__ = ["LearnerVecEnv"]

MASKS = "action_masks"
"""The method that sb3-contrib asks for."""


class LearnerVecEnv(VecEnv):
    """Games with a learner in each, as :class:`canasta_env.vector.CanastaVectorEnv` plays them.

    Observations are uint8 (n, O), the features before they are scaled; ``arrange`` puts them as a
    network reads them. Rewards are float32 (n,). An info is empty but where an episode has ended;
    there it has ``terminal_observation`` (O,), ``TimeLimit.truncated``, and ``episode`` with
    the sum of rewards ``r``, the learner's moves ``l`` and the seconds ``t`` since the start.

    Args:
        envs: the games; their observations restart with the step that ends an episode
            (``SameStep``).
        arrange: from observations (n, O) to those that the learner gets; left out: as they are.

    Attributes:
        deals: how many deals have ended.

    Raises:
        ValueError: ``envs`` has another autoreset mode.
    """

    def __init__(
        self, envs: CanastaVectorEnv, arrange: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        mode = envs.metadata["autoreset_mode"]
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode={mode.value!r} is not possible here; 'SameStep' is")
        self.envs = envs
        self.arrange = arrange
        self.deals = 0
        self._actions = np.zeros(envs.num_envs, np.int64)
        self._returns = np.zeros(envs.num_envs)
        self._lengths = np.zeros(envs.num_envs, np.int64)
        self._start = time.monotonic()
        space = gymnasium.spaces.Box(0, 255, (envs.batch.observation_size,), np.uint8)
        super().__init__(envs.num_envs, space, envs.single_action_space)

    def reset(self) -> npt.NDArray[np.uint8]:
        """Begin an episode in every game, those of the seed if one was set since the last time."""
        _, infos = self.envs.reset(seed=self._seeds[0])
        self.reset_infos = [{"seat": int(seat)} for seat in infos["seat"]]
        self._returns[:] = self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return self._observation(self.envs.batch.observation)

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Note the actions (n,)."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Observations, rewards, bool (n,) where an episode ended, and infos."""
        _, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        ended = terminated | truncated
        deals = infos["deals"]
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._returns += rewards
        self._lengths += 1
        if ended.any():
            deals = np.where(ended, infos["final_info"]["deals"], deals)
            self._tell_ends(told, np.flatnonzero(ended), infos["final_obs"], truncated)
        self.deals += int(deals.sum())
        seen = self._observation(self.envs.batch.observation)
        return seen, rewards.astype(np.float32), ended, told

    def _tell_ends(
        self,
        told: list[dict[str, Any]],
        rows: npt.NDArray[np.int64],
        last: npt.NDArray[np.object_],
        truncated: npt.NDArray[np.bool_],
    ) -> None:
        """Fill the infos of the games that have ended, and count anew in them."""
        features = np.rint(np.stack(last[rows]) / self.envs.batch.scale)
        seen = self._observation(features.astype(np.uint8))
        seconds = round(time.monotonic() - self._start, 6)
        for row, observation in zip(rows.tolist(), seen, strict=True):
            sums = {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": seconds}
            told[row] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": sums,
            }
        self._returns[rows] = self._lengths[rows] = 0

    def _observation(self, features: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """A fresh array of what the learner gets to see."""
        if self.arrange is None:
            return features.copy()
        return self.arrange(torch.from_numpy(features)).numpy().copy()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """``action_masks``: bool (n, A), the legal actions of all games, never empty."""
        if method_name != MASKS:
            raise AttributeError(f"a game has no method {method_name!r}; it has {MASKS!r}")
        return self.envs.batch.mask[self._rows(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of ``envs``, once for each game."""
        return [getattr(self.envs, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: ``envs.set_players`` changes what may change."""
        raise AttributeError(f"{attr_name!r} can't be set; envs.set_players changes the players")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing is wrapped game by game."""
        return [False] * len(self._rows(indices))

    def close(self) -> None:
        """End the threads of the games."""
        self.envs.close()

    def _rows(self, indices: Any) -> npt.NDArray[np.int64]:
        return np.arange(self.num_envs)[slice(None) if indices is None else indices]
