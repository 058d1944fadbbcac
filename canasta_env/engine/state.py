"""The record types that the kernels read and write: a game, a view of it, and packed rules.

A game is one record; one game or a batch of them is a record array. A copy of a game is a copy of
bytes. The layout serves every rule system: what a system does not use stays zero. Records are made
for a number of kinds of cards: 15 where suits do not matter, 48 with sequences.

Index names: *seat* 0..5 in the order of play, *side* 0..5, *kind* of card, *rank* 0..14 of a meld
(1 is the meld of wild cards, 3 the black threes, 4..14 the naturals).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np

from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT

MAX_SEATS: Final = 6
MAX_SIDES: Final = 6
MAX_CARDS: Final = 270  # five packs of 54, the most that a preset uses
MAX_DISCARDS: Final = 2 * MAX_CARDS  # a turn draws a card or melds the pile's top: never more
RANKS: Final = 15
WILD_RANK: Final = 1
BLACK_THREES: Final = 3
FIRST_NATURAL: Final = 4
MAX_CLOSED: Final = 5  # closed melds of one rank and side: twenty naturals, four at least in each
MAX_SEQUENCES: Final = 54
"""Sequences of a side: three packs have 162 cards, and a sequence has three of them."""
SUITS: Final = 4

Games = Any
"""A record array of :data:`GAME_DTYPE`; numpy has no static type for the fields of a record."""

Views = Any
"""A record array of :data:`VIEW_DTYPE`."""

PackedRules = Any
"""A record array of :data:`RULES_DTYPE`, of length one."""


class Phase(IntEnum):
    """What the seat to act decides (notation.md, Positions)."""

    OFFER = 0
    DRAW = 1
    MELD = 2
    ANSWER = 3
    OVER = 4


class Drew(IntEnum):
    """Where this turn's first cards came from."""

    NOTHING = 0
    STOCK = 1
    PILE = 2
    OFFER = 3


class Asked(IntEnum):
    """Where the question "may I go out?" of this turn stands."""

    NO_QUESTION = 0
    OPEN = 1
    YES = 2
    NO = 3


class End(IntEnum):
    """How a deal ended."""

    NOT_YET = 0
    WENT_OUT = 1
    CONCEALED = 2
    PASSED = 3
    ONLY_RED_THREES = 4
    STOCK_ENDED = 5


def _side_melds() -> list[tuple[Any, ...]]:
    """What lies on the table for the sides; public, so shared by the game and the view."""
    return [
        ("meld_naturals", "i1", (MAX_SIDES, RANKS)),
        ("meld_deuces", "i1", (MAX_SIDES, RANKS)),
        ("meld_jokers", "i1", (MAX_SIDES, RANKS)),
        ("red_threes", "i1", (MAX_SIDES,)),
        ("melded", "u1", (MAX_SIDES,)),  # flags: numba has no nested booleans
        ("concealed_canastas", "i1", (MAX_SIDES,)),
        ("scores", "i4", (MAX_SIDES,)),
        ("seat_melded", "u1", (MAX_SEATS,)),
        ("has_foot", "u1", (MAX_SEATS,)),
        ("foot_played", "u1", (MAX_SEATS,)),
        ("owed", "i1", (MAX_SEATS,)),
        ("frozen", "?"),
        ("players", "i1"),
        ("sides", "i1"),
        ("deal", "i2"),
        ("dealer", "i1"),
        ("turn", "i1"),
        ("phase", "i1"),
        ("turns", "i2"),  # turns begun in this deal
    ]


def _special_melds(kinds: int) -> list[tuple[Any, ...]]:
    """Melds that few rules have, closed ones and sequences; views copy them where needed."""
    suited = kinds > KIND_COUNT
    sequences = MAX_SEQUENCES if suited else 1
    cards: list[tuple[Any, ...]] = [("meld_cards", "i1", (MAX_SIDES, kinds))]  # naturals in sets
    return [
        *(cards if suited else []),
        ("closed_melds", "i1", (MAX_SIDES, RANKS)),
        ("closed_wilds", "u1", (MAX_SIDES, RANKS, MAX_CLOSED)),  # deuces + 16 * jokers of each
        ("sequence_count", "i1", (MAX_SIDES,)),
        ("sequence_low", "i1", (MAX_SIDES, sequences)),  # lowest rank
        ("sequence_suit", "i1", (MAX_SIDES, sequences)),
        ("sequence_length", "i1", (MAX_SIDES, sequences)),
        ("sequence_deuces", "u2", (MAX_SIDES, sequences)),  # bit set of places
        ("sequence_jokers", "u2", (MAX_SIDES, sequences)),
    ]


