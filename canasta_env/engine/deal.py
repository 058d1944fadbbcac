"""The deal: from a shuffled deck to the first seat's turn (rules.md, The deal)."""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.discard import clear_turn
from canasta_env.engine.draw import freezes_at_start, receive
from canasta_env.engine.layout import by_layout, following, kinds_of, side_of
from canasta_env.engine.rng import DEALER, DECK, below, derive, shuffle
from canasta_env.engine.state import MAX_DISCARDS, MAX_SEATS, RANKS, End, Phase
from canasta_env.jit import helper

CUT_CARDS = 3
COVER_WILD, COVER_THREES_AND_WILD, OFFER, BURY, AS_IS = 0, 1, 2, 3, 4


@helper
def shuffled_deck(r: Any, match_seed: int, deal: int, deck: Any) -> None:
    """Write the deck of a match's deal: a function of the match's seed and the deal's number."""
    position = 0
    for kind in range(len(r.counts)):
        for _ in range(int(r.counts[kind])):
            deck[position] = kind
            position += 1
    shuffle(deck, position, derive(match_seed, DECK, deal), DECK)


@helper
def first_dealer(r: Any, match_seed: int) -> int:
    """The dealer of a match's first deal, from its seed."""
    return below(match_seed, DEALER, 0, int(r.players))


@helper
def keep_suits(g: Any, side: int) -> None:
    """Where suits do not matter there is nothing to clear."""


@helper
def clear_meld_cards(g: Any, side: int) -> None:
    """Forget the suits of the cards in the side's sets."""
    for k in range(kinds_of(g)):
        g.meld_cards[side, k] = 0


clear_suits = by_layout(keep_suits, clear_meld_cards)


@helper
def clear_deal(g: Any) -> None:
    """Empty the table; scores, the number of the deal and the seed of the match stay."""
    kinds = kinds_of(g)
    for seat in range(MAX_SEATS):
        for k in range(kinds):
            g.hands[seat, k] = 0
            g.feet[seat, k] = 0
            g.known[seat, k] = 0
            g.discarded[seat, k] = 0
        g.last_discard[seat] = -1
        g.hand_sizes[seat] = 0
        g.seat_melded[seat] = False
        g.has_foot[seat] = False
        g.foot_played[seat] = False
        g.owed[seat] = 0
        g.stock_next[seat] = 0
        g.stock_end[seat] = 0
    for side in range(MAX_SEATS):
        for rank in range(RANKS):
            g.meld_naturals[side, rank] = 0
            g.meld_deuces[side, rank] = 0
            g.meld_jokers[side, rank] = 0
            g.closed_melds[side, rank] = 0
        clear_suits(g, side)
        g.sequence_count[side] = 0
        g.red_threes[side] = 0
        g.melded[side] = False
        g.concealed_canastas[side] = 0
        g.deal_scores[side] = 0
    for k in range(kinds):
        g.shown[k] = 0
        g.pile_counts[k] = 0
    for i in range(min(MAX_DISCARDS, int(g.discard_count))):
        g.discards[i] = 0
    g.discard_count = 0
    g.pile_size = 0
    g.pending = 0
    g.frozen = False
    g.end = End.NOT_YET
    g.out_seat = -1
    g.turns = 0
    g.cut_seat = -1
    g.cut_taken = 0
    g.cut_wilds = 0
    for i in range(CUT_CARDS):
        g.cut_bottom[i] = -1
        g.cut_places[i] = -1
    clear_turn(g)


@helper
def cut_deck(g: Any, r: Any, deck: Any) -> int:
    """The cut: the player at the dealer's right gets the jokers, deuces and red threes among the
    last three cards (rules.md, *The cut*). Returns where the last of the others begin."""
    cards = int(r.cards)
    if not r.cut_bonus:
        return cards
    seat = (int(g.dealer) - 1) % int(r.players)
    g.cut_seat = seat
    stayed = 0
    for i in range(cards - CUT_CARDS, cards):
        card = int(deck[i])
        if card > 2:
            g.cut_bottom[stayed] = card
            stayed += 1
            continue
        g.hands[seat, card] += 1
        g.hand_sizes[seat] += 1
        g.cut_taken += 1
        if card < 2:
            g.cut_wilds += 1
    return cards - CUT_CARDS


