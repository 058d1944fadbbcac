"""Records with fifteen kinds of cards, or with forty-eight where suits matter.

Most kernels serve both: they read how many kinds there are from the record, and the compiler knows
it. Where the two differ in what they do, :func:`by_layout` joins two functions into one, and each
record gets code for its own layout only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.core import config
from numba.extending import overload

from canasta_env.cards import KIND_COUNT
from canasta_env.engine.state import FIRST_NATURAL, RANKS, SUITS
from canasta_env.jit import OPTIONS, helper

__all__ = ["by_layout", "following", "kinds_of", "rank_of", "side_of"]


@helper
def kinds_of(record: Any) -> int:
    """How many kinds of cards a game or view has: 15 or 48; a constant for the compiler."""
    return len(record.shown)


@helper
def rank_of(kinds: int, kind: int) -> int:
    """The rank of a kind: itself where suits do not matter."""
    if kinds == RANKS or kind < FIRST_NATURAL:
        return kind
    return FIRST_NATURAL + (kind - FIRST_NATURAL) // SUITS


@helper
def side_of(record: Any, seat: int) -> int:
    """The side of a seat, by subtraction: with six seats and two sides two are enough, and a
    division takes longer than all else that is done for a seat."""
    sides = int(record.sides)
    if seat >= sides:
        seat -= sides
    return seat - sides if seat >= sides else seat


@helper
def following(place: int, steps: int, count: int) -> int:
    """The seat (or side) ``steps`` after one, below a whole round."""
    place += steps
    return place - count if place >= count else place


def by_layout(plain: Any, suited: Any) -> Any:
    """One function for both layouts: ``plain`` for records with 15 kinds, ``suited`` for 48.

    The first argument is a game or a view. Only the one that is needed is compiled, as a part of
    its caller: a function between the two would cost a compilation of all that they call.
    """

    def either(record: Any, *rest: Any) -> Any:
        return (plain if len(record.shown) == KIND_COUNT else suited)(record, *rest)

    if not config.DISABLE_JIT:
        overload(either, jit_options=OPTIONS, strict=False)(_choice(plain.py_func, suited.py_func))
    return either


def _choice(plain: Callable[..., Any], suited: Callable[..., Any]) -> Callable[..., Any]:
    """What numba asks for the function that fits the types of a call; it has their parameters."""

    def choose(record: Any) -> Callable[..., Any]:
        kinds = record.fields["shown"].type.shape[0]
        return plain if kinds == KIND_COUNT else suited

    names = list(inspect.signature(plain).parameters)
    if names != list(inspect.signature(suited).parameters):
        raise TypeError(f"{plain.__name__} and {suited.__name__} have not the same parameters")
    code = f"lambda {', '.join(names)}: choose({names[0]})"
    choice: Callable[..., Any] = eval(code, {"choose": choose})
    return choice
