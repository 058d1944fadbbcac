"""The probabilities that agents give to their actions, for measures that need more than choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["has_policy", "policy"]

Floats = npt.NDArray[np.float64]


def has_policy(agent: Any) -> bool:
    """Has an agent probabilities that can be asked for, of its own or of its network?"""
    return hasattr(agent, "policy") or hasattr(agent, "network")


def policy(agent: Any, batch: Any, rows: npt.NDArray[np.int64]) -> Floats:
    """The probabilities of an agent's actions in ``rows`` (m,) of a batch, float64 (m, A): at the
    temperature that it draws with, 1 for one that plays greedily.
    """
    if hasattr(agent, "policy"):
        given: Floats = np.asarray(agent.policy(batch, rows), np.float64)
        return given
    logits = _logits(agent.network, batch.observation[rows]) / (agent.temperature or 1.0)
    logits = np.where(batch.mask[rows], logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Floats = weights / weights.sum(axis=1, keepdims=True)
    return found


def _logits(network: Any, observations: npt.NDArray[np.uint8]) -> Floats:
    """The logits of a network, (rows, A), as float64."""
    if hasattr(network, "logits"):  # one that needs no torch
        return np.asarray(network.logits(observations), np.float64)
    import torch  # loaded only for a network that needs it

    from agents.neural import one_thread

    with torch.inference_mode(), one_thread():
        return np.asarray(network(torch.from_numpy(observations))[0], np.float64)
