"""One of our networks as RLlib's RLModule, with masks, and the optimizer that goes with it."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents.network import masked
from agents.neural import make_network
from canasta_env.rllib import CanastaMultiAgentEnv

__all__ = ["NetworkLearner", "NetworkModule", "module_spec"]

AT_ONCE = 1024
"""Rows whose values are found at once: what lies between the layers then fits the cache."""


class NetworkModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """A policy and its values, whose only weights are those of ``network``.

    A batch has under ``obs`` the observation of
    :class:`canasta_env.rllib.CanastaMultiAgentEnv` with ``scaled=False``: bytes (n, O) and mask
    (n, A). ``model_config`` is what :func:`module_spec` makes. The logits of illegal actions are so
    low that their probability is exactly zero; not minus infinity, whose products are undefined.
    """

    def setup(self) -> None:
        """Make the network."""
        self.network = make_network(**self.model_config["network"])

    def _judge(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """Logits (n, A) of the legal actions, and values (n,)."""
        seen = batch[Columns.OBS]
        logits, value = self.network(seen["observation"])
        return masked(logits, seen["action_mask"].bool()), value

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        with torch.no_grad():
            return {Columns.ACTION_DIST_INPUTS: self._judge(batch)[0]}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logits, value = self._judge(batch)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: value}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Values (n,) in thousands of points: those that came with ``forward_train``, or, for
        advantages, new ones without a gradient.
        """
        if embeddings is not None:
            found: Tensor = embeddings
            return found
        seen = batch[Columns.OBS]["observation"]
        with torch.no_grad():
            return torch.cat([self.network(part)[1] for part in seen.split(AT_ONCE)])


class NetworkLearner(PPOTorchLearner):  # type: ignore[misc]
    """RLlib's PPO with Adam in one call for all weights. No schedule is bound to the learning rate:
    it falls with the deals that were played, which RLlib doesn't count.
    """

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Registers the optimizer of a module."""
        weights = self.get_parameters(self._module[module_id])
        adam = torch.optim.Adam(weights, lr=config.lr, eps=1e-5, fused=True)
        self.register_optimizer(module_id=module_id, optimizer=adam, params=weights)


def module_spec(
    env: CanastaMultiAgentEnv, kind: str, hidden: tuple[int, ...], identity: Any, scale: Any
) -> RLModuleSpec:
    """The module with a network as :func:`agents.neural.make_network` makes it, for ``env``."""
    agent = env.possible_agents[0]
    return RLModuleSpec(
        module_class=NetworkModule,
        observation_space=env.observation_spaces[agent],
        action_space=env.action_spaces[agent],
        model_config={
            "network": {
                "kind": kind,
                "hidden": tuple(hidden),
                "identity": dict(identity),
                "scale": [float(x) for x in scale],
            }
        },
    )
