"""What a run shows: a live line in a terminal, plain lines elsewhere, and TensorBoard scalars."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from rich import progress as bars
from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from train.evaluate import Score

__all__ = ["Progress"]

SECONDS_BETWEEN_LINES: Final = 10.0
SMOOTHING: Final = 0.8


class Progress:
    """Shows a trainer (its ``deals``, ``steps`` and ``args``) as it goes; a context manager.

    TensorBoard's events are written by a thread. What goes wrong there, as on a full disk, is an
    ``OSError`` of the next method that is called here, or of the end of the block.
    """

    def __init__(self, folder: Path, trainer: Any, console: Console | None = None) -> None:
        self.console = console or Console()
        self.writer = SummaryWriter(str(folder), purge_step=trainer.steps)
        self.score = "-"
        self.speed = self.choices = self.deals_per_second = 0.0
        self.last_deals = trainer.deals
        self.last_time = time.monotonic()
        self.last_line = float("-inf")
        self.bar = self._bar() if self.console.is_terminal else None
        if self.bar is not None:
            self.task = self.bar.add_task(
                "training",
                total=trainer.args.deals,
                completed=trainer.deals,
                **self._fields(trainer),
            )

    def __enter__(self) -> Self:
        self.hook, threading.excepthook = threading.excepthook, self._thread_failed
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
        try:
            self.writer.close()
        finally:
            threading.excepthook = self.hook

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        """Shows what ended a thread, unless it could not write: that is raised here as well."""
        if not issubclass(failed.exc_type, OSError):
            self.hook(failed)

    def show(self, trainer: Any, numbers: dict[str, float]) -> None:
        """After an update: its numbers."""
        self._measure(trainer, numbers)
        for name, number in numbers.items():
            self.writer.add_scalar(f"train/{name}", number, trainer.steps)
        self.writer.add_scalar("train/deals", trainer.deals, trainer.steps)
        if self.bar is not None:
            self.bar.update(self.task, completed=trainer.deals, **self._fields(trainer))
        elif time.monotonic() - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            self.console.print(self._line(trainer), soft_wrap=True, highlight=False)

    def evaluated(self, trainer: Any, score: Score) -> None:
        """After an evaluation: points a deal against the opponent."""
        self.score = str(score)
        name = f"evaluation/{trainer.args.eval_opponent}"
        self.writer.add_scalar(name, score.points, trainer.steps)
        self.last_line = float("-inf")
        self.last_time = time.monotonic()  # the evaluation is no part of the trainer's speed
        self.last_deals = trainer.deals

    def _measure(self, trainer: Any, numbers: dict[str, float]) -> None:
        """Speeds, smoothed over the updates."""
        now = time.monotonic()
        deals = (trainer.deals - self.last_deals) / max(1e-9, now - self.last_time)
        self.last_deals, self.last_time = trainer.deals, now
        keep = SMOOTHING if self.speed else 0.0
        self.speed = keep * self.speed + (1 - keep) * numbers["steps_per_second"]
        self.choices = keep * self.choices + (1 - keep) * numbers["decisions_per_second"]
        self.deals_per_second = keep * self.deals_per_second + (1 - keep) * deals

    def _left(self, trainer: Any) -> str:
        if self.deals_per_second <= 0:
            return "?"
        seconds = max(0, trainer.args.deals - trainer.deals) / self.deals_per_second
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"

    def _fields(self, trainer: Any) -> dict[str, Any]:
        return {
            "speed": f"{self.speed:,.0f}",
            "choices": f"{self.choices:,.0f}",
            "score": self.score,
            "opponent": trainer.args.eval_opponent,
            "left": self._left(trainer),
        }

    def _line(self, trainer: Any) -> str:
        shown = self._fields(trainer)
        return (
            f"deals {trainer.deals:,}/{trainer.args.deals:,}  moves/s {shown['speed']}  "
            f"decisions/s {shown['choices']}  "
            f"against {shown['opponent']} {shown['score']}  left {shown['left']}"
        )

    def _bar(self) -> bars.Progress:
        return bars.Progress(
            bars.BarColumn(bar_width=8),
            bars.TextColumn("{task.completed:,.0f}/{task.total:,.0f} deals"),
            bars.TextColumn("{task.fields[choices]} decisions/s"),
            bars.TextColumn("{task.fields[opponent]} [bold]{task.fields[score]}[/]"),
            bars.TextColumn("left {task.fields[left]}"),
            console=self.console,
        )
