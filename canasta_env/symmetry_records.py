"""Relabellings of cards, and the turning of seats, on the records of games and views.

Each field is named with how it goes by cards, by seats and by sides; those of :data:`NO_CARDS` name
no card. All of it acts on a whole record array at once, and copies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from canasta_env.engine.state import RANKS, Games, Views, copy_records
from canasta_env.symmetry import Relabelling
from canasta_env.symmetry_places import Ints, relabel_axis, relabel_values

__all__ = ["relabel_games", "relabel_views", "turn_seats"]

BY_KIND: Final = (
    "shown", "known", "meld_cards", "hands", "feet", "before", "pile_counts", "discarded", "hand",
    "unseen",
)  # fmt: skip
"""One number for each kind of card, along the last axis."""
LISTED: Final = ("pile", "discards", "pending")
"""In a view such numbers too, while a game lists its cards one by one or not at all."""
BY_RANK: Final = {
    "meld_naturals": 2, "meld_deuces": 2, "meld_jokers": 2, "closed_melds": 2, "closed_wilds": 2,
    "begun_closed": 1,
}  # fmt: skip
"""One number for each rank, along this axis."""
KINDS: Final = ("top", "last_discard", "cut_bottom", "pile_top", "offered", "stock")
"""Kinds of cards, -1 for none."""
RANK_BITS: Final = ("begun",)
SUIT_NUMBERS: Final = ("sequence_suit",)
NO_CARDS: Final = (
    "red_threes", "melded", "concealed_canastas", "scores", "seat_melded", "has_foot",
    "foot_played", "owed", "frozen", "players", "sides", "deal", "dealer", "turn", "phase",
    "turns", "drew", "begun_sequences", "staged", "added", "acted", "asked", "asker",
    "must_go_out", "hand_sizes", "stock_size", "pile_size", "end", "out_seat", "deal_scores",
    "cut_seat", "cut_taken", "cut_wilds", "sequence_count", "sequence_length", "sequence_deuces",
    "sequence_jokers", "stock_next", "stock_end", "streams", "discard_count", "cut_places",
    "match_seed", "seat", "side", "foot_sizes", "minimum",
    "sequence_low",  # of a rank, but with sequences no rank can change places
)  # fmt: skip

SEATS: Final = (
    "seat_melded", "has_foot", "foot_played", "owed", "hand_sizes", "discarded", "last_discard",
    "known", "hands", "feet",
)  # fmt: skip
"""One row for each seat."""
SIDES: Final = (
    "meld_naturals", "meld_deuces", "meld_jokers", "red_threes", "melded", "concealed_canastas",
    "scores", "deal_scores", "meld_cards", "closed_melds", "closed_wilds", "sequence_count",
    "sequence_low", "sequence_suit", "sequence_length", "sequence_deuces", "sequence_jokers",
)  # fmt: skip
"""One row for each side."""
STREAMS: Final = ("stock_next", "stock_end")
SEAT_NUMBERS: Final = ("dealer", "turn", "asker", "out_seat", "cut_seat")
"""Seats, -1 for none."""
_SEAT: Final = 64
"""What a game's list of discards multiplies the seat with, before it adds the kind."""


def relabel_games(change: Relabelling, games: Games) -> Games:
    """A copy of games with their cards relabelled, by one relabelling or one for each game.

    It is the state that the relabelled deck and relabelled actions lead to, byte for byte. The seed
    of the match stays, so the decks of later deals do too.
    """
    found = _relabelled(change, games)
    fields, kinds = found.view(np.ndarray), _kinds(change, found)
    fields["pile"] = relabel_values(kinds, fields["pile"])
    seats, cards = np.divmod(fields["discards"], _SEAT)
    fields["discards"] = seats * _SEAT + relabel_values(kinds, cards)
    return found


def relabel_views(change: Relabelling, views: Views) -> Views:
    """A copy of views with their cards relabelled, by one relabelling or one for each view: the
    views of the relabelled games."""
    found = _relabelled(change, views)
    fields, sources = found.view(np.ndarray), _kinds(change.inverse(), found)
    for name in LISTED:
        fields[name] = relabel_axis(sources, fields[name])
    return found


def _kinds(change: Relabelling, records: Any) -> Ints:
    """The kind that each kind of these records becomes."""
    return change.kinds(records.dtype["shown"].shape[0] > RANKS)


def _relabelled(change: Relabelling, records: Any) -> Any:
    """A copy in which all fields are relabelled that games and views have in common or alone."""
    found, back = copy_records(records), change.inverse()
    fields, kinds, sources = found.view(np.ndarray), _kinds(change, found), _kinds(back, found)
    has = set(found.dtype.names)
    for name in has.intersection(BY_KIND):
        fields[name] = relabel_axis(sources, fields[name])
    for name in has.intersection(BY_RANK):
        fields[name] = relabel_axis(back.ranks, fields[name], BY_RANK[name])
    for name in has.intersection(KINDS):
        fields[name] = relabel_values(kinds, fields[name])
    for name in has.intersection(RANK_BITS):
        bits = (fields[name][:, None] >> np.arange(RANKS)) & 1
        fields[name] = (bits << change.ranks).sum(-1)
    for name in has.intersection(SUIT_NUMBERS):
        laid = fields["sequence_length"] > 0  # elsewhere no sequence has ever been
        fields[name] = np.where(laid, relabel_values(change.suits, fields[name]), fields[name])
    return found


def turn_seats(games: Games, by: int) -> Games:
    """A copy of games in which every player sits ``by`` seats further on, with his cards and his
    side's melds and score, and the dealer and all that happened turn with him.

    What he sees stays: observations and masks are relative. All games have as many players. With a
    stream of the stock for each seat the streams turn too, though not where they lie.
    """
    found = copy_records(games)
    fields = found.view(np.ndarray)
    players, sides = int(fields["players"][0]), int(fields["sides"][0])
    _turn(fields, SEATS, players, by)
    _turn(fields, SIDES, sides, by)
    own = fields["streams"] > 1
    for name in STREAMS:
        turned = np.roll(fields[name][:, :players], by, axis=1)
        fields[name][own, :players] = turned[own]
    for name in SEAT_NUMBERS:
        seats = fields[name]
        fields[name] = np.where(seats >= 0, (seats + by) % players, seats)
    discards = fields["discards"]
    turned = (discards // _SEAT + by) % players * _SEAT + discards % _SEAT
    made = np.arange(discards.shape[1]) < fields["discard_count"][:, None]
    fields["discards"] = np.where(made, turned, discards)
    return found


def _turn(fields: Any, names: Sequence[str], count: int, by: int) -> None:
    """Turn the first ``count`` rows of each game in these fields."""
    for name in set(names).intersection(fields.dtype.names):
        fields[name][:, :count] = np.roll(fields[name][:, :count], by, axis=1)
