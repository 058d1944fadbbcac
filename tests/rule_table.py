"""The rows of the two tables of rules.md, as data: each has a test of its name."""

from __future__ import annotations

import re

ROWS = (
    "packs of 54",
    "hand",
    "foot",
    "drawn in a turn",
    "match",
    "tie at the end",
    "next dealer",
    "deal score rounded",
    "upcard",
    "a wild or red three in the starting pile",
    "discarding a wild",
    "a black three in the pile",
    "discarding an own laid-out red three",
    "frozen for a side that has not melded",
    "take with a natural pair",
    "take with one natural and one wild (not frozen)",
    "take onto an own meld (not frozen)",
    "take into a new sequence",
    "cards taken",
    "smallest meld",
    "fewest naturals",
    "most wilds",
    "wilds against naturals",
    "melds of one rank for a side",
    "melds of wild cards only, one for a side",
    "sequences",
    "black threes melded",
    "a black three on top may be taken",
    "first meld, by score",
    "canasta bonuses count toward it",
    "it needs a group of three naturals",
    "canastas to go out (canastas of wild cards count)",
    "asking the partner",
    "last discard when going out",
    "going out",
    "concealed, in addition",
    "concealed needs a canasta",
    "concealed waives the first minimum",
    "natural canasta",
    "mixed canasta",
    "canasta of wild cards",
    "concealed canasta, each",
    "red threes",
    "red threes of a side that has not melded",
    "a side without a canasta",
    "a black three left in hand",
    "empty stock",
)
"""The table of parameters, in its order."""

HARD_CASES = (
    "a natural card is discarded on a frozen pile",
    "unfrozen pile, own meld of the top rank, no such card in hand",
    "frozen pile, own QQQ, hand holds one Q and a joker, top Q",
    "two melds of 25 and 25 for a minimum of 50",
    "KK QQ 2 6 in hand, pile … Q 9 K, first meld",
    "open side without a canasta, empty stock, hand JK K 10, top K",
    "the same side, hand 10 10, pile 3b 10",
    "one card in hand, a pile of one card",
    "score 3,035 (120 needed), hand 10 10 K K K J J J Q Q Q, a pile of one 10, not melded",
    "7 7 2 2 2",
    "a take with a natural and a wild onto a rank whose own meld has three wilds",
    "own meld of seven kings, a joker added",
    "two black threes and a canasta",
    "partner said no",
    "hand K K 5, own canasta of queens, pile K: `take K K` and then `ask`",
    "the last card is discarded with the canastas made",
    "the start pile has a wild card under a black three",
)
"""The table of hard cases, in its order."""

ONE_VALUE = {"canasta of wild cards": ("czech", "hungarian")}
"""Rows that stand for some presets only; all others have a value for each."""

SHORT = {
    "melds of wild cards only, one for a side": "melds of wild cards only",
    "score 3,035 (120 needed), hand 10 10 K K K J J J Q Q Q, a pile of one 10, not melded": (
        "score 3035 and a pile of one 10"
    ),
    "KK QQ 2 6 in hand, pile … Q 9 K, first meld": "KK QQ 2 6 in hand",
}
"""Names that would be too long for a line."""


def test_name(row: str) -> str:
    """The name of the test of a row; what stands in brackets is left out."""
    text = re.sub(r"\(.*?\)", "", SHORT.get(row, row)).lower()
    return "test_" + re.sub(r"[^a-z0-9]+", "_", text).strip("_")