def _turn_state(kinds: int) -> list[tuple[Any, ...]]:
    """What the turn under way has done so far, as far as everybody saw it."""
    return [
        ("drew", "i1"),
        ("top", "i1"),  # kind of the card taken from the top of the pile, -1 if none
        ("begun", "i4"),  # bit set of ranks whose open meld was begun this turn
        ("begun_closed", "i1", (RANKS,)),  # how many closed melds were begun this turn
        ("begun_sequences", "i8"),  # bit set of sequences begun this turn
        ("staged", "i4"),  # points laid toward the first meld
        ("added", "?"),
        ("acted", "?"),
        ("asked", "i1"),
        ("asker", "i1"),
        ("must_go_out", "?"),
    ]


def _public(kinds: int, pile_counts: str, discard_counts: str) -> list[tuple[Any, ...]]:
    """All that is public: the first fields of games and of views, alike byte for byte.

    A view begins as a copy of these bytes. Counts of what lies on the pile and of what was
    discarded are kept beside the cards in order; in a view they carry the short names.
    """
    return [
        *_special_melds(kinds),
        *_side_melds(),
        *_turn_state(kinds),
        ("hand_sizes", "i2", (MAX_SEATS,)),
        ("stock_size", "i2"),
        ("pile_size", "i2"),
        ("end", "i1"),
        ("out_seat", "i1"),  # who went out, -1 if nobody
        ("deal_scores", "i4", (MAX_SIDES,)),
        ("cut_seat", "i1"),
        ("cut_taken", "i1"),
        ("cut_wilds", "i1"),  # wild cards of the cut that have not left the hand of who cut
        ("shown", "i1", (kinds,)),  # cards of each kind that lie on the table: melds, red threes
        (pile_counts, "i1", (kinds,)),
        (discard_counts, "i1", (MAX_SEATS, kinds)),
        ("last_discard", "i1", (MAX_SEATS,)),  # kind, -1 if none
        ("known", "i1", (MAX_SEATS, kinds)),  # cards that a seat holds for all to know
    ]


def game_dtype(kinds: int = KIND_COUNT) -> np.dtype[np.void]:
    """The record of one game for rules with ``kinds`` kinds of cards.

    What every step reads lies together: from the melds on to what follows the hands.
    """
    fields: list[tuple[Any, ...]] = [
        *_public(kinds, "pile_counts", "discarded"),
        ("hands", "i1", (MAX_SEATS, kinds)),
        ("before", "i1", (kinds,)),  # hand before the turn's draw, with what the stock brought
        ("pending", "i2"),  # cards of a taken pile that lie apart
        ("stock_next", "i2", (MAX_SEATS,)),  # per stream: next card and end, as indices into stock
        ("stock_end", "i2", (MAX_SEATS,)),
        ("streams", "i1"),  # 1: one stock for all; else one stream a seat
        ("discard_count", "i2"),
        ("cut_bottom", "i1", (3,)),  # kinds that stayed last, -1 where none
        ("cut_places", "i2", (3,)),  # where these lie in the stock, -1 where nobody can tell
        ("match_seed", "i8"),
        ("feet", "i1", (MAX_SEATS, kinds)),
        ("pile", "u1", (MAX_CARDS,)),  # kinds, bottom to top; a pending rest lies above pile_size
        ("stock", "u1", (MAX_CARDS,)),
        ("discards", "u2", (MAX_DISCARDS,)),  # 64 * seat + kind, in order
    ]
    return np.dtype(fields)


