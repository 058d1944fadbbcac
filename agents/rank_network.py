"""A network that treats the natural ranks alike.

The same question is asked of every rank from 4 to A: how many do I hold, what lies on the table,
who threw one. A plain network learns the answer eleven times over; here each rank of the deck is a
token that goes through the same weights, beside one vector for everything else (wild cards, threes,
sizes, phase), and a token's outputs are the actions of its rank. A learned bias for each rank
carries what sets ranks apart, the value of their cards. Which features and actions belong to a rank
is read from the lists of pieces and actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from canasta_env.actions import ActionTable
from canasta_env.cards import KIND_COUNT, RANK_TOKENS, Kind
from canasta_env.observation import pieces
from canasta_env.rules import Rules

__all__ = ["Layout", "RankNetwork", "layout"]

FIRST: Final = int(Kind.FOUR)
RANKS: Final = KIND_COUNT - FIRST
AT_LEAST: Final = "hand_at_least"
_RANK: Final = "R"
"""Stands for any rank in the text of an action."""
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Where the ranks stand. ``features`` (ranks, F) and ``others`` (G,) index the observation;
    ``actions`` (families, ranks) and ``other_actions`` (M,) the action table.
    """

    features: Indices
    others: Indices
    actions: Indices
    other_actions: Indices


def layout(rules: Rules, players: int) -> Layout:
    """The layout for rules and a number of players; the ranks are those of the deck."""
    columns: list[Indices] = []
    at = 0
    for piece in pieces(rules, players):
        columns += [at + column for column in _columns(piece.name, piece.size)]
        at += piece.size
    features = np.stack(columns, axis=1)[: rules.ranks]
    families = _families(ActionTable(rules).texts)
    actions = np.array([family for name, family in families.items() if _RANK in name.split()])
    size = sum(len(family) for family in families.values())
    return Layout(
        features,
        np.setdiff1d(np.arange(at), features),
        actions,
        np.setdiff1d(np.arange(size), actions),
    )


def _columns(name: str, size: int) -> list[Indices]:
    """For each feature that a piece gives every rank: its indices in the piece, 4 to A."""
    ranks = np.arange(RANKS)
    if name == AT_LEAST:  # four of each kind but red threes
        return [4 * (ranks + FIRST - 1) + i for i in range(4)]
    if size % KIND_COUNT == 0:
        return [start + FIRST + ranks for start in range(0, size, KIND_COUNT)]
    if size % RANKS == 0:
        return [start + ranks for start in range(0, size, RANKS)]
    return []


def _families(texts: Sequence[str]) -> dict[str, list[int]]:
    """The ids of actions that differ in their rank only, in the order of the table."""
    naturals = set(RANK_TOKENS[FIRST:])
    families: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        words = [_RANK if word in naturals else word for word in text.split()]
        families.setdefault(" ".join(words), []).append(i)
    return families


class RankNetwork(nn.Module):
    """Tokens of the ranks and a context, two rounds of exchange, and heads for actions and value.

    ``hidden`` are the width of a token and of the context. Input and outputs are those of
    :class:`agents.network.ActorCritic`.
    """

    scale: Tensor
    features: Tensor
    others: Tensor
    order: Tensor
    feature_scale: Tensor
    other_scale: Tensor

    def __init__(self, scale: Any, places: Layout, hidden: Sequence[int] = (64, 128)) -> None:
        super().__init__()
        self.hidden = tuple(hidden)
        token, context = self.hidden
        given = torch.as_tensor(np.asarray(scale, np.float32)).clone()
        order = np.argsort(np.concatenate([places.actions.T.reshape(-1), places.other_actions]))
        self.register_buffer("scale", given)
        self.register_buffer("features", torch.from_numpy(places.features.reshape(-1).copy()))
        self.register_buffer("others", torch.from_numpy(places.others.copy()))
        self.columns = np.concatenate([places.features.reshape(-1), places.others])
        self.register_buffer("order", torch.from_numpy(order))
        self.register_buffer("feature_scale", given[places.features[0]])
        self.register_buffer("other_scale", given[places.others])
        self.rank = nn.Parameter(torch.zeros(len(places.features), token))
        self.read_token = nn.Linear(places.features.shape[1], token, bias=False)
        self.read_context = nn.Linear(len(places.others), context)
        self.context_to_token = nn.Linear(context, token)
        self.token_to_context = nn.Linear(token, context, bias=False)
        self.context = nn.Linear(context, context)
        self.second_context_to_token = nn.Linear(context, token)
        self.second_token = nn.Linear(token, token, bias=False)
        self.second_token_to_context = nn.Linear(token, context, bias=False)
        self.second_context = nn.Linear(context, context)
        self.token_policy = nn.Linear(token, len(places.actions))
        self.policy = nn.Linear(context, len(places.other_actions))
        self.value = nn.Linear(context, 1)
        self._initialise()

    def _initialise(self) -> None:
        """Orthogonal weights; a nearly uniform first policy and a value near zero."""
        heads = (self.token_policy, self.policy, self.value)
        for layer in (module for module in self.modules() if isinstance(module, nn.Linear)):
            nn.init.orthogonal_(layer.weight, 0.01 if layer in heads else 1.0)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def arrange(self, observation: Tensor) -> Tensor:
        """Observations (n, O) with their columns in the order in which :meth:`judge` reads them."""
        # torch's index_select takes four times as long for columns of bytes
        return torch.from_numpy(observation.numpy().take(self.columns, axis=1))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Observations (n, O), uint8, to logits (n, A) and values (n,)."""
        return self.judge(self.arrange(observation))

    def judge(self, arranged: Tensor) -> tuple[Tensor, Tensor]:
        """As :meth:`forward`, of what :meth:`arrange` gave."""
        n = len(arranged)
        seen, rest = arranged.split([self.features.numel(), self.others.numel()], dim=1)
        context = functional.linear(
            rest.float(), self.read_context.weight * self.other_scale, self.read_context.bias
        ).relu_()
        # the product with a transposed copy, since it has the faster gradient for so few features
        weight = (self.read_token.weight * self.feature_scale).t().contiguous()
        ranks = len(self.rank)
        tokens = seen.float().reshape(n * ranks, -1) @ weight
        told = self.context_to_token(context)[:, None]
        tokens = (tokens.view(n, ranks, -1) + self.rank + told).relu_()
        context = (self.context(context) + _of_mean(self.token_to_context, tokens)).relu_()
        told = self.second_context_to_token(context)[:, None]
        tokens = (self.second_token(tokens) + told).relu_()
        heard = _of_mean(self.second_token_to_context, tokens)
        context = (self.second_context(context) + heard).relu_()
        logits = torch.cat([self.token_policy(tokens).flatten(1), self.policy(context)], dim=1)
        return logits.index_select(1, self.order), self.value(context).squeeze(-1)


def _of_mean(layer: nn.Linear, tokens: Tensor) -> Tensor:
    """``layer`` without its bias, of the mean of the tokens (n, ranks, T). The division is made on
    the few weights, which saves the gradient a pass over all tokens.
    """
    return functional.linear(tokens.sum(1), layer.weight / tokens.shape[1])
