"""Exact figures of agents in a small game, for estimates to be held against."""

from __future__ import annotations

from typing import Any

from experiments.exact.policies import ASKS, strategy_of
from experiments.exact.strategy import join, value
from experiments.exact.tree import Tree
from experiments.exact.walk import Floats
from experiments.policies import policy_of

__all__ = ["lead", "strategy_by_policy"]


class _Drawing:
    """An agent that draws from its network's probabilities, by these."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def policy(self, batch: Any, rows: Any) -> Floats:
        """The probabilities of its actions, (rows, actions)."""
        return policy_of(self.agent, batch, rows)


def strategy_by_policy(tree: Tree, agent: Any, asks: int = ASKS) -> Floats:
    """As :func:`~experiments.exact.policies.strategy_of`, but exact for networks: one that plays
    its likeliest action is asked once, one that draws gives its probabilities.
    """
    if not hasattr(agent, "network"):
        return strategy_of(tree, agent, asks)
    if agent.temperature > 0:
        return strategy_of(tree, _Drawing(agent))
    return strategy_of(tree, agent, 1)


def lead(tree: Tree, strategy: Floats, against: Floats) -> float:
    """Points a deal of one strategy above another, the mean over both seats: what a duplicate match
    from scores of zero estimates.
    """
    first = value(tree, join(tree, strategy, against))
    second = value(tree, join(tree, against, strategy))
    return (first - second) / 2
