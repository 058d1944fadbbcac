"""A learned belief: a network corrects the hypergeometric weights of each hidden hand.

It reads the observation of the seat that looks and gives, for each other hand, each kind and each
count from 1 on, a number that is added to the logarithm of the hypergeometric weight. Zeros leave
the hypergeometric law; a new network gives zeros. Whatever it gives, what comes out is a law of
:mod:`experiments.beliefs.laws`: within the pool, of the hand's size, and summing to 1. What such a
law cannot say is that two kinds go together beyond what the hand's size does to them.

The network is :class:`agents.rank_network.RankNetwork`, with the counts of a kind in the place of
the actions of a rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.neural import one_thread
from agents.rank_layout import FIRST, layout
from agents.rank_network import RankNetwork
from canasta_env.cards import KIND_COUNT
from canasta_env.observation import observation_scale
from canasta_env.rules import Rules
from experiments.beliefs.counting import most_copies
from experiments.beliefs.laws import bits_of, condition, hypergeometric
from experiments.beliefs.samples import Samples

__all__ = ["BeliefNetwork", "Judged", "Training", "corrections", "judge", "train"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_FARTHEST: Final = 20.0
"""Nats that a correction never passes, so that no sum of products underflows."""
_TOGETHER: Final = 2048
"""States that are judged at once."""


class BeliefNetwork(nn.Module):
    """Corrections for the ``others`` hands at a table, whose kinds have up to ``most`` cards.

    Observations uint8 (n, O) to float (n, others, K, most + 1), 0 for count 0, at most 20 nats.
    """

    def __init__(
        self, rules: Rules, players: int, most: int, hidden: tuple[int, int] = (48, 96)
    ) -> None:
        super().__init__()
        self.shape = (players - 1, KIND_COUNT, most)
        places = layout(rules, players)
        ids = np.arange(np.prod(self.shape)).reshape(self.shape)
        naturals = ids[:, FIRST : FIRST + rules.ranks]
        of_ranks = naturals.transpose(0, 2, 1).reshape(-1, rules.ranks)
        places = replace(
            places, actions=of_ranks, other_actions=np.setdiff1d(ids.reshape(-1), of_ranks)
        )
        self.network = RankNetwork(observation_scale(rules, players), places, hidden)
        for head in (self.network.token_policy, self.network.policy):
            nn.init.zeros_(head.weight)
        self.network.value.requires_grad_(False)  # nobody reads it

    def forward(self, observations: Tensor) -> Tensor:
        """The corrections."""
        given, _ = self.network(observations)
        bounded = _FARTHEST * torch.tanh(given / _FARTHEST)
        return nn.functional.pad(bounded.view(-1, *self.shape), (1, 0))


@dataclass(frozen=True)
class Judged:
    """What a law says of states with ``H`` hidden hands and ``K`` kinds.

    Attributes:
        bits: (n, H), -log2 of the chance of each true hand.
        at_least_one: (n, H, K), the chance of a hidden card of each kind.
        chances: (n, H, K, C + 1), that of each count; None unless asked for.
    """

    bits: Floats
    at_least_one: Floats
    chances: Floats | None = None


def _laws(samples: Samples, added: Floats | None, most: int) -> tuple[Floats, Floats, Floats]:
    """Log weights, log sums and chances of all hands of the states, (n * H, …)."""
    hands = samples.certain.hidden.shape[1]
    pool = np.repeat(samples.certain.pool, hands, axis=0)
    hidden = samples.certain.hidden.reshape(-1)
    weights = hypergeometric(pool, hidden, most)
    if added is not None:
        weights = weights + added.reshape(weights.shape)
    return weights, *condition(weights, hidden)


def judge(
    samples: Samples, most: int, network: BeliefNetwork | None = None, *, keep: bool = False
) -> Judged:
    """The hypergeometric law of states, or that of a network; ``keep`` for all chances."""
    parts = []
    for start in range(0, len(samples), _TOGETHER):
        some = samples.take(slice(start, start + _TOGETHER))
        added = None if network is None else corrections(network, some.observation)
        weights, sums, chances = _laws(some, added, most)
        shape = some.truth.shape
        bits = bits_of(weights, sums, some.truth.reshape(-1, shape[2])).reshape(shape[:2])
        whole = chances.reshape(*shape, -1)
        parts.append((bits, whole[..., 1:].sum(axis=3), whole if keep else whole[:0]))
    bits, at_least_one, kept = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Judged(bits, at_least_one, kept if keep else None)


def corrections(network: BeliefNetwork, observation: npt.NDArray[np.uint8]) -> Floats:
    """What a network adds to the log weights in states uint8 (n, O): (n, H, K, C + 1)."""
    with torch.inference_mode(), one_thread():
        return np.asarray(network(torch.from_numpy(observation)), np.float64)


# --- training -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """How a network learns: Adam, its rate brought down to zero over the epochs.

    ``held_out`` is the share of the deals that says which epoch was best; those are never learned.
    """

    epochs: int = 12
    minibatch: int = 512
    rate: float = 1e-2
    held_out: float = 0.125
    hidden: tuple[int, int] = (48, 96)
    seed: int = 0


def train(samples: Samples, rules: Rules, players: int, training: Training) -> BeliefNetwork:
    """The network that fits states best, by the bits of held-out deals; at worst one that corrects
    nothing.

    Raises:
        ValueError: there are too few deals to hold some out.
    """
    deals = np.unique(samples.deal)
    most = most_copies(rules, players)
    kept = deals[: max(1, round(training.held_out * len(deals)))]
    if len(kept) == len(deals):
        raise ValueError(f"{len(deals)} deal is too few to train on; 2 or more")
    aside = np.isin(samples.deal, kept)
    learned, checked = samples.take(~aside), samples.take(aside)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(training.seed)
        network = BeliefNetwork(rules, players, most, training.hidden)
        best, weights = float(judge(checked, most).bits.sum()), _copy(network)
        for _ in _epochs(network, learned, most, training):
            bits = float(judge(checked, most, network).bits.sum())
            if bits < best:
                best, weights = bits, _copy(network)
    network.load_state_dict(weights)
    return network.eval()


def _copy(network: nn.Module) -> dict[str, Any]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def _epochs(
    network: BeliefNetwork, samples: Samples, most: int, training: Training
) -> Iterator[None]:
    """Goes through all states once for each step of the iterator."""
    rng = np.random.default_rng(training.seed)
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.Adam(weights, lr=training.rate, eps=1e-6)
    steps = training.epochs * -(-len(samples) // training.minibatch)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for _ in range(training.epochs):
        order = rng.permutation(len(samples))
        for start in range(0, len(order), training.minibatch):
            _step(network, samples.take(order[start : start + training.minibatch]), most, optimizer)
            falling.step()
        yield


def _step(
    network: BeliefNetwork, samples: Samples, most: int, optimizer: torch.optim.Optimizer
) -> None:
    """A step down the nats of the true hands.

    Their gradient by a correction is the law's chance of that count less 1 for the true one, which
    the two passes give beside the sums: nothing is differentiated but the network.
    """
    added = network(torch.from_numpy(samples.observation))
    _, _, chances = _laws(samples, added.detach().numpy().astype(np.float64), most)
    gradient = chances.reshape(added.shape)
    np.put_along_axis(
        gradient,
        samples.truth[..., None],
        np.take_along_axis(gradient, samples.truth[..., None], axis=3) - 1.0,
        axis=3,
    )
    gradient /= max(1, int(samples.certain.hidden.sum()))
    optimizer.zero_grad()
    added.backward(torch.from_numpy(gradient.astype(np.float32)))
    optimizer.step()
