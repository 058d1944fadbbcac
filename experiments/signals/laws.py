"""With which probabilities an agent plays: its law at a decision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.bots import BotAgent
from canasta_env.bots import Bot
from experiments.policies import policy_of

__all__ = ["ANSWERS", "knows_law", "law"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ANSWERS: Final = 16
"""How often an agent is asked that does not say with which probabilities it plays."""


def knows_law(agent: Any) -> bool:
    """Is one question enough to know with which probabilities the agent plays?

    It is for the random bot and for greedy, for an agent with a method ``policy``, and for one
    that plays by a network.
    """
    if isinstance(agent, BotAgent):
        return agent.bot in (Bot.RANDOM, Bot.GREEDY)
    return hasattr(agent, "policy") or hasattr(agent, "network")


def law(agent: Any, batch: Any, rows: Ints) -> Floats:
    """(rows, A) the probabilities with which the agent plays, if it :func:`knows_law`; else one
    answer, as a row with a single 1.

    A network that plays greedily plays its likeliest action with certainty, whatever its policy
    gives to the others.
    """
    if isinstance(agent, BotAgent) and agent.bot is Bot.RANDOM:
        legal = batch.mask[rows].astype(np.float64)
        alike: Floats = legal / legal.sum(1, keepdims=True)
        return alike
    if hasattr(agent, "policy") or getattr(agent, "temperature", 0.0) > 0:
        return policy_of(agent, batch, rows)
    found = np.zeros(batch.mask[rows].shape)
    found[np.arange(len(rows)), agent.act(batch, rows)] = 1.0
    return found
