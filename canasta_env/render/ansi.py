"""The table as text, as one seat sees it: stock and pile, each side's melds, what all know of each
seat, whose turn it is, and the hand of the seat that looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from canasta_env.cards import kind_token
from canasta_env.engine.state import Phase
from canasta_env.render import words
from canasta_env.rules import Rules

__all__ = ["WIDTH", "draw"]

WIDTH: Final = 96
"""Columns that a table needs where no meld or hand is unusually long."""
_COLUMN: Final = WIDTH // 2
_BACK: Final = "▒"
_STYLES: Final = {
    "bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36", "natural": "1;31",
    "mixed": "1;34", "wild": "1;33", "turn": "1;32",
}  # fmt: skip
_CODE: Final = re.compile(r"\x1b\[[\d;]*m")


class _Ink:
    """Writes in colours, or plainly."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour and text else text

    def cards(self, kinds: Iterable[int], suited: bool) -> str:
        """Cards as tokens, the wild ones and the red threes in colours."""
        tokens = (kind_token(int(kind), suited=suited) for kind in kinds)
        styles = {"JK": "yellow", "2": "yellow", "3r": "red"}
        if not self.colour:
            return " ".join(tokens)
        return " ".join(
            self(token, "red" if token[-1] in "dh" else styles[token])
            if token in styles or token[-1] in "dh"
            else token
            for token in tokens
        )


def draw(
    view: Any,
    rules: str | Rules = "",
    *,
    last: str = "",
    hands: Sequence[Any] = (),
    colour: bool = False,
) -> str:
    """The picture of a view; it ends with a hand, without a line break.

    Args:
        view: a record of ``state.VIEW_DTYPE`` or ``state.SUITED_VIEW_DTYPE``.
        rules: the rules, for the heading and the size of canastas; left out: classic's size.
        last: what was done last, in words.
        hands: views of other seats, whose hands are shown too.
        colour: whether to use the colours of a terminal.
    """
    ink = _Ink(colour)
    size = words.canasta_size(rules)
    line = ink("─" * WIDTH, "dim")
    return "\n".join(
        [
            _heading(view, str(rules), ink),
            line,
            *_supply(view, ink),
            line,
            *_sides(view, size, ink),
            line,
            *_seats(view, ink),
            line,
            *([f"last: {last}"] if last else []),
            ink(words.turn_words(view), "bold"),
            *(_hand(one, ink) for one in hands),
            _hand(view, ink),
        ]
    )


def _long(text: str) -> int:
    """How many columns a text takes."""
    return len(_CODE.sub("", text))


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _long(text))


def _hand(view: Any, ink: _Ink) -> str:
    """The hand of the seat that looks."""
    cards = ink.cards(words.kinds_in_order(view.hand), words.is_suited(view))
    return f"hand of player_{int(view.seat)}: {cards or 'no cards'}"


def _heading(view: Any, rules: str, ink: _Ink) -> str:
    left = words.joined([rules, f"deal {int(view.deal)}", f"turn {int(view.turns) + 1}"])
    scores = " : ".join(str(int(score)) for score in view.scores[: int(view.sides)])
    right = f"scores {scores}"
    gap = max(2, WIDTH - len(left) - len(right))
    return f"{ink(left, 'bold')}{' ' * gap}{ink(right, 'bold')}"


def _supply(view: Any, ink: _Ink) -> list[str]:
    """Stock and pile, then the pile's cards, as far as they are known."""
    if view.pile_size == 0:
        pile = "no pile"
    else:
        top = ink.cards([view.pile_top], words.is_suited(view))
        pile = f"pile {int(view.pile_size)}, top [{top}]"
    remarks = [ink(text, "cyan") for text in words.supply_remarks(view)]
    lines = [words.joined([f"stock {int(view.stock_size)}", pile, *remarks])]
    if 1 < int(np.sum(view.pile)) == int(view.pile_size):
        kinds = words.kinds_in_order(view.pile)
        tally = [
            ink.cards([kind], words.is_suited(view)) + (f"×{n}" if n > 1 else "")
            for kind in dict.fromkeys(kinds)
            if (n := kinds.count(kind))
        ]
        lines.append(f"  in the pile: {' '.join(tally)}")
    return lines


def _sides(view: Any, size: int, ink: _Ink) -> list[str]:
    """The sides with their melds, two beside each other."""
    blocks = [_side(view, side, size, ink) for side in range(int(view.sides))]
    lines: list[str] = []
    for first in range(0, len(blocks), 2):
        left, right = blocks[first], (blocks[first + 1] if first + 1 < len(blocks) else [])
        column = max(_COLUMN, *(_long(text) + 2 for text in left))
        lines += [
            (_padded(one, column) + two).rstrip()
            for one, two in zip_longest(left, right, fillvalue="")
        ]
    return lines


def _side(view: Any, side: int, size: int, ink: _Ink) -> list[str]:
    """A side's heading and its melds, one a line."""
    lines = [ink(words.side_title(view, side), "bold")]
    remarks = words.joined(words.side_remarks(view, side))
    lines += [f"  {remarks}"] if remarks else []
    for meld in words.melds_of(view, side, size):
        cards = ink.cards(meld.kinds, words.is_suited(view))
        mark = ink(f"  ({meld.words()})", meld.canasta) if meld.canasta else ""
        lines.append(f"{ink('★', meld.canasta) if meld.canasta else ' '} {cards}{mark}")
    return lines


def _seats(view: Any, ink: _Ink) -> list[str]:
    """What all know of each seat, a line each."""
    return [_seat(view, seat, ink) for seat in range(int(view.players))]


def _seat(view: Any, seat: int, ink: _Ink) -> str:
    suited = words.is_suited(view)
    last, foot = int(view.last_discard[seat]), int(view.foot_sizes[seat])
    known = view.known[seat] if seat != view.seat else 0 * view.known[seat]
    parts = [
        f"foot of {foot}" if foot else "",
        f"last discard {ink.cards([last], suited)}" if last >= 0 else "",
        f"known to hold {ink.cards(words.kinds_in_order(known), suited)}" if known.any() else "",
        *words.seat_remarks(view, seat),
    ]
    held = int(view.hand_sizes[seat])
    backs = _padded(ink(_BACK * min(held, 20) + ("…" if held > 20 else ""), "dim"), 22)
    acts = seat == view.turn and view.phase != Phase.OVER
    name = ink(f"{'>' if acts else ' '} player_{seat}", "turn" if acts else "bold")
    return f"{name} {words.count(held, 'card ', 'cards'):>8} {backs}{words.joined(parts)}".rstrip()
