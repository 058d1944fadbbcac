"""A population of policies that are unlike each other: the entropy of their mean policy.

Self-play runs that differ in their seed alone may all end at much the same play, and who trains
with them meets one partner many times. In a maximum-entropy population (Zhao et al., arXiv
2112.11701) each member is also paid for what the population, on the average, does not play in a
state yet: -log of the mean of all members' probabilities of the action.

Here members are trained one after another, each beside the finished ones, and the payment is made
in the loss, as with the entropy bonus: with n members, of whom n - 1 are finished, it is n times
the entropy of the mean policy, at the states of the member's own play. Its gradient is the expected
gradient of that payment, over all actions and not only the one that was drawn. It rewards the
decision alone. As a reward it would be chained to earlier decisions, and since it is never negative
it would pay for long deals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import torch
from torch import Tensor

from agents import checkpoint as checkpoints
from agents.network import masked
from agents.neural import Network, build_network

__all__ = ["Others", "entropy_of_mean"]

_LEAST = 1e-8
"""Probabilities below count as this in logarithms, whose slope would be infinite at zero."""


class Others:
    """The networks of the finished members; they do not learn.

    Args:
        paths: of their runs or checkpoints.
        identity: what :func:`agents.checkpoint.identity` says of the games.
        kind: of the network that learns. The others' must be the same, since they read
            observations that it has arranged; their widths may be others.

    Raises:
        ValueError: a checkpoint can't be read, is for another game or holds another kind.
    """

    def __init__(self, paths: Sequence[str], identity: Mapping[str, Any], kind: str) -> None:
        self.networks = [_network(path, identity, kind) for path in paths]

    def to(self, device: torch.device) -> Self:
        """Moves the networks there."""
        for network in self.networks:
            network.to(device)
        return self

    @torch.no_grad()
    def probabilities(self, arranged: Tensor, mask: Tensor) -> Tensor:
        """The sum of their probabilities: float32 (n, A). Observations are as the network that
        learns arranges them (n, O), the mask is bool (n, A).
        """
        total = torch.zeros(mask.shape, device=mask.device)
        for network in self.networks:
            total += masked(network.judge(arranged)[0], mask).softmax(-1)
        return total


def _network(path: str, identity: Mapping[str, Any], kind: str) -> Network:
    """The network of a member."""
    saved = checkpoints.read(path)
    checkpoints.check_identity(saved, identity)
    have = saved.meta.get("network", {}).get("kind")
    if have != kind:
        raise checkpoints.CheckpointError(
            f"{saved.folder}: its network is {have}, and the one that learns is {kind}; a "
            "population has one kind"
        )
    return build_network(saved).requires_grad_(False)


def entropy_of_mean(probabilities: Tensor, others: Tensor, count: int) -> Tensor:
    """The entropy of the mean policy of ``count`` members in nats, its mean over states: from the
    probabilities of one of them (n, A) and the sum of those of the others (n, A).
    """
    mean = (probabilities + others) / count
    return -(mean * mean.clamp_min(_LEAST).log()).sum(1).mean()
