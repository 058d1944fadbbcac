"""What an agent is: it names one legal action for each row of a batch in which it is to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from canasta_env.batch import Batch

__all__ = ["Agent", "Rows", "load_state", "state_of"]

Rows = npt.NDArray[np.int64]


@runtime_checkable
class Agent(Protocol):
    """A player of any number of games at once.

    One that has ``watch(batch, rows, actions)`` too is shown in matches what is about to be played,
    by itself and by the others: rows int64 (m,), and an action id for each row of the batch.
    """

    name: str

    def act(self, batch: Batch, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``; in each of them it is this agent's turn."""
        ...


def state_of(agent: Any) -> dict[str, Any]:
    """The state of an agent's random numbers as arrays; empty if it keeps none."""
    give = getattr(agent, "state_dict", None)
    return dict(give()) if give else {}


def load_state(agent: Any, state: dict[str, Any]) -> None:
    """Puts back what :func:`state_of` gave."""
    take = getattr(agent, "load_state_dict", None)
    if take and state:
        take(state)
