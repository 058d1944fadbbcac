"""``answering(NAME,SHARE)``: an agent whose answers to "may I go out?" are drawn by lot."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.base import Agent, Rows
from agents.wrapper import NO, YES, Wrapper, check_question

__all__ = ["Answering", "share_of"]

_WORDS: Final = {YES: 1.0, NO: 0.0}


class Answering(Wrapper):
    """Plays as ``inner`` does, but answers its partner yes in a ``share`` of the questions, drawn
    by lot: the answer tells nothing about the hand.

    Its lots come from its seed and the number of times that it drew.

    Raises:
        ValueError: the share is not from 0 to 1, or nobody can ask in these rules.
    """

    def __init__(
        self,
        inner: Agent,
        share: float,
        rules: Any,
        players: int,
        seed: int = 0,
        name: str = "answering",
    ) -> None:
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"{name}: the share of yes, {share:g}, is not from 0 to 1")
        check_question(rules, players, name)
        super().__init__(inner, name)
        self.share, self.seed, self.draws = share, seed, 0

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``; the inner agent is not asked for answers."""
        yes, no = batch.table.id(YES), batch.table.id(NO)
        asked = batch.mask[rows, yes]
        actions = np.empty(len(rows), np.int64)
        if not asked.all():
            actions[~asked] = self.inner.act(batch, rows[~asked])
        if asked.any():
            actions[asked] = np.where(self._lots(int(asked.sum())) < self.share, yes, no)
        return actions

    def _lots(self, count: int) -> Any:
        """So many numbers from 0 up to 1."""
        self.draws += 1
        return np.random.default_rng([self.seed, self.draws]).random(count)

    def state_dict(self) -> dict[str, Any]:
        """The inner agent's random numbers, and how often lots were drawn."""
        return {**super().state_dict(), "answers": np.array(self.draws)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.draws = int(state["answers"])
        super().load_state_dict({name: x for name, x in state.items() if name != "answers"})


def share_of(text: str) -> float:
    """The share of yes that a name gives: ``yes``, ``no``, or a number.

    Raises:
        ValueError: it is none of these.
    """
    try:
        return _WORDS[text] if text in _WORDS else float(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither yes, no nor a share of yes from 0 to 1") from None
