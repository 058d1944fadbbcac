"""A critic that sees hands which the seat to act does not: in training only.

The value of a position hardly depends on what its owner may know: with the hidden hands in sight it
is told more exactly, and advantages have less noise. The critic is a network of its own, of the
same kind as the one that plays, over the observation and the hidden hands. The network that plays
gets nothing of it: other input, other weights, and its checkpoint is whole without it.

``apart`` sees no hidden hand, only what the seat sees: the difference that a second network makes.
``team`` sees the partners' hands, ``oracle`` all hands.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.network import ActorCritic
from agents.rank_network import FIRST, Layout, RankNetwork, layout
from canasta_env.cards import KIND_COUNT
from canasta_env.rules import Rules

__all__ = ["Critic", "CriticKind", "hidden_hands", "make_critic", "seats_seen"]

CriticKind = Literal["own", "apart", "team", "oracle"]
OF_ONE_KIND: Final = 8
"""Cards of a kind in a hand, as a rule: the bound that scales these features."""


def seats_seen(kind: str, players: int, sides: int) -> tuple[int, ...]:
    """The seats whose hands a critic sees, counted from the seat to act on.

    Raises:
        ValueError: ``team`` where nobody has a partner.
    """
    if kind == "team" and players == sides:
        raise ValueError(
            f"--critic team: with {players} players nobody has a partner; use oracle or own"
        )
    steps = {"apart": (), "team": range(sides, players, sides), "oracle": range(1, players)}
    return tuple(steps[kind])


def hidden_hands(
    batch: Any, rows: npt.NDArray[np.int64], seats: Sequence[int]
) -> npt.NDArray[np.uint8]:
    """The hands of ``seats``, counted from the one to act, in the games ``rows``: uint8 (m, seats,
    kinds), cards of each kind.
    """
    seat = (batch.seat[rows, None] + np.array(seats, np.int64)) % batch.players
    hands: npt.NDArray[np.uint8] = batch.games.hands[rows[:, None], seat].astype(np.uint8)
    return hands


class Critic(nn.Module):
    """A value network over what the playing network reads and hidden hands.

    Args:
        network: an ``ActorCritic`` or a ``RankNetwork`` without actions, over both.
        seats: whose hands, counted from the seat to act.
        kinds: how many kinds of cards a hand has.
    """

    def __init__(self, network: ActorCritic | RankNetwork, seats: Sequence[int], kinds: int):
        super().__init__()
        self.network = network
        self.seats, self.kinds = tuple(seats), kinds
        order = np.arange(len(seats) * kinds).reshape(len(seats), kinds)
        self.ranks = self.features = 0
        if isinstance(network, RankNetwork):
            self.ranks = len(network.rank)
            self.features = network.features.numel() - self.ranks * len(seats)
            of_rank = order[:, FIRST : FIRST + self.ranks]
            order = np.concatenate([of_rank.T.reshape(-1), np.setdiff1d(order, of_rank)])
        self.columns = order.reshape(-1)

    @property
    def size(self) -> int:
        """How many features the hidden hands make."""
        return len(self.columns)

    def look(self, batch: Any, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """What :meth:`forward` reads of the hidden hands in the games ``rows``: uint8 (m, size)."""
        hands = hidden_hands(batch, rows, self.seats).reshape(len(rows), -1)
        seen: npt.NDArray[np.uint8] = hands.take(self.columns, axis=1)
        return seen

    def forward(self, arranged: Tensor, hidden: Tensor | None) -> Tensor:
        """Values (n,), thousands of points, of observations as the playing network arranges them
        (n, O) and hidden hands (n, size), both uint8; none if no seats are seen.
        """
        if hidden is None or not self.seats:
            together = arranged
        elif self.ranks:
            n, of_hands = len(arranged), self.ranks * len(self.seats)
            seen, rest = arranged.tensor_split([self.features], dim=1)
            theirs, other = hidden.tensor_split([of_hands], dim=1)
            tokens = [part.reshape(n, self.ranks, -1) for part in (seen, theirs)]
            together = torch.cat([torch.cat(tokens, 2).flatten(1), rest, other], dim=1)
        else:
            together = torch.cat([arranged, hidden], dim=1)
        value: Tensor = self.network.judge(together)[1]
        return value

    def weights(self) -> tuple[nn.Parameter, ...]:
        """The parameters, but for those of the heads without actions, which have no numbers."""
        return tuple(p for p in self.parameters() if p.numel())


def make_critic(
    kind: str, network: str, hidden: Sequence[int], identity: dict[str, Any], batch: Any
) -> Critic | None:
    """A new critic for the settings of a trainer; None for ``own``, the network's own value.

    Args:
        kind: of :data:`CriticKind`.
        network: ``ranks`` or ``mlp``.
        hidden: widths, as those of the network.
        identity: as :func:`agents.checkpoint.identity` gives it.
        batch: the games.

    Raises:
        ValueError: ``team`` where nobody has a partner.
    """
    if kind == "own":
        return None
    seats = seats_seen(kind, batch.players, batch.sides)
    kinds = batch.games.hands.shape[-1] if seats else KIND_COUNT
    size = len(batch.scale)
    scale = np.concatenate([batch.scale, np.full(len(seats) * kinds, 1 / OF_ONE_KIND, np.float32)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Initializing zero-element tensors")
        if network == "mlp":
            return Critic(ActorCritic(scale, 0, hidden), seats, kinds)
        places = layout(Rules.parse(identity["rules"]), batch.players)
        extended = _extended(places, size, len(seats), kinds)
        return Critic(RankNetwork(scale, extended, hidden), seats, kinds)


def _extended(places: Layout, size: int, seats: int, kinds: int) -> Layout:
    """A layout with the hands of ``seats`` after an observation of ``size``, and no actions."""
    ranks = len(places.features)
    hands = size + np.arange(seats * kinds).reshape(seats, kinds)
    of_rank = hands[:, FIRST : FIRST + ranks].T
    nothing = np.zeros(0, np.int64)
    return Layout(
        np.concatenate([places.features, of_rank], axis=1),
        np.concatenate([places.others, np.setdiff1d(hands, of_rank)]),
        nothing.reshape(0, ranks),
        nothing,
    )
