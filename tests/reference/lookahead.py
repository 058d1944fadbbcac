"""Which actions are legal: rules.md, Masks, by trying every row of further actions."""

from collections.abc import Iterator
from contextlib import contextmanager

from .moves import melds_and_additions
from .turn import Action, Result, Turn, discard, discard_red_three, goal, meld

LIMIT = 0  # the most states of a turn that one search may visit; 0 is no limit


@contextmanager
def limited(states: int) -> Iterator[None]:
    """Searches raise TooHardError beyond so many states."""
    global LIMIT
    old, LIMIT = LIMIT, states
    try:
        yield
    finally:
        LIMIT = old


class TooHardError(Exception):
    """A search went past `LIMIT`: the position has too many cards to try every row."""


class Memo(dict[object, bool]):
    """Which states of the turn can end."""

    def check(self) -> None:
        if LIMIT and len(self) > LIMIT:
            raise TooHardError(f"more than {LIMIT} states of one turn")


def steps(turn: Turn) -> Iterator[tuple[Action, Result]]:
    """Every action in the phase `meld` that the plain rules allow; discards first."""
    for card in sorted(set(turn.hand)):
        result = discard(turn, card)
        if result is not None:
            yield Action(f"discard {card}", (card,)), result
    result = discard_red_three(turn)
    if result is not None:
        yield Action("discard 3r"), result
    for action in melds_and_additions(turn):
        result = meld(turn, action)
        if result is not None:
            yield action, result


def serves(result: Result, wanted: str, memo: Memo) -> bool:
    """Whether an action's result ends the turn as wanted, or some row after it does."""
    if not result.end:
        return can_end(result.turn, wanted, memo)
    end = "out" if result.end == "out" else "stay"
    return goal(result.turn) in ("", end) and wanted in ("", end)


def can_end(turn: Turn, wanted: str, memo: Memo) -> bool:
    """Whether some row of actions ends the turn ("out", "stay", or "" for either way)."""
    must = goal(turn)
    if must and wanted and must != wanted:
        return False
    key = (turn.key(), wanted or must)
    if key not in memo:
        memo.check()
        memo[key] = any(serves(result, wanted or must, memo) for _, result in steps(turn))
    return memo[key]


def legal_steps(turn: Turn) -> dict[str, Result]:
    """The legal actions of the phase `meld` by text, save `ask`."""
    memo = Memo()
    wanted = goal(turn)
    return {action.text: result for action, result in steps(turn) if serves(result, wanted, memo)}


def may_ask(turn: Turn) -> bool:
    """rules.md, Asking: first action, a partner, and both ways to end are open."""
    facts = turn.facts
    if not facts.rules.asking or not facts.partnership or facts.foot_waiting:
        return False
    if turn.asked or turn.acted or turn.pending or turn.staging:
        return False
    memo = Memo()
    return can_end(turn, "out", memo) and can_end(turn, "stay", memo)
