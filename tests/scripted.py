"""Two small stand-ins for the batch, for the trainer's tests: a script, and a guessing game that
can be learned.
"""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import numpy as np

ACTIONS = 5
FEATURES = 6


class ScriptedBatch:
    """Plays a table of (seat, rewards, ended) whatever the actions; arrays (steps, games[,
    players]).
    """

    def __init__(self, seats: Any, rewards: Any, ended: Any, masks: Any = None) -> None:
        self.script = np.asarray(seats), np.asarray(rewards, np.float32), np.asarray(ended, bool)
        steps, self.n, self.players = self.script[1].shape
        self.sides = 2 if self.players % 2 == 0 else self.players
        self.rules, self.actions, self.observation_size = "classic", ACTIONS, FEATURES
        self.table = SimpleNamespace(hash=hashlib.sha256(b"scripted").hexdigest())
        self.scale = np.full(FEATURES, 0.1, np.float32)
        self.masks = np.ones((steps, self.n, ACTIONS), bool) if masks is None else masks
        self.terminated = np.zeros(self.n, bool)
        self.truncated = np.zeros(self.n, bool)
        self.reward = np.zeros((self.n, self.players), np.float32)
        self.now = 0
        self._show()

    def _show(self) -> None:
        at = self.now % len(self.script[0])
        self.seat = self.script[0][at].astype(np.int64)
        self.mask = self.masks[at]
        self.observation = np.zeros((self.n, FEATURES), np.uint8)
        self.observation[:, 0] = self.now
        self.observation[:, 1] = np.arange(self.n)
        self.observation[:, 2] = self.seat

    def step(self, actions: Any) -> None:
        """The next line of the script; an illegal action is an error."""
        assert self.mask[np.arange(self.n), actions].all()
        at = self.now % len(self.script[0])
        self.reward, self.terminated = self.script[1][at], self.script[2][at]
        self.now += 1
        self._show()


class GuessingBatch:
    """A feature names the good action; a deal has a few moves; who guesses right is paid by the
    others at its end.
    """

    def __init__(self, n: int = 32, players: int = 4, seed: int = 0, moves: int = 8) -> None:
        self.n, self.players, self.sides, self.moves = n, players, 2, moves
        self.rules, self.actions, self.observation_size = "classic", ACTIONS, FEATURES
        self.table = SimpleNamespace(hash=hashlib.sha256(b"guessing").hexdigest())
        self.scale = np.ones(FEATURES, np.float32)
        self.rng = np.random.default_rng(seed)
        self.seat = self.rng.integers(players, size=n)
        self.done = self.rng.integers(moves, size=n)
        self.paid = np.zeros((n, 2), np.float32)
        self.good = self.rng.integers(ACTIONS, size=n)
        self.truncated = np.zeros(n, bool)
        self._show()

    def _show(self) -> None:
        self.observation = np.zeros((self.n, FEATURES), np.uint8)
        self.observation[np.arange(self.n), self.good] = 1
        self.mask = np.ones((self.n, ACTIONS), bool)
        self.mask[:, (ACTIONS - 1)] = self.good == ACTIONS - 1

    def step(self, actions: Any) -> None:
        """Plays and starts again where a deal ended."""
        games = np.arange(self.n)
        assert self.mask[games, actions].all()
        right = (actions == self.good).astype(np.float32)
        side = self.seat % 2
        self.paid[games, side] += right
        self.paid[games, 1 - side] -= right
        self.done += 1
        self.terminated = self.done >= self.moves
        self.reward = np.where(
            self.terminated[:, None], self.paid[:, np.arange(self.players) % 2], 0
        )
        self.reward = self.reward.astype(np.float32)
        self.done[self.terminated] = 0
        self.paid[self.terminated] = 0
        self.seat = (self.seat + 1) % self.players
        self.good = self.rng.integers(ACTIONS, size=self.n)
        self._show()

    def state_dict(self) -> dict[str, Any]:
        """Everything, the generator's state as words."""
        state = self.rng.bit_generator.state["state"]
        words = [
            state[name] >> shift & (2**64 - 1) for name in ("state", "inc") for shift in (0, 64)
        ]
        names = ("seat", "done", "paid", "good")
        return {"rng": np.array(words, np.uint64), **{n: getattr(self, n).copy() for n in names}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what ``state_dict`` gave."""
        words = [int(word) for word in state["rng"]]
        whole = self.rng.bit_generator.state
        whole["state"] = {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64}
        self.rng.bit_generator.state = whole
        for name in ("seat", "done", "paid", "good"):
            setattr(self, name, np.array(state[name]))
        self._show()
