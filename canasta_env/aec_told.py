"""What an AEC environment tells beside observations: infos, shares of a win, reasons, spaces."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np

from canasta_env.actions import ActionTable
from canasta_env.aec_state import Table
from canasta_env.engine import reasons

__all__ = ["INFO", "explain", "infos", "make_spaces", "win_shares"]

INFO: Final = ("deal", "turn", "deal_over", "deal_score", "score", "best_other_score")
"""The keys of an info, where infos are asked for; all values are whole numbers. ``deal_score`` is
that of the agent's side if a deal ended with the last step, else 0."""


def infos(table: Table, seats: Sequence[int]) -> list[dict[str, int]]:
    """The infos of some seats."""
    record, slot = table.record, table.paid
    scores = record.scores[: table.sides].tolist()
    found = []
    for seat in seats:
        side = seat % table.sides
        values = (
            int(record.deal),
            int(record.turns),
            int(slot.deal_over),
            int(slot.deal_scores[side]) if slot.deal_over else 0,
            scores[side],
            max(scores[:side] + scores[side + 1 :]),
        )
        found.append(dict(zip(INFO, values, strict=True)))
    return found


def win_shares(table: Table, players: int) -> list[float]:
    """By seat: 1 for the winners, zero-sum over the sides, 0 while the match is not decided."""
    if not table.paid.terminated:
        return [0.0] * players
    scores = table.record.scores[: table.sides]
    leads = scores == scores.max()
    shares = (leads / leads.sum() - 1 / table.sides) * table.sides / (table.sides - 1)
    return [float(shares[seat % table.sides]) for seat in range(players)]


def explain(table: Table, actions: ActionTable, agent: str, given: object) -> str:
    """Why an action of the agent to act is not legal."""
    try:
        number = index(given)  # type: ignore[arg-type]
    except TypeError:
        return f"{agent}: an action is an id, not {given!r}"
    if not 0 <= number < len(actions):
        return f"{agent}: {number} is not an action; ids are 0 to {len(actions) - 1}"
    action, rules = actions.actions[number], table.rules.view(np.recarray)[0]
    reason = reasons.explain(table.record, rules, action, number)
    legal = ", ".join(actions.texts[i] for i in np.flatnonzero(table.mask))
    return f"{agent}: {str(action)!r} is not legal: {reason}; legal: {legal}"


def make_spaces(
    agents: Sequence[str], features: int, actions: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Spaces of observations and of actions: one equal one an agent, so that each has a random
    state of its own."""
    spaces = gymnasium.spaces
    seen = {
        agent: spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (features,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        for agent in agents
    }
    return seen, {agent: spaces.Discrete(actions) for agent in agents}
