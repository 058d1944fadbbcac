"""What discards tell in a game so small that every history is known: the truth for the estimates.

For every discard the histories that its observer cannot tell apart are gathered, and the
information of the discard about which of them it is, is computed from their probabilities. There
are two kinds of them. *Uniform* is what :mod:`experiments.signals.discards` estimates: all orders
of the cards alike, past choices not weighed. *Posterior* is what an observer knows who weighs every
past choice of the agent rightly. Both are means over the discards of the agent's play with itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import comb

from canasta_env.actions import ActionTable
from canasta_env.engine.state import DISCARD, GAME_DTYPE
from experiments.exact.deals import PLAYERS
from experiments.exact.strategy import reaches
from experiments.exact.tree import Tree
from experiments.exact.walk import KEY, Bytes, Floats, Games, Ints, Walker
from experiments.signals.information import Told, plug_in

__all__ = ["Throws", "Truth", "throws", "truth"]

_MEASURES: Final = ("uniform", "posterior", "hand_only")


@dataclass(frozen=True)
class Throws:
    """All histories of a tree in which somebody may discard.

    Attributes:
        level, place: (n,) where each stands in the tree.
        info: (n,) the information state of the seat to act.
        ways: (n,) in how many ways that seat could have chosen the cards that it laid and threw, if
            cards of a kind were told apart.
        seen: (n,) numbers of what the other seat has seen: equal where it cannot tell them apart.
        held: (n, D) cards of each discard's kind in the hand that may be thrown.
        discards: (D,) the ids of the discards.
    """

    level: Ints
    place: Ints
    info: Ints
    ways: Floats
    seen: Ints
    held: Ints
    discards: Ints


@dataclass(frozen=True)
class Truth:
    """The exact numbers, in bits a discard: ``uniform`` and ``posterior`` (see the module), and
    ``hand_only``, uniform, if any card of the hand were thrown with the same chance."""

    uniform: Told
    posterior: Told
    hand_only: Told


def truth(tree: Tree, found: Throws, strategy: Floats) -> Truth:
    """What the discards of a strategy (moves,) tell when it plays with itself.

    Args:
        tree: the game.
        found: its :func:`throws`.
        strategy: the probability of each move in its information state.
    """
    laws = _laws(tree, found, strategy)
    throwing = laws.sum(1)
    reached = _at(found, reaches(tree, strategy)) * throwing
    dealt = _at(found, reaches(tree, np.ones_like(strategy))) * found.ways * throwing
    some = reached > 0
    sums = {name: np.zeros(2) for name in _MEASURES}
    for group in _groups(np.where(throwing > 0, found.seen, -1), some):
        law = laws[group] / throwing[group, None]
        held = found.held[group] / found.held[group].sum(1, keepdims=True)
        chance = reached[group].sum()
        pairs = (law, dealt[group]), (law, reached[group]), (held, dealt[group])
        for name, (rows, weights) in zip(_MEASURES, pairs, strict=True):
            one = plug_in(rows, weights)
            sums[name] += chance * np.array([one.told, one.uncertain])
    total = reached.sum()
    return Truth(**{name: Told(*(both / total).tolist()) for name, both in sums.items()})


def _at(found: Throws, by_level: list[Floats]) -> Floats:
    """(n,) the numbers of the histories in which a seat may discard."""
    starts = np.cumsum([0, *(len(level) for level in by_level)])
    joined: Floats = np.concatenate(by_level)[starts[found.level] + found.place]
    return joined


def _laws(tree: Tree, found: Throws, strategy: Floats) -> Floats:
    """(n, D) the probability of each discard in each history."""
    numbers = np.full(len(ActionTable(tree.rules)), -1)
    numbers[found.discards] = np.arange(len(found.discards))
    column = numbers[tree.action]
    by_info = np.zeros((len(tree.seat), len(found.discards)))
    some = column >= 0
    by_info[tree.owner[some], column[some]] = strategy[some]
    laws: Floats = by_info[found.info]
    return laws


def _groups(seen: Ints, reached: npt.NDArray[np.bool_]) -> Iterator[Ints]:
    """The histories with the same number from 0 on, of each number that some reached one has."""
    order = np.argsort(seen, kind="stable")
    starts = np.flatnonzero(np.diff(seen[order], prepend=-2))
    for group in np.split(order, starts[1:]):
        if seen[group[0]] >= 0 and reached[group].any():
            yield group


def throws(tree: Tree) -> Throws:
    """Walks through a tree and finds all histories in which a discard is possible."""
    table = ActionTable(tree.rules)
    packed = table.pack(PLAYERS)[0]
    discards = np.flatnonzero(packed.family[: len(table)] == DISCARD)
    kinds = packed.rank[discards].astype(np.int64)
    parts = []
    for depth, (games, ways) in enumerate(_walk(tree)):
        at = np.flatnonzero((games.seat >= 0) & games.mask[:, discards].any(1))
        actor = games.seat[at]
        hands = np.where(games.mask[at][:, discards], _hands(games.raw[at], actor)[:, kinds], 0)
        keys = np.ascontiguousarray(games.keys[at, 1 - actor]).view(f"V{KEY}").reshape(-1)
        info = tree.levels[depth].info[at]
        parts.append((np.full(len(at), depth), at, info, ways[at, actor], keys, hands))
    level, place, info, way, keys, held = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    return Throws(level, place, info, way, np.unique(keys, return_inverse=True)[1], held, discards)


def _walk(tree: Tree) -> Iterator[tuple[Games, Floats]]:
    """The games of each level, with the ways (n, seats) of both seats to choose their cards."""
    walker, named = Walker(tree.rules), _named(tree)
    parts = [walker.deal(tree.deals.decks)]
    games, ways = parts[0], np.ones((len(tree.deals.decks), PLAYERS))
    yield games, ways
    for level in tree.levels[1:]:
        actions, actor = tree.action[level.move], games.seat[level.parent]
        hands = _hands(games.raw[level.parent], actor)
        ways = ways[level.parent]
        ways[np.arange(len(actor)), actor] *= comb(hands, named[actions]).prod(1)
        games = walker.step(games, level.parent, actions)
        yield games, ways


def _named(tree: Tree) -> Ints:
    """(A, kinds) how many cards of the hand each action names."""
    rows: Any = ActionTable(tree.rules).rows
    kinds = GAME_DTYPE["hands"].shape[1]
    return np.stack([np.bincount(np.array(row[2], np.int64), minlength=kinds) for row in rows])


def _hands(raw: Bytes, seats: Ints) -> Ints:
    """(n, kinds) the hands of these seats in these games."""
    hands = np.ascontiguousarray(raw).view(GAME_DTYPE).reshape(-1)["hands"]
    found: Ints = hands[np.arange(len(seats)), seats].astype(np.int64)
    return found
