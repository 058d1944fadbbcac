"""One of our networks as the policy of sb3-contrib's MaskablePPO, without other weights."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from agents.neural import Network

__all__ = ["NetworkPolicy", "policy_settings"]


class NetworkPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]
    """A policy whose only weights are those of a network; see :func:`policy_settings`."""

    def _build(self, lr_schedule: Any) -> None:
        """No layers of its own; the network keeps the weights that it starts with."""
        self._build_mlp_extractor()
        self.action_net = Columns(slice(None, -1))
        self.value_net = Columns(slice(-1, None))
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class WholeNetwork(BaseFeaturesExtractor):
    """A network as a features extractor: the logits of the actions, then the value."""

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


def policy_settings(network: Network, actions: int) -> dict[str, Any]:
    """The ``policy_kwargs`` with which :class:`NetworkPolicy` is the very ``network``. Its
    observations are those that ``network.arrange`` gives.
    """
    return {
        "features_extractor_class": WholeNetwork,
        "features_extractor_kwargs": {"network": network, "actions": actions},
        "net_arch": [],
        "optimizer_kwargs": {"fused": True, "eps": 1e-5},
    }
