"""Taking the pile: which takes the rules allow and what they do (rules.md, Taking the pile)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from . import cards, melds
from .cards import BLACK_THREE, WILDS
from .lookahead import Memo, serves
from .melds import Meld
from .moves import melds_and_additions, open_set, run_that_takes, runs_of_three
from .turn import Action, Result, Turn, bring_in, judge, lay

Pile = tuple[str, ...]


def takes(turn: Turn, pile: Pile, frozen: bool) -> list[Action]:
    """Every take that the cards allow, whatever comes after it."""
    if not pile or (len(turn.hand) == 1 and len(pile) == 1):
        return []
    top = pile[-1]
    closed = frozen or (turn.rules.frozen_unmelded and not turn.melded)
    if top == BLACK_THREE and turn.rules.take_black_three:
        return list(with_cards(turn, top, [(top, top)]))
    if not cards.is_natural(top):
        return []
    found = list(with_cards(turn, top, pairs(turn, top, closed)))
    if turn.rules.take_onto_meld and not closed:
        found += onto_meld(turn, top)
    if turn.rules.take_into_run:
        found += into_run(turn, top, closed)
    return found


def pairs(turn: Turn, top: str, closed: bool) -> list[tuple[str, ...]]:
    """Two naturals of the top card's rank; or, not frozen, one and a wild card."""
    same = [card for card in turn.hand if cards.rank_of(card) == cards.rank_of(top)]
    found = {cards.sort(pair) for pair in combinations(same, 2)}
    if turn.rules.take_with_wild and not closed:
        found |= {(card, wild) for card in same for wild in WILDS if wild in turn.hand}
    return sorted(found)


def with_cards(turn: Turn, top: str, used: list[tuple[str, ...]]) -> Iterator[Action]:
    """The three cards make a new meld or join the own meld of the rank."""
    rank = cards.rank_of(top)
    old = open_set(turn, rank)
    for two in used:
        three = cards.sort((top, *two))
        new = melds.joined(old, three) if old else Meld("set", rank, three, True)
        if cards.holds(turn.hand, two) and melds.allowed(turn.rules, new):
            yield Action("take " + " ".join(two), two, old, new)


def onto_meld(turn: Turn, top: str) -> Iterator[Action]:
    """The top card alone, onto a meld of its rank or at the end of a sequence."""
    homes = [("take", open_set(turn, cards.rank_of(top)))]
    if turn.rules.runs:
        homes.append(("take extend", run_that_takes(turn, top)))
    for text, old in homes:
        if old is not None:
            new = melds.joined(old, (top,))
            if melds.allowed(turn.rules, new):
                yield Action(text, (), old, new)


def into_run(turn: Turn, top: str, closed: bool) -> Iterator[Action]:
    """Row "take into a new sequence"; both cards natural if the pile is frozen to the side."""
    for row in runs_of_three(cards.suit_of(top)):
        if top not in row:
            continue
        used = cards.remove(row, [top])
        if closed and any(map(cards.is_wild, used)):
            continue
        new = Meld("run", cards.suit_of(top), row, True)
        if cards.holds(turn.hand, used) and melds.allowed(turn.rules, new):
            yield Action("take into " + " ".join(row), used, None, new)


def split(turn: Turn, pile: Pile) -> tuple[Pile, Pile]:
    """Row "cards taken": what stays lying, and what comes with the top card."""
    size = turn.rules.taken or len(pile)
    return pile[:-size], pile[-size:-1]


def take(turn: Turn, action: Action, pile: Pile, frozen: bool) -> Turn:
    """The turn after the take, before it is judged whether the hand has run out."""
    rest = split(turn, pile)[1]
    black = pile[-1] == BLACK_THREE
    whole = needs_whole_pile(turn, pile, frozen)
    turn = replace(
        turn,
        drew="pile",
        before=turn.hand,
        top=pile[-1],
        pending=() if whole else rest,
        must_go_out=black or whole,
        whole_pile=whole,
    )
    turn = lay(turn, action, own=False)
    return bring_in(turn, rest) if whole else turn


def needs_whole_pile(turn: Turn, pile: Pile, frozen: bool) -> bool:
    """hungarian: the minimum cannot be reached with the hand and the top card."""
    if turn.rules.waives != "always" or turn.melded:
        return False
    return not reachable(turn, pile[-1], frozen)


def came_whole(turn: Turn) -> bool:
    """Whether in this turn, read from a position, the whole pile came for one going out."""
    if turn.rules.waives != "always" or turn.drew != "pile" or turn.melded or turn.pending:
        return False
    if turn.top != BLACK_THREE:
        return turn.must_go_out
    # A black three on top must go out anyway; its takes are the same with a frozen pile.
    before = replace(turn, hand=turn.before, melds=())
    return not reachable(before, turn.top, True)


def reachable(turn: Turn, top: str, frozen: bool) -> bool:
    """Taken literally: some row that a take begins reaches it, whether it could end or not.

    The row is laid with the hand and the top card only, so a pile of one more card lies under it.
    """
    start = replace(turn, pending=(), melded=False)
    seen: set[object] = set()
    two = (cards.RED_THREE, top)
    return any(reach(lay(start, action), seen) for action in takes(start, two, frozen))


def reach(turn: Turn, seen: set[object]) -> bool:
    if turn.melded:
        return True
    if turn.key() in seen:
        return False
    seen.add(turn.key())
    return any(reach(lay(turn, action), seen) for action in melds_and_additions(turn))


def legal_takes(turn: Turn, pile: Pile, frozen: bool) -> dict[str, Action]:
    memo = Memo()
    found = {}
    for action in takes(turn, pile, frozen):
        result = judge(take(turn, action, pile, frozen))
        if result is not None and ends(result, memo):
            found[action.text] = action
    return found


def ends(result: Result, memo: Memo) -> bool:
    wanted = "out" if result.turn.must_go_out else ""
    return serves(result, wanted, memo)


def must_take(turn: Turn, pile: Pile, frozen: bool) -> bool:
    """End of the stock: only where the top card alone may be added to a meld of the side."""
    if turn.rules.empty_stock != "forced":
        return False
    return any(action.text in ("take", "take extend") for action in takes(turn, pile, frozen))
