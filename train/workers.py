"""What the trainers share below the algorithm: threads that split work, and the optimizer."""

from __future__ import annotations

import copy
import ctypes
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy.typing as npt
import torch
from torch import Tensor, nn

__all__ = ["Descent", "Workers", "device_of", "keep_memory", "make_batch", "on_device"]

T = TypeVar("T")
N = TypeVar("N", bound=nn.Module)


def keep_memory() -> None:
    """Asks glibc to keep what is freed for the next allocation; elsewhere nothing is done.

    Every minibatch allocates and frees the same tensors of some megabytes. By default their memory
    goes back to the system each time, and getting it again page by page, one thread waiting for the
    other, took up to a fifth of the time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the largest that is accepted
        mallopt(M_TRIM_THRESHOLD, 1 << 30)


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Names of malloc.h."""


def _work_alone() -> None:
    """Have torch use one thread for the work of this one.

    Without it the first products of a thread were shared out over all cores and the later ones were
    not: on some processors their sums differ in the last bit, and with them all that follows.
    """
    torch.set_num_threads(1)


class Workers:
    """Threads that share a piece of work: each takes its part of the rows, with its own generator.

    Torch's own threads wait for each other in every operation, which costs much where a core is
    busy with something else. These meet once a step and once a minibatch, so torch is set to one.
    Sums are made in the order of the parts: results are the same from run to run, not from one
    number of threads to another.
    """

    def __init__(self, threads: int, seed: int) -> None:
        torch.set_num_threads(1)
        keep_memory()
        self.threads = threads
        self.generators = [torch.Generator().manual_seed(seed + i) for i in range(threads)]
        self.pool = None
        if threads > 1:  # each thread has to be told: a number set in one is not that of another
            self.pool = ThreadPoolExecutor(threads - 1, initializer=_work_alone)

    def share(self, work: Callable[[Tensor, torch.Generator], T], rows: Tensor) -> list[T]:
        """``work`` on each part of ``rows``, the results in order; no part is empty. The caller
        does the first part itself.
        """
        parts = [part for part in rows.tensor_split(self.threads) if len(part)]
        if self.pool is None or len(parts) < 2:
            return [work(part, self.generators[0]) for part in parts]
        others = self.pool.map(work, parts[1:], self.generators[1:])
        return [work(parts[0], self.generators[0]), *others]

    def state(self) -> Tensor:
        """The states of the generators, a row each."""
        return torch.stack([generator.get_state() for generator in self.generators])

    def restore(self, state: Tensor) -> None:
        """Puts back what :meth:`state` gave."""
        for generator, row in zip(self.generators, state, strict=True):
            generator.set_state(row.clone())  # torch reads past a view


class Descent:
    """Adam on all weights of a network as one row of numbers.

    The other threads wait while gradients are summed, clipped and applied. Layer by layer that is
    mostly overhead of many calls on few numbers; on one row it takes half as long.
    """

    def __init__(self, network: nn.Module, learning_rate: float, max_norm: float) -> None:
        self.max_norm = max_norm
        row = nn.utils.parameters_to_vector(network.parameters()).detach()
        nn.utils.vector_to_parameters(row, network.parameters())  # they are views of it from now on
        self.weights = nn.Parameter(row)
        self.optimizer = torch.optim.Adam([self.weights], lr=learning_rate, eps=1e-5, fused=True)

    def set_rate(self, rate: float) -> None:
        """The learning rate of the steps that follow."""
        self.optimizer.param_groups[0]["lr"] = rate

    def step(self, gradients: Sequence[Tensor]) -> None:
        """A step along the sum of the ``gradients``, each a row as long as the weights."""
        first, *others = gradients
        for gradient in others:
            first += gradient
        self.weights.grad = first.mul_((self.max_norm / (first.norm() + 1e-6)).clamp_(max=1))
        self.optimizer.step()

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What Adam remembers, by name."""
        state = self.optimizer.state[self.weights]
        return {name: tensor.cpu().numpy() for name, tensor in state.items()}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.optimizer.state[self.weights] = {
            name: torch.from_numpy(array.copy()).to(self.weights.device)
            for name, array in state.items()
        }


def device_of(name: str) -> torch.device:
    """The device on which a trainer learns; raises ``ValueError`` if torch finds none there."""
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"--device {name}: torch finds no such device here; use --device cpu")
    return device


def on_device(network: N, device: torch.device) -> N:
    """The network that learns: on the CPU the one that plays, elsewhere a copy of it."""
    return network if device.type == "cpu" else copy.deepcopy(network).to(device)


def make_batch(args: Any, n: int, *, seed: int, autoreset: Any = "same_step") -> Any:
    """A batch of single deals from scores spread over all bands of the first meld.

    ``args`` are the settings of a trainer: its rules, players and threads count, and what is
    ``shown`` (:mod:`canasta_env.channels`), if it has that.
    """
    from canasta_env.batch import Batch

    settings: dict[str, Any] = {
        "players": args.players,
        "seed": seed,
        "episode": "deal",
        "scores": "spread",
        "threads": args.threads,
        "autoreset": autoreset,
    }
    shown = getattr(args, "shown", ())
    if not shown:
        return Batch(args.rules, n, **settings)
    from canasta_env.channels import ShownBatch

    return ShownBatch(args.rules, n, shown=shown, **settings)
