"""The networks without torch: the same forward pass in numpy, for agents that only play.

What the weights alone decide is done once, when a network is loaded: the scale of the features goes
into the first layers, and the heads of the ranks' actions are put in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from agents.rank_layout import layout
from canasta_env.rules import Rules

__all__ = ["PlainActorCritic", "PlainNetwork", "PlainRankNetwork", "build_plain_network"]

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Arrays = Mapping[str, npt.NDArray[Any]]

_ROWS: Final = 256
"""Observations that go through together: what lies between two layers then stays in the cache."""


class PlainNetwork(Protocol):
    """A network that gives logits."""

    def logits(self, observations: Bytes) -> Floats:
        """Observations, uint8 (n, O), to the logits of all actions, float32 (n, A)."""
        ...


def build_plain_network(saved: checkpoints.Checkpoint) -> PlainNetwork:
    """The network of a checkpoint, of either kind; raises ``CheckpointError`` in one line if its
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


class PlainRankNetwork:
    """:class:`agents.rank_network.RankNetwork` from its arrays."""

    def __init__(self, arrays: Arrays, meta: Mapping[str, Any]) -> None:
        places = layout(Rules.parse(meta["rules"]), meta["players"])
        features, others = places.features.reshape(-1), places.others
        order = np.argsort(np.concatenate([places.actions.T.reshape(-1), places.other_actions]))
        for name, here in (("features", features), ("others", others), ("order", order)):
            if not np.array_equal(arrays[name], here):
                raise ValueError(f"{name}: the ranks stand elsewhere in this version")
        self.columns, self.split, self.order = (
            np.concatenate([features, others]),
            len(features),
            order,
        )
        ranks = len(places.features)
        self.rank = np.ascontiguousarray(arrays["rank"], np.float32)
        self.read_token, _ = _ready(
            arrays["read_token.weight"] * arrays["scale"][places.features[0]], np.zeros(1)
        )
        self.read_context = _ready(
            arrays["read_context.weight"] * arrays["scale"][others], arrays["read_context.bias"]
        )
        self.told = [_ready(*_layer(arrays, f"{turn}context_to_token")) for turn in ("", "second_")]
        self.heard = [
            _ready(arrays[f"{turn}token_to_context.weight"] / ranks, np.zeros(1))[0]
            for turn in ("", "second_")
        ]
        self.contexts = [_ready(*_layer(arrays, name)) for name in ("context", "second_context")]
        self.second_token, _ = _ready(arrays["second_token.weight"], np.zeros(1))
        self.heads = [_ready(*_layer(arrays, name)) for name in ("token_policy", "policy")]

    def logits(self, observations: Bytes) -> Floats:
        """Observations, uint8 (n, O), to the logits of all actions, float32 (n, A)."""
        parts = [
            self._logits(observations[i : i + _ROWS]) for i in range(0, len(observations), _ROWS)
        ]
        return np.concatenate(parts)

    def _logits(self, observations: Bytes) -> Floats:
        n, ranks = len(observations), len(self.rank)
        seen = observations.take(self.columns, axis=1).astype(np.float32)
        context = _relu(_linear(seen[:, self.split :], self.read_context))
        tokens = seen[:, : self.split].reshape(n * ranks, -1) @ self.read_token
        for turn in range(2):
            if turn:
                tokens = tokens @ self.second_token
            tokens = tokens.reshape(n, ranks, -1)
            tokens += _linear(context, self.told[turn])[:, None]
            if not turn:
                tokens += self.rank
            _relu(tokens)
            context = _linear(context, self.contexts[turn])
            context += tokens.sum(1) @ self.heard[turn]
            _relu(context)
            tokens = tokens.reshape(n * ranks, -1)
        of_ranks = _linear(tokens, self.heads[0]).reshape(n, -1)
        together = np.concatenate([of_ranks, _linear(context, self.heads[1])], axis=1)
        logits: Floats = together.take(self.order, axis=1)
        return logits


_KINDS: Final[dict[str, Callable[..., PlainNetwork]]] = {
    "mlp": PlainActorCritic,
    "ranks": PlainRankNetwork,
}


def _layer(arrays: Arrays, name: str) -> tuple[Any, Any]:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _ready(weight: Any, bias: Any) -> tuple[Floats, Floats]:
    """A layer's weights with inputs first, as the product reads them, and its bias."""
    return np.ascontiguousarray(weight.T, np.float32), np.ascontiguousarray(bias, np.float32)


def _linear(x: Floats, layer: tuple[Floats, Floats]) -> Floats:
    weight, bias = layer
    y: Floats = x @ weight
    y += bias
    return y


def _relu(x: Floats) -> Floats:
    """``x`` itself, without its negative numbers."""
    return np.maximum(x, 0, out=x)
