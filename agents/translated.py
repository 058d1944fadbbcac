"""``translated(PATH)``: an agent trained without the question, at a table where others may ask.

The rules differ in the field ``asking`` alone. Without the question the action table lacks three
actions and the observation is the same, so the agent is shown the game with its own actions, and
what it chooses is translated by the actions' texts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from agents.base import Agent, Rows
from agents.wrapper import YES, Shown, Wrapper, check_question
from canasta_env.actions import ActionTable
from canasta_env.rules import Rules

__all__ = ["Translated", "rules_without"]


class Translation(Shown):
    """A batch as its rules without the question number the actions; ``ids`` (own actions,) are the
    batch's numbers of them."""

    def __init__(self, batch: Any) -> None:
        super().__init__(batch)
        self.rules = rules_without(batch.rules)
        self.table = ActionTable(self.rules)
        self.actions = len(self.table)
        self.packed = self.table.pack(batch.players)
        self.ids = np.array([batch.table.id(text) for text in self.table.texts])
        self.mask = np.zeros((batch.n, self.actions), np.bool_)


class Translated(Wrapper):
    """An agent of the rules without the question, ``inner``, in those with it. It never asks; a
    partner who asks is answered yes, which leaves the decision to him.

    Raises:
        ValueError: nobody can ask in these rules.
    """

    def __init__(self, inner: Agent, rules: Any, players: int, name: str = "translated") -> None:
        check_question(rules, players, name)
        super().__init__(inner, name)

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``."""
        yes = batch.table.id(YES)
        asked = batch.mask[rows, yes]
        actions = np.full(len(rows), yes, np.int64)
        own = rows[~asked]
        if own.size:
            shown = self.shown(batch)
            shown.mask[own] = batch.mask[own[:, None], shown.ids]
            actions[~asked] = shown.ids[self.inner.act(shown, own)]
        return actions

    def _show(self, batch: Any) -> Shown:
        return Translation(batch)


def rules_without(rules: Any) -> Rules:
    """The same rules without the question."""
    return replace(Rules.parse(rules) if isinstance(rules, str) else rules, asking=False)
