"""A data set for torch: minibatches of decisions, shuffled, shared among workers.

>>> from torch.utils.data import DataLoader
>>> loader = DataLoader(Minibatches("data"), batch_size=None, num_workers=2)
>>> for batch in loader:
...     batch["observation"], batch["mask"], batch["action"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from canasta_env.data.reader import DataSet, Decisions

__all__ = ["Minibatches"]


class Minibatches(IterableDataset[dict[str, Tensor]]):
    """The decisions of a data set once, as minibatches: for a ``DataLoader`` with
    ``batch_size=None``.

    Row groups come in an order drawn anew for each epoch; some of them at a time are read into a
    pool, whose decisions are shuffled together. Each worker, and each process of ``shard``, takes
    its own row groups: together they give every decision once. What comes depends on ``seed``, the
    epoch, the pool and the number of workers alone.

    Args:
        folder: of the data set.
        columns: names of columns, as :data:`canasta_env.data.reader.Decisions` has them;
            observations are uint8, ``scale`` brings them to [0, 1]; actions are int64.
        size: decisions of a minibatch; the last one of each worker may be smaller.
        shuffle: false gives the decisions as they were written.
        seed: of the shuffling.
        pool: row groups that are shuffled together.
        agents: only decisions of agents of these names; left out: of all.
        choices: only decisions where more than one action was legal.
        shard: this process's number, and how many share the data.

    Raises:
        DataError: there is no such data set, column or agent.
        ValueError: a number is not possible.
    """

    def __init__(
        self,
        folder: str | Path,
        columns: Sequence[str] = ("observation", "mask", "action"),
        *,
        size: int = 1024,
        shuffle: bool = True,
        seed: int = 0,
        pool: int = 4,
        agents: Sequence[str] | None = None,
        choices: bool = False,
        shard: tuple[int, int] = (0, 1),
    ) -> None:
        super().__init__()
        self.data = DataSet(folder)
        self.columns = tuple(columns)
        self.data.check_columns(self.columns)
        self.size, self.pool = _positive("size", size), _positive("pool", pool)
        self.shuffle, self.seed, self.choices, self.shard = shuffle, seed, choices, shard
        if not 0 <= shard[0] < shard[1]:
            raise ValueError(f"shard={shard!r} is not possible; (0, 4) is the first of four")
        self._agents = None if agents is None else self.data.agent_numbers(agents)
        # shared memory: workers that live on see the next epoch too
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call]

    @property
    def scale(self) -> Tensor:
        """float32 (O,): what observations are multiplied with to lie in [0, 1]."""
        return torch.from_numpy(self.data.scale)

    def set_epoch(self, epoch: int) -> None:
        """Which shuffling the next pass over the data has; call it before each."""
        self._epoch.fill_(epoch)

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        place, places = self.shard[0] * workers + worker, self.shard[1] * workers
        rng = np.random.default_rng([self.seed, int(self._epoch)])
        groups = np.arange(len(self.data.groups_there))
        if self.shuffle:
            rng.shuffle(groups)
        rng = np.random.default_rng([self.seed, int(self._epoch), 1 + place])
        yield from self._minibatches(groups[place::places].tolist(), rng)

    def _minibatches(
        self, groups: list[int], rng: np.random.Generator
    ) -> Iterator[dict[str, Tensor]]:
        """The decisions of some row groups; what is left of a pool goes into the next one."""
        pool: Decisions = {}
        for first in range(0, len(groups), self.pool):
            read = [self._read(group) for group in groups[first : first + self.pool]]
            parts = [pool, *read] if pool else read
            pool = {name: np.concatenate([part[name] for part in parts]) for name in self.columns}
            order = np.arange(len(pool[self.columns[0]]))
            if self.shuffle:
                rng.shuffle(order)
            is_last = first + self.pool >= len(groups)
            whole = len(order) if is_last else len(order) - len(order) % self.size
            for start in range(0, whole, self.size):
                yield _tensors(pool, order[start : min(start + self.size, whole)])
            pool = {name: values[order[whole:]] for name, values in pool.items()}

    def _read(self, group: int) -> Decisions:
        """The decisions of a row group that are wanted."""
        needed = dict.fromkeys((*self.columns, "agent", "legal"))
        found = self.data.read_group(self.data.groups_there[group], tuple(needed))
        wanted = np.ones(len(found["agent"]), np.bool_)
        if self._agents is not None:
            wanted &= np.isin(found["agent"], self._agents)
        if self.choices:
            wanted &= found["legal"] > 1
        return {name: found[name][wanted] for name in self.columns}


def _tensors(pool: Decisions, rows: npt.NDArray[np.int64]) -> dict[str, Tensor]:
    found = {name: torch.from_numpy(values[rows]) for name, values in pool.items()}
    if "action" in found:
        found["action"] = found["action"].long()  # as an index, and a target, must be
    return found


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name}={value!r} is not possible; a whole number from 1 on")
    return value
