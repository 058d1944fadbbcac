"""A thin Stable-Baselines3 ``VecEnv`` over the batch, and MaskablePPO with the trainer's network.

Each game is one environment in which whoever is to act is "the agent", with the reward of that
seat. That is no way to learn (losses reach the wrong seat), but as fast as such a bridge can be,
and speed is what the benchmark compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from train import ppo

__all__ = ["BatchVecEnv", "maskable_ppo"]


class BatchVecEnv(VecEnv):
    """The games of a batch as environments."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        space = gymnasium.spaces.Box(0, 1, (batch.observation_size,), np.float32)
        super().__init__(batch.n, space, gymnasium.spaces.Discrete(batch.actions))
        self.infos: list[dict[str, Any]] = [{} for _ in range(batch.n)]

    def _observation(self) -> Any:
        return self.batch.observation * self.batch.scale

    def reset(self) -> Any:
        return self._observation()

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        seat = self.batch.seat.copy()
        self.batch.step(self.actions)
        reward = self.batch.reward[np.arange(self.num_envs), seat]
        return self._observation(), reward, self.batch.terminated.copy(), self.infos

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        assert method_name == "action_masks"
        return self.batch.mask

    def has_attr(self, name: str) -> bool:
        return name == "action_masks"

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        return [None] * self.num_envs

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        pass


class SharedLayers(BaseFeaturesExtractor):
    """The trainer's hidden layers, shared by actor and critic."""

    def __init__(self, space: Any, hidden: Sequence[int]) -> None:
        super().__init__(space, hidden[-1])
        layers: list[nn.Module] = []
        width = space.shape[0]
        for following in hidden:
            layers += [nn.Linear(width, following), nn.ReLU()]
            width = following
        self.layers = nn.Sequential(*layers)

    def forward(self, observation: Tensor) -> Tensor:
        """Observations (n, O) to features."""
        features: Tensor = self.layers(observation)
        return features


def maskable_ppo(args: ppo.Args, games: int, steps: int) -> MaskablePPO:
    """MaskablePPO on ``games`` games, with the settings of our trainer."""
    torch.set_num_threads(args.threads)
    environment = BatchVecEnv(ppo.make_batch(args, games, seed=args.seed))
    return MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=args.learning_rate,
        n_steps=steps,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy,
        vf_coef=args.value_weight,
        max_grad_norm=args.max_grad_norm,
        policy_kwargs={
            "features_extractor_class": SharedLayers,
            "features_extractor_kwargs": {"hidden": args.hidden or (256, 256)},
            "share_features_extractor": True,
            "net_arch": [],
        },
        device="cpu",
        seed=args.seed,
    )
