"""The threads of a batch: rows handed out while they are played, without a word of Python.

A step opens its rows to all threads; each takes a few rows at a time, by an atomic counter, until
none are left, so no thread waits for a slow one's half. The caller plays along and goes on as soon
as the last row is played: a thread that wakes too late finds nothing to do and nobody has waited
for it. Which thread plays a row makes no difference to the row.
"""

from __future__ import annotations

import functools
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numba.core.config
import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from canasta_env import kernels
from canasta_env.jit import kernel

__all__ = ["Crew", "share_rows", "signature"]

INT: Final = types.int64
INTS: Final = types.int64[::1]
_CHUNK: Final = 16
"""Rows that a thread takes at a time: few, so that all end together; a microsecond each or so."""
_LINE: Final = 8
"""Counters lie so many places apart, in cache lines of their own."""
_DONE: Final = 0
"""The counter of the rows that are played; the others are those of the threads' own rows."""
_BACK: Final = 1 << 32
"""A counter holds the chunks taken from the front, and so many times those from the back."""
_WAIT: Final = 5e-5
"""Seconds that the caller watches for the last rows of the others before it gives the processor
back; it does so again and again."""
_PAUSE: Final = 5e-5
"""Seconds that it sleeps in between."""
_TRIAL: Final = 100_000
"""Looks by which is found out how long one takes; on some processors it's ten times as long."""
_LINGER: Final = 4e-4
"""Seconds that a thread watches for the next step before it sleeps, since it's slow to wake; a rule
bot chooses the actions of a thousand games in less."""

_intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of an element of an array."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@_intrinsic
def _add(_: Any, counters: Any, place: Any, value: Any) -> Any:
    """Add to a counter at one stroke; what was there before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(counters, place, value), build


@_intrinsic
def _clear(_: Any, counters: Any, place: Any) -> Any:
    """Set a counter to zero at one stroke; what was there before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        zero = context.get_constant(types.int64, 0)
        return builder.atomic_rmw("xchg", place, zero, "seq_cst")

    return types.int64(counters, place), build


