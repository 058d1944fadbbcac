"""Where cards are named: in actions and in observations, as index arrays.

What :mod:`canasta_env.symmetry` needs to let a relabelling of ranks and suits act on them. How a
piece of the observation goes by cards is said here for each by its name, and one whose name is not
known is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.action_text import FIRST_NATURAL, rank_of, suit_of
from canasta_env.actions import Action, ActionTable, Family
from canasta_env.cards import KIND_COUNT, RANK_TOKENS, SUITED_KIND_COUNT, parse_kind
from canasta_env.observation import pieces
from canasta_env.rules import Rules

__all__ = ["ActionNames", "FeaturePlaces", "feature_places", "relabel_axis", "relabel_values"]

Ints = npt.NDArray[np.int64]

_NATURALS: Final = KIND_COUNT - FIRST_NATURAL
_RED_THREE: Final = 2
_ITEMS: Final = 3
"""The most natural cards that an action names."""
_RUNS: Final = (Family.MELD_SEQUENCE, Family.TAKE_INTO)
"""Families whose cards have an order that matters; that of a set is the table's."""


def relabel_values(targets: Ints, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Each of ``values`` replaced by what it becomes; -1, which stands for none, stays.

    ``targets`` are (K,) for all values, or (n, K) for the ``n`` rows of values; ValueError if there
    are not so many rows.
    """
    values = _checked(targets, values)
    none = np.full((*targets.shape[:-1], 1), -1)
    known = np.concatenate([targets, none], axis=-1)
    rows = np.arange(len(targets)).reshape(-1, *(1,) * (values.ndim - 1))
    found = known[values] if targets.ndim == 1 else known[rows, values]
    relabelled: npt.NDArray[Any] = found.astype(values.dtype)
    return relabelled


def relabel_axis(sources: Ints, values: npt.NDArray[Any], axis: int = -1) -> npt.NDArray[Any]:
    """``values`` with their ``axis`` in another order: place ``i`` gets what was at ``sources[i]``.

    ``sources`` are (K,) for all, or (n, K) for the ``n`` rows of values; ValueError if there are
    not so many rows.
    """
    values = _checked(sources, values)
    if sources.ndim == 1:
        return values.take(sources, axis=axis)
    shape = [1] * values.ndim
    shape[0], shape[axis] = sources.shape
    return np.take_along_axis(values, sources.reshape(shape), axis=axis)


def _checked(relabellings: Ints, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values as an array, whose rows are as many as the relabellings, if these are several."""
    found = np.asarray(values)
    if relabellings.ndim > 1 and found.shape[:1] != relabellings.shape[:1]:
        raise ValueError(
            f"{len(relabellings)} relabellings for an array of shape {found.shape}; "
            "give one for all, or one for each row"
        )
    return found


class ActionNames:
    """What actions name: a form, the action's text with its natural cards left out, and these.

    A relabelling keeps the form and changes the cards, so the action that another becomes is found
    by both.

    Attributes:
        form: int64 (A,), the number of each action's form.
        items: int64 (A, 3), the cards that it names: kinds, or, where suits matter, for a rank
            without one its number counted from behind the kinds; ``none`` fills up.
        none: a number above all of these.
    """

    def __init__(self, table: ActionTable, suited: bool) -> None:
        self.none = (SUITED_KIND_COUNT if suited else KIND_COUNT) + KIND_COUNT
        forms: dict[tuple[Family, str], int] = {}
        self.items = np.full((len(table), _ITEMS), self.none)
        self.form = np.zeros(len(table), np.int64)
        for i, action in enumerate(table):
            text, items = _parts(action, suited)
            self.form[i] = forms.setdefault((action.family, text), len(forms))
            self.items[i, : len(items)] = items
        self._is_run = np.array([action.family in _RUNS for action in table])[:, None]
        keys = self._keys(self.items)
        self._order = keys.argsort()
        self._sorted = keys[self._order]

    def find(self, kinds: Ints, ranks: Ints) -> Ints:
        """int64 (…, A): the id that each action becomes, -1 where there is no such action."""
        none = np.full((*kinds.shape[:-1], 1), self.none)
        # a rank named without a suit counts from behind the kinds
        targets = np.concatenate([kinds, kinds.shape[-1] + ranks, none], axis=-1)
        keys = self._keys(targets[..., self.items])
        places = np.searchsorted(self._sorted, keys).clip(max=len(self._sorted) - 1)
        return np.where(self._sorted[places] == keys, self._order[places], -1)

    def _keys(self, items: Ints) -> Ints:
        """One number for each action's form and cards (…, A, 3); a set's are put in order."""
        items = np.where(self._is_run, items, np.sort(items, axis=-1))
        keys = np.broadcast_to(self.form, items.shape[:-1])
        for i in range(_ITEMS):
            keys = keys * (self.none + 1) + items[..., i]
        return keys


def _parts(action: Action, suited: bool) -> tuple[str, list[int]]:
    """The text of an action with a star for each natural card, and these as in
    :attr:`ActionNames.items`."""
    words, items = [], []
    for word in str(action).split():
        if suit_of(word) >= 0:
            items.append(parse_kind(word, suited=True))
        elif word in RANK_TOKENS[FIRST_NATURAL:]:
            items.append(rank_of(word) + (SUITED_KIND_COUNT if suited else 0))
        else:
            words.append(word)
            continue
        words.append("*")
    return " ".join(words), items


_BY_KIND: Final = frozenset(
    ("hand", "pile", "pile_top", "discards", "last_discard", "known", "unseen", "pending")
    + ("offered", "cut_bottom")
)
_BY_NATURAL: Final = frozenset(
    ("naturals", "wilds", "canasta", "natural_canasta", "closed", "begun")
)
_BY_PLACE: Final = frozenset(("sequences", "sequence_wilds", "sequence_next"))
_AT_LEAST: Final = "hand_at_least"
_WITHOUT_CARDS: Final = frozenset(
    ("black_threes", "red_threes", "melded", "canastas", "minimum", "score", "wild_meld")
    + ("pile_size", "pile_points", "frozen", "stock_size", "hand_sizes", "seat_melded", "to_act")
    + ("phase", "drew", "staged", "asked", "asker", "turn_flags", "feet", "foot_played", "deal")
    + ("owed", "cutter", "cut_taken", "cut_wilds", "begun_sequences")
)
"""How the pieces of an observation are laid out, by their names without the side's number."""


@dataclass(frozen=True)
class FeaturePlaces:
    """Which features belong to which card.

    ``by_kind`` (rows, kinds) and ``by_rank`` (rows, 15) hold indices into the observation; where a
    row has no feature of a kind stands ``size``.
    """

    size: int
    by_kind: Ints
    by_rank: Ints

    def moved(self, kinds: Ints, ranks: Ints) -> Ints:
        """int64 (…, O): the index that each feature becomes."""
        lead = ranks.shape[:-1]
        found = np.empty((*lead, self.size + 1), np.int64)
        found[...] = np.arange(self.size + 1)
        for rows, targets in ((self.by_kind, kinds), (self.by_rank, ranks)):
            found[..., rows] = np.moveaxis(rows[:, targets], 0, len(lead))
        return found[..., :-1]


def feature_places(rules: Rules, players: int, suited: bool) -> FeaturePlaces:
    """Where the cards stand in the observation, piece by piece."""
    kinds = SUITED_KIND_COUNT if suited else KIND_COUNT
    size = sum(piece.size for piece in pieces(rules, players))
    by_kind: list[Ints] = [np.zeros((0, kinds), np.int64)]
    by_rank: list[Ints] = [np.zeros((0, KIND_COUNT), np.int64)]
    at = 0
    for piece in pieces(rules, players):
        name, places = piece.name.partition("[")[0], at + np.arange(piece.size)
        at += piece.size
        if name in _BY_KIND:
            by_kind.append(places.reshape(-1, kinds))
        elif name == _AT_LEAST:  # four of each kind but red threes
            rows = places.reshape(kinds - 1, 4).T
            by_kind.append(np.insert(rows, _RED_THREE, size, axis=1))
        elif name in _BY_PLACE:  # suit by suit, in each upward
            rows = places.reshape(-1, 4, _NATURALS).swapaxes(1, 2).reshape(-1, 4 * _NATURALS)
            by_kind.append(np.pad(rows, ((0, 0), (FIRST_NATURAL, 0)), constant_values=size))
        elif name in _BY_NATURAL:
            rows = places.reshape(-1, _NATURALS)
            by_rank.append(np.pad(rows, ((0, 0), (FIRST_NATURAL, 0)), constant_values=size))
        elif name not in _WITHOUT_CARDS:
            raise ValueError(f"{piece.name}: how this piece goes by cards is not known here")
    return FeaturePlaces(size, np.concatenate(by_kind), np.concatenate(by_rank))
