"""Pgx on the processor: compiled games in lock step."""

from __future__ import annotations

import contextlib
import importlib
import io
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from experiments.peers.player import Entry, Player

__all__ = ["ENTRIES", "PgxPlayer"]

_SIZES: Final = (1, 64, 1024, 4096)
_DEALS: Final = 10_000


def _jax() -> Any:
    """The module ``jax``, kept to the processor."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    return jax


class PgxPlayer(Player):
    """Games of Pgx: one compiled call draws an action for each, steps and starts again what is
    over.

    The call is not left before its observations and masks are there, as an agent would need them.
    """

    def __init__(self, make: Callable[[], Any], games: int) -> None:
        super().__init__()
        jax = _jax()
        helpers = importlib.import_module("pgx.experimental")
        env = make()
        step_all = jax.vmap(helpers.auto_reset(env.step, env.init))

        def step(state: Any, key: Any) -> tuple[Any, Any]:
            key, choice, chance = jax.random.split(key, 3)
            actions = helpers.act_randomly(choice, state.legal_action_mask)
            return step_all(state, actions, jax.random.split(chance, games)), key

        self.games = games
        self.step = jax.jit(step)
        self.key = jax.random.PRNGKey(1)
        start = jax.jit(jax.vmap(env.init))
        self.state = start(jax.random.split(jax.random.PRNGKey(0), games))
        self._ready = jax.block_until_ready

    def _some(self) -> int:
        self.state, self.key = self._ready(self.step(self.state, self.key))
        return self.games


def _bridge() -> Any:
    """Bridge bidding from a table of random deals of our own, with random results.

    Pgx's tables are a download of gigabytes. The results only decide what the last call is paid,
    which costs the same whatever it is.
    """
    module = importlib.import_module("pgx.bridge_bidding")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deals.npy"
        np.save(file, _deals())
        with contextlib.redirect_stderr(io.StringIO()):  # it says what it loads
            return module.BridgeBidding(str(file))


def _deals() -> np.ndarray[Any, np.dtype[np.int32]]:
    """int32 (2, deals, 4): the seats of each suit's cards as digits to base four, and results."""
    rng = np.random.default_rng(1)
    seats = rng.permuted(np.tile(np.repeat(np.arange(4), 13), (_DEALS, 1)), axis=1)
    keys = seats.reshape(_DEALS, 4, 13) @ 4 ** np.arange(12, -1, -1)
    return np.stack([keys, rng.integers(0, 1 << 20, (_DEALS, 4))]).astype(np.int32)


def _leduc() -> Any:
    return importlib.import_module("pgx").make("leduc_holdem")


def _entry(name: str, make: Callable[[], Any], games: int) -> Entry:
    ours = "raw_env()" if games == 1 else "Batch, 1,024 games"
    text = f"Pgx {name}, {games:,} game{'s' if games > 1 else ''}"
    return Entry(text, "observation, mask", partial(PgxPlayer, make, games), (ours,))


ENTRIES: Final = (
    *(_entry("bridge bidding", _bridge, games) for games in _SIZES),
    _entry("Leduc hold'em", _leduc, 1024),
)
