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
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from agents.checkpoint import identity
from agents.neural import Network, fitting_kind, make_network
from train import ppo

__all__ = ["BatchVecEnv", "TrainersPolicy", "maskable_ppo"]


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


class WholeNetwork(BaseFeaturesExtractor):
    """The trainer's network as a features extractor: the logits of the actions, then the value."""

    def __init__(self, space: Any, network: Network, actions: int) -> None:
        super().__init__(space, actions + 1)
        self.network = network

    def forward(self, observation: Tensor) -> Tensor:
        """Observations (n, O), arranged and unscaled, to (n, A + 1)."""
        logits, value = self.network.judge(observation)
        return torch.cat([logits, value[:, None]], dim=1)


class Columns(nn.Module):
    """A head without weights: some columns of the extractor's output."""

    def __init__(self, columns: slice) -> None:
        super().__init__()
        self.columns = columns

    def forward(self, features: Tensor) -> Tensor:
        """The columns (n, C) of (n, A + 1)."""
        return features[:, self.columns]


class TrainersPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]
    """A policy whose only weights are those of the trainer's network."""

    def _build(self, lr_schedule: Any) -> None:
        """No layers of its own; the network keeps the weights that it starts with."""
        self._build_mlp_extractor()
        self.action_net = Columns(slice(None, -1))
        self.value_net = Columns(slice(-1, None))
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def maskable_ppo(args: ppo.Args, games: int, minibatch: int) -> MaskablePPO:
    """MaskablePPO with the network and the settings of our trainer, and as many moves in a rollout,
    but on ``games`` games and with its own ``minibatch``.
    """
    torch.distributions.Distribution.set_default_validate_args(False)
    batch = ppo.make_batch(args, games, seed=args.seed)
    torch.manual_seed(args.seed)
    kind = fitting_kind(args.network, args.rules)
    network = make_network(kind, args.hidden, identity(batch), batch.scale)
    return MaskablePPO(
        TrainersPolicy,
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
        policy_kwargs={
            "features_extractor_class": WholeNetwork,
            "features_extractor_kwargs": {"network": network, "actions": batch.actions},
            "net_arch": [],
            "optimizer_kwargs": {"fused": True, "eps": 1e-5},
        },
        device="cpu",
        seed=args.seed,
    )
