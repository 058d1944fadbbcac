"""What is measured: an environment that plays itself, and how it is listed before it is made."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

__all__ = ["CHUNK", "Entry", "Player"]

CHUNK: Final = 100
"""Steps of a single game between two looks at the clock."""

T = TypeVar("T")


class Player(ABC):
    """An environment in random legal play that never ends: a game that is over starts again."""

    def __init__(self) -> None:
        self._pick = _picker(random.Random(1).random)

    def play(self, seconds: float) -> int:
        """Plays for at least so many seconds; how many decisions that were."""
        decisions = 0
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            decisions += self._some()
        return decisions

    @abstractmethod
    def _some(self) -> int:
        """Plays a little; how many decisions that were."""


def _picker(draw: Callable[[], float]) -> Callable[[Sequence[T]], T]:
    """Picks one of a row uniformly: the same way for all, and as cheap as Python has it."""

    def pick(legal: Sequence[T]) -> T:
        return legal[int(draw() * len(legal))]

    return pick


@dataclass(frozen=True)
class Entry:
    """A line of the table.

    Attributes:
        name: framework, game and interface.
        reads: what is read at every step.
        make: imports what it needs and makes the environment; an ImportError says what is missing.
        against: the names of our own lines that it is compared with; empty for our own.
    """

    name: str
    reads: str
    make: Callable[[], Player]
    against: tuple[str, ...] = ()
