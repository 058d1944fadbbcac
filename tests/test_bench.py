"""The benchmark measures what it says; no figure is asserted, machines differ."""

from __future__ import annotations

import numpy as np
import pytest

from experiments import bench
from experiments.empty_aec import empty_env


def test_steps() -> None:
    speeds, gains = bench.step_speeds("random", 16, (1, 2), 0.05)
    assert all(speed.steps > speed.whole > 0 for speed in speeds)
    assert gains[0] == 1 and gains[1] > 0


def test_masks() -> None:
    times = bench.mask_times(100)
    assert times.shape == (100,)
    assert (times >= 0).all()
    assert 0 < np.median(times) < 0.01


def test_bots() -> None:
    assert bench.bot_speed("expert", 0.01) > 0


def test_the_empty_environment_is_one() -> None:
    env = empty_env((5,), 3)
    env.reset(seed=1)
    steps = 0
    for _ in env.agent_iter():
        steps += 1
        observation, reward, terminated, truncated, _ = env.last()
        assert observation["observation"].shape == (5,)
        assert reward == 0
        env.step(None if terminated or truncated else 1)
    assert steps == 144
    assert not env.agents


def test_aec() -> None:
    speeds = bench.aec_speeds(0.1)
    assert list(speeds) == ["raw_env", "env"]
    for three, shares in speeds.values():
        assert len(three) == len(shares) == 3 and min(three) > 0 and shares[0] == 1


def test_import() -> None:
    assert bench.import_seconds("print(0.25)", runs=1) == 0.25


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench, "SIZES", (16,))
    parts = ["engine", "presets", "masks", "aec"]
    assert bench.main([*parts, "--seconds", "0.05", "--states", "50"]) == 0
    text = capsys.readouterr().out
    for word in ("engine", "masks of 50", "AEC"):
        assert word in text
    with pytest.raises(SystemExit):
        bench.main(["engin"])
