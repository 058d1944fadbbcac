"""The luck of the cards, as martingale sums: control variates for the leads of teams.

Whenever a seat is given a card that nobody could know, each feature of that card (:data:`FEATURES`)
less its mean over the cards that could have come is added up for the seat's side. The means are
over the cards whose place in the deck nobody knows, all streams of the stock together, so every
term has the expectation zero, whatever was done before and whoever did it: subtracting any fixed
multiple of a sum from a lead leaves its expectation as it is, and takes away variance as far as the
cards decided.

Chance gives: the cards of the cut that its player keeps, the hands and feet of the deal (all at
once, out of the whole deck), and every card drawn, those for red threes included. It does not give
what somebody has seen: the upcard and what covers it, cards buried under the stock, what stayed of
the cut, and a card that was offered.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.engine.deal import (
    BURY,
    CUT_CARDS,
    clear_deal,
    cut_deck,
    deal_out,
    split_stock,
    stack_stock,
    turn_upcard,
)
from canasta_env.engine.draw import next_stream
from canasta_env.engine.layout import kinds_of, rank_of
from canasta_env.engine.state import MAX_CARDS, MAX_SEATS, new_games
from canasta_env.jit import helper, kernel
from canasta_env.kernels import kinds_for, plain
from experiments.deals import plain_records

__all__ = ["FEATURES", "Luck", "advantage"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FEATURES: Final = ("points", "jokers", "deuces", "red_threes")
"""What is counted of a card: its value in points, and three kinds of cards beside that."""
_JOKER, _DEUCE, _RED_THREE = 0, 1, 2


def _known_dtype(kinds: int) -> np.dtype[np.void]:
    """What of a game's stock is known, and where it is drawn from next."""
    return np.dtype(
        [
            ("streams", "i1"),
            ("stock_next", "i2", (MAX_SEATS,)),
            ("stock_end", "i2", (MAX_SEATS,)),
            ("stock_size", "i2"),
            ("seen", "u1", (MAX_CARDS,)),  # flags of places in the stock
            ("hidden", "i2", (kinds,)),  # cards in places that nobody knows
        ]
    )


@helper
def mean_of(hidden: Any, feature: Any) -> float:
    """The mean of a feature over the hidden cards."""
    cards = 0
    total = 0.0
    for k in range(len(hidden)):
        cards += int(hidden[k])
        total += int(hidden[k]) * feature[k]
    return total / max(1, cards)


@helper
def credit_card(known: Any, card: int, features: Any, luck: Any) -> None:
    """A hidden card comes to a seat of the side whose sums are ``luck``."""
    for f in range(len(features)):
        luck[f] += features[f, card] - mean_of(known.hidden, features[f])
    known.hidden[card] -= 1


@helper
def credit_cut(g: Any, r: Any, deck: Any, known: Any, features: Any, luck: Any) -> int:
    """Cut the deck. The player keeps the first three kinds, and has seen the others."""
    last = cut_deck(g, r, deck)
    if last == r.cards:
        return last
    side = int(g.cut_seat) % int(r.sides)
    kept = features.copy()
    kept[:, _RED_THREE + 1 :] = 0.0
    for f in range(len(features)):
        mean = mean_of(known.hidden, kept[f])
        for i in range(last, last + CUT_CARDS):
            luck[side, f] += kept[f, int(deck[i])] - mean
    for i in range(last, last + CUT_CARDS):
        known.hidden[int(deck[i])] -= 1
    return last


@helper
def credit_hands(g: Any, r: Any, deck: Any, known: Any, features: Any, luck: Any) -> int:
    """Deal hands and feet out of all hidden cards; returns the next position."""
    dealt = deal_out(g, r, deck)
    cut_seat, sides = int(g.cut_seat), int(r.sides)
    fixed = len(features)
    means = np.empty(fixed)
    for f in range(fixed):
        means[f] = mean_of(known.hidden, features[f])
    for seat in range(int(r.players)):
        for k in range(kinds_of(g)):
            cards = int(g.hands[seat, k]) + int(g.feet[seat, k])
            if seat == cut_seat and k <= _RED_THREE:
                cards -= cut_cards(r, deck, k)
            known.hidden[k] -= cards
            for f in range(fixed):
                luck[seat % sides, f] += cards * (features[f, k] - means[f])
    return dealt


@helper
def cut_cards(r: Any, deck: Any, kind: int) -> int:
    """How many cards of a kind lie among those of the cut."""
    count = 0
    for i in range(int(r.cards) - CUT_CARDS, int(r.cards)):
        if deck[i] == kind:
            count += 1
    return count


@helper
def turn_up(g: Any, r: Any, known: Any) -> None:
    """Turn the upcard; everybody sees it, with all that is turned or buried before it."""
    buried = 0
    if r.upcard == BURY:
        while g.stock[buried] <= _RED_THREE:
            known.hidden[int(g.stock[buried])] -= 1
            buried += 1
    turn_upcard(g, r)
    for i in range(int(g.pile_size)):
        known.hidden[int(g.pile[i])] -= 1
    end = int(g.stock_end[0])
    for i in range(end):
        known.seen[i] = i >= end - buried
    for i in range(CUT_CARDS):
        if g.cut_places[i] >= 0:
            known.seen[int(g.cut_places[i])] = True


