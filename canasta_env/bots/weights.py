"""What the rule bots weigh, in one place: a record of weights is a style of play.

``basic`` is the style that others are measured against. Weights that are zero in it belong to parts
of the procedure that it does without.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

__all__ = ["BASIC", "BASIC_WEIGHTS", "WEIGHTS", "WEIGHTS_DTYPE", "Weight", "weights"]

Unit: TypeAlias = Literal["cards", "limit", "flag", "points", "some", "few", "permille"]
"""``cards`` also counts rounds; so does a ``limit``, where zero stands for never. ``points`` are
those of the deal's score, ``some`` and ``few`` too, but for a card or the like, so smaller;
``permille`` is of a chance or of a factor."""


class Weight(NamedTuple):
    """One weight: its name, its unit, ``basic``'s value, and what it means."""

    name: str
    unit: Unit
    basic: int
    text: str


WEIGHTS: Final = (
    # taking the pile: from how many cards in it
    Weight(
        "take_onto",
        "cards",
        3,
        "taking the pile: cards in it for its top card alone onto a meld",
    ),
    Weight("take_pair", "cards", 3, "cards in it for two naturals of the hand"),
    Weight("take_deuce", "cards", 5, "cards in it for a natural and a two"),
    Weight("take_joker", "cards", 11, "cards in it for a natural and a joker"),
    Weight(
        "take_first",
        "cards",
        1,
        "cards in it for two naturals, when the take is the first meld",
    ),
    Weight("take_hurry", "cards", 0, "so many cards fewer are needed if the deal may end soon"),
    # the first meld
    Weight(
        "open_rounds",
        "cards",
        2,
        "first meld: rounds of the table in which it is made only by taking the pile",
    ),
    Weight("open_sooner", "cards", 0, "rounds fewer once an opponent has melded"),
    Weight("cost_card", "points", 10, "cost of a plan, for each natural that it lays"),
    Weight("cost_deuce", "points", 66, "for each two"),
    Weight("cost_joker", "points", 78, "for each joker"),
    # melding, while nobody is about to end the deal
    Weight(
        "hold_frozen",
        "cards",
        1,
        "melds: pairs and triples stay in the hand if a frozen pile has so many cards",
    ),
    Weight("hold_open", "cards", 2, "the same for a pile that is not frozen"),
    Weight("hold_hand", "cards", 13, "nothing is held back from so many cards in the hand"),
    Weight(
        "hold_made_off",
        "flag",
        0,
        "1: nothing is held back once the side has the canastas for going out",
    ),
    Weight(
        "hold_near",
        "cards",
        0,
        "additions are laid if the meld lacks so many cards of a canasta",
    ),
    Weight("keep_add", "cards", 4, "cards of the hand that no addition goes below"),
    Weight("keep_new", "cards", 3, "cards of the hand that no new meld goes below"),
    Weight("wild_from", "cards", 5, "a wild card goes onto a meld of so many cards"),
    Weight("wild_from_made", "cards", 5, "the same once the side has its canastas"),
    Weight("wild_from_rich", "cards", 3, "then, with two wild cards or more in the hand"),
    Weight(
        "natural_from",
        "limit",
        0,
        "no wild card goes onto so many naturals without one; 0: onto any",
    ),
    Weight(
        "pair_hand",
        "cards",
        6,
        "a new meld of a pair and a wild card needs so many cards in the hand",
    ),
    # when all goes on the table
    Weight(
        "danger_hand",
        "cards",
        1,
        "all is laid if an opponent whose side has its canastas holds so few cards",
    ),
    Weight("danger_partner", "cards", 1, "or the partner, once the own side has them"),
    Weight("danger_stock", "cards", 8, "or so few cards are left in the stock"),
    Weight(
        "rush_hand",
        "cards",
        0,
        "or so few in the own hand, once the own side has its canastas",
    ),
    Weight("rush_round", "limit", 0, "or from this round of the table on; 0: never"),
    Weight("out_cards", "cards", 0, "going out waits until the opponents hold so many cards"),
    Weight("out_open", "flag", 0, "1: it waits only while no opponent has the canastas to go out"),
    Weight(
        "ask_hand",
        "limit",
        0,
        "the partner is asked first if he holds so many cards; 0: never",
    ),
    Weight(
        "answer_no_above",
        "points",
        120,
        "he is answered no from more card points in the own hand",
    ),
    # discarding: what the pile is worth to the next opponent
    Weight("pile_base", "points", 0, "discards: worth of the pile to the next opponent"),
    Weight("pile_card", "some", 29, "for each card in it"),
    Weight("pile_big", "some", 24, "for each card beyond eight, in addition"),
    # discarding: what a wild card or black three is worth in the hand
    Weight("keep_joker", "points", 162, "worth of a joker in the hand"),
    Weight("keep_deuce", "points", 60, "of a two"),
    Weight("keep_wild_frozen", "points", 10, "of both, in addition, if the pile is frozen already"),
    Weight(
        "keep_wild_unmelded",
        "points",
        90,
        "in addition, if the next opponent needs his first meld",
    ),
    Weight(
        "freeze_base",
        "points",
        0,
        "less, if it freezes a pile that is open to the next opponent",
    ),
    Weight("freeze_card", "some", 0, "less then, for each card in the pile"),
    Weight("freeze_unmelded", "points", 0, "less then, before the own first meld"),
    Weight("keep_stopper", "points", -10, "of a black three"),
    Weight("keep_stopper_pile", "some", 0, "less for each card in the pile"),
    Weight("keep_stopper_open", "points", 0, "less if the pile is open to the next opponent"),
    # discarding: what a natural is worth in the hand
    Weight(
        "value_unmelded",
        "points",
        52,
        "of a natural, for ten points of its value, before the first meld",
    ),
    Weight("value_melded", "points", 20, "the same later"),
    Weight("value_hurry", "points", 10, "less for ten points if the deal may end soon"),
    Weight("keep_melded", "points", 80, "it fits an own meld"),
    Weight("useless", "points", 69, "less if it lies on the table of an opponent who needs a pair"),
    Weight("single_out", "few", -2, "a single one: for each card of its rank that may still come"),
    Weight("single_thrown", "few", 0, "for each of its rank that the seat before threw"),
    Weight("keep_pair", "points", 15, "a pair"),
    Weight("pair_out", "few", -3, "for each card of its rank that may still come"),
    Weight("pair_thrown", "few", 0, "for each of its rank that the seat before threw"),
    Weight("pair_frozen", "points", 21, "in addition, if the next opponent needs a pair"),
    Weight("pair_unmelded", "points", 0, "in addition, before the first meld"),
    Weight("keep_more", "points", -25, "three of a rank and more"),
    Weight("more_frozen", "points", -40, "in addition, if the next opponent needs a pair"),
    Weight("more_unmelded", "points", 0, "in addition, before the first meld"),
    Weight("safe_small", "points", 0, "the next opponent threw its rank, and the pile is small"),
    Weight("made_single", "points", 0, "less for a single one once the own side has its canastas"),
    Weight("made_pair", "points", 0, "more for a pair then"),
    Weight("made_stopper", "points", 0, "less for a black three then"),
    # discarding: the chance that the next opponent takes the pile
    Weight(
        "chance_onto_small",
        "permille",
        400,
        "chance of a take: it fits a meld of his and the pile is small",
    ),
    Weight(
        "chance_any",
        "permille",
        715,
        "for each card of the rank that he may be thought to hold",
    ),
    Weight("chance_any_small", "permille", 200, "the same if the pile is small"),
    Weight("chance_pair", "permille", 490, "for the square of it, if he needs a pair"),
    Weight("chance_known", "permille", 400, "he is known to hold one"),
    Weight("chance_unmelded", "permille", 150, "factor: his side has not melded"),
    Weight("chance_declined", "permille", 450, "factor: he did not take this rank from us before"),
    Weight("chance_thrown", "permille", 400, "factor: he threw this rank away himself"),
    Weight("chance_round", "permille", 0, "factor: more by so much for each round of the table"),
    Weight("pair_known", "permille", 0, "where he needs a pair: more if he is known to hold one"),
    Weight(
        "pair_declined",
        "permille",
        0,
        "then, the factor for a rank that he did not take is so much larger",
    ),
    Weight("pair_declined_last", "permille", 0, "then, so much smaller if it was our last discard"),
    Weight("pair_thrown_last", "permille", 0, "then, so much smaller if it was his last discard"),
    Weight(
        "pair_thrown_before",
        "permille",
        0,
        "then, more for a rank that the seat before us threw",
    ),
    Weight(
        "pair_thrown_early",
        "permille",
        0,
        "then, the factor for a rank that he threw is so much larger",
    ),
    Weight(
        "pair_thrown_round",
        "permille",
        0,
        "and smaller by so much for each round of the table",
    ),
)

BASIC: Final = {weight.name: weight.basic for weight in WEIGHTS}
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
