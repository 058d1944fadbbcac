"""Walking through a small game in lock step: many games at once, level by level."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.engine.state import new_views
from canasta_env.engine.view import fill_view
from canasta_env.jit import kernel
from canasta_env.kernels import as_bytes, plain
from canasta_env.rules import Rules
from experiments.exact.deals import DEALER, PLAYERS

__all__ = ["KEY", "Bytes", "Floats", "Games", "Ints", "Walker"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

KEY: Final = 16
"""Bytes of a key; with so many no two of them are ever the same by chance."""
_ROWS: Final = 1024


@dataclass(frozen=True)
class Games:
    """Games in a row.

    Attributes:
        raw: (n, bytes) their records.
        seat: (n,) the seat to act, -1 where the deal is over.
        payoff: (n,) points of seat 0 less those of seat 1 where it is over, else 0.
        mask: (n, actions) what is legal.
        keys: (n, seats, KEY) for each seat a key of all that it has seen so far.
    """

    raw: Bytes
    seat: Ints
    payoff: Floats
    mask: npt.NDArray[np.bool_]
    keys: Bytes


@kernel()
def _view(games: Any, game_bytes: Any, rules: Any, seat: int, views: Any, view_bytes: Any) -> None:
    for row in range(len(games)):
        fill_view(games[row], game_bytes[row], rules[0], seat, True, views[row], view_bytes[row])


class Walker:
    """Plays games in any number through a batch of a fixed size."""

    def __init__(self, rules: Rules) -> None:
        self.batch = Batch(
            rules, _ROWS, players=PLAYERS, scores="zero", autoreset="off", observe=False
        )
        self.state = self.batch.state_dict()
        self.views = new_views(_ROWS)

    def deal(self, decks: Bytes) -> Games:
        """The games after the deals of at most ``_ROWS`` decks."""
        self.batch.load_state_dict(self.state)
        self.batch.start_deal(np.arange(len(decks)), decks, np.full(len(decks), DEALER))
        before = np.zeros((len(decks), PLAYERS, KEY), np.uint8)
        return self._read(before, np.zeros(len(decks), np.int64))

    def step(self, games: Games, at: Ints, actions: Ints) -> Games:
        """The games ``at`` these places, each after one action."""
        parts = []
        for start in range(0, len(at), _ROWS):
            some, chosen = at[start : start + _ROWS], actions[start : start + _ROWS]
            every = np.minimum(np.arange(_ROWS), len(some) - 1)  # the rest do as the last one does
            raw = games.raw[some[every]].reshape(-1)
            self.batch.load_state_dict(self.state | {"games": raw})
            self.batch.step(chosen[every])
            parts.append(self._read(games.keys[some], chosen))
        names = [field.name for field in fields(Games)]
        return Games(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))

    def _read(self, before: Bytes, actions: Ints) -> Games:
        batch, count = self.batch, len(actions)
        over = batch.over[:count]
        scores = batch.deal_scores[:count].astype(np.float64)
        return Games(
            raw=as_bytes(batch.games)[:count].copy(),
            seat=np.where(over, -1, batch.seat[:count]),
            payoff=np.where(over, scores[:, 0] - scores[:, 1], 0.0),
            mask=batch.mask[:count] & ~over[:, None],
            keys=self._keys(before, actions),
        )

    def _keys(self, before: Bytes, actions: Ints) -> Bytes:
        """What each seat has seen until now: all before, the action, and its view."""
        games, views, keys = self.batch.games, self.views, np.empty_like(before)
        seen, packed = as_bytes(views), plain(self.batch.packed)
        for seat in range(PLAYERS):
            _view(plain(games), as_bytes(games), packed, seat, plain(views), seen)
            for row, action in enumerate(actions.tolist()):
                told = before[row, seat].tobytes() + action.to_bytes(2, "little")
                key = blake2b(told + seen[row].tobytes(), digest_size=KEY).digest()
                keys[row, seat] = np.frombuffer(key, np.uint8)
        return keys
