"""The benchmark of the environments of one learner runs; no figure is asserted, machines differ."""

from __future__ import annotations

import pytest

from experiments import bench_learner


def test_everything_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    bench_learner.main(["--seconds", "0.01", "--runs", "2", "--games", "8"])
    printed = capsys.readouterr().out
    assert printed.count("gymnasium.make_vec, 8 games") == 2 and printed.count("threads=2") == 2
