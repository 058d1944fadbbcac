"""The compiled rule bots as agents."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.base import Rows
from canasta_env.bots import Bot
from canasta_env.compile import ensure_compiled
from canasta_env.engine.state import new_views

ensure_compiled()

from canasta_env.bots.choose import choose_games  # noqa: E402  (loads the compiled code)
from canasta_env.kernels import plain  # noqa: E402

__all__ = ["BotAgent"]


class BotAgent:
    """Plays by a rule bot. Ties are drawn from its seed and the number of its choices so far."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self.bot = Bot[name.upper()]
        self.seed = seed
        self.choices = 0
        self._view = plain(new_views(1))

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` (where this agent is to act)."""
        chosen = np.empty(len(rows), np.int64)
        choose_games(
            plain(batch.games),
            plain(batch.packed),
            np.ascontiguousarray(rows, np.int64),
            np.full(len(rows), self.bot, np.int64),
            batch.mask,
            self._view,
            True,
            self.seed,
            self.choices,
            chosen,
        )
        self.choices += len(rows)
        return chosen

    def state_dict(self) -> dict[str, Any]:
        """How many choices it has made."""
        return {"choices": np.array(self.choices)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.choices = int(state["choices"])