@helper
def deal_out(g: Any, r: Any, deck: Any) -> int:
    """Deal hands, then feet, card by card from the dealer's left; returns the next position."""
    players = int(r.players)
    first = following(int(g.dealer), 1, players)
    position = 0
    for _ in range(int(r.hand)):
        for i in range(players):
            seat = following(first, i, players)
            if g.hand_sizes[seat] < r.hand:  # fewer for him who got cards at the cut
                g.hands[seat, int(deck[position])] += 1
                g.hand_sizes[seat] += 1
                position += 1
    for i in range(players * int(r.foot)):
        seat = (int(g.dealer) + 1 + i) % players
        g.feet[seat, int(deck[position])] += 1
        g.has_foot[seat] = True
        position += 1
    return position


@helper
def stack_stock(g: Any, deck: Any, first: int, last: int) -> None:
    """Make the stock of the deck's cards ``first`` to ``last`` and what stayed of the cut."""
    size = last - first
    for i in range(size):
        g.stock[i] = deck[first + i]
    for i in range(CUT_CARDS):
        if g.cut_bottom[i] >= 0:
            g.stock[size] = g.cut_bottom[i]
            g.cut_places[i] = size
            size += 1
    g.stock_next[0] = 0
    g.stock_end[0] = size
    g.stock_size = size


@helper
def turn_upcard(g: Any, r: Any) -> None:
    """Turn the upcard from the front of the stock, and cover or bury it as the rules say."""
    turning = r.upcard != OFFER
    while turning and g.stock_size > 0:
        position = int(g.stock_next[0])
        card = int(g.stock[position])
        if r.upcard == BURY and card <= 2:
            for i in range(position, int(g.stock_end[0]) - 1):
                g.stock[i] = g.stock[i + 1]
            g.stock[int(g.stock_end[0]) - 1] = card
            for i in range(CUT_CARDS):
                g.cut_places[i] = max(-1, int(g.cut_places[i]) - 1)
            continue
        g.stock_next[0] += 1
        g.stock_size -= 1
        g.pile[int(g.pile_size)] = card
        g.pile_counts[card] += 1
        g.pile_size += 1
        if freezes_at_start(r, card):
            g.frozen = True
        covered = card <= 2 or (card == 3 and r.upcard == COVER_THREES_AND_WILD)
        turning = covered and r.upcard != AS_IS


@helper
def lay_out_red_threes(g: Any, r: Any) -> None:
    """Lay out the dealt red threes, in order of play from the dealer's left, and replace them: at
    once, or where they are owed with the seat's first buy."""
    players = int(r.players)
    for i in range(players):
        seat = (int(g.dealer) + 1 + i) % players
        threes = int(g.hands[seat, 2])
        g.hands[seat, 2] = 0
        g.hand_sizes[seat] -= threes
        g.red_threes[side_of(g, seat)] += threes
        g.shown[2] += threes
        g.owed[seat] = threes if r.owed_red_threes else 0
        for _ in range(0 if r.owed_red_threes else threes):
            receive(g, seat)


@helper
def split_stock(g: Any, r: Any) -> None:
    """Deal the stock into one stream a seat, the first card to the seat that begins."""
    players = int(r.players)
    first, size = int(g.stock_next[0]), int(g.stock_size)
    cards = np.empty(size, np.uint8)
    moved = np.full(CUT_CARDS, -1, np.int64)
    for i in range(size):
        cards[i] = g.stock[first + i]
    for i in range(CUT_CARDS):
        g.cut_places[i] = int(g.cut_places[i]) - first if g.cut_places[i] >= 0 else -1
    position = 0
    for seat in range(players):
        g.stock_next[seat] = position
        i = (seat - int(g.turn)) % players
        while i < size:
            g.stock[position] = cards[i]
            for j in range(CUT_CARDS):
                if moved[j] < 0 and g.cut_places[j] == i:
                    moved[j] = position
            position += 1
            i += players
        g.stock_end[seat] = position
    for j in range(CUT_CARDS):
        g.cut_places[j] = moved[j]
    g.streams = players


@helper
def deal_cards(g: Any, r: Any, deck: Any, dealer: int, seat_streams: bool) -> None:
    """Deal a deck: everything that follows is a function of it, the dealer and the actions."""
    clear_deal(g)
    g.players = r.players
    g.sides = r.sides
    g.dealer = dealer
    g.turn = (dealer + 1) % int(r.players)
    g.streams = 1
    last = cut_deck(g, r, deck)
    stack_stock(g, deck, deal_out(g, r, deck), last)
    turn_upcard(g, r)
    lay_out_red_threes(g, r)
    if seat_streams:
        split_stock(g, r)
    g.phase = Phase.OFFER if r.upcard == OFFER else Phase.DRAW
