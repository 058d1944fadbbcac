"""What a seat may know: a view holds nothing that depends on what the seat cannot see.

With ``recall`` the view remembers everything that was public: discards, the cards of the pile, which cards a seat is
known to hold since it took a pile. Without it only what lies open now is in it.
"""

from __future__ import annotations

from typing import Any

from canasta_env.engine.lookahead import minimum_for
from canasta_env.engine.state import RANKS, Phase
from canasta_env.jit import helper


@helper
def fill_view(g: Any, r: Any, seat: int, recall: bool, v: Any) -> None:
    """Write the view of ``seat`` (any seat, at any time) into ``v``."""
    copy_table(g, v)
    copy_turn(g, v)
    v.seat = seat
    v.side = seat % int(g.sides)
    for k in range(RANKS):
        v.hand[k] = g.hands[seat, k]
    for other in range(int(g.players)):
        v.hand_sizes[other] = g.hand_sizes[other]
        v.foot_sizes[other] = 0
        if g.has_foot[other]:
            for k in range(RANKS):
                v.foot_sizes[other] += g.feet[other, k]
    v.stock_size = g.stock_size
    for side in range(int(g.sides)):
        v.minimum[side] = 0 if g.melded[side] else minimum_for(g, r, side)
        v.deal_scores[side] = g.deal_scores[side]
    v.end = g.end
    v.out_seat = g.out_seat
    v.offered = -1
    if g.phase == Phase.OFFER and g.stock_size > 0:
        v.offered = g.stock[int(g.stock_next[0])]
    view_pile(g, v, recall)
    view_discards(g, v, recall)
    view_cut(g, v, seat)
    count_unseen(g, r, v)


@helper
def copy_table(g: Any, v: Any) -> None:
    """What lies on the table for every side is public."""
    for side in range(int(g.sides)):
        for rank in range(RANKS):
            v.meld_naturals[side, rank] = g.meld_naturals[side, rank]
            v.meld_deuces[side, rank] = g.meld_deuces[side, rank]
            v.meld_jokers[side, rank] = g.meld_jokers[side, rank]
            v.closed_melds[side, rank] = g.closed_melds[side, rank]
            for i in range(int(g.closed_melds[side, rank])):
                v.closed_wilds[side, rank, i] = g.closed_wilds[side, rank, i]
        v.red_threes[side] = g.red_threes[side]
        v.melded[side] = g.melded[side]
        v.concealed_canastas[side] = g.concealed_canastas[side]
        v.scores[side] = g.scores[side]
    for seat in range(int(g.players)):
        v.seat_melded[seat] = g.seat_melded[seat]
        v.has_foot[seat] = g.has_foot[seat]
        v.foot_played[seat] = g.foot_played[seat]
        v.owed[seat] = g.owed[seat]
    v.frozen = g.frozen
    v.players = g.players
    v.sides = g.sides
    v.deal = g.deal
    v.dealer = g.dealer
    v.turn = g.turn
    v.phase = g.phase
    v.turns = g.turns


@helper
def copy_turn(g: Any, v: Any) -> None:
    """What the turn under way has done was done openly."""
    v.drew = g.drew
    v.top = g.top
    v.begun = g.begun
    for rank in range(RANKS):
        v.begun_closed[rank] = g.begun_closed[rank]
    v.begun_sequences = g.begun_sequences
    v.staged = g.staged
    v.added = g.added
    v.acted = g.acted
    v.asked = g.asked
    v.asker = g.asker
    v.must_go_out = g.must_go_out


@helper
def view_pile(g: Any, v: Any, recall: bool) -> None:
    """The pile as counts (without recall only its top), and what lies apart."""
    size = int(g.pile_size)
    for k in range(RANKS):
        v.pile[k] = 0
        v.pending[k] = 0
    v.pile_size = size
    v.pile_top = int(g.pile[size - 1]) if size > 0 else -1
    for i in range(size if recall else 0):
        v.pile[int(g.pile[i])] += 1
    if size > 0 and not recall:
        v.pile[int(g.pile[size - 1])] = 1
    for i in range(size, size + int(g.pending)):
        v.pending[int(g.pile[i])] += 1


@helper
def view_discards(g: Any, v: Any, recall: bool) -> None:
    """Discards by seat, the last one of each, and cards that seats are known to hold."""
    for seat in range(int(g.players)):
        v.last_discard[seat] = -1
        for k in range(RANKS):
            v.discards[seat, k] = 0
            v.known[seat, k] = g.known[seat, k] if recall else 0
    if not recall:
        return
    for i in range(int(g.discard_count)):
        seat, kind = int(g.discards[i]) // 64, int(g.discards[i]) % 64
        v.discards[seat, kind] += 1
        v.last_discard[seat] = kind


@helper
def view_cut(g: Any, v: Any, seat: int) -> None:
    """The cut: how many were taken is public, what stayed last is known to who cut."""
    v.cut_seat = g.cut_seat
    v.cut_taken = g.cut_taken
    for i in range(3):
        v.cut_bottom[i] = g.cut_bottom[i] if g.cut_seat == seat else -1


@helper
def count_unseen(g: Any, r: Any, v: Any) -> None:
    """Cards of each kind that the seat cannot see: in other hands, feet and the stock."""
    for k in range(RANKS):
        v.unseen[k] = int(r.counts[k]) - int(v.hand[k]) - int(v.pile[k]) - int(v.pending[k])
    for side in range(int(g.sides)):
        v.unseen[2] -= g.red_threes[side]
        for rank in range(RANKS):
            v.unseen[rank] -= g.meld_naturals[side, rank]
            v.unseen[1] -= g.meld_deuces[side, rank]
            v.unseen[0] -= g.meld_jokers[side, rank]
            for i in range(int(g.closed_melds[side, rank])):
                wilds = int(g.closed_wilds[side, rank, i])
                v.unseen[1] -= wilds % 16
                v.unseen[0] -= wilds // 16
                v.unseen[rank] -= int(r.canasta_size) - wilds % 16 - wilds // 16
