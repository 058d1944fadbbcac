"""A slow copy of the network that pulls the policy back: magnetic mirror descent.

Self-play of a game with hidden cards can go round in circles: each policy beats the one before.
A weight on KL(policy || magnet) makes every step a small one from the magnet, which follows from
time to time (Sokota et al., arXiv 2206.05825).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.network import masked
from agents.neural import Network

__all__ = ["Magnet", "pull"]


class Magnet:
    """The copy: it takes the network's weights every ``every`` updates."""

    def __init__(self, network: Network, every: int) -> None:
        self.every = every
        self.network = copy.deepcopy(network).requires_grad_(False)

    @torch.no_grad()
    def log_probabilities(self, arranged: Tensor, mask: Tensor) -> Tensor:
        """Those of its policy: float32 (n, A), zero where an action is not legal. Observations are
        as the network arranges them (n, O), the mask is bool (n, A).
        """
        logits, _ = self.network.judge(arranged)
        return masked(logits, mask).log_softmax(-1).masked_fill_(~mask, 0)

    def follow(self, weights: Tensor, update: int) -> None:
        """After ``update`` updates: the weights (a row) become the magnet's, if it is time."""
        if update % self.every == 0:
            self._take(weights.detach().clone())

    def _take(self, weights: Tensor) -> None:
        nn.utils.vector_to_parameters(weights, self.network.parameters())

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The weights as one row of numbers."""
        row = nn.utils.parameters_to_vector(self.network.parameters())
        return {"weights": row.detach().cpu().numpy()}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        here = next(self.network.parameters()).device
        self._take(torch.from_numpy(state["weights"].copy()).to(here))


def pull(probabilities: Tensor, entropy: Tensor, magnet: Tensor) -> Tensor:
    """The mean of KL(policy || magnet), from the policy's probabilities (n, A), their mean entropy
    and the magnet's log-probabilities (n, A).
    """
    return -entropy - (probabilities * magnet).sum(1).mean()
