"""What strategies are worth, and the best answers to them: exact but for rounding.

A strategy is an array (moves,): the probability of each move in its information state, for both
seats.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from experiments.exact.tree import Tree
from experiments.exact.walk import Floats, Ints

__all__ = [
    "best_response", "exploitability", "join", "owned_by", "reaches", "uniform", "value", "worths",
]  # fmt: skip

SIGNS: Final = (1.0, -1.0)
"""What the payoffs of a tree are to seat 0 and to seat 1."""


def owned_by(tree: Tree, seat: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(moves,) which of them are the seat's."""
    return tree.seat[tree.owner] == seat


def uniform(tree: Tree) -> Floats:
    """The strategy in which every legal action has the same chance."""
    legal = np.diff(tree.first)
    return 1.0 / np.repeat(legal, legal)


def join(tree: Tree, first: Floats, second: Floats) -> Floats:
    """Seat 0's moves of one strategy and seat 1's of another."""
    return np.where(owned_by(tree, 0), first, second)


def reaches(tree: Tree, strategy: Floats) -> list[Floats]:
    """By level the probability of each history. With ones for all moves of a seat it is what chance
    and the other seat add to it.
    """
    found = [tree.deals.chance]
    for level in tree.levels[1:]:
        found.append(found[-1][level.parent] * strategy[level.move])
    return found


def value(tree: Tree, strategy: Floats) -> float:
    """The expected points of seat 0 less those of seat 1."""
    reached = reaches(tree, strategy)
    return float(sum(r @ level.payoff for r, level in zip(reached, tree.levels, strict=True)))


def worths(tree: Tree, strategy: Floats, seat: int) -> Floats:
    """(moves,) what each move of ``seat`` is worth to it: its points less the other's after the
    move, summed over histories with the chance that they come up if ``seat`` aims at them.
    """
    reached = reaches(tree, np.where(owned_by(tree, seat), 1.0, strategy))
    found = np.zeros(len(tree.action))
    after = tree.levels[-1].payoff
    for depth in range(len(tree.levels) - 1, 0, -1):
        level, before = tree.levels[depth], tree.levels[depth - 1]
        found += np.bincount(level.move, reached[depth] * after, len(found))
        after = before.payoff + _sum_up(level.parent, strategy[level.move] * after, before.payoff)
    return SIGNS[seat] * found


def best_response(tree: Tree, strategy: Floats, seat: int) -> tuple[float, Floats]:
    """The most that ``seat`` can get against the other seat's moves of ``strategy``, in its points
    less the other's; and the strategy with moves of ``seat`` that get it.
    """
    mine = owned_by(tree, seat)
    reached = reaches(tree, np.where(mine, 1.0, strategy))
    answer = np.where(mine, 0.0, strategy)
    after = SIGNS[seat] * tree.levels[-1].payoff
    for depth in range(len(tree.levels) - 1, 0, -1):
        level, before = tree.levels[depth], tree.levels[depth - 1]
        worth = np.bincount(level.move, reached[depth] * after, len(answer))
        answer[_best(tree, depth - 1, seat, worth)] = 1.0
        after = SIGNS[seat] * before.payoff + _sum_up(
            level.parent, answer[level.move] * after, before.payoff
        )
    return float(tree.deals.chance @ after), answer


def exploitability(tree: Tree, strategy: Floats) -> float:
    """How many points the best answer wins against a strategy, the mean over both seats: half of
    NashConv. It is 0 for an equilibrium and for nothing else.
    """
    return (best_response(tree, strategy, 0)[0] + best_response(tree, strategy, 1)[0]) / 2


def _sum_up(parent: Ints, values: Floats, like: Floats) -> Floats:
    """The sums over what continues each history of the level before."""
    return np.bincount(parent, values, len(like))


def _best(tree: Tree, depth: int, seat: int, worth: Floats) -> Ints:
    """The moves of the highest worth of the seat's information states of a level, the first of
    equal ones.
    """
    infos = tree.infos(depth)
    starts = tree.first[infos]
    if not starts.size:
        return starts
    moves = np.arange(starts[0], tree.first[infos.stop])
    places = starts - starts[0]
    most = np.maximum.reduceat(worth[moves], places)
    lost = worth[moves] < np.repeat(most, np.diff(tree.first[infos.start : infos.stop + 1]))
    chosen = np.minimum.reduceat(np.where(lost, len(worth), moves), places)
    return chosen[tree.seat[infos] == seat]
