"""What a seat sees, as lines of text that begin with a word: for programs, and for language models.

Each line says one thing, in an order that does not change. All follows from the seat's view.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from canasta_env.engine.state import Phase
from canasta_env.render import words
from canasta_env.rules import Rules

__all__ = ["table_lines"]

_NONE: Final = "-"


def table_lines(view: Any, rules: Rules) -> list[str]:
    """The lines of a view, one record of ``state.VIEW_DTYPE`` or ``state.SUITED_VIEW_DTYPE``:

    ``deal N``, ``turn N`` (from 1), ``dealer SEAT``, ``phase WORD`` (offer, draw, meld, answer or
    over), ``stock N``, ``pile N top CARD frozen yes|no cards CARDS``, ``offered CARD``, ``apart
    CARDS``; for each side ``side S score N minimum N redthrees N`` (minimum 0: it has melded) and
    ``meld S CARDS``, the cards of a sequence from its low end; for each seat ``seat S cards N foot
    N last CARD known CARDS``; ``staged N`` (points laid toward the first meld) and at the end
    ``hand CARDS``. Cards are tokens with spaces between, ``-`` where there is none; ``offered``,
    ``apart`` and ``staged`` are left out where there is nothing to say.
    """
    return list(_lines(view, rules))


def _lines(view: Any, rules: Rules) -> Iterator[str]:
    yield f"deal {int(view.deal)}"
    yield f"turn {int(view.turns) + 1}"
    yield f"dealer {int(view.dealer)}"
    yield f"phase {Phase(int(view.phase)).name.lower()}"
    yield f"stock {int(view.stock_size)}"
    yield _pile(view)
    if view.offered >= 0:
        yield f"offered {words.token(view, view.offered)}"
    if view.pending.any():
        yield f"apart {words.cards(view.pending)}"
    for side in range(int(view.sides)):
        yield (
            f"side {side} score {int(view.scores[side])} minimum {int(view.minimum[side])} "
            f"redthrees {int(view.red_threes[side])}"
        )
        for meld in words.melds_of(view, side, rules.canasta_size):
            tokens = " ".join(words.token(view, kind) for kind in meld.kinds)
            yield f"meld {side} {tokens}"
    for seat in range(int(view.players)):
        yield _seat(view, seat)
    if view.staged:
        yield f"staged {int(view.staged)}"
    yield f"hand {words.cards(view.hand) or _NONE}"


def _pile(view: Any) -> str:
    top = words.token(view, view.pile_top) if view.pile_size else _NONE
    frozen = "yes" if view.frozen and view.pile_size else "no"
    cards = words.cards(view.pile) or _NONE
    return f"pile {int(view.pile_size)} top {top} frozen {frozen} cards {cards}"


def _seat(view: Any, seat: int) -> str:
    last = int(view.last_discard[seat])
    return (
        f"seat {seat} cards {int(view.hand_sizes[seat])} foot {int(view.foot_sizes[seat])} "
        f"last {words.token(view, last) if last >= 0 else _NONE} "
        f"known {words.cards(view.known[seat]) or _NONE}"
    )
