"""The whole tree of a small game: every history of every deal, and what its seats can tell apart.

A *history* is a deal and the actions so far. Actions are public, so the histories with one number
of actions make a *level*. Two histories are in one *information state* of the seat to act if that
seat has seen the same: the same views, one after the other, and the same actions between them.

Each action of each information state has a number, the *move*. A strategy of both seats is one
array, the probability of each move in its information state.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import numpy as np

from canasta_env.actions import ActionTable
from canasta_env.rules import Rules
from experiments.exact.deals import Deals, TooLargeError, all_deals
from experiments.exact.walk import KEY, Bytes, Floats, Games, Ints, Walker

__all__ = ["Level", "Tree", "grow"]

MOST_DEALS: Final = 20_000
MOST_HISTORIES: Final = 5_000_000
_TOGETHER: Final = 512
"""Deals that are walked through at once."""


@dataclass(frozen=True)
class Level:
    """The histories with one number of actions, in the order of those that they continue.

    Attributes:
        parent: (n,) places in the level before; in the first level the numbers of the deals.
        move: (n,) by which they were reached, -1 in the first level.
        info: (n,) information states of the seat to act, -1 where the deal is over.
        payoff: (n,) points of seat 0 less those of seat 1 where the deal is over, else 0.
    """

    parent: Ints
    move: Ints
    info: Ints
    payoff: Floats


@dataclass(frozen=True)
class Tree:
    """A game, walked through.

    Attributes:
        rules, deals: what was walked through; seat 1 deals.
        levels: the histories.
        seat: (infos,) the seat to act in each information state; they go by level.
        first: (infos + 1,) the first move of each; the moves of one follow each other.
        action: (moves,) ids in the action table of the rules.
        place: (infos, 2) level and place of one history of each.
    """

    rules: Rules
    deals: Deals
    levels: tuple[Level, ...]
    seat: Ints
    first: Ints
    action: Ints
    place: Ints

    @property
    def histories(self) -> int:
        """How many there are, from the deals to those that are over."""
        return sum(len(level.parent) for level in self.levels)

    @property
    def owner(self) -> Ints:
        """(moves,) the information state of each move."""
        return np.repeat(np.arange(len(self.seat)), np.diff(self.first))

    def infos(self, depth: int) -> slice:
        """The information states of a level."""
        first, last = np.searchsorted(self.place[:, 0], [depth, depth + 1])
        return slice(int(first), int(last))

    def paths(self) -> tuple[Ints, Ints]:
        """How one history of each information state came about: (infos,) deals, and (infos, levels)
        moves in order, with -1 after the last.
        """
        deals = np.zeros(len(self.seat), np.int64)
        moves = np.full((len(self.seat), len(self.levels)), -1)
        for depth in range(len(self.levels)):
            some = self.infos(depth)
            at = self.place[some, 1]
            for above in range(depth, 0, -1):
                moves[some, above - 1] = self.levels[above].move[at]
                at = self.levels[above].parent[at]
            deals[some] = self.levels[0].parent[at]
        return deals, moves


def grow(rules: Rules, most_deals: int = MOST_DEALS, most: int = MOST_HISTORIES) -> Tree:
    """The tree of one deal for two.

    Raises:
        TooLargeError: it has more than ``most_deals`` deals or ``most`` histories.
    """
    deals = all_deals(rules, most_deals)
    growth = _Growth(rules, most)
    for first in range(0, len(deals.decks), _TOGETHER):
        growth.add(deals.decks[first : first + _TOGETHER], first)
    return growth.tree(deals)


class _Growth:
    """Walks through deals, some at a time, and notes their histories, by level."""

    def __init__(self, rules: Rules, most: int) -> None:
        self.rules, self.most = rules, most
        self.walker = Walker(rules)
        self.rows: list[list[tuple[Any, ...]]] = []
        self.sizes: list[int] = []

    def add(self, decks: Bytes, first: int) -> None:
        """Walk through deals, the first of which has the number ``first``."""
        games, parent = self.walker.deal(decks), first + np.arange(len(decks))
        action = np.full(len(decks), -1)
        for depth in count():
            place = self._keep(depth, parent, action, games)
            at, action = np.nonzero(games.mask)
            if not at.size:
                return
            parent = place[at]
            games = self.walker.step(games, at, action)

    def _keep(self, depth: int, parent: Ints, action: Ints, games: Games) -> Ints:
        """Note histories of a level; their places in it."""
        if depth == len(self.sizes):
            self.rows.append([])
            self.sizes.append(0)
        keys = games.keys[np.arange(len(parent)), games.seat]
        legal = np.packbits(games.mask, axis=1)
        self.rows[depth].append((parent, action, games.seat, games.payoff, keys, legal))
        place = self.sizes[depth] + np.arange(len(parent))
        self.sizes[depth] += len(parent)
        if sum(self.sizes) > self.most:
            raise TooLargeError(f"{self.rules} has more than {self.most:,} histories")
        return place

    def tree(self, deals: Deals) -> Tree:
        """The histories put together."""
        actions = len(ActionTable(self.rules))
        numbers = _Numbers(actions)
        levels: list[Level] = []
        for depth, rows in enumerate(self.rows):
            columns = (np.concatenate(column) for column in zip(*rows, strict=True))
            parent, action, seat, payoff, keys, legal = columns
            move = numbers.moves(levels[-1].info[parent], action) if levels else action
            info = numbers.infos(depth, seat, keys, legal)
            levels.append(Level(parent, move, info, payoff))
        return Tree(self.rules, deals, tuple(levels), *numbers.columns())


class _Numbers:
    """Numbers information states and moves, level by level."""

    def __init__(self, actions: int) -> None:
        self.actions = actions
        self.size = 0
        self.seats: list[Ints] = []
        self.legal: list[Any] = []
        self.places: list[Ints] = []
        self.last = np.zeros((0, actions), np.int64)
        self.before, self.count = 0, 0

    def infos(self, depth: int, seat: Ints, keys: Bytes, legal: Bytes) -> Ints:
        """The information state of each history of a level; -1 where the deal is over."""
        on = np.flatnonzero(seat >= 0)
        names = np.ascontiguousarray(keys[on]).view(f"V{KEY}").reshape(-1)
        _, one, which = np.unique(names, return_index=True, return_inverse=True)
        mask = np.unpackbits(legal[on[one]], axis=1, count=self.actions).astype(bool)
        self.last = self.count + np.cumsum(mask).reshape(mask.shape) - 1
        self.before, self.count = self.size, self.count + int(mask.sum())
        self.seats.append(seat[on[one]])
        self.legal.append(mask)
        self.places.append(np.stack([np.full(len(one), depth), on[one]], axis=1))
        info = np.full(len(seat), -1)
        info[on] = self.size + which
        self.size += len(one)
        return info

    def moves(self, info: Ints, action: Ints) -> Ints:
        """The moves of actions in information states of the level that was numbered last."""
        found: Ints = self.last[info - self.before, action]
        return found

    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The last four attributes of a tree."""
        legal = np.concatenate(self.legal)
        first = np.concatenate([[0], np.cumsum(legal.sum(axis=1))])
        return np.concatenate(self.seats), first, np.nonzero(legal)[1], np.concatenate(self.places)
