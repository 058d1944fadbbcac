"""The network of the neural agents: an observation to a score for every action, and a value.

The features of an observation are small non-negative integers. The network takes them as they are,
uint8, and folds their scale into its first layer, so that nobody who feeds it has to multiply.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["ActorCritic", "masked", "sample"]

ILLEGAL: Final = -1e9
"""Logit of an illegal action: its probability is exactly zero, no product with it undefined."""


class ActorCritic(nn.Module):
    """A multilayer perceptron with two heads: logits of the actions, value for the seat that looks.

    ``scale`` (float, one for each feature) brings the features to [0, 1]; it is stored with the
    weights. ``hidden`` are the widths of the shared layers. The value is in thousands of points.
    """

    scale: Tensor

    def __init__(self, scale: Any, actions: int, hidden: Sequence[int] = (256, 256)) -> None:
        super().__init__()
        self.register_buffer("scale", torch.as_tensor(np.asarray(scale, np.float32)).clone())
        widths = [len(self.scale), *hidden]
        self.first = nn.Linear(widths[0], widths[1])
        self.others = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths[1:]))
        self.policy = nn.Linear(widths[-1], actions)
        self.value = nn.Linear(widths[-1], 1)
        self._initialise()

    def _initialise(self) -> None:
        """Orthogonal weights; a nearly uniform first policy and a value near zero."""
        heads = (self.policy, self.value)
        for layer in (module for module in self.modules() if isinstance(module, nn.Linear)):
            gain = 0.01 if layer in heads else 2**0.5
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    @property
    def hidden(self) -> tuple[int, ...]:
        """The widths of the shared layers."""
        layers = [self.first, *self.others]
        return tuple(layer.out_features for layer in layers if isinstance(layer, nn.Linear))

    def arrange(self, observation: Tensor) -> Tensor:
        """Observations as :meth:`judge` reads them: as they are."""
        return observation

    def judge(self, arranged: Tensor) -> tuple[Tensor, Tensor]:
        """As :meth:`forward`, of what :meth:`arrange` gave."""
        return self(arranged)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Observations (n, O), uint8, to logits (n, A) and values (n,)."""
        first = self.first
        x = functional.linear(observation.float(), first.weight * self.scale, first.bias)
        for layer in self.others:
            x = layer(functional.relu(x, inplace=True))
        x = functional.relu(x, inplace=True)
        return self.policy(x), self.value(x).squeeze(-1)


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits (n, A) with those of illegal actions so low that their probability is zero."""
    return logits.masked_fill(~mask, ILLEGAL)


def sample(probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """One action for each row of (n, A), drawn by its probability, with one random number a row.

    The cumulative sum rises only at actions of positive probability, so an illegal action cannot be
    drawn.
    """
    cumulative = probabilities.cumsum(-1)
    uniform = torch.rand((len(cumulative), 1), generator=generator)
    drawn = torch.searchsorted(cumulative, uniform * cumulative[:, -1:], right=True)
    return drawn.squeeze(-1).clamp_(max=cumulative.shape[1] - 1)
