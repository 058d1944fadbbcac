"""Where the natural ranks stand in an observation and in the action table.

Each rank of the deck has the same features and the same actions; which they are is read from the
lists of pieces and actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from canasta_env.actions import ActionTable
from canasta_env.cards import KIND_COUNT, RANK_TOKENS, Kind
from canasta_env.observation import pieces
from canasta_env.rules import Rules

__all__ = ["RANKS", "Layout", "layout"]

FIRST: Final = int(Kind.FOUR)
RANKS: Final = KIND_COUNT - FIRST
AT_LEAST: Final = "hand_at_least"
_RANK: Final = "R"
"""Stands for any rank in the text of an action."""
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Where the ranks stand. ``features`` (ranks, F) and ``others`` (G,) index the observation;
    ``actions`` (families, ranks) and ``other_actions`` (M,) the action table.
    """

    features: Indices
    others: Indices
    actions: Indices
    other_actions: Indices


def layout(rules: Rules, players: int) -> Layout:
    """The layout for rules and a number of players; the ranks are those of the deck."""
    columns: list[Indices] = []
    at = 0
    for piece in pieces(rules, players):
        columns += [at + column for column in _columns(piece.name, piece.size)]
        at += piece.size
    features = np.stack(columns, axis=1)[: rules.ranks]
    families = _families(ActionTable(rules).texts)
    actions = np.array([family for name, family in families.items() if _RANK in name.split()])
    size = sum(len(family) for family in families.values())
    return Layout(
        features,
        np.setdiff1d(np.arange(at), features),
        actions,
        np.setdiff1d(np.arange(size), actions),
    )


def _columns(name: str, size: int) -> list[Indices]:
    """For each feature that a piece gives every rank: its indices in the piece, 4 to A."""
    ranks = np.arange(RANKS)
    if name == AT_LEAST:  # four of each kind but red threes
        return [4 * (ranks + FIRST - 1) + i for i in range(4)]
    if size % KIND_COUNT == 0:
        return [start + FIRST + ranks for start in range(0, size, KIND_COUNT)]
    if size % RANKS == 0:
        return [start + ranks for start in range(0, size, RANKS)]
    return []


def _families(texts: Sequence[str]) -> dict[str, list[int]]:
    """The ids of actions that differ in their rank only, in the order of the table."""
    naturals = set(RANK_TOKENS[FIRST:])
    families: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        words = [_RANK if word in naturals else word for word in text.split()]
        families.setdefault(" ".join(words), []).append(i)
    return families
