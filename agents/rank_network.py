"""A network that treats the natural ranks alike.

The same question is asked of every rank from 4 to A: how many do I hold, what lies on the table,
who threw one. A plain network learns the answer eleven times over; here each rank of the deck is a
token that goes through the same weights, beside one vector for everything else (wild cards, threes,
sizes, phase), and a token's outputs are the actions of its rank. A learned bias for each rank
carries what sets ranks apart, the value of their cards. Which features and actions belong to a rank
is said by :mod:`agents.rank_layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.rank_layout import Layout

__all__ = ["RankNetwork"]


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
