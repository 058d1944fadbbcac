"""Agents that go wrong amid a tournament, and some that do not: ``tests.odd_agents:Raises``, ….

All play the first legal action until the turn ``_UNTIL``, and then do what their name says wherever
the number of cards in hand is odd.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

_UNTIL = 6


class First:
    """Plays the first legal action."""

    name = "first"

    def __init__(self, rules: str, players: int, seed: int) -> None:
        pass

    def act(self, batch: Any, rows: Any) -> Any:
        """Legal actions, unless the time has come."""
        actions = batch.mask[rows].argmax(1)
        seats = batch.seat[rows]
        odd = batch.games.hand_sizes[rows, seats] % 2 == 1
        late = (batch.games.turns[rows] >= _UNTIL) & odd
        return self.go_wrong(actions, late) if late.any() else actions

    def go_wrong(self, actions: Any, late: Any) -> Any:
        """What happens where it is late."""
        return actions


class Raises(First):
    def go_wrong(self, actions: Any, late: Any) -> Any:
        raise RuntimeError("no\nidea")


class Cheats(First):
    """Plays the action before the first legal one, which may be no action at all."""

    def go_wrong(self, actions: Any, late: Any) -> Any:
        return np.where(late, actions - 1, actions)


class Floats(First):
    def go_wrong(self, actions: Any, late: Any) -> Any:
        return actions.astype(float)


class Sleeps(First):
    """Never comes back, and catches whatever it can."""

    def go_wrong(self, actions: Any, late: Any) -> Any:
        while True:
            try:
                time.sleep(60)
            except Exception:
                continue


class Dies(First):
    """Ends its process as the system ends one that uses too much memory."""

    def go_wrong(self, actions: Any, late: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Unmade(First):
    def __init__(self, rules: str, players: int, seed: int) -> None:
        if seed:  # the command looks at it once, with the seed 0
            raise OSError("no such weights")


class Lots(First):
    """A good agent: draws lots among legal actions, by a generator of its own."""

    def __init__(self, rules: str, players: int, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def act(self, batch: Any, rows: Any) -> Any:
        """Legal actions."""
        lots = self.generator.random((len(rows), batch.actions))
        return np.where(batch.mask[rows], lots, -1.0).argmax(1)


class Once(First):
    """Fails until the file that ``CANASTA_TEST_MENDED`` names exists."""

    def go_wrong(self, actions: Any, late: Any) -> Any:
        if not Path(os.environ["CANASTA_TEST_MENDED"]).exists():
            raise RuntimeError("not yet")
        return actions
