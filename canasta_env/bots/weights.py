"""What the basic bot weighs, in one place.

Worths and costs are points of the deal's score, chances are permille, the rest counts cards. A record of weights is a
style of play: the bot's code reads its numbers from one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

BASIC: Final = {
    # taking the pile: from how many cards in it
    "take_onto_from": 1,  # with its top card alone onto a meld
    "take_from": 2,  # with two cards of the hand, once the side has melded
    "take_unmelded_from": 3,  # before that, when it costs the first meld
    # the first meld: what a plan costs
    "cost_card": 10,
    "cost_deuce": 40,
    "cost_joker": 70,
    # melding
    "keep": 3,  # cards that stay in the hand while there is no hurry
    "danger_hand": 3,  # an opponent with so few cards, and canastas, may go out soon
    "danger_stock": 8,  # with so few cards in the stock the end is near
    "catch_pile": 5,  # for a frozen pile of this size a pair is kept in the hand
    # answering the partner's question
    "answer_no_above": 60,  # card points in the own hand
    # discarding: what the pile is worth to the next opponent
    "pile_card": 12,
    "pile_base": 10,
    # discarding: what a card is worth in the hand
    "keep_single": 4,
    "keep_pair": 26,
    "keep_more": 40,
    "keep_melded": 20,
    "keep_black_three": 6,
    "keep_deuce": 75,
    "keep_joker": 110,
    # discarding: factors on the chance that the next opponent takes the pile
    "unmelded_take": 500,  # his side has not melded
    "declined": 500,  # he did not take this rank from us before
    "thrown": 300,  # he threw this rank away himself
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
