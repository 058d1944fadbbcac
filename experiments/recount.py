"""A second opinion on finished deals, written from rules.md in plain numpy, apart from the engine.

Everything works on many games at once. The engine's code is not used, only its records.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.state import End

__all__ = ["card_totals", "deal_scores", "going_out_faults", "shown_cards"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_JOKER, _DEUCE, _RED_THREE, _BLACK_THREE, _FOUR = range(5)
_NATURAL: Final = 2
_RANKS: Final = KIND_COUNT
_VALUES: Final = np.array([50, 20, 0, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 20])
"""Card values, by rank: joker 50; 2 and A 20; K to 8 10; 7 to 4 5; a melded black three 5."""
_WILD_RANK: Final = 1
_TWO_THOUSAND_JOKERS: Final = 4


def _count(arrays: Any, first: Any, last: Any, kinds: int) -> Ints:
    """How often each kind stands in ``arrays[row, first[row]:last[row]]``, shape (rows, kinds)."""
    place = np.arange(arrays.shape[1])
    inside = (place >= first[:, None]) & (place < last[:, None])
    index = np.where(inside, arrays, kinds) + (kinds + 1) * np.arange(len(arrays))[:, None]
    counts = np.bincount(index.ravel(), minlength=(kinds + 1) * len(arrays))
    return counts.reshape(len(arrays), kinds + 1)[:, :kinds]


def _closed(games: Any, size: int) -> tuple[Ints, Ints, Ints, Bools]:
    """Naturals, deuces, jokers, existence of closed melds, each (rows, sides, ranks, places)."""
    places = int(games.closed_melds.max(initial=0))  # mostly none: then nothing is computed
    packed = games.closed_wilds[..., :places].astype(np.int64)
    exists = np.arange(packed.shape[-1]) < games.closed_melds[..., None]
    deuces, jokers = packed % 16 * exists, packed // 16 * exists
    return (size - deuces - jokers) * exists, deuces, jokers, exists


def shown_cards(games: Any, size: int) -> Ints:
    """The cards on the table by kind, shape (rows, kinds): melds and red threes of all sides.

    ``games`` is a record array of the rows to count; ``size`` the cards of a closed meld.
    """
    naturals, deuces, jokers, _ = _closed(games, size)
    if _is_suited(games):
        total = games.meld_cards.sum(1, dtype=np.int64)
        total[:, _BLACK_THREE] += games.meld_naturals[..., _BLACK_THREE].sum(1, dtype=np.int64)
        total += _sequence_kinds(games)
    else:
        total = games.meld_naturals.sum(1, dtype=np.int64) + naturals.sum((1, 3))
    total[:, _DEUCE] += games.meld_deuces.sum((1, 2)) + deuces.sum((1, 2, 3))
    total[:, _JOKER] += games.meld_jokers.sum((1, 2)) + jokers.sum((1, 2, 3))
    total[:, _RED_THREE] += games.red_threes.sum(1)
    return total


def card_totals(games: Any, size: int) -> Ints:
    """All cards of the games by kind, wherever they lie, shape (rows, kinds).

    ``games`` is a record array of the rows to count; ``size`` the cards of a closed meld.
    """
    kinds = games.hands.shape[-1]
    total = games.hands.sum(1, dtype=np.int64) + games.feet.sum(1, dtype=np.int64)
    total += shown_cards(games, size)
    bottom = np.zeros(len(games), np.int64)
    total += _count(games.pile, bottom, games.pile_size + games.pending, kinds)
    for stream in range(int(games.streams.max(initial=0))):
        used = stream < games.streams
        last = np.where(used, games.stock_end[:, stream], 0)
        total += _count(games.stock, games.stock_next[:, stream], last, kinds)
    return total


def _is_suited(games: Any) -> bool:
    return bool(games.hands.shape[-1] == SUITED_KIND_COUNT)


def _sequences(games: Any) -> tuple[Ints, Ints, Ints]:
    """Rank and suit of every place of every sequence, and which card lies there: each
    (rows, sides, sequences, places); a place that is not there has the rank 0.

    The last array tells natural cards from deuces and jokers: 0 joker, 1 deuce, 2 natural.
    """
    most = int(games.sequence_count.max(initial=0))
    low, suit, length, deuces, jokers = (
        games[f"sequence_{name}"][..., :most].astype(np.int64)[..., None]
        for name in ("low", "suit", "length", "deuces", "jokers")
    )
    there = np.arange(most)[:, None] < games.sequence_count[..., None, None]
    place = np.arange(_RANKS - _FOUR)
    rank = np.where(there & (place < length), low + place, 0)
    card = np.where(deuces >> place & 1, _DEUCE, np.where(jokers >> place & 1, _JOKER, _NATURAL))
    return rank, suit + 0 * rank, card


def _sequence_kinds(games: Any) -> Ints:
    """The cards of all sequences by kind, shape (rows, kinds)."""
    rank, suit, card = _sequences(games)
    kind = np.where(card == _NATURAL, _FOUR + 4 * (rank - _FOUR) + suit, card)
    kind = np.where(rank > 0, kind, SUITED_KIND_COUNT)
    kind = kind.reshape(len(games), int(np.prod(kind.shape[1:])))
    last = np.full(len(games), kind.shape[1])
    return _count(kind, 0 * last, last, SUITED_KIND_COUNT)


def _sequence_points(games: Any) -> Ints:
    """The values of the cards of each side's sequences, shape (rows, sides); a wild card keeps its
    own."""
    rank, _, card = _sequences(games)
    points = np.where(card == _NATURAL, _VALUES[rank], _VALUES[card]) * (rank > 0)
    return points.sum((2, 3))


def _table(games: Any, rules: Any) -> tuple[Ints, Ints, Ints]:
    """Points of the melded cards and of the canastas, and how many of these: (rows, sides)."""
    naturals, deuces, jokers = (
        games[name].astype(np.int64)[..., None]
        for name in ("meld_naturals", "meld_deuces", "meld_jokers")
    )
    closed = _closed(games, rules.canasta_size)
    n, d, j = (
        np.concatenate([a, b], -1) for a, b in zip((naturals, deuces, jokers), closed, strict=False)
    )
    ranks = np.arange(15)[:, None]
    cards = (n * _VALUES[:, None] + d * _VALUES[_DEUCE] + j * _VALUES[_JOKER]).sum((2, 3))
    cards += _sequence_points(games)
    whole = n + d + j >= rules.canasta_size
    of_wilds = whole & (ranks == _WILD_RANK)
    natural = whole & (d + j == 0)
    mixed = whole & ~natural & ~of_wilds
    many = of_wilds & (j >= _TWO_THOUSAND_JOKERS) & (rules.wild_canasta_jokers > 0)
    points = (
        natural * rules.natural_canasta
        + mixed * rules.mixed_canasta
        + (of_wilds & ~many) * rules.wild_canasta
        + many * rules.wild_canasta_jokers
    )
    return cards, points.sum((2, 3)), whole.sum((2, 3))


def _held(games: Any, rules: Any, players: int, sides: int) -> Ints:
    """Points against each side for hands and untaken feet, shape (rows, sides)."""
    values = _VALUES.copy()
    if _is_suited(games):
        values = np.concatenate([values[:_FOUR], values[_FOUR:].repeat(4)])
    values[_BLACK_THREE] = rules.black_three_in_hand
    foot_values = values.copy()
    foot_values[_RED_THREE] = rules.foot_red_threes
    seats = games.hands.astype(np.int64) @ values + games.feet.astype(np.int64) @ foot_values
    return np.stack([seats[:, side:players:sides].sum(1) for side in range(sides)], 1)


def _went_out(games: Any, sides: int) -> tuple[Bools, Bools]:
    """Which side went out, and concealed, shape (rows, sides) each."""
    side = (games.out_seat.astype(np.int64) % sides)[:, None] == np.arange(sides)
    concealed = (games.end == End.CONCEALED)[:, None]
    return side & (concealed | (games.end == End.WENT_OUT)[:, None]), side & concealed


def deal_scores(games: Any, rules: Any, players: int) -> Ints:
    """The deal scores of finished games, shape (rows, sides); ``rules`` for that many players."""
    sides = rules.sides
    cards, canastas, whole = (part[:, :sides] for part in _table(games, rules))
    out, concealed = _went_out(games, sides)
    threes = np.array(rules.red_three_values)[games.red_threes[:, :sides]]
    melded = games.melded[:, :sides]
    against = (melded == 0) & (rules.red_threes_unmelded == "against")
    threes = np.where(against, -threes, threes)
    if rules.no_canasta_against:
        none = whole == 0
        cards, threes = np.where(none, -cards, cards), np.where(none, -abs(threes), threes)
    bonus = canastas + out * rules.going_out_bonus + concealed * rules.concealed_bonus
    hidden = games.concealed_canastas[:, :sides].astype(np.int64)  # two of them pass 127 points
    bonus += hidden * rules.concealed_canasta_bonus
    score = cards + bonus + threes - _held(games, rules, players, sides)
    return (score + 50) // 100 * 100 if rules.rounding == "hundred" else score


def going_out_faults(games: Any, rules: Any) -> Bools:
    """Finished games with a wrong going out or first meld, shape (rows,).

    Who goes out has no cards, his side has its canastas, and a side has melded exactly if cards lie
    on the table.
    """
    sides = rules.sides
    out, _ = _went_out(games, sides)
    cards, _, whole = (part[:, :sides] for part in _table(games, rules))
    gone = out.any(1)
    seat = np.where(gone, games.out_seat, 0)
    rows = np.arange(len(games))
    left = games.hands[rows, seat].sum(1, dtype=np.int64) + games.feet[rows, seat].sum(1)
    needed = (
        rules.canastas_to_go_out,
        rules.natural_canastas_to_go_out + rules.mixed_canastas_to_go_out,
    )
    short = (out & (whole < max(needed))).any(1)
    return (gone & (left > 0)) | short | (games.melded[:, :sides] != (cards > 0)).any(1)
