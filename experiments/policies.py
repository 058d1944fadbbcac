"""The probabilities with which agents play, and how far two of them lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents import registry
from experiments.deals import agent_seed

__all__ = ["divergence", "has_policy", "policy_of", "twins"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def twins(name: str, rules: Any, players: int, seed: int) -> tuple[Any, Any]:
    """The agent called ``name``, made twice: one plays and the other is asked, so that the lots in
    play do not depend on what is asked. Raises ValueError if it is no agent's name."""
    playing, asked = (
        registry.make(name, str(rules), players, agent_seed(seed, 0, member)) for member in range(2)
    )
    return playing, asked


def divergence(policies: Floats, others: Floats) -> Floats:
    """The Kullback-Leibler divergence of each row of ``policies`` (n, A) from that of ``others``,
    in nats, (n,); infinite where the other gives nothing to what this one plays."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = policies * (np.log(policies) - np.log(others))
    found: Floats = np.where(policies > 0, terms, 0.0).sum(-1)
    return found


def has_policy(agent: Any) -> bool:
    """Has an agent probabilities that can be asked for, of its own or of its network?"""
    return hasattr(agent, "policy") or hasattr(agent, "network")


def policy_of(agent: Any, batch: Any, rows: Ints) -> Floats:
    """The probabilities of an agent's actions in ``rows``, (rows, A): of a network at the
    temperature that the agent draws with, 1 for one that plays greedily."""
    if hasattr(agent, "policy"):
        given: Floats = np.asarray(agent.policy(batch, rows), np.float64)
        return given
    logits = _logits(agent.network, batch.observation[rows]) / (agent.temperature or 1.0)
    logits = np.where(batch.mask[rows], logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    policy: Floats = weights / weights.sum(axis=1, keepdims=True)
    return policy


def _logits(network: Any, observations: npt.NDArray[np.uint8]) -> Floats:
    """The logits of a network, (rows, A), as float64."""
    if hasattr(network, "logits"):  # one that needs no torch
        return np.asarray(network.logits(observations), np.float64)
    import torch  # loaded only for a network that needs it

    from agents.neural import one_thread

    with torch.inference_mode(), one_thread():
        return np.asarray(network(torch.from_numpy(observations))[0], np.float64)
