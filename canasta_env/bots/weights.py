"""What the basic bot weighs, in one place.

Worths and costs are points of the deal's score, chances are permille, the rest counts cards. A
record of weights is a style of play: the bot's code reads its numbers from one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

BASIC: Final = {
    # taking the pile: from how many cards in it
    "take_onto": 3,  # with its top card alone onto a meld
    "take_pair": 3,  # with two naturals of the hand
    "take_deuce": 5,
    "take_joker": 6,
    "take_first": 3,  # in any way, when it costs the first meld
    # the first meld: what a plan costs
    "cost_card": 10,
    "cost_deuce": 40,
    "cost_joker": 70,
    # melding, while nobody is about to end the deal: what stays in the hand
    "hold_frozen": 1,  # pairs and triples, if a frozen pile has so many cards
    "hold_open": 4,  # the same for a pile that is not frozen
    "hold_hand": 13,  # nothing is held back from so many cards in the hand
    "keep_add": 3,  # cards that no addition goes below
    "keep_new": 3,  # cards that no new meld goes below
    # melding: wild cards onto a meld of so many cards
    "wild_from": 5,
    "wild_from_made": 5,  # once the side has the canastas for going out
    "wild_from_rich": 3,  # then, with two wild cards or more in the hand
    "pair_hand": 8,  # then, a new meld of a pair and a wild card, with so many cards in the hand
    # melding: all goes on the table if another may end the deal
    "danger_hand": 3,  # an opponent whose side has its canastas has so few cards
    "danger_stock": 12,  # so few cards are left in the stock
    # answering the partner's question
    "answer_no_above": 60,  # card points in the own hand
    # discarding: what the pile is worth to the next opponent
    "pile_base": 0,
    "pile_card": 25,
    # discarding: what a card is worth in the hand
    "keep_joker": 117,
    "keep_deuce": 63,
    "keep_wild_frozen": 55,  # in addition, if the pile is frozen already
    "keep_black_three": -12,
    "keep_value": 20,  # tenths of the card's points
    "keep_melded": 8,
    "keep_single_unseen": 2,  # for each card of the rank that is out: less
    "keep_pair": 15,
    "keep_pair_frozen": -12,
    "keep_more": -28,
    # discarding: the chance that the next opponent takes the pile
    "chance_any": 420,  # for each card of the rank that he may be thought to hold
    "chance_pair": 440,  # for the square of it, if he needs a pair
    "chance_known": 400,  # he is known to hold one
    "chance_unmelded": 150,  # factor: his side has not melded
    "chance_declined": 350,  # factor: he did not take this rank from us before
    "chance_thrown": 80,  # factor: he threw this rank away himself
}

WEIGHTS_DTYPE: Final = np.dtype([(name, "i4") for name in BASIC])


def weights(**changes: int) -> Any:
    """A record array of length one: the basic bot's weights with some changes.

    Raises:
        KeyError: a change names no weight.
    """
    unknown = changes.keys() - BASIC.keys()
    if unknown:
        raise KeyError(f"no such weights: {', '.join(sorted(unknown))}")
    values = tuple({**BASIC, **changes}.values())
    return np.array([values], WEIGHTS_DTYPE).view(np.recarray)


BASIC_WEIGHTS: Final = weights()
