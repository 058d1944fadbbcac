"""What the person sees: the table from the own seat, what the others did, scores; with colours or
without.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import Final

from agents.play.seating import Seating
from canasta_env.events import Event
from canasta_env.game import Game
from canasta_env.record_write import ended, sheet_rows
from canasta_env.render.ansi import draw

__all__ = ["colours_wanted", "own", "painted", "scores", "sheet", "table", "told", "winner"]

_STYLES: Final = (
    (r"^(your hand:)(.*)$", "\\1\x1b[1m\\2\x1b[0m"),
    (r"\bfrozen\b", "\x1b[36mfrozen\x1b[0m"),
    (r"\((natural|mixed|wild) canasta\)", "(\x1b[32m\\1 canasta\x1b[0m)"),
    (r"(?<=  )(\d+\))", "\x1b[2m\\1\x1b[0m"),
    (r"^(> )(\S+ \d|you)", "\\1\x1b[1m\\2\x1b[0m"),
    (r"(not possible:|which\?)", "\x1b[33m\\1\x1b[0m"),
)
_LABEL: Final = 22


def colours_wanted() -> bool:
    """Does the output go to a terminal that shows colours, and has nobody said no to them?"""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def painted(text: str) -> str:
    """A text with the codes of its colours."""
    for pattern, style in _STYLES:
        text = re.sub(pattern, style, text, flags=re.MULTILINE)
    return text


def _picture(game: Game, seating: Seating) -> str:
    """The view of the person's seat, and nothing else, as a picture."""
    return draw(game.view(seating.person)[0], str(game.rules))


def table(game: Game, seating: Seating) -> str:
    """The whole table as the person sees it."""
    return seating.named(_picture(game, seating))


def own(game: Game, seating: Seating) -> str:
    """The part of it that one's own actions change: the side's melds, the turn, the hand."""
    _, sides, _, *turn, hand = _picture(game, seating).split("\n\n")
    blocks = re.split(r"\n(?! )", sides)
    mine = blocks[seating.person % seating.sides]
    return seating.named("\n".join([mine, *turn, hand]))


def told(events: Iterable[Event], seating: Seating, width: int = 80) -> str:
    """Events in words, what one player did in a row in one paragraph."""
    paragraphs: list[str] = []
    last = ""
    for event in events:
        text = seating.named(event.text)
        who, colon, what = text.partition(": ")
        if colon and event.seat >= 0 and who == last:
            paragraphs[-1] += f", {what}"
        else:
            paragraphs.append(text)
        last = who
    return "\n".join(textwrap.fill(p, width, subsequent_indent="    ") for p in paragraphs)


def _row(label: str, cells: Iterable[object]) -> str:
    return f"{label:{_LABEL}}" + "".join(f"{cell!s:>18}" for cell in cells)


def _sides(game: Game, seating: Seating) -> list[str]:
    return [seating.side(side) for side in range(game.sides)]


def sheet(game: Game, seating: Seating) -> str:
    """The score sheet of a deal that is over."""
    rows = [_row("", _sides(game, seating))]
    rows += [
        _row(label, (f"{value:,}" for value in values))
        for label, values in sheet_rows(game).items()
        if any(values) or label in ("deal score", "total")
    ]
    return "\n".join([seating.named(f"ended: {ended(game)}"), *rows])


def scores(game: Game, seating: Seating) -> str:
    """The scores of the match so far, deal by deal, and what a first meld needs now."""
    rules = game.rules.at(game.players)
    length = f"{rules.deals} deals" if rules.deals else f"{rules.target:,} points"
    rows = [f"deal {game.deal} of a match to {length}", _row("", _sides(game, seating))]
    for state, action in game.replay():
        if action is None and state.over:
            rows.append(_row(f"deal {state.deal}", (f"{n:+,}" for n in state.deal_scores)))
    rows.append(_row("total", (f"{score:,}" for score in game.scores)))
    if not game.over:
        view = game.view(seating.person)[0]
        needed = (view.minimum[side] or "made" for side in range(game.sides))
        rows.append(_row("first meld", needed))
    return "\n".join(rows)


def winner(game: Game, seating: Seating, *, whole: bool) -> str:
    """Who has won the match, or the deal where that was all that was played."""
    points = game.scores if whole else game.deal_scores
    what, most = "match" if whole else "deal", max(points)
    best = [side for side in range(game.sides) if points[side] == most]
    shown = " : ".join(f"{score:,}" for score in points)
    if len(best) > 1:
        return f"the {what} is a draw, {shown}"
    who = seating.side(best[0])
    return f"{who} {'win' if who == 'you' else 'wins'} the {what}, {shown}"
