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
    "take_joker": 11,
    "take_first": 1,  # with two naturals of the hand, when it costs the first meld
    # the first meld: what a plan costs
    "open_rounds": 2,  # of the table, in which the side opens only to take the pile
    "cost_card": 10,
    "cost_deuce": 66,
    "cost_joker": 78,
    # melding, while nobody is about to end the deal: what stays in the hand
    "hold_frozen": 1,  # pairs and triples, if a frozen pile has so many cards
    "hold_open": 2,  # the same for a pile that is not frozen
    "hold_hand": 13,  # nothing is held back from so many cards in the hand
    "keep_add": 4,  # cards that no addition goes below
    "keep_new": 3,  # cards that no new meld goes below
    # melding: wild cards onto a meld of so many cards
    "wild_from": 5,
    "wild_from_made": 5,  # once the side has the canastas for going out
    "wild_from_rich": 3,  # then, with two wild cards or more in the hand
    "pair_hand": 6,  # then, a new meld of a pair and a wild card, with so many cards in the hand
    # melding: all goes on the table if another may end the deal
    "danger_hand": 1,  # an opponent whose side has its canastas has so few cards
    "danger_partner": 1,  # the partner, once the own side has its canastas
    "danger_stock": 8,  # so few cards are left in the stock
    # answering the partner's question
    "answer_no_above": 120,  # card points in the own hand
    # discarding: what the pile is worth to the next opponent
    "pile_base": 0,
    "pile_card": 29,  # for each card
    "pile_big": 24,  # for each card beyond eight, in addition
    # discarding: what a wild card or black three is worth in the hand
    "keep_joker": 162,
    "keep_deuce": 60,
    "keep_wild_frozen": 10,  # in addition, if the pile is frozen already
    "keep_wild_unmelded": 90,  # in addition, if the next opponent needs his first meld
    "keep_stopper": -10,  # a black three
    "keep_stopper_pile": 0,  # less for each card in the pile
    "keep_stopper_open": 0,  # less if the pile is open to the next opponent
    # discarding: what a natural is worth in the hand
    "value_unmelded": 52,  # for each ten points of its value, before the first meld
    "value_melded": 20,  # the same later
    "value_hurry": 10,  # less for each ten points if the deal may end soon
    "keep_melded": 80,  # it fits an own meld
    "useless": 69,  # less if it lies on the table of an opponent who needs a pair
    "single_out": -2,  # for each card of its rank that may still come
    "keep_pair": 15,
    "pair_out": -3,
    "pair_frozen": 21,  # in addition, if the next opponent needs a pair
    "pair_unmelded": 0,  # in addition, before the first meld
    "keep_more": -25,  # three of a rank and more
    "more_frozen": -40,
    "more_unmelded": 0,
    # discarding: the chance that the next opponent takes the pile
    "chance_onto_small": 400,  # it fits a meld of his and the pile is small
    "chance_any": 715,  # for each card of the rank that he may be thought to hold
    "chance_any_small": 200,  # the same if the pile is small
    "chance_pair": 490,  # for the square of it, if he needs a pair
    "chance_known": 400,  # he is known to hold one
    "chance_unmelded": 150,  # factor: his side has not melded
    "chance_declined": 450,  # factor: he did not take this rank from us before
    "chance_thrown": 400,  # factor: he threw this rank away himself
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
