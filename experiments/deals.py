"""The deals of an evaluation: each is a function of a seed, the unit's number and the deal's.

A unit is a match of its own: its seed comes from :data:`EVALUATION`, a stream of the engine's
generator that no training seed goes through, so an agent cannot have trained on these decks. What
follows from that seed (decks, first dealer, starting scores, next dealers, the end of a match) is
decided by the engine. A unit never depends on how many units are played: the first 1,000 pairs of a
match of 4,000 are the match of 1,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numba.core.config
import numpy as np
import numpy.typing as npt

from canasta_env.engine import rng
from canasta_env.engine.deal import first_dealer, shuffled_deck
from canasta_env.engine.scoring import match_over, next_dealer
from canasta_env.engine.state import new_games
from canasta_env.entries import spread_scores
from canasta_env.jit import kernel

__all__ = [
    "EVALUATION",
    "Starts",
    "agent_seed",
    "decks",
    "follow",
    "plain_records",
    "starts",
    "unit_seeds",
]

Ints = npt.NDArray[np.int64]

EVALUATION: Final = 101
"""The stream of the generator that keeps evaluation apart from training."""
_AGENTS: Final = 0xFFFFFFFF
"""The unit whose seed the agents' own random numbers come from; no unit that is played has it."""


@dataclass(frozen=True)
class Starts:
    """How units begin: ``dealers`` and ``numbers`` of deals (units,), ``scores`` (units, sides)."""

    dealers: Ints
    scores: npt.NDArray[np.int32]
    numbers: Ints


def plain_records(records: Any) -> Any:
    """Records as kernels take them: plain arrays compiled, record arrays uncompiled."""
    return records if numba.core.config.DISABLE_JIT else records.view(np.ndarray)


@kernel()
def _shuffle(rules: Any, seed: int, units: Any, numbers: Any, decks: Any) -> None:
    for row in range(len(units)):
        unit = rng.derive(seed, EVALUATION, units[row])
        shuffled_deck(rules[0], unit, numbers[row], decks[row])


@kernel()
def _start(games: Any, rules: Any, seed: int, units: Any, spread: bool) -> None:
    for row in range(len(units)):
        unit = rng.derive(seed, EVALUATION, units[row])
        games[row].deal = 1
        games[row].dealer = first_dealer(rules[0], unit)
        if spread:
            spread_scores(games[row], rules[0], unit)


@kernel()
def _follow(games: Any, rules: Any, rows: Any, over: Any, dealers: Any) -> None:
    for place in range(len(rows)):
        over[place] = match_over(games[rows[place]], rules[0])
        dealers[place] = next_dealer(games[rows[place]], rules[0])


@kernel()
def _unit_seeds(seed: int, units: Any, seeds: Any) -> None:
    for row in range(len(units)):
        seeds[row] = rng.derive(seed, EVALUATION, units[row])


@kernel()
def _agent_seed(seed: int, index: int) -> int:
    return rng.below(rng.derive(seed, EVALUATION, _AGENTS), rng.BOT, index, 1 << 31)


def decks(packed: Any, seed: int, units: Ints, numbers: Ints) -> npt.NDArray[np.uint8]:
    """The deck of deal ``numbers[i]`` of each unit, first card first, shape (units, cards).

    ``packed`` are the rules of a batch, ``batch.packed``.
    """
    shuffled = np.zeros((len(units), int(packed[0].cards)), np.uint8)
    _shuffle(plain_records(packed), seed, units, numbers, shuffled)
    return shuffled


def unit_seeds(seed: int, units: Ints) -> Ints:
    """The seeds of units, as of matches of their own, 63 bits each; shape (units,)."""
    seeds = np.zeros(len(units), np.int64)
    _unit_seeds(seed, units, seeds)
    return seeds


def starts(packed: Any, seed: int, units: Ints, scores: str) -> Starts:
    """The beginnings of units: from ``zero``, or from scores ``spread`` as the batch spreads them.

    Where the first meld goes by the number of the deal, that number is spread instead.
    """
    games = new_games(len(units))
    _start(plain_records(games), plain_records(packed), seed, units, scores == "spread")
    sides = int(packed[0].sides)
    return Starts(
        dealers=games.dealer.astype(np.int64),
        scores=games.scores[:, :sides].astype(np.int32),
        numbers=games.deal.astype(np.int64),
    )


def follow(batch: Any, rows: Ints) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Of games whose deal has ended: is the match over, and who deals next?"""
    over, dealers = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.int64)
    _follow(plain_records(batch.games), plain_records(batch.packed), rows, over, dealers)
    return over, dealers


def agent_seed(seed: int, team: int, member: int) -> int:
    """The seed of an agent's own random choices, below 2**31: one for each team and member."""
    return int(_agent_seed(seed, 64 * team + member))
