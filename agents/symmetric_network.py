"""A network that has the symmetries of its rules: what it thinks of relabelled cards is what it
thinks of the cards, relabelled.

The cards that can change places are *letters*: the ranks of the deck or, with sequences, the four
suits. Each letter is a token, all tokens go through the same weights beside one vector for
everything else, and what sets letters apart is learned for each orbit of the group, not for each
letter: fives and sixes share all of it, and an ace has its own. An action that names letters is
scored by their tokens, one that names several by the sum, so no order of letters matters. Which
features and actions belong to a letter, and which letters are alike, is said by
:mod:`agents.symmetric_layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.symmetric_layout import Letters, letters
from canasta_env.symmetry import symmetries

__all__ = ["SymmetricNetwork", "symmetric_network"]


class Exchange(nn.Module):
    """The tokens hear the context, and the context then their mean."""

    def __init__(self, token: int, context: int) -> None:
        super().__init__()
        self.told = nn.Linear(context, token)
        self.context = nn.Linear(context, context)
        self.heard = nn.Linear(token, context, bias=False)

    def forward(self, tokens: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens (n, T, token) and contexts (n, context) to new ones."""
        tokens = (tokens + self.told(context)[:, None]).relu_()
        # the division is made on the few weights, which saves a pass over all tokens
        heard = functional.linear(tokens.sum(1), self.heard.weight / tokens.shape[1])
        return tokens, (self.context(context) + heard).relu_()


class SymmetricNetwork(nn.Module):
    """Tokens of the letters and a context, two rounds of exchange, and heads for actions and value.

    ``scale`` (float, one for each feature) brings the features to [0, 1]. ``hidden`` are the width
    of a token and of the context. Input and outputs are those of
    :class:`agents.network.ActorCritic`; for a relabelling of the group, relabelled observations
    give relabelled logits and the same values, up to the rounding of sums.
    """

    scale: Tensor
    orbits: Tensor
    parts: Tensor
    feature_scale: Tensor
    other_scale: Tensor

    def __init__(self, scale: Any, places: Letters, hidden: Sequence[int] = (64, 128)) -> None:
        super().__init__()
        self.hidden = tuple(hidden)
        token, context = self.hidden
        given = torch.as_tensor(np.asarray(scale, np.float32)).clone()
        self.register_buffer("scale", given)
        self.columns = np.concatenate([places.features.reshape(-1), places.others])
        self.shape = places.features.shape
        self.several = places.parts.shape[1]
        for name, value in (
            ("orbits", torch.from_numpy(places.orbits)),
            ("parts", torch.from_numpy(places.parts.reshape(-1))),
            ("feature_scale", given[places.features[0]]),
            ("other_scale", given[places.others]),
        ):
            self.register_buffer(name, value, persistent=False)  # they follow from the rules
        self.worth = nn.Parameter(torch.zeros(int(places.orbits.max()) + 1, token))
        self.read_token = nn.Linear(self.shape[1], token, bias=False)
        self.read_context = nn.Linear(len(places.others), context)
        self.first = Exchange(token, context)
        self.token = nn.Linear(token, token, bias=False)
        self.second = Exchange(token, context)
        self.token_policy = nn.Linear(token, places.heads)
        self.policy = nn.Linear(context, places.alone)
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
        n, (count, size) = len(arranged), self.shape
        seen, rest = arranged.split([count * size, arranged.shape[1] - count * size], dim=1)
        context = functional.linear(
            rest.float(), self.read_context.weight * self.other_scale, self.read_context.bias
        ).relu_()
        # the product with a transposed copy, since it has the faster gradient for so few features
        weight = (self.read_token.weight * self.feature_scale).t().contiguous()
        tokens = (seen.float().reshape(n * count, size) @ weight).view(n, count, -1)
        tokens, context = self.first(tokens + self.worth[self.orbits], context)
        tokens, context = self.second(self.token(tokens), context)
        return self._logits(tokens, context), self.value(context).squeeze(-1)

    def _logits(self, tokens: Tensor, context: Tensor) -> Tensor:
        """Logits (n, A): each the sum of its parts, which the tokens and the context score."""
        scores = [self.token_policy(tokens).flatten(1), self.policy(context)]
        if self.several == 1:
            return torch.cat(scores, dim=1).index_select(1, self.parts)
        scores.append(context.new_zeros(len(context), 1))
        chosen = torch.cat(scores, dim=1).index_select(1, self.parts)
        return chosen.view(len(context), -1, self.several).sum(-1)


def symmetric_network(
    rules: str, players: int, scale: Any, hidden: Sequence[int] = ()
) -> SymmetricNetwork:
    """A new network with the symmetries of rules at a table of ``players``.

    Raises:
        ValueError: there are neither none nor two widths.
    """
    if len(hidden) not in (0, 2):
        raise ValueError(f"hidden: {len(hidden)} widths given; the network symmetric has two")
    return SymmetricNetwork(scale, letters(symmetries(rules, players)), hidden or (64, 128))
