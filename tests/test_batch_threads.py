"""Threads change nothing but the time: not the games, not copies, not how a program ends."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba.core.config
import numpy as np
import pytest

from canasta_env import Batch
from canasta_env.batch import ROWS_A_THREAD, IllegalActionError, worth

ROOT = Path(__file__).resolve().parent.parent
COMPILED = pytest.mark.skipif(
    bool(numba.core.config.DISABLE_JIT), reason="one thread plays where nothing is compiled"
)
ENOUGH = 2 * ROWS_A_THREAD


def play(batch: Batch, steps: int, seed: int = 0) -> None:
    """Random legal actions that depend on the masks alone."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        chances = rng.random((batch.n, batch.actions), np.float32)
        batch.step((chances * batch.mask).argmax(axis=1))


def shown(batch: Batch) -> list[bytes]:
    """All that a batch shows after a step."""
    arrays = (
        batch.games, batch.observation, batch.mask, batch.seat, batch.reward, batch.terminated,
        batch.truncated, batch.deal_over, batch.deal_scores,
    )  # fmt: skip
    return [array.tobytes() for array in arrays]


def helpers() -> int:
    return sum(thread.name == "canasta-batch" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("rules", "autoreset"), [("classic", "same_step"), ("hand_and_foot", "next_step")]
)
def test_the_number_of_threads_changes_nothing(rules: str, autoreset: Any) -> None:
    n = 5 * ROWS_A_THREAD + 37  # no multiple of anything
    batches = [
        Batch(rules, n, threads=threads, autoreset=autoreset, seed=3) for threads in (1, 2, 3, 5)
    ]
    for steps in (1, 2, 40, 150):
        for batch in batches:
            play(batch, steps, seed=steps)
        first, *others = (shown(batch) for batch in batches)
        assert all(other == first for other in others)


@COMPILED
def test_more_threads_than_processors_lose_no_row() -> None:
    alone, many = (Batch(n=8 * ROWS_A_THREAD, threads=threads, seed=1) for threads in (1, 8))
    assert helpers() >= 7
    for _ in range(10):
        play(alone, 30)
        play(many, 30)
        assert shown(alone) == shown(many)


def test_small_batches_wake_nobody() -> None:
    before = helpers()
    batch = Batch(n=ENOUGH - 1, threads=4)
    play(batch, 3)
    assert helpers() == before
    assert worth(4, 64) == 1 and worth(1, 10_000) == 1


@COMPILED
def test_threads_end_with_their_batch() -> None:
    gc.collect()
    before = helpers()
    batch = Batch(n=ENOUGH, threads=2)
    assert helpers() == before + 1
    batch.close()
    assert helpers() == before
    batch.close()
    play(batch, 2)
    assert helpers() == before + 1
    del batch
    gc.collect()
    assert helpers() == before


def test_an_illegal_action_changes_nothing() -> None:
    batch = Batch(n=ENOUGH, threads=2)
    play(batch, 20)
    before = shown(batch)
    actions = batch.mask.argmax(axis=1)
    actions[-1] = batch.actions
    with pytest.raises(IllegalActionError, match=f"game {ENOUGH - 1}"):
        batch.step(actions)
    assert shown(batch) == before


@COMPILED
def test_an_interrupted_step_is_played_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, other = Batch(n=ENOUGH, threads=2), Batch(n=ENOUGH)
    crew: Any = batch._crew

    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(crew._helpers, "call", interrupt)
        with pytest.raises(KeyboardInterrupt):
            play(batch, 1)
    play(other, 1)
    assert shown(batch) == shown(other)
    play(batch, 50, seed=1)
    play(other, 50, seed=1)
    assert shown(batch) == shown(other)


@COMPILED
def test_a_system_without_threads_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    batch, other = Batch(n=ENOUGH + ROWS_A_THREAD, threads=3), Batch(n=ENOUGH + ROWS_A_THREAD)
    batch.close()
    before, state = helpers(), shown(batch)
    start, started = threading.Thread.start, []

    def refuse_the_second(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse_the_second)
        with pytest.raises(RuntimeError, match="thread"):
            play(batch, 1)
    assert helpers() == before and shown(batch) == state
    play(batch, 5)
    play(other, 5)
    assert shown(batch) == shown(other)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "off"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_go_on_as_the_batch_does(
    threads: int, autoreset: Any, duplicate: Callable[[Batch], Batch]
) -> None:
    batch = Batch(
        "russian", ENOUGH, threads=threads, autoreset=autoreset, seed=5, episode="match",
        max_deals=2, scores="zero", stock="seat_streams", recall=False,
    )  # fmt: skip
    play(batch, 230)
    other = duplicate(batch)
    assert shown(other) == shown(batch) and other.threads == threads
    assert not np.shares_memory(other.games, batch.games)
    for seed in range(3):
        play(batch, 100, seed)
        play(other, 100, seed)
        assert shown(other) == shown(batch)
    batch.reset()
    other.reset()
    assert shown(other) == shown(batch)


def test_a_copy_without_observations() -> None:
    batch = Batch(n=3, observe=False)
    other = copy.deepcopy(batch)
    assert other.observation.shape == (3, 0) and shown(other) == shown(batch)


@COMPILED
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    batch = Batch(n=ENOUGH, threads=2)
    play(batch, 20)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            play(batch, 20)
            told = b"".join(shown(batch))[-5000:] + bytes([helpers()])
            os.write(write, told)
            batch.close()
            code = helpers()
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    play(batch, 20)
    assert told[-1] == 1
    assert told[:-1] == b"".join(shown(batch))[-5000:]


ENDINGS = {
    "at the end": "",
    "by an error": "raise SystemExit(0)",
    "in a thread": "import threading; threading.Thread(target=go).start()",
    "in a fork": "import os; child = os.fork(); go(); child and os.waitpid(child, 0)",
}


@COMPILED
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_program_ends_when_it_is_done(ending: str) -> None:
    code = f"""
import threading
from canasta_env import Batch
batch = Batch(n={ENOUGH}, threads=3)
def go():
    for _ in range(20):
        batch.step(batch.mask.argmax(axis=1))
go()
{ending}
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
