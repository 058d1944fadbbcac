"""``mute(NAME)``: an agent that may not ask "may I go out?"."""

from __future__ import annotations

from typing import Any

from agents.base import Agent, Rows
from agents.wrapper import ASK, Wrapper, check_question

__all__ = ["Mute"]


class Mute(Wrapper):
    """Plays as ``inner`` does where the question is not legal.

    The inner agent chooses among the other actions: the probabilities of a network's policy are
    those that it has given that it does not ask. It still answers its partner.

    Raises:
        ValueError: nobody can ask in these rules.
    """

    def __init__(self, inner: Agent, rules: Any, players: int, name: str = "mute") -> None:
        check_question(rules, players, name)
        super().__init__(inner, name)

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``, never the question."""
        shown = self.shown(batch)
        shown.mask[rows] = batch.mask[rows]
        shown.mask[rows, batch.table.id(ASK)] = False
        return self.inner.act(shown, rows)
