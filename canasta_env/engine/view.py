"""What a seat may know: a view holds nothing that depends on what the seat cannot see.

With ``recall`` the view remembers everything that was public: discards, the cards of the pile,
which cards a seat is known to hold since it took a pile. Without it only what lies open now is in
it.
"""

from __future__ import annotations

from typing import Any

from canasta_env.engine.draw import next_stream
from canasta_env.engine.lanes import LANES, copy_row, row_of, unseen_block
from canasta_env.engine.layout import by_layout, kinds_of, side_of
from canasta_env.engine.scratch import minimum_for
from canasta_env.engine.state import (
    BLACK_THREES,
    COMMON_FROM,
    FIRST_NATURAL,
    MAX_SEATS,
    PUBLIC_BYTES,
    RANKS,
    SUITED_PUBLIC_BYTES,
    SUITS,
    Phase,
)
from canasta_env.jit import helper


@helper
def fill_view(
    g: Any, game_bytes: Any, r: Any, seat: int, recall: bool, v: Any, view_bytes: Any
) -> None:
    """Write the view of ``seat`` (any seat, at any time) into ``v``.

    ``game_bytes`` and ``view_bytes`` are the same records as rows of uint8: what is public is
    copied as it stands.
    """
    kinds = kinds_of(g)
    if kinds == RANKS:
        for i in range(COMMON_FROM, PUBLIC_BYTES):  # a loop becomes wide moves; a slice would not
            view_bytes[i] = game_bytes[i]
        if r.melds_close:
            for i in range(COMMON_FROM):
                view_bytes[i] = game_bytes[i]
    else:
        for i in range(SUITED_PUBLIC_BYTES):
            view_bytes[i] = game_bytes[i]
    v.seat = seat
    v.side = side_of(g, seat)
    copy_row(row_of(g, "hands", seat), row_of(v, "hand", 0), kinds)
    for k in range(kinds):
        v.pending[k] = 0
    size = int(g.pile_size)
    v.pile_top = int(g.pile[size - 1]) if size > 0 else -1
    for i in range(size, size + int(g.pending)):
        v.pending[int(g.pile[i])] += 1
    if not recall:
        forget(v)
    hand, pile, pending = row_of(v, "hand", 0), row_of(v, "pile", 0), row_of(v, "pending", 0)
    counts, shown, unseen = row_of(r, "counts", 0), row_of(v, "shown", 0), row_of(v, "unseen", 0)
    for start in range(0, kinds, LANES):
        unseen_block(start, counts, hand, pile, pending, shown, unseen)
    # from here on, what follows the unseen: of fifteen counts sixteen were written
    for other in range(int(g.players)):
        v.foot_sizes[other] = 0
        if g.has_foot[other]:
            for k in range(kinds):
                v.foot_sizes[other] += g.feet[other, k]
    for side in range(int(g.sides)):
        v.minimum[side] = 0 if g.melded[side] else minimum_for(g, r, side)
    v.offered = -1
    if g.phase == Phase.OFFER and g.stock_size > 0:
        v.offered = g.stock[int(g.stock_next[next_stream(g, int(g.turn))])]
    for i in range(3):
        v.cut_bottom[i] = g.cut_bottom[i] if g.cut_seat == seat else -1


@helper
def forget(v: Any) -> None:
    """Without recall only what lies open now is known: of the pile its top card."""
    kinds = kinds_of(v)
    for k in range(kinds):
        v.pile[k] = 0
    if v.pile_top >= 0:
        v.pile[int(v.pile_top)] = 1
    for seat in range(int(v.players)):
        v.last_discard[seat] = -1
        for k in range(kinds):
            v.discards[seat, k] = 0
            v.known[seat, k] = 0


@helper
def derive_counts(g: Any, r: Any) -> None:
    """Compute the counts that a game keeps beside its cards, for a game that was set up from
    outside."""
    kinds = kinds_of(g)
    for k in range(kinds):
        g.shown[k] = 0
        g.pile_counts[k] = 0
    for i in range(int(g.pile_size)):
        g.pile_counts[int(g.pile[i])] += 1
    for seat in range(MAX_SEATS):
        g.last_discard[seat] = -1
        for k in range(kinds):
            g.discarded[seat, k] = 0
    for i in range(int(g.discard_count)):
        seat, kind = int(g.discards[i]) // 64, int(g.discards[i]) % 64
        g.discarded[seat, kind] += 1
        g.last_discard[seat] = kind
    for side in range(int(g.sides)):
        g.shown[2] += g.red_threes[side]
        for rank in range(RANKS):
            g.shown[1] += g.meld_deuces[side, rank]
            g.shown[0] += g.meld_jokers[side, rank]
            for i in range(int(g.closed_melds[side, rank])):
                wilds = int(g.closed_wilds[side, rank, i])
                g.shown[1] += wilds % 16
                g.shown[0] += wilds // 16
        show_naturals(g, r, side)


@helper
def show_ranks(g: Any, r: Any, side: int) -> None:
    """Count the naturals in the side's melds among what is shown, where suits do not matter."""
    for rank in range(RANKS):
        g.shown[rank] += g.meld_naturals[side, rank]
        for i in range(int(g.closed_melds[side, rank])):
            wilds = int(g.closed_wilds[side, rank, i])
            g.shown[rank] += int(r.canasta_size) - wilds % 16 - wilds // 16


@helper
def show_suits(g: Any, r: Any, side: int) -> None:
    """The same where suits matter, sequences and their wild cards too."""
    g.shown[BLACK_THREES] += g.meld_naturals[side, BLACK_THREES]
    for kind in range(FIRST_NATURAL, kinds_of(g)):
        g.shown[kind] += g.meld_cards[side, kind]
    for i in range(int(g.sequence_count[side])):
        lowest = int(g.sequence_low[side, i]) - FIRST_NATURAL
        for place in range(int(g.sequence_length[side, i])):
            kind = FIRST_NATURAL + SUITS * (lowest + place) + int(g.sequence_suit[side, i])
            if (int(g.sequence_deuces[side, i]) >> place) & 1 == 1:
                kind = 1
            elif (int(g.sequence_jokers[side, i]) >> place) & 1 == 1:
                kind = 0
            g.shown[kind] += 1


show_naturals = by_layout(show_ranks, show_suits)
