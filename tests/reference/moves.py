"""The melds and additions that the cards in hand allow by shape (notation.md, Actions)."""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product

from . import cards, melds
from .cards import BLACK_THREE, RANKS, SUITS, WILDS
from .melds import Meld
from .rules import Rules
from .turn import Action, Turn


def melds_and_additions(turn: Turn) -> list[Action]:
    found: dict[str, Action] = {}
    for make in (new_sets, new_wild_melds, new_black_threes, new_runs, additions, extensions):
        for action in make(turn):
            found.setdefault(action.text, action)
    return list(found.values())


def open_set(turn: Turn, rank: str) -> Meld | None:
    """The side's meld of that rank which is not closed (row "melds of one rank for a side")."""
    closes = turn.rules.closes_at
    for meld in turn.melds:
        closed = closes and len(meld.cards) >= closes
        if meld.kind == "set" and meld.rank == rank and not closed:
            return meld
    return None


def wild_meld(turn: Turn) -> Meld | None:
    return next((meld for meld in turn.melds if meld.kind == "wild"), None)


def lay_new(rules: Rules, meld: Meld, used: tuple[str, ...]) -> Iterator[Action]:
    if melds.allowed(rules, meld):
        yield Action("meld " + " ".join(meld.cards), used, None, meld)


def new_sets(turn: Turn) -> Iterator[Action]:
    """Exactly three cards of a rank, with at most one wild (two naturals at the fewest)."""
    wilds = sorted(set(turn.hand) & set(WILDS))
    for rank in RANKS:
        naturals = [card for card in turn.hand if cards.rank_of(card) == rank]
        if open_set(turn, rank) is not None:
            continue
        threes = set(combinations(naturals, 3))
        threes |= {(*two, wild) for two in combinations(naturals, 2) for wild in wilds}
        for three in threes:
            row = cards.sort(three)
            yield from lay_new(turn.rules, Meld("set", rank, row, True), row)


def new_wild_melds(turn: Turn) -> Iterator[Action]:
    """Row "melds of wild cards only, one for a side"."""
    if turn.rules.wild_melds == "no" or wild_meld(turn) is not None:
        return
    size = 3 if turn.rules.wild_melds == "grow" else turn.rules.canasta
    for row in combinations_with_replacement(WILDS, size):
        if cards.holds(turn.hand, row):
            yield from lay_new(turn.rules, Meld("wild", "wild", row, True), row)


def new_black_threes(turn: Turn) -> Iterator[Action]:
    if open_set(turn, BLACK_THREE) is not None:
        return
    for size in (3, 4):
        row = (BLACK_THREE,) * size
        if cards.holds(turn.hand, row):
            yield from lay_new(turn.rules, Meld("set", BLACK_THREE, row, True), row)


def runs_of_three(suit: str) -> Iterator[tuple[str, ...]]:
    """Every row of three places in a suit, with at most one wild card."""
    for first in range(len(RANKS) - 2):
        places = tuple(rank + suit for rank in RANKS[first : first + 3])
        yield places
        for i, wild in product(range(3), WILDS):
            yield (*places[:i], wild, *places[i + 1 :])


def new_runs(turn: Turn) -> Iterator[Action]:
    """Row "sequences"."""
    if not turn.rules.runs:
        return
    for suit in SUITS:
        for row in runs_of_three(suit):
            if cards.holds(turn.hand, row):
                yield from lay_new(turn.rules, Meld("run", suit, row, True), row)


def add(turn: Turn, text: str, card: str, old: Meld | None) -> Iterator[Action]:
    if old is None:
        return
    new = melds.joined(old, (card,))
    if melds.allowed(turn.rules, new):
        yield Action(text, (card,), old, new)


def additions(turn: Turn) -> Iterator[Action]:
    """One card onto the side's own open meld of its rank; a wild onto a named meld."""
    for card in sorted(set(turn.hand)):
        if not cards.is_wild(card):
            yield from add(turn, f"add {card}", card, open_set(turn, cards.rank_of(card)))
            continue
        for rank in RANKS:
            yield from add(turn, f"add {card} to {rank}", card, open_set(turn, rank))
        if turn.rules.wild_melds == "grow":
            yield from add(turn, f"add {card} to wild", card, wild_meld(turn))


def run_that_takes(turn: Turn, natural: str) -> Meld | None:
    """The side's run whose next place is that card: fewest wild cards, then the longest."""
    suit, index = cards.suit_of(natural), RANKS.index(cards.rank_of(natural))
    fitting = [
        meld
        for meld in turn.melds
        if meld.kind == "run" and meld.rank == suit and melds.start(meld) + len(meld.cards) == index
    ]
    return min(fitting, key=lambda run: (run.wilds, -len(run.cards)), default=None)


def extensions(turn: Turn) -> Iterator[Action]:
    """One card onto the high end of a run."""
    if not turn.rules.runs:
        return
    for rank, suit in product(RANKS, SUITS):
        run = run_that_takes(turn, rank + suit)
        for card in (rank + suit, *WILDS):
            if run is not None and card in turn.hand:
                text = f"extend {rank}{suit}" + ("" if card == rank + suit else f" with {card}")
                yield from add(turn, text, card, run)
