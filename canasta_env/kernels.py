"""The entry points: the few compiled functions that Python calls, for rules without suits.

:mod:`canasta_env.suited_kernels` has the same for rules with sequences, where suits matter;
:func:`kernels_for` gives the module that fits.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, Final

import numba.core.config
import numpy as np
import numpy.typing as npt

from canasta_env import entries
from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.scratch import COLUMNS, ROWS, SUITED_ROWS
from canasta_env.engine.state import (
    GAME_DTYPE,
    MAX_CARDS,
    RULES_DTYPE,
    SUITED_GAME_DTYPE,
    SUITED_RULES_DTYPE,
    SUITED_VIEW_DTYPE,
    VIEW_DTYPE,
)
from canasta_env.entries import (
    DEAL,
    MATCH,
    NEXT_STEP,
    OFF,
    SAME_STEP,
    SETTINGS_DTYPE,
    SLOT_DTYPE,
    TO_ACT,
    WATCH,
)
from canasta_env.jit import kernel
from canasta_env.rules import Rules
from canasta_env.signatures import Signatures

__all__ = [
    "DEAL", "MATCH", "NEXT_STEP", "OFF", "SAME_STEP", "SETTINGS_DTYPE", "SLOT_DTYPE", "TO_ACT",
    "WATCH", "as_bytes", "deal_game", "derive_game", "determinize_game", "encode_view",
    "first_illegal", "following_dealer", "kernels_for", "kinds_for", "make_deck", "opening_dealer",
    "plain", "play_games", "reset_games", "score_sheet", "view_game", "workspace",
]  # fmt: skip

_TYPES: Final = Signatures(GAME_DTYPE, VIEW_DTYPE, RULES_DTYPE, SLOT_DTYPE, SETTINGS_DTYPE)

play_games = kernel(_TYPES.play_games, home=__name__)(entries.play_games)
reset_games = kernel(_TYPES.reset_games, home=__name__)(entries.reset_games)
deal_game = kernel(_TYPES.deal_game, home=__name__)(entries.deal_game)
make_deck = kernel(_TYPES.make_deck, home=__name__)(entries.make_deck)
view_game = kernel(_TYPES.view_game, home=__name__)(entries.view_game)
derive_game = kernel(_TYPES.derive_game, home=__name__)(entries.derive_game)
encode_view = kernel(_TYPES.encode_view, home=__name__)(entries.encode_view)
score_sheet = kernel(_TYPES.score_sheet, home=__name__)(entries.score_sheet)
following_dealer = kernel(_TYPES.following_dealer, home=__name__)(entries.following_dealer)
opening_dealer = kernel(_TYPES.opening_dealer, home=__name__)(entries.opening_dealer)
determinize_game = kernel(_TYPES.determinize_game, home=__name__)(entries.determinize_game)
first_illegal = kernel(_TYPES.first_illegal, home=__name__)(entries.first_illegal)


_LAYOUTS: Final = {
    (dtype.names, dtype.itemsize): dtype
    for dtype in (
        GAME_DTYPE,
        SLOT_DTYPE,
        SETTINGS_DTYPE,
        VIEW_DTYPE,
        RULES_DTYPE,
        SUITED_GAME_DTYPE,
        SUITED_VIEW_DTYPE,
        SUITED_RULES_DTYPE,
    )
}


def as_bytes(records_: Any) -> npt.NDArray[np.uint8]:
    """The same memory as rows of uint8, one row a record."""
    plain = records_.view(np.ndarray)
    rows: npt.NDArray[np.uint8] = plain.view(np.uint8).reshape(len(plain), plain.dtype.itemsize)
    return rows


def plain(records_: Any) -> Any:
    """Records as the kernels take them fastest: plain arrays compiled, record arrays uncompiled.

    The plain array's type is the very object that all calls use: at an equal one numba would
    compare all fields at every call, which takes longer than a step.
    """
    if numba.core.config.DISABLE_JIT:
        return records_
    array = records_.view(np.ndarray)
    return array.view(_LAYOUTS[array.dtype.names, array.dtype.itemsize])


def workspace(kinds: int = KIND_COUNT) -> tuple[Any, Any, Any, Any]:
    """Fresh workspace for one thread: a view, its bytes, a scratch, a deck."""
    suited = kinds != KIND_COUNT
    views = np.zeros(1, SUITED_VIEW_DTYPE if suited else VIEW_DTYPE).view(np.recarray)
    scratch = np.zeros((SUITED_ROWS if suited else ROWS, COLUMNS), np.int64)
    return plain(views), as_bytes(views), scratch, np.zeros(MAX_CARDS, np.uint8)


def kinds_for(rules: Rules) -> int:
    """How many kinds of cards the records for these rules have."""
    return SUITED_KIND_COUNT if rules.sequences else KIND_COUNT


def kernels_for(rules: Rules) -> ModuleType:
    """The module whose kernels play these rules; that with suits is compiled at its first use."""
    if not rules.sequences:
        return sys.modules[__name__]
    from canasta_env.compile import ensure_compiled

    ensure_compiled(suited=True)
    return importlib.import_module(f"{__package__}.suited_kernels")
