"""Decisions and what became of them, for the trainers that learn from finished deals.

A decision waits in :class:`Pending` until its deal is over; then it goes, with what its seat was
paid from then on, to the end of the queue :class:`Finished`, from which minibatches are drawn. All
arrays are allocated once, and nothing is done game by game.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["Finished", "Pending", "returns"]

Arrays = dict[str, npt.NDArray[Any]]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

SEEN: Final = ("observation", "mask", "action")
"""What a decision consists of: what was seen, what was legal, what was chosen."""


def _seen(shape: tuple[int, ...], features: int, actions: int) -> Arrays:
    """Room for decisions: observations as the network arranges them, masks and actions."""
    return {
        "observation": np.zeros((*shape, features), np.uint8),
        "mask": np.zeros((*shape, actions), np.bool_),
        "action": np.zeros(shape, np.int64),
    }


class Finished:
    """A queue of the last ``size`` decisions whose deals are over, with their ``target`` (size,):
    what the seat was paid from the decision to the end of the deal, in thousands of points.

    The numpy arrays share memory with the tensors that :meth:`rows` reads.
    """

    def __init__(self, size: int, features: int, actions: int) -> None:
        self.size = size
        self.arrays: Arrays = {
            **_seen((size,), features, actions),
            "target": np.zeros(size, np.float32),
        }
        self.tensors = {name: torch.from_numpy(array) for name, array in self.arrays.items()}
        self.put_so_far = 0

    def __len__(self) -> int:
        return min(self.size, self.put_so_far)

    def put(self, decisions: Arrays) -> None:
        """Adds decisions, (m, ...) by name; the oldest make room. If not all fit, the last stay."""
        count = len(decisions["target"])
        places = (self.put_so_far + np.arange(count))[-self.size :] % self.size
        for name, array in self.arrays.items():
            array[places] = decisions[name][-self.size :]
        self.put_so_far += count

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """The places of ``count`` decisions, each drawn from all that are kept."""
        return torch.randint(len(self), (count,), generator=generator)

    def rows(self, places: Tensor) -> dict[str, Tensor]:
        """The decisions at ``places``, by name."""
        return {name: tensor.index_select(0, places) for name, tensor in self.tensors.items()}

    def state_dict(self) -> Arrays:
        """All that is kept, for a checkpoint."""
        kept = {name: array[: len(self)] for name, array in self.arrays.items()}
        return {**kept, "put_so_far": np.array(self.put_so_far)}

    def load_state_dict(self, state: Arrays) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.put_so_far = int(state["put_so_far"])
        for name, array in self.arrays.items():
            array[: len(self)] = state[name]


class Pending:
    """The decisions of the deals under way, arrays of (longest, games, ...).

    ``count`` (games,) says how many there were since the deal began; what comes after the first
    ``longest`` of a deal is not kept. ``earned`` (games, players) is what the seats were paid since
    then.
    """

    def __init__(self, longest: int, games: int, players: int, features: int, actions: int) -> None:
        self.longest = longest
        self.arrays: Arrays = {
            **_seen((longest, games), features, actions),
            "seat": np.zeros((longest, games), np.int64),
            "before": np.zeros((longest, games), np.float32),
            "value": np.zeros((longest, games), np.float32),
        }
        self.count = np.zeros(games, np.int64)
        self.earned = np.zeros((games, players), np.float32)

    def note(self, games: Ints, seats: Ints, seen: tuple[Any, Any, Any], value: Any = 0.0) -> None:
        """Keeps a decision of each of ``games``, made by ``seats``; ``seen`` is as :data:`SEEN`,
        ``value`` (m,) what was expected then, in thousands of points.

        Threads may call it at once for different games.
        """
        fits = np.flatnonzero(self.count[games] < self.longest)
        game, seat = games[fits], seats[fits]
        at = self.count[game], game
        for name, values in zip(SEEN, seen, strict=True):
            self.arrays[name][at] = values[fits]
        self.arrays["seat"][at] = seat
        self.arrays["before"][at] = self.earned[game, seat]
        self.arrays["value"][at] = np.broadcast_to(value, games.shape)[fits]
        self.count[games] += 1

    def pay(
        self, reward: npt.NDArray[np.float32], ended: npt.NDArray[np.bool_], trace: float = 1.0
    ) -> Arrays | None:
        """After a step: its rewards (games, players) and which deals ended with it, (games,). The
        decisions of these, with their targets, as :meth:`Finished.put` takes them; None if no deal
        ended. Of ``trace`` see :func:`returns`.
        """
        self.earned += reward
        over = np.flatnonzero(ended)
        if not over.size:
            return None
        at, column = np.nonzero(np.arange(self.longest)[:, None] < self.count[over])
        game = over[column]
        decisions = {name: self.arrays[name][at, game] for name in SEEN}
        seat, before, value = (self.arrays[name][at, game] for name in ("seat", "before", "value"))
        total = self.earned[game, seat]
        if trace == 1:
            decisions["target"] = total - before
        else:
            chain = game * self.earned.shape[1] + seat
            decisions["target"] = returns(chain, before, value, total, trace)
        self.count[over] = 0
        self.earned[over] = 0
        return decisions

    def state_dict(self) -> Arrays:
        """What was noted and has not been paid yet, for a checkpoint."""
        used = self._used()
        noted = {name: array[used] for name, array in self.arrays.items()}
        return {**noted, "count": self.count, "earned": self.earned}

    def load_state_dict(self, state: Arrays) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.count[:] = state["count"]
        self.earned[:] = state["earned"]
        used = self._used()
        for name, array in self.arrays.items():
            array[used] = state[name]

    def _used(self) -> npt.NDArray[np.bool_]:
        return np.arange(self.longest)[:, None] < self.count


def returns(chain: Ints, before: Floats, value: Floats, total: Floats, trace: float) -> Floats:
    """Lambda-returns of decisions, (m,): what the seat is paid until its next decision, and then
    ``trace`` times the return of that and ``1 - trace`` times its value. With 1 it is all that is
    paid until the end of the deal.

    Args:
        chain: the seat and game of each decision as one number; in the order in which they were
            made.
        before: what the seat had been paid in the deal before the decision.
        value: what was expected at the decision.
        total: what the seat is paid in the whole deal.
        trace: from 0 to 1.
    """
    order = np.argsort(chain, kind="stable")
    chain, before, value = chain[order], before[order], value[order]
    last = np.append(chain[1:] != chain[:-1], True)
    found = np.where(last, total[order], np.roll(before, -1)) - before
    found += np.where(last, 0, (1 - trace) * np.roll(value, -1))
    ends = np.flatnonzero(last)
    to_end = np.repeat(ends, np.diff(ends, prepend=-1)) - np.arange(len(chain))
    for distance in range(1, int(to_end.max(initial=0)) + 1):
        here = np.flatnonzero(to_end == distance)
        found[here] += trace * found[here + 1]
    result = np.empty_like(found)
    result[order] = found
    return result
