"""What a deal pays in training: its points, or by how much it changed the chance to win the match.

Points alone teach to collect them. A match is won by being ahead when it ends: near its end a few
points may be worth all, and far behind a bold deal costs nothing. ``winning`` pays the change of
the chance to win (``train/winning.py``) times the match's length: a side that goes from no chance
to certain victory gets the target in thousands, 5 in ``classic`` with four players, or the number
of deals where that is fixed. So rewards are of the size that points have.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Reward", "WinningReward"]

Reward = Literal["points", "winning"]


class WinningReward:
    """Rewards of the batch's steps in chances to win; ``before`` and ``paid`` go round a step.

    Args:
        batch: single deals from spread scores, reset in the step in which they end.
        rules: the name or text that the model is found by.

    Raises:
        ValueError: no model was fitted for these rules; the text says how to fit one.
    """

    def __init__(self, batch: Any, rules: str) -> None:
        from train import winning  # its models are needed by this reward only

        self.batch = batch
        self.model = winning.load(rules, batch.players)
        rules_here = self.model.rules
        self.worth = float(rules_here.deals or rules_here.target / 1000)
        self.side = np.arange(batch.players) % batch.sides

    def before(self) -> None:
        """Notes scores and deals as they are before a step, which may end the deal."""
        games = self.batch.games
        self.scores = games.scores[:, : self.batch.sides].astype(np.int64)
        self.deals = games.deal.astype(np.int64)

    def paid(self) -> npt.NDArray[np.float32]:
        """What the step pays each seat, float32 (games, players): zero where no deal ended; the
        rewards of the sides add up to zero.
        """
        batch = self.batch
        rewards = np.zeros((batch.n, batch.players), np.float32)
        rows = np.flatnonzero(batch.deal_over)
        if rows.size:
            scores, deals = self.scores[rows], self.deals[rows]
            after = self.model.chances(scores + batch.deal_scores[rows], deals + 1)
            change = after - self.model.chances(scores, deals)
            rewards[rows] = self.worth * change[:, self.side]
        return rewards