@helper
def replace_red_threes(g: Any, r: Any, known: Any, features: Any, luck: Any) -> None:
    """Replace the dealt red threes, as the engine does, where they are not owed."""
    players = int(r.players)
    for i in range(0 if r.owed_red_threes else players):
        seat = (int(g.dealer) + 1 + i) % players
        threes = int(g.hands[seat, _RED_THREE])
        while threes > 0 and g.stock_size > 0:
            if draw_card(g, g, known, seat, features, luck) != _RED_THREE:
                threes -= 1


@helper
def draw_card(place: Any, g: Any, known: Any, seat: int, features: Any, luck: Any) -> int:
    """Draw the next card at ``place``, which has the pointers into the stock of ``g``."""
    stream = next_stream(place, seat)
    position = int(place.stock_next[stream])
    card = int(g.stock[position])
    place.stock_next[stream] += 1
    place.stock_size -= 1
    if not known.seen[position]:
        credit_card(known, card, features, luck[seat % int(g.sides)])
    return card


@helper
def keep_places(g: Any, r: Any, known: Any, seat_streams: bool) -> None:
    """Remember what is known of the stock, split as the engine splits it."""
    last = int(g.stock_end[0])
    offered = r.upcard != BURY and g.pile_size == 0
    if offered:
        position = int(g.stock_next[0])
        known.hidden[int(g.stock[position])] -= 1
        known.seen[position] = True
    for i in range(last):
        g.stock[i] = known.seen[i]
    if seat_streams:
        split_stock(g, r)
    for i in range(last):
        known.seen[i] = g.stock[i]
    for stream in range(MAX_SEATS):
        known.stock_next[stream] = g.stock_next[stream]
        known.stock_end[stream] = g.stock_end[stream]
    known.stock_size = g.stock_size
    known.streams = g.streams


@helper
def begin(g: Any, r: Any, dealer: int) -> None:
    """An empty table before the deal of ``dealer``."""
    clear_deal(g)
    g.players = r.players
    g.sides = r.sides
    g.dealer = dealer
    g.turn = (dealer + 1) % int(r.players)
    g.streams = 1


@kernel()
def credit_deals(
    games: Any, rules: Any, rows: Any, decks: Any, seat_streams: bool, space: Any, known: Any,
    features: Any, luck: Any,
) -> None:  # fmt: skip
    """Deals were dealt in ``rows``: deal them again in ``space``, looking at what each card is."""
    r, g = rules[0], space[0]
    for i in range(len(rows)):
        row, deck = rows[i], decks[i]
        one = known[row]
        begin(g, r, int(games[row].dealer))
        for k in range(kinds_of(g)):
            one.hidden[k] = r.counts[k]
        last = credit_cut(g, r, deck, one, features, luck[row])
        first = credit_hands(g, r, deck, one, features, luck[row])
        stack_stock(g, deck, first, last)
        turn_up(g, r, one)
        replace_red_threes(g, r, one, features, luck[row])
        keep_places(g, r, one, seat_streams)


@kernel()
def credit_draws(games: Any, rows: Any, seats: Any, known: Any, features: Any, luck: Any) -> None:
    """A step was made in ``rows`` by ``seats``: credit the cards that it drew."""
    for i in range(len(rows)):
        g, one = games[rows[i]], known[rows[i]]
        while one.stock_size > g.stock_size:
            draw_card(one, g, one, int(seats[i]), features, luck[rows[i]])


class Luck:
    """Adds up the luck of all sides in a batch; told of every deal and every step.

    ``sums`` has the shape (rows of the batch, sides, features) and is never reset.

    Args:
        batch: the games; deals come from ``Batch.start_deal``.
        seat_streams: whether the batch was made so.
    """

    def __init__(self, batch: Batch, seat_streams: bool) -> None:
        kinds = kinds_for(batch.rules)
        self.batch = batch
        self.sums: Floats = np.zeros((batch.n, batch.sides, len(FEATURES)))
        self._seat_streams = seat_streams
        self._space = new_games(1, kinds)
        known = np.zeros(batch.n, _known_dtype(kinds)).view(np.recarray)
        self._known = plain_records(known)
        self._features = _features(batch.packed[0].values, kinds)

    def dealt(self, rows: Ints, decks: npt.NDArray[np.uint8]) -> None:
        """``decks`` were just dealt in ``rows``, as ``Batch.start_deal`` is told."""
        batch = self.batch
        credit_deals(
            plain(batch.games), plain(batch.packed), rows, decks, self._seat_streams,
            plain(self._space), self._known, self._features, self.sums,
        )  # fmt: skip

    def after(self, rows: Ints, seats: Ints) -> None:
        """A step was made in ``rows``, in each by the seat of ``seats``."""
        games = plain(self.batch.games)
        credit_draws(games, rows, seats, self._known, self._features, self.sums)


def _features(values: Any, kinds: int) -> Floats:
    """The features of each kind of card; shape (features, kinds)."""
    found = np.zeros((len(FEATURES), kinds))
    found[0] = [values[rank_of(kinds, kind)] for kind in range(kinds)]
    for place, kind in enumerate((_JOKER, _DEUCE, _RED_THREE), start=1):
        found[place, kind] = 1.0
    return found


def advantage(sums: Floats) -> Floats:
    """Team A's luck less that of the others' mean, as their lead: shape (units, tables, features).

    ``sums`` has the shape (units, tables, sides, features); at table ``t`` team A is side ``t``.
    """
    own = np.diagonal(sums, axis1=1, axis2=2).swapaxes(1, 2)
    advantages: Floats = own - (sums.sum(2) - own) / (sums.shape[2] - 1)
    return advantages
