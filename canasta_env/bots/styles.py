"""The styles of the rule bots: rows of weights for one procedure, and names that stand for them.

No kernel imports this module: a style is data, and a change of it compiles nothing.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from typing import Any, Final

import numba.core.config
import numpy as np

from canasta_env.bots import Bot
from canasta_env.bots.weights import BASIC, WEIGHTS_DTYPE

__all__ = ["NAMES", "STYLES", "changes_of", "digest", "is_name", "parse", "rows", "table"]

STYLES: Final[dict[str, dict[str, int]]] = {
    "basic": {},
    "closer": {  # melds at once, lays all it can, goes out
        "open_rounds": 0,
        "cost_card": 2,
        "cost_deuce": 20,
        "cost_joker": 25,
        "hold_hand": 6,
        "keep_add": 1,
        "keep_new": 1,
        "pair_hand": 4,
        "rush_hand": 30,
    },
    "hoarder": {  # melds late, keeps its hand, waits with going out
        "open_rounds": 8,
        "hold_hand": 100,
        "keep_add": 8,
        "keep_new": 8,
        "out_cards": 22,
    },
    "freezer": {  # throws wild cards onto a pile that is open to the next opponent
        "freeze_base": 80,
        "freeze_card": 10,
        "freeze_unmelded": 50,
    },
    "pile_hunter": {  # keeps pairs and takes the smallest piles
        "take_onto": 1,
        "take_pair": 1,
        "take_deuce": 2,
        "take_joker": 4,
        "keep_pair": 60,
    },
    "cautious": {  # fears that every discard is taken, and that the deal ends any moment
        "chance_any": 1000,
        "chance_any_small": 500,
        "chance_onto_small": 1000,
        "chance_pair": 800,
        "pile_card": 40,
        "danger_hand": 6,
        "danger_partner": 5,
        "danger_stock": 36,
        "rush_hand": 8,
        "answer_no_above": 60,
    },
    "expert": {  # found by experiments.evolve
        "take_onto": 6,
        "take_pair": 5,
        "take_joker": 13,
        "take_first": -4,
        "take_hurry": 2,
        "open_rounds": 21,
        "open_sooner": -10,
        "open_few": 4,
        "cost_card": 16,
        "cost_deuce": -7,
        "cost_joker": 36,
        "hold_frozen": 5,
        "hold_hand": 21,
        "hold_near": -5,
        "keep_add": 6,
        "keep_new": 0,
        "wild_from": 6,
        "wild_from_made": 6,
        "wild_from_rich": 6,
        "pair_hand": 12,
        "danger_hand": -4,
        "danger_stock": 2,
        "rush_hand": 7,
        "out_cards": -4,
        "answer_no_above": 75,
        "pile_base": 31,
        "pile_card": 67,
        "pile_big": 67,
        "keep_joker": 202,
        "keep_deuce": 51,
        "keep_wild_frozen": 82,
        "keep_wild_unmelded": 89,
        "freeze_base": 16,
        "freeze_card": 4,
        "freeze_unmelded": -11,
        "keep_stopper": -23,
        "keep_stopper_pile": -2,
        "keep_stopper_open": -25,
        "value_unmelded": 30,
        "value_melded": 6,
        "value_hurry": -13,
        "keep_melded": 103,
        "useless": 121,
        "single_out": -10,
        "single_thrown": 3,
        "keep_pair": 56,
        "pair_out": -7,
        "pair_thrown": -3,
        "pair_frozen": -34,
        "pair_unmelded": -50,
        "keep_more": -107,
        "more_frozen": -20,
        "more_unmelded": 59,
        "safe_small": 51,
        "made_single": 10,
        "made_pair": 3,
        "made_stopper": 45,
        "chance_onto_small": 408,
        "chance_any": 652,
        "chance_any_small": -244,
        "chance_pair": 523,
        "chance_known": 394,
        "chance_unmelded": 271,
        "chance_declined": 477,
        "chance_thrown": 589,
        "chance_round": -6,
        "pair_known": 501,
        "pair_declined": 353,
        "pair_declined_last": 443,
        "pair_thrown_last": -74,
        "pair_thrown_before": -27,
        "pair_thrown_early": 1340,
        "pair_thrown_round": 113,
    },
}
"""For each style the weights in which it differs from ``basic``; in the order of the bots' numbers.
"""

NAMES: Final = tuple(bot.name.lower() for bot in Bot)
"""The names of all rule bots, by number."""

_CALL: Final = re.compile(r"(\w+)\((.*)\)")
_LIMIT: Final = 10**5
"""Weights are smaller: larger ones could overflow in a sum of products."""


def rows(*changes: dict[str, int]) -> Any:
    """A table of weights as the kernels take it, one row for each: ``basic`` with some changes.

    Raises:
        ValueError: a change names no weight, or its value is not possible.
    """
    for one in changes:
        _check(one)
    values = [tuple({**BASIC, **one}.values()) for one in changes]
    array = np.array(values, WEIGHTS_DTYPE)
    return array.view(np.recarray) if numba.core.config.DISABLE_JIT else array


def table() -> Any:
    """The weights of all styles: row ``i`` is that of the bot with number ``Bot.BASIC + i``."""
    return rows(*STYLES.values())


def is_name(text: str) -> bool:
    """Whether a text names a rule bot, with other weights or without."""
    call = _CALL.fullmatch(text)
    return text in NAMES or (call is not None and call[1] in NAMES)


def parse(text: str) -> tuple[Bot, Any]:
    """The bot that a name stands for, and a table with the one row of its weights.

    ``basic(keep_joker=100)`` is the style ``basic`` with another weight.

    Raises:
        ValueError: there is no such bot or weight, or a value is not possible.
    """
    name, changes = _read(text)
    try:
        return Bot[name.upper()], rows(changes)
    except ValueError as error:
        raise ValueError(f"{text}: {error}") from None


def changes_of(text: str) -> dict[str, int]:
    """The weights in which a style, given as for :func:`parse`, differs from ``basic``.

    Raises:
        ValueError: as :func:`parse`, and for a bot that is no style.
    """
    name, changes = _read(text)
    if name not in STYLES:
        raise ValueError(f"{name} has no weights; {', '.join(STYLES)} have")
    parse(text)
    return changes


def _read(text: str) -> tuple[str, dict[str, int]]:
    """The bot's name in a text, and in which weights it differs from ``basic``."""
    call = _CALL.fullmatch(text)
    name, given = (call[1], call[2]) if call else (text, "")
    if name not in NAMES:
        raise ValueError(f"no bot is called {text!r}; the names are {', '.join(NAMES)}")
    if call and name not in STYLES:
        raise ValueError(f"{text}: {name} has no weights; {', '.join(STYLES)} have")
    changes = dict(_change(text, part) for part in given.split(",") if part.strip())
    return name, {**STYLES.get(name, {}), **changes}


def _change(text: str, part: str) -> tuple[str, int]:
    name, _, value = part.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise ValueError(
            f"{text}: {part.strip()!r} is no change of a weight; write it as keep_joker=100"
        ) from None


def _check(changes: dict[str, int]) -> None:
    for name, value in changes.items():
        if name not in BASIC:
            close = difflib.get_close_matches(name, BASIC, n=3, cutoff=0.5) or list(BASIC)
            raise ValueError(f"there is no weight {name}; perhaps {', '.join(close)}")
        if not -_LIMIT < value < _LIMIT:
            raise ValueError(f"{name}={value} is not possible; from {1 - _LIMIT} to {_LIMIT - 1}")


def digest(changes: dict[str, int]) -> str:
    """The first 16 hex digits of the SHA-256 of a style's weights, by name and value.

    Weights of zero don't count, so that a new part of the procedure changes no hash.
    """
    values = {**BASIC, **changes}
    text = "\n".join(f"{name} {value}" for name, value in sorted(values.items()) if value)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
