"""The networks without torch: the same forward pass in numpy, for agents that only play.

What the weights alone decide is done once, when a network is loaded: the scale of the features goes
into the first layers, and the scores of tokens are put where the actions stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from agents.rank_layout import layout
from agents.symmetric_layout import Letters, letters
from canasta_env.rules import Rules
from canasta_env.symmetry import symmetries

__all__ = ["PlainActorCritic", "PlainNetwork", "PlainTokenNetwork", "build_plain_network"]

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Arrays = Mapping[str, npt.NDArray[Any]]

_ROWS: Final = 256
"""Observations that go through together: what lies between two layers then stays in the cache."""


class PlainNetwork(Protocol):
    """A network that gives logits."""

    def logits(self, observations: Bytes) -> Floats:
        """Observations, uint8 (n, O), to the logits of all actions, float32 (n, A)."""
        ...


def build_plain_network(saved: checkpoints.Checkpoint) -> PlainNetwork:
    """The network of a checkpoint, of any kind; raises ``CheckpointError`` in one line if its
    arrays have other names or shapes, or the ranks stand elsewhere in this version's lists.
    """
    arrays = saved.arrays("network")
    try:
        kind = saved.meta["network"]["kind"]
        if kind not in _KINDS:
            raise ValueError(f"its kind is {kind!r}, not {' or '.join(_KINDS)}")
        network = _KINDS[kind](arrays, saved.meta)
        size, actions = int(saved.meta["observation_size"]), int(saved.meta["actions"])
        if network.logits(np.zeros((1, size), np.uint8)).shape != (1, actions):
            raise ValueError(f"it does not give {actions} actions")
    except (KeyError, TypeError, ValueError, IndexError) as error:
        reason = " ".join(str(error).split())
        raise checkpoints.CheckpointError(f"{saved.folder}: not this network: {reason}") from None
    return network


class PlainActorCritic:
    """:class:`agents.network.ActorCritic` from its arrays."""

    def __init__(self, arrays: Arrays, meta: Mapping[str, Any]) -> None:
        first = arrays["first.weight"] * arrays["scale"], arrays["first.bias"]
        others = [_layer(arrays, f"others.{i}") for i in range(len(meta["network"]["hidden"]) - 1)]
        self.layers = [_ready(*layer) for layer in (first, *others, _layer(arrays, "policy"))]

    def logits(self, observations: Bytes) -> Floats:
        """Observations, uint8 (n, O), to the logits of all actions, float32 (n, A)."""
        x: Floats = observations.astype(np.float32)
        for i, (weight, bias) in enumerate(self.layers):
            x = (_relu(x) if i else x) @ weight
            x += bias
        return x


class PlainTokenNetwork:
    """:class:`agents.symmetric_network.SymmetricNetwork` from its arrays, which go by its names."""

    def __init__(self, arrays: Arrays, places: Letters) -> None:
        _check_size(arrays, "worth", int(places.orbits.max()) + 1)
        _check_size(arrays, "token_policy.weight", places.heads)
        _check_size(arrays, "policy.weight", places.alone)
        tokens = len(places.features)
        self.columns = np.concatenate([places.features.reshape(-1), places.others])
        self.split, self.tokens = places.features.size, tokens
        self.worth = np.ascontiguousarray(arrays["worth"][places.orbits], np.float32)
        scale = arrays["scale"]
        self.read_token = _inputs_first(arrays["read_token.weight"] * scale[places.features[0]])
        self.read_context = _ready(
            arrays["read_context.weight"] * scale[places.others], arrays["read_context.bias"]
        )
        self.told = [_ready(*_layer(arrays, f"{turn}.told")) for turn in _TURNS]
        self.heard = [_inputs_first(arrays[f"{turn}.heard.weight"] / tokens) for turn in _TURNS]
        self.contexts = [_ready(*_layer(arrays, f"{turn}.context")) for turn in _TURNS]
        self.token = _inputs_first(arrays["token.weight"])
        self.heads = [_ready(*_layer(arrays, name)) for name in ("token_policy", "policy")]
        self.parts, self.more = _first_and_more(places)

    def logits(self, observations: Bytes) -> Floats:
        """Observations, uint8 (n, O), to the logits of all actions, float32 (n, A)."""
        parts = [
            self._logits(observations[i : i + _ROWS]) for i in range(0, len(observations), _ROWS)
        ]
        return np.concatenate(parts)

    def _logits(self, observations: Bytes) -> Floats:
        n = len(observations)
        seen = observations.take(self.columns, axis=1).astype(np.float32)
        context = _relu(_linear(seen[:, self.split :], self.read_context))
        tokens = seen[:, : self.split].reshape(n * self.tokens, -1) @ self.read_token
        for turn in range(len(_TURNS)):
            if turn:
                tokens = tokens @ self.token
            tokens = tokens.reshape(n, self.tokens, -1)
            tokens += _linear(context, self.told[turn])[:, None]
            if not turn:
                tokens += self.worth
            _relu(tokens)
            context = _linear(context, self.contexts[turn])
            context += tokens.sum(1) @ self.heard[turn]
            _relu(context)
            tokens = tokens.reshape(n * self.tokens, -1)
        of_tokens = _linear(tokens, self.heads[0]).reshape(n, -1)
        scores = np.concatenate([of_tokens, _linear(context, self.heads[1])], axis=1)
        logits: Floats = scores.take(self.parts, axis=1)
        for actions, parts in self.more:
            logits[:, actions] += scores.take(parts, axis=1)
        return logits


def _first_and_more(places: Letters) -> tuple[Ints, list[tuple[Ints, Ints]]]:
    """The first part of each action's logit; and, for the second and so on, which actions have one
    and which it is. Most actions have one part only, so nothing is added to theirs.
    """
    zero = len(places.features) * places.heads + places.alone
    first, *others = places.parts.T
    return first, [(np.flatnonzero(part != zero), part[part != zero]) for part in others]


def _rank_network(arrays: Arrays, meta: Mapping[str, Any]) -> PlainTokenNetwork:
    """:class:`agents.rank_network.RankNetwork`: the same, with each rank alone in its orbit."""
    places = layout(Rules.parse(meta["rules"]), meta["players"])
    features, others = places.features.reshape(-1), places.others
    order = np.argsort(np.concatenate([places.actions.T.reshape(-1), places.other_actions]))
    for name, here in (("features", features), ("others", others), ("order", order)):
        if not np.array_equal(arrays[name], here):
            raise ValueError(f"{name}: the ranks stand elsewhere in this version")
    renamed = {new: arrays[old] for old, new in _NAMES_OF_RANKS.items()}
    letters_of_ranks = Letters(
        orbits=np.arange(len(places.features)),
        features=places.features,
        others=others,
        heads=len(places.actions),
        alone=len(places.other_actions),
        parts=order[:, None],
    )
    return PlainTokenNetwork({**arrays, **renamed}, letters_of_ranks)


def _symmetric_network(arrays: Arrays, meta: Mapping[str, Any]) -> PlainTokenNetwork:
    return PlainTokenNetwork(arrays, letters(symmetries(meta["rules"], meta["players"])))


_TURNS: Final = ("first", "second")
_NAMES_OF_RANKS: Final = {
    "rank": "worth",
    "context_to_token.weight": "first.told.weight",
    "context_to_token.bias": "first.told.bias",
    "token_to_context.weight": "first.heard.weight",
    "context.weight": "first.context.weight",
    "context.bias": "first.context.bias",
    "second_context_to_token.weight": "second.told.weight",
    "second_context_to_token.bias": "second.told.bias",
    "second_token_to_context.weight": "second.heard.weight",
    "second_context.weight": "second.context.weight",
    "second_context.bias": "second.context.bias",
    "second_token.weight": "token.weight",
}
"""What the arrays of the network ``ranks`` are called in the network ``symmetric``."""
_KINDS: Final[dict[str, Callable[[Arrays, Mapping[str, Any]], PlainNetwork]]] = {
    "mlp": PlainActorCritic,
    "ranks": _rank_network,
    "symmetric": _symmetric_network,
}


def _check_size(arrays: Arrays, name: str, size: int) -> None:
    """Refuses an array that has not a row for each of what it is about: read with other places it
    would give other logits, and no error.
    """
    if len(arrays[name]) != size:
        raise ValueError(f"{name}: {len(arrays[name])} rows, not {size}")


def _layer(arrays: Arrays, name: str) -> tuple[Any, Any]:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _ready(weight: Any, bias: Any) -> tuple[Floats, Floats]:
    """A layer's weights as :func:`_inputs_first`, and its bias."""
    return _inputs_first(weight), np.ascontiguousarray(bias, np.float32)


def _inputs_first(weight: Any) -> Floats:
    """A layer's weights with inputs first, as the product reads them."""
    return np.ascontiguousarray(weight.T, np.float32)


def _linear(x: Floats, layer: tuple[Floats, Floats]) -> Floats:
    weight, bias = layer
    y: Floats = x @ weight
    y += bias
    return y


def _relu(x: Floats) -> Floats:
    """``x`` itself, without its negative numbers."""
    return np.maximum(x, 0, out=x)
