"""Where the letters of a symmetric network stand in an observation and in the action table.

The letters are the cards that can change places: the ranks of the deck or, with sequences, the four
suits. Which features and actions belong to a letter, and which letters are alike, is read from
:mod:`canasta_env.symmetry`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.action_text import FIRST_NATURAL
from canasta_env.symmetry import Symmetries

__all__ = ["Letters", "letters"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Letters:
    """Where the letters stand.

    Attributes:
        orbits: (T,), the orbit of each letter, from 0.
        features: (T, F), indices into the observation, alike for all letters.
        others: (G,), the other features.
        heads: how many scores a token gives.
        alone: how many actions name no letter; they are scored by the context.
        parts: (A, S), what each action's logit is the sum of: ``letter * heads + head``, or behind
            these the number of an action that names no letter; behind those stands zero.
    """

    orbits: Ints
    features: Ints
    others: Ints
    heads: int
    alone: int
    parts: Ints


def letters(group: Symmetries) -> Letters:
    """Where the letters stand for the rules and players of a group."""
    orbits = group.suit_orbits if group.suited else group.orbits
    kinds = np.array([_kinds(group, letter) for orbit in orbits for letter in orbit])
    features = np.concatenate(
        [group.places.by_kind[:, kinds].swapaxes(0, 1).reshape(len(kinds), -1)]
        + ([] if group.suited else [group.places.by_rank[:, kinds[:, 0]].T]),
        axis=1,
    )
    heads, alone, parts = _parts(group, {int(k): t for t, row in enumerate(kinds) for k in row})
    return Letters(
        orbits=np.repeat(np.arange(len(orbits)), [len(orbit) for orbit in orbits]),
        features=features,
        others=np.setdiff1d(np.arange(group.places.size), features),
        heads=heads,
        alone=alone,
        parts=parts,
    )


def _kinds(group: Symmetries, letter: int) -> list[int]:
    """The kinds of cards that have a letter, upward: of a rank one, of a suit one in each rank."""
    if not group.suited:
        return [letter]
    ranks = [rank - FIRST_NATURAL for orbit in group.orbits for rank in orbit]
    return [FIRST_NATURAL + 4 * rank + letter for rank in ranks]


def _parts(group: Symmetries, letter_of: dict[int, int]) -> tuple[int, int, Ints]:
    """How many heads, how many actions without a letter, and :attr:`Letters.parts`.

    A head is for all actions that become one another: those of one form whose cards are alike but
    for the letters, and in it for the letters that are named equally often.
    """
    heads: dict[Any, int] = {}
    named: list[list[tuple[int, int]]] = []
    for form, row in zip(group.names.form, group.names.items, strict=True):
        items = [int(item) for item in row if item < group.names.none]
        times = Counter(letter_of[item] for item in items if item in letter_of)
        rest = tuple(_without_letter(group, item, letter_of) for item in items)
        alike = (int(form), rest, tuple(sorted(times.values())))
        named.append(
            [(letter, heads.setdefault((alike, n), len(heads))) for letter, n in times.items()]
        )
    scores = len(set(letter_of.values())) * len(heads)
    alone = sum(not found for found in named)
    width = max(len(found) for found in named)
    parts = np.full((len(named), width), scores + alone)
    places = iter(range(scores, scores + alone))
    for row, found in zip(parts, named, strict=True):
        row[: len(found)] = [letter * len(heads) + head for letter, head in found]
        if not found:
            row[0] = next(places)
    return len(heads), alone, parts


def _without_letter(group: Symmetries, item: int, letter_of: dict[int, int]) -> int:
    """What is left of a named card without its letter: with suits its rank, else nothing."""
    if item not in letter_of:
        return item
    return (item - FIRST_NATURAL) // 4 if group.suited else -1