@_intrinsic
def _look(_: Any, counters: Any, place: Any) -> Any:
    """What is in a counter now, and not what was there when the loop began."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.load_atomic(place, "seq_cst", 8)

    return types.int64(counters, place), build


@kernel(types.void(INTS, INT))
def open_rows(counters: Any, threads: int) -> None:
    """Open all rows to be taken; those of the step before must all have been played."""
    # what is done first: a thread that is late from the step before takes rows at any moment
    _clear(counters, _DONE)
    for home in range(threads):
        _clear(counters, (home + 1) * _LINE)


def signature(play_games: Any) -> Any:
    """That of :func:`share_rows`, from that of the kernel which it calls."""
    if numba.core.config.DISABLE_JIT:
        return None
    *records, _, _, observations, masks = play_games.nopython_signatures[0].args
    return types.boolean(INTS, INT, INT, INT, *records, INT, observations, masks)


@kernel(signature(kernels.play_games))
def share_rows(
    counters: Any,
    threads: int,
    me: int,
    patience: int,
    games: Any,
    game_bytes: Any,
    slots: Any,
    rules: Any,
    settings: Any,
    views: Any,
    view_bytes: Any,
    scratch: Any,
    deck: Any,
    n: int,
    observations: Any,
    masks: Any,
) -> bool:
    """Play rows with the others until none are left; the other arguments are those of
    ``kernels.play_games``.

    Thread ``me`` begins with rows of its own, which its processor knows from the step before, and
    goes on with the last ones of the others. Then thread 0, the caller's, waits for the rows under
    way, and the others wait for the next step, all for so many looks as they have ``patience``.
    Tells whether all rows are played.
    """
    looks = 0
    while looks < patience:
        for turn in range(threads):
            home = (me + turn) % threads
            first, last = n * home // threads, n * (home + 1) // threads
            chunks = (last - first + _CHUNK - 1) // _CHUNK
            while True:
                taken = _add(counters, (home + 1) * _LINE, 1 if turn == 0 else _BACK)
                front, back = taken % _BACK, taken // _BACK
                if front + back >= chunks:
                    break
                start = first + _CHUNK * (front if turn == 0 else chunks - 1 - back)
                stop = min(start + _CHUNK, last)
                kernels.play_games(
                    games, game_bytes, slots, rules, settings, views, view_bytes, scratch, deck,
                    start, stop, observations, masks,
                )  # fmt: skip
                _add(counters, _DONE, stop - start)
        looks = 0
        while looks < patience:
            looks += 1
            if me == 0 and _look(counters, _DONE) == n:
                return True
            if me != 0 and _look(counters, (me + 1) * _LINE) == 0:
                break
    return False


class _Helpers:
    """The threads beside the caller's. They know nothing of the crew, which may be forgotten.

    Args:
        plays: what each of them does at a step.
    """

    def __init__(self, plays: Sequence[Callable[[], bool]]) -> None:
        self.process = os.getpid()
        self._is_closed = False
        self._calls = [threading.Lock() for _ in plays]
        for call in self._calls:
            call.acquire()
        self._threads: list[threading.Thread] = []
        try:
            for pair in zip(self._calls, plays, strict=True):
                thread = threading.Thread(
                    target=self._work, args=pair, name="canasta-batch", daemon=True
                )
                thread.start()
                self._threads.append(thread)
        except RuntimeError:  # the system has no more threads to give
            self.close()
            raise

    def _work(self, call: threading.Lock, play: Callable[[], bool]) -> None:
        while True:
            call.acquire()
            if self._is_closed:
                return
            play()

    def call(self) -> None:
        """Wake all that sleep. One that is awake, or was called already, looks for rows anyway."""
        for call in self._calls:
            if call.locked():
                call.release()

    def close(self) -> None:
        """End the threads."""
        if self._is_closed or self.process != os.getpid():  # a fork left them behind
            return
        self._is_closed = True
        self.call()
        for thread in self._threads:
            if thread is not threading.current_thread():  # it may collect a forgotten crew
                thread.join()


class Crew:
    """The threads of a batch; the first step starts them, and they end with the crew.

    Args:
        share: :func:`share_rows`, or the same for rules with sequences.
        spaces: a workspace for each thread, the caller's among them.
        records: what ``kernels.play_games`` takes before its workspace.
        n, observations, masks: what it takes after it.
    """

    def __init__(
        self,
        share: Callable[..., bool],
        spaces: Sequence[Any],
        records: Sequence[Any],
        n: int,
        observations: Any,
        masks: Any,
    ) -> None:
        threads = len(spaces)
        self._counters: npt.NDArray[np.int64] = np.zeros(_LINE * (threads + 1), np.int64)
        self._threads = threads
        self._helpers: _Helpers | None = None
        self._is_open = False
        look = 1.0

        def play(threads: int, me: int, seconds: float, n: int) -> Callable[[], bool]:
            first = self._counters, threads, me, round(seconds / look)
            rest = *records, *spaces[me], n, observations, masks
            return functools.partial(share, *first, *rest)

        look = _seconds(play(0, 0, _TRIAL, -1)) / _TRIAL  # without threads nothing is ever done
        self._play, *self._others = [
            play(threads, me, _LINGER if me else _WAIT, n) for me in range(threads)
        ]

    def run(self) -> None:
        """Play all rows."""
        helpers = self._helpers
        if helpers is None or helpers.process != os.getpid():
            helpers = self._start()
        if self._is_open:
            self._finish()
        self._is_open = True
        open_rows(self._counters, self._threads)
        try:
            helpers.call()
        finally:  # whatever interrupts, as Ctrl-C does, a step that has begun is played to its end
            self._finish()

    def _finish(self) -> None:
        """Play the rows that are left, and wait for those that others are amid."""
        while not self._play():
            time.sleep(_PAUSE)
        self._is_open = False

    def _start(self) -> _Helpers:
        self._helpers = _Helpers(self._others)
        self._end = weakref.finalize(self, self._helpers.close)  # at exit, too
        return self._helpers

    def close(self) -> None:
        """End the threads; the next step starts others."""
        if self._helpers is not None:
            self._end()
            self._helpers = None


def _seconds(call: Callable[[], object]) -> float:
    """How long a call takes, undisturbed."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
