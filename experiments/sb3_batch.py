"""A thin Stable-Baselines3 ``VecEnv`` over the batch, and MaskablePPO with the trainer's network.

Each game is one environment in which whoever is to act is "the agent", with the reward of that
seat. That is no way to learn (losses reach the wrong seat), but as fast as such a bridge can be,
and speed is what the benchmark compares. Where a choice could slow MaskablePPO down, it gets the
faster one: its network is the trainer's own module, observations come as that module arranges them
and unscaled because it scales them, Adam is fused, and the checks of torch's distributions are off.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from agents.checkpoint import identity
from agents.neural import Network, fitting_kind, make_network
from train import ppo
from train.sb3_policy import NetworkPolicy, policy_settings
from train.workers import make_batch

__all__ = ["BatchVecEnv", "maskable_ppo"]


class BatchVecEnv(VecEnv):
    """The games of a batch as environments, their observations in the order of a network."""

    def __init__(self, batch: Any, network: Network) -> None:
        self.batch = batch
        self.network = network
        space = gymnasium.spaces.Box(0, 255, (batch.observation_size,), np.float32)
        super().__init__(batch.n, space, gymnasium.spaces.Discrete(batch.actions))
        self.infos: list[dict[str, Any]] = [{} for _ in range(batch.n)]

    def _observation(self) -> Any:
        return self.network.arrange(torch.from_numpy(self.batch.observation)).float().numpy()

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


def maskable_ppo(args: ppo.Args, games: int, minibatch: int) -> MaskablePPO:
    """MaskablePPO with the network and the settings of our trainer, and as many moves in a rollout,
    but on ``games`` games and with its own ``minibatch``.
    """
    torch.distributions.Distribution.set_default_validate_args(False)
    batch = make_batch(args, games, seed=args.seed)
    torch.manual_seed(args.seed)
    kind = fitting_kind(args.network, args.rules)
    network = make_network(kind, args.hidden, identity(batch), batch.scale)
    return MaskablePPO(
        NetworkPolicy,
        BatchVecEnv(batch, network),
        learning_rate=args.learning_rate,
        n_steps=max(1, args.num_games * args.rollout // games),
        batch_size=minibatch,
        n_epochs=args.epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy,
        vf_coef=args.value_weight,
        max_grad_norm=args.max_grad_norm,
        policy_kwargs=policy_settings(network, batch.actions),
        device="cpu",
        seed=args.seed,
    )