def view_dtype(kinds: int = KIND_COUNT) -> np.dtype[np.void]:
    """The record of what one seat may know: nothing in it depends on what the seat cannot see."""
    fields: list[tuple[Any, ...]] = [
        *_public(kinds, "pile", "discards"),
        ("seat", "i1"),  # who looks
        ("side", "i1"),
        ("hand", "i1", (kinds,)),
        ("foot_sizes", "i2", (MAX_SEATS,)),
        ("pile_top", "i1"),  # kind, -1 if the pile is empty
        ("pending", "i1", (kinds,)),  # counts
        ("unseen", "i1", (kinds,)),  # cards that lie where the seat cannot see them
        # what follows is to be written later: of fifteen unseen counts sixteen bytes are written
        ("minimum", "i4", (MAX_SIDES,)),  # of the first meld; 0 once the side has melded
        ("offered", "i1"),  # the openly offered card, -1 if none
        ("cut_bottom", "i1", (3,)),  # his alone who cut
    ]
    return np.dtype(fields)


GAME_DTYPE: Final = game_dtype()
VIEW_DTYPE: Final = view_dtype()
SUITED_GAME_DTYPE: Final = game_dtype(SUITED_KIND_COUNT)
SUITED_VIEW_DTYPE: Final = view_dtype(SUITED_KIND_COUNT)
PUBLIC_BYTES: Final = GAME_DTYPE.fields["hands"][1]  # type: ignore[index]
"""How many bytes games and views have in common: all before the first private field."""
_COMMON: Final = PUBLIC_BYTES - GAME_DTYPE.fields["meld_naturals"][1]  # type: ignore[index]
COMMON_FROM: Final = PUBLIC_BYTES - (_COMMON + 31) // 32 * 32
"""Where those begin that matter where melds do not close and there are no sequences, or a few bytes
before: whole vectors are copied faster."""
HOT_TO: Final = GAME_DTYPE.fields["feet"][1]  # type: ignore[index]
"""Where those of a game end, from ``COMMON_FROM`` on, that a step reads."""
SUITED_PUBLIC_BYTES: Final = SUITED_GAME_DTYPE.fields["hands"][1]  # type: ignore[index]

FAMILIES: Final = (
    "draw", "pass", "accept", "refuse", "take", "take_extend", "take_pair", "take_deuce",
    "take_joker", "take_into", "take_threes", "meld", "meld_deuce", "meld_joker", "meld_sequence",
    "meld_wild", "meld_threes", "meld_four_threes", "add_three", "add", "add_deuce", "add_joker",
    "wild_deuce", "wild_joker", "extend", "extend_deuce", "extend_joker", "ask", "yes", "no",
    "discard", "discard_red_three",
)  # fmt: skip
"""Families of actions; ``at_<family>`` in the packed rules is the id of the first, -1 if none."""

(
    DRAW, PASS, ACCEPT, REFUSE, TAKE, TAKE_EXTEND, TAKE_PAIR, TAKE_DEUCE, TAKE_JOKER, TAKE_INTO,
    TAKE_THREES, MELD, MELD_DEUCE, MELD_JOKER, MELD_SEQUENCE, MELD_WILD, MELD_THREES,
    MELD_FOUR_THREES, ADD_THREE, ADD, ADD_DEUCE, ADD_JOKER, WILD_DEUCE, WILD_JOKER, EXTEND,
    EXTEND_DEUCE, EXTEND_JOKER, ASK, YES, NO, DISCARD, DISCARD_RED_THREE,
) = range(len(FAMILIES))  # fmt: skip
MAX_ACTIONS: Final = 512  # for rules without sequences
MAX_SUITED_ACTIONS: Final = 1400


