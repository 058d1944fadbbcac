"""A step of one game in one short call, with the observation as it is given out.

A call from Python that hands over a dozen arrays takes as long as the step itself. The arrays of a
table never move, so this one hands over their addresses, as one array of numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numba.core.config
import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from canasta_env import kernels
from canasta_env.engine.scratch import COLUMNS, ROWS
from canasta_env.engine.state import GAME_DTYPE, MAX_CARDS, RULES_DTYPE, VIEW_DTYPE
from canasta_env.jit import kernel
from canasta_env.kernels import SETTINGS_DTYPE, SLOT_DTYPE
from canasta_env.rules import Rules

__all__ = ["direct", "place", "stepper"]

GAME_BYTES: Final = GAME_DTYPE.itemsize
VIEW_BYTES: Final = VIEW_DTYPE.itemsize
FLOAT: Final = np.float32

_intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


@_intrinsic
def _at(_: Any, address: Any) -> Any:
    """The pointer of an address."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), build


@kernel(types.int64(types.int64[::1], types.int64))
def step_addresses(table: Any, action: int) -> int:
    """Play a legal action, or none, and write mask and observation; the latter as floats, too.

    ``table`` is what :func:`place` makes. Returns the seat to act, times two, and one more where a
    deal ended.
    """
    games = carray(_at(table[0]), (1,), GAME_DTYPE)
    slots = carray(_at(table[1]), (1,), SLOT_DTYPE)
    observations = carray(_at(table[7]), (1, table[11]), np.uint8)
    slots[0].action = action
    kernels.play_games(
        games,
        carray(_at(table[0]), (1, GAME_BYTES), np.uint8),
        slots,
        carray(_at(table[2]), (1,), RULES_DTYPE),
        carray(_at(table[3]), (1,), SETTINGS_DTYPE),
        carray(_at(table[4]), (1,), VIEW_DTYPE),
        carray(_at(table[4]), (1, VIEW_BYTES), np.uint8),
        carray(_at(table[5]), (ROWS, COLUMNS), np.int64),
        carray(_at(table[6]), (MAX_CARDS,), np.uint8),
        0,
        1,
        observations,
        carray(_at(table[8]), (1, table[12]), np.bool_),
    )
    scale = carray(_at(table[9]), (table[11],), FLOAT)
    floats = carray(_at(table[10]), (table[11],), FLOAT)
    for i in range(table[11]):
        floats[i] = observations[0, i] * scale[i]
    return int(2 * slots[0].seat) + int(slots[0].deal_over)


def _step_arrays(play_games: Callable[..., None], table: Any, action: int) -> int:
    """The same where nothing is compiled."""
    arguments, scale, floats = table
    slots = arguments[2].view(np.ndarray)
    slots["action"][0] = action
    play_games(*arguments)
    floats[:] = arguments[11][0] * scale
    return int(2 * slots["seat"][0] + slots["deal_over"][0])


def direct(code: Any) -> Callable[..., Any]:
    """A kernel's compiled code, without numba's look at the types of the arguments at every call;
    the plain function where nothing is compiled."""
    overloads = list(getattr(code, "overloads", {}).values())
    found: Callable[..., Any] = getattr(overloads[0], "entry_point", code) if overloads else code
    return found


def stepper(rules: Rules) -> Callable[[Any, int], int]:
    """What plays an action, or ``kernels.WATCH``, at that which :func:`place` has made."""
    if not rules.sequences:
        code = step_addresses
    else:
        kernels.kernels_for(rules)  # compiles what it needs
        from canasta_env.suited_aec import step_addresses as code
    return (
        functools.partial(_step_arrays, kernels.kernels_for(rules).play_games)
        if numba.core.config.DISABLE_JIT
        else direct(code)
    )


def place(arguments: Sequence[Any], scale: Any, floats: Any) -> Any:
    """A table for :func:`stepper`'s function; whoever has it keeps the arrays, which must not move.

    Args:
        arguments: those of ``kernels.play_games``, for one game.
        scale: float32 (O,), by which the observation is multiplied.
        floats: float32 (O,), where it is written then.
    """
    if numba.core.config.DISABLE_JIT:
        return arguments, scale, floats
    games, _, slots, rules, settings, views, _, scratch, deck, _, _, observations, masks = arguments
    arrays = games, slots, rules, settings, views, scratch, deck, observations, masks, scale, floats
    sizes = observations.shape[1], masks.shape[1]
    return np.array([*(array.ctypes.data for array in arrays), *sizes], np.int64)
