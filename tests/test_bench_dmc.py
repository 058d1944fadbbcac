"""The benchmark of the trainer of Monte-Carlo values runs and prints a share of the bound."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from experiments import bench_dmc  # noqa: E402


def test_the_command_prints_the_share_of_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    small = "--trainer.rules mini --trainer.players 2 --trainer.num-games 16 --trainer.rollout 32"
    small += " --trainer.minibatch 64 --trainer.hidden 8 12 --trainer.threads 1"
    more = ["--rounds", "2", "--updates", "1", "--warm", "4", "--seconds", "0.02"]
    bench_dmc.main([*small.split(), *more])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["forward", "training", "bound"]
    forward, training, bound, decisions = (float(x.replace(",", "")) for x in lines[1].split()[:4])
    assert bound == pytest.approx(1 / (1 / forward + 2 / training), rel=0.01)
    assert decisions > 0
    assert lines[-1].startswith("the trainer reaches ")
