"""An equilibrium by CFR+ (Tammelin 2014): regret matching with regrets that never fall below 0.

The seats learn in turn. The strategy of iteration t counts t times in the average, which comes
closer to an equilibrium the longer it runs; its exploitability says how close.
"""

from __future__ import annotations

import numpy as np

from experiments.exact.strategy import owned_by, uniform, worths
from experiments.exact.tree import Tree
from experiments.exact.walk import Floats, Ints

__all__ = ["CfrPlus"]


class CfrPlus:
    """The search for an equilibrium; ``run`` goes on where the last one stopped.

    Attributes:
        iterations: how many there were.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.iterations = 0
        self._owner = tree.owner
        self._mine = [owned_by(tree, seat) for seat in range(2)]
        self._path = own_path(tree)
        self._regret = np.zeros(len(tree.action))
        self._total = np.zeros(len(tree.action))

    def run(self, iterations: int) -> None:
        """So many more iterations, in each of which both seats learn once."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in range(2):
                self._learn(seat)

    def average(self) -> Floats:
        """The strategy found so far; uniform where a seat never came."""
        return self._matched(self._total)

    def _learn(self, seat: int) -> None:
        """Add what the seat would rather have done to its regrets, and its strategy to the
        average.
        """
        strategy = self._matched(self._regret)
        worth = worths(self.tree, strategy, seat)
        mean = np.bincount(self._owner, strategy * worth)[self._owner]
        mine = self._mine[seat]
        self._regret[mine] = np.maximum(0.0, self._regret + worth - mean)[mine]
        strategy = self._matched(self._regret)
        came = np.append(strategy, 1.0)[self._path].prod(axis=1)[self._owner]
        self._total[mine] += (self.iterations * came * strategy)[mine]

    def _matched(self, weights: Floats) -> Floats:
        """Weights as probabilities in each information state; uniform where all are 0."""
        sums = np.add.reduceat(weights, self.tree.first[:-1])[self._owner]
        return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), uniform(self.tree))


def own_path(tree: Tree) -> Ints:
    """(infos, levels) the moves by which the seat to act itself came to each information state; -1
    in the other places.
    """
    moves = tree.paths()[1]
    own = tree.seat[tree.owner][moves] == tree.seat[:, None]
    return np.where((moves >= 0) & own, moves, -1)
