"""Several seeds by one command: what is skipped, what goes on, Ctrl-C, the table."""

from __future__ import annotations

import signal
import sys
import threading
import time
from io import StringIO
from pathlib import Path

import pytest

pytest.importorskip("torch")

from rich.console import Console

from agents import checkpoint as checkpoints
from tests.test_runs import SMALL
from train import ppo, runs, seeds
from train.evaluate import Score

SETTINGS = [*SMALL, "--deals", "200"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Seed 1 has come to its end, seed 2 was broken off; the name of the runs."""
    name = str(tmp_path_factory.mktemp("seeds") / "small")
    ppo.main([*SETTINGS, "--seed", "1", "--run", f"{name}-seed1"])
    ppo.main([*SMALL, "--deals", "50", "--seed", "2", "--run", f"{name}-seed2"])
    return name


def deals(folder: str) -> int:
    return int(checkpoints.read(folder).meta["counters"]["deals"])


def test_the_plan_skips_goes_on_and_begins(made: str) -> None:
    found = seeds.plan("ppo", [1, 2, 3], made, SETTINGS)
    assert [found.is_done(run) for run in found.runs] == [True, False, False]
    second, third = found.runs[1:]
    assert found.arguments(second)[:2] == ["--resume", f"{made}-seed2"]
    assert found.arguments(third)[:4] == ["--run", f"{made}-seed3", "--seed", "3"]
    started = seeds.plan("ppo", [5], made, [*SETTINGS, "--eval-opponent", "runs/x{seed}"])
    assert started.arguments(started.runs[0])[-1] == started.args.eval_opponent == "runs/x5"
    usual = seeds.plan("ppo", [7], "", ["--rules", "czech", "--players", "2"])
    assert usual.runs == (seeds.Run(7, Path("runs/ppo-czech-2p-seed7"), -1),)


def test_what_is_refused(made: str) -> None:
    for arguments, text in (
        (("ppoo", [1], "", []), "no trainer"),
        (("../ppo", [1], "", []), "no trainer"),
        (("progress", [1], "", []), "no trainer"),
        (("ppo", [1, 1], "", []), "twice"),
        (("ppo", [1], "", ["--seed", "4"]), "--seed is given for each seed"),
        (("ppo", [1], "", ["--run=x"]), "--run=x is given"),
        (("ppo", [1], made, [*SETTINGS, "--entropy", "0.5"]), "--entropy can't change"),
    ):
        with pytest.raises(ValueError, match=text) as told:
            seeds.plan(*arguments)
        assert "\n" not in str(told.value)


def test_the_command_goes_on_and_shows_all_seeds(
    made: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One real trainer, that of seed 2."""
    monkeypatch.setenv("COLUMNS", "200")
    first = deals(f"{made}-seed1")
    options = ["--seeds", "1", "2", "--run", made, "--decks", "32"]
    seeds.main(["ppo", *options, "--jobs", "2", "--", *SETTINGS])
    shown = capsys.readouterr().out
    assert f"{made}-seed1 is done, {first} deals" in shown
    assert f"{made}-seed2 goes on after" in shown and "begins" not in shown
    assert deals(f"{made}-seed1") == first and deals(f"{made}-seed2") >= 200
    assert "done: " in Path(f"{made}-seed2.log").read_text()
    assert "mean of 2 seeds" in shown and "basic, 32 decks" in shown


def test_the_mean_is_students() -> None:
    points = [Score(10.0, 1, 9), Score(30.0, 1, 9), Score(20.0, 1, 9)]
    assert seeds._mean(points) == "+20 ± 25"  # 4.303 * 10 / sqrt(3)
    assert "one seed" in seeds._mean(points[:1])


TRAINER = """#!/bin/sh
trap 'echo stopped >> {log}; exit 130' INT
echo started >> {log}
while :; do sleep 0.02; done
"""
"""Stands for a trainer that is asked to stop."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_interrupts_reach_each_trainer_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two run, the third waits and is not started."""
    log, script = tmp_path / "log", tmp_path / "trainer"
    script.write_text(TRAINER.format(log=log))
    script.chmod(0o755)
    monkeypatch.setattr(seeds.sys, "executable", str(script))
    todo = seeds.plan("ppo", [1, 2, 3], str(tmp_path / "run"), SETTINGS)

    def interrupt() -> None:
        while not log.exists() or log.read_text().count("started") < 2:
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    before = signal.getsignal(signal.SIGINT)
    status = seeds.train(todo, 2, Console(file=StringIO()))
    assert status == dict.fromkeys((1, 2, 3), runs.INTERRUPTED)
    assert sorted(log.read_text().split()) == ["started"] * 2 + ["stopped"] * 2
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(seeds, "train", lambda todo, jobs, console: {1: runs.INTERRUPTED})
    name = str(tmp_path / "run")
    with pytest.raises(SystemExit) as ended:
        seeds.main(["ppo", "--seeds", "1", "--run", name, "--", *SETTINGS])
    assert ended.value.code == 130
    assert f"go on with: python -m train.seeds ppo --seeds 1 --run {name} -- --rules" in (
        capsys.readouterr().out
    )


def test_a_trainer_that_fails_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(seeds, "train", lambda todo, jobs, console: {1: 0, 2: 1})
    with pytest.raises(SystemExit, match=r"train.seeds: ended too early: seed 2 with status 1"):
        seeds.main(["ppo", "--seeds", "1", "2", "--run", str(tmp_path / "run"), "--", *SETTINGS])
