"""The compiled rule bots as players of any number of games: agents, with lots of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.actions import ActionTable
from canasta_env.bots import Bot, styles
from canasta_env.compile import BOTS, ensure_compiled
from canasta_env.rules import Rules

ensure_compiled()
ensure_compiled(BOTS, "the rule bots")

from canasta_env.bots.choose import choose_games  # noqa: E402  (loads the compiled code)
from canasta_env.bots.folded import folded_actions, folded_rules  # noqa: E402
from canasta_env.kernels import as_bytes, kinds_for, plain, workspace  # noqa: E402

__all__ = ["BotAgent", "Chooser"]

Rows = npt.NDArray[np.int64]


class Chooser:
    """Chooses for rule bots in any rows of a batch, whatever its rules."""

    def __init__(self) -> None:
        self._views, self._view_bytes, _, _ = workspace()
        self._suited: tuple[tuple[Rules, int], tuple[Any, ...]] | None = None

    def choose(self, batch: Any, rows: Rows, bots: Rows, table: Any, seed: int, first: int) -> Rows:
        """One legal action id for each of ``rows``.

        Args:
            batch: the games.
            rows: int64 (m,), where somebody must act.
            bots: int64 (m,), who acts there: numbers of :class:`~canasta_env.bots.Bot`, or
                ``Bot.BASIC + i`` for row ``i`` of the table.
            table: weights as :func:`canasta_env.bots.styles.rows` gives them.
            seed, first: the lots of place ``j`` come from this seed and the counter ``first + j``.
        """
        chosen = np.empty(len(rows), np.int64)
        choose, space = choose_games, (self._views, self._view_bytes)
        if batch.rules.sequences:
            choose, space = self._for_suits(batch.rules, batch.players)
        choose(
            plain(batch.games),
            as_bytes(batch.games),
            plain(batch.packed),
            np.ascontiguousarray(rows, np.int64),
            np.ascontiguousarray(bots, np.int64),
            table,
            batch.mask,
            *space,
            bool(getattr(batch, "recall", True)),
            seed,
            first,
            chosen,
        )
        return chosen

    def _for_suits(self, rules: Rules, players: int) -> tuple[Any, tuple[Any, ...]]:
        """The kernel for rules with sequences, and its workspace for these rules."""
        ensure_compiled(suited=True)
        ensure_compiled(BOTS, "the rule bots", suited=True)
        from canasta_env.bots import suited_choose

        if self._suited is None or self._suited[0] != (rules, players):
            views, view_bytes, _, _ = workspace(kinds_for(rules))
            table = ActionTable(folded_rules(rules))
            packed = plain(table.pack(players))
            actions = np.array(folded_actions(rules), np.int64)
            folded = np.zeros(len(table), np.bool_)
            views_of_bot = (views, view_bytes, self._views, self._view_bytes)
            self._suited = (rules, players), (*views_of_bot, packed, actions, folded)
        return suited_choose.choose_games, self._suited[1]


class BotAgent:
    """Plays by the rule bot called ``name``: ``random``, ``greedy``, a style (``basic``,
    ``closer``), or a style with other weights (``basic(keep_joker=100)``).

    Its lots come from its seed and the number of its choices so far.

    Raises:
        ValueError: no bot has this name, or no style this weight; the message lists what there is.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self.bot, self._weights = styles.parse(name)
        self.seed = seed
        self.choices = 0
        self._chooser = Chooser()

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` (where this agent is to act)."""
        # the table has one row, that of this style: the first one from basic on
        bots = np.full(len(rows), min(self.bot, Bot.BASIC), np.int64)
        chosen = self._chooser.choose(batch, rows, bots, self._weights, self.seed, self.choices)
        self.choices += len(rows)
        return chosen

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspace, whose arrays share memory: a copy's would not."""
        return {"name": self.name, "seed": self.seed, "choices": self.choices}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["name"], state["seed"])  # type: ignore[misc]
        self.choices = state["choices"]

    def state_dict(self) -> dict[str, Any]:
        """How many choices it has made."""
        return {"choices": np.array(self.choices)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.choices = int(state["choices"])
