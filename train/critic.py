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
from agents.neural import Network
from agents.rank_layout import Layout, layout
from agents.rank_network import RankNetwork
from agents.symmetric_layout import Letters, letters
from agents.symmetric_network import SymmetricNetwork
from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.rules import Rules
from canasta_env.symmetry import symmetries

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
        network: one without actions, over both.
        seats: whose hands, counted from the seat to act.
        columns: the hands' features in the order in which the network reads them, those of its
            tokens first; indices into seats times kinds.
        tokens: of how many tokens, and how many features each has, the playing network reads;
            nothing for plain layers.
    """

    def __init__(
        self,
        network: Network,
        seats: Sequence[int],
        columns: npt.NDArray[np.int64],
        tokens: tuple[int, int] | None = None,
    ) -> None:
        super().__init__()
        self.network = network
        self.seats, self.columns, self.tokens = tuple(seats), columns, tokens
        self.of_tokens = 0
        if isinstance(network, RankNetwork | SymmetricNetwork) and tokens is not None:
            others = len(network.other_scale)
            self.of_tokens = len(network.columns) - others - tokens[0] * tokens[1]

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
        if hidden is None or not self.size:
            together = arranged
        elif self.tokens is not None:
            n, (count, features) = len(arranged), self.tokens
            seen, rest = arranged.tensor_split([count * features], dim=1)
            theirs, other = hidden.tensor_split([self.of_tokens], dim=1)
            tokens = torch.cat([part.reshape(n, count, -1) for part in (seen, theirs)], dim=2)
            together = torch.cat([tokens.flatten(1), rest, other], dim=1)
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
        network: ``ranks``, ``symmetric`` or ``mlp``: of the kind that plays.
        hidden: widths, as those of the network.
        identity: as :func:`agents.checkpoint.identity` gives it.
        batch: the games.

    Raises:
        ValueError: ``team`` where nobody has a partner.
    """
    if kind == "own":
        return None
    seats = seats_seen(kind, batch.players, batch.sides)
    rules = Rules.parse(identity["rules"])
    kinds = SUITED_KIND_COUNT if rules.sequences else KIND_COUNT
    hands = np.arange(len(seats) * kinds).reshape(len(seats), kinds)
    bounds = np.full(hands.size, 1 / OF_ONE_KIND, np.float32)
    scale = np.concatenate([batch.scale, bounds])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Initializing zero-element tensors")
        if network == "mlp":
            return Critic(ActorCritic(scale, 0, hidden), seats, hands.reshape(-1))
        if network == "ranks":
            places: Layout | Letters = layout(rules, batch.players)
        else:
            places = letters(symmetries(identity["rules"], batch.players))
        of_token = _of_token(places.features, hands)
        rest = np.setdiff1d(hands, of_token)
        whole = _value_network(places, scale, len(batch.scale), of_token, rest, hidden)
    columns = np.concatenate([of_token.reshape(-1), rest])
    count, features = places.features.shape
    return Critic(whole, seats, columns, (count, features))


def _of_token(
    features: npt.NDArray[np.int64], hands: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Which of ``hands`` (seats, kinds) go to each token: (tokens, m), those of the kinds that the
    token has in the own hand. That is the observation's first piece, so a feature there is a kind.
    """
    kinds = np.array([row[row < hands.shape[1]] for row in features])
    return hands[:, kinds].swapaxes(0, 1).reshape(len(features), -1)


def _value_network(
    places: Layout | Letters,
    scale: npt.NDArray[np.float32],
    size: int,
    of_token: npt.NDArray[np.int64],
    rest: npt.NDArray[np.int64],
    hidden: Sequence[int],
) -> RankNetwork | SymmetricNetwork:
    """A network like the one of ``places``, with hands behind its observation of ``size`` and
    without actions.
    """
    features = np.concatenate([places.features, size + of_token], axis=1)
    others = np.concatenate([places.others, size + rest])
    none = np.zeros(0, np.int64)
    if isinstance(places, Letters):
        bare = Letters(places.orbits, features, others, 0, 0, none.reshape(0, 1))
        return SymmetricNetwork(scale, bare, hidden)
    return RankNetwork(
        scale, Layout(features, others, none.reshape(0, len(features)), none), hidden
    )