def rules_dtype(kinds: int = KIND_COUNT) -> np.dtype[np.void]:
    """The record of packed rules for ``kinds`` kinds of cards."""
    suited = kinds > KIND_COUNT
    actions = MAX_SUITED_ACTIONS if suited else MAX_ACTIONS
    # kinds of the cards that an action names, in the order of its text, -1 where none
    named: list[tuple[Any, ...]] = [("named", "i1", (actions, 3))]
    fields: list[tuple[Any, ...]] = [
        *((f"at_{family}", "i4") for family in FAMILIES),
        ("family", "i1", (actions,)),  # of each action id
        # of the meld, or kind of the discard; jokers of a wild meld; kind of a sequence's place
        ("rank", "i1", (actions,)),
        *(named if suited else []),
        ("actions", "i4"),
        ("players", "i4"),
        ("sides", "i4"),
        ("cards", "i4"),
        ("counts", "i1", (kinds,)),  # cards of each kind in the deck
        ("copies", "i4"),  # the most of these
        ("values", "i4", (KIND_COUNT,)),  # by rank
        ("hand", "i4"),
        ("foot", "i4"),
        ("draw", "i4"),
        ("target", "i4"),
        ("deals", "i4"),
        ("tie_is_draw", "?"),
        ("dealer_by_score", "?"),
        ("round_to", "i4"),
        ("upcard", "i4"),  # 0 cover_wild, 1 cover_threes_and_wild, 2 offer, 3 bury, 4 as_is
        ("start_wild_freezes", "?"),
        ("start_red_three_freezes", "?"),
        ("discarded_wild_freezes", "?"),
        ("black_three_freezes", "?"),
        ("red_three_discard", "?"),
        ("frozen_to_unmelded", "?"),
        ("always_pair", "?"),
        ("take_natural_wild", "?"),
        ("take_onto", "?"),
        ("take_into_sequence", "?"),
        ("pile_taken", "i4"),  # MAX_CARDS: all
        ("fewest_naturals", "i4"),
        ("wild_capacity", "i4", (64,)),  # most wilds beside so many naturals
        ("most_wilds", "i4"),
        ("new_meld_most_wilds", "i4"),
        ("canasta_size", "i4"),
        ("canasta_fewest_naturals", "i4"),
        ("free_growth", "?"),  # no meld can grow into a canasta with too few naturals
        ("melds_close", "?"),
        ("wild_melds", "i4"),  # 0 none, 1 from three, 2 whole
        ("sequences", "?"),
        ("black_three_melds", "?"),
        ("black_three_take", "?"),
        ("minimum_from", "i4", (8,)),
        ("minimum_points", "i4", (8,)),
        ("minimum_count", "i4"),
        ("minimum_by_deal", "?"),
        ("bonus_counts", "?"),
        ("natural_group", "?"),
        ("plain_first_meld", "?"),  # neither of the two: card values are all that counts
        ("plain_out", "?"),  # any canastas do, melds do not close, wild cards make none alone
        ("canastas_out", "i4"),
        ("natural_canastas_out", "i4"),
        ("mixed_canastas_out", "i4"),
        ("partner_foot_out", "?"),
        ("asking", "?"),
        ("discard_required", "?"),
        ("going_out_bonus", "i4"),
        ("concealed_bonus", "i4"),
        ("concealed_canasta", "i4"),  # 0 own, 1 side, 2 own of a side that had not melded
        ("concealed_waives", "i4"),  # 0 never, 1 after a draw from the stock, 2 always
        ("natural_canasta", "i4"),
        ("mixed_canasta", "i4"),
        ("wild_canasta", "i4"),
        ("wild_canasta_jokers", "i4"),
        ("concealed_canasta_bonus", "i4"),
        ("red_three_values", "i4", (16,)),
        ("red_threes_for_unmelded", "?"),
        ("no_canasta_against", "?"),
        ("black_three_in_hand", "i4"),
        ("stock_end", "i4"),  # 0 a take may be forced, 1 free, 2 the deal ends
        ("cut_bonus", "?"),
        ("owed_red_threes", "?"),
        ("foot_red_threes", "i4"),
    ]
    return np.dtype(fields)


RULES_DTYPE: Final = rules_dtype()
SUITED_RULES_DTYPE: Final = rules_dtype(SUITED_KIND_COUNT)


def _records(dtype: np.dtype[np.void], count: int, data: bytearray) -> Any:
    """A record array over ``data``; a view of a plain array would compare all fields, slowly."""
    return np.ndarray.__new__(np.recarray, count, np.dtype((np.record, dtype)), data)


def new_games(count: int, kinds: int = KIND_COUNT) -> Games:
    """``count`` zeroed games as a record array."""
    dtype = GAME_DTYPE if kinds == KIND_COUNT else SUITED_GAME_DTYPE
    return _records(dtype, count, bytearray(count * dtype.itemsize))


def new_views(count: int, kinds: int = KIND_COUNT) -> Views:
    """``count`` zeroed views as a record array."""
    dtype = VIEW_DTYPE if kinds == KIND_COUNT else SUITED_VIEW_DTYPE
    return _records(dtype, count, bytearray(count * dtype.itemsize))


def copy_records(records: Any) -> Any:
    """A copy by bytes; numpy copies records field by field, which takes a hundred times as long."""
    data = bytearray(records.tobytes())
    return np.ndarray.__new__(type(records), len(records), records.dtype, data)
