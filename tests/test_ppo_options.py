"""PPO's options: with each of them a run that goes on equals the one that was not interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402
from tests.test_ppo import SMALL  # noqa: E402
from train import ppo  # noqa: E402

REAL = ppo.Args(
    rules="mini", num_games=24, rollout=40, minibatch=128, hidden=(8, 12), threads=2
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "pool": {
        "pool": ("random=0.3", "past=0.4"), "partners": ("random=0.2", "past=0.2"),
        "snapshot_every": 1, "snapshots": 3,
    },
}  # fmt: skip


def same(ours: ppo.Trainer, theirs: ppo.Trainer) -> None:
    """Everything that a checkpoint keeps is equal, bit for bit."""
    for name, tensor in ours.network.state_dict().items():
        assert torch.equal(tensor, theirs.network.state_dict()[name]), name
    have, want = ours._arrays(), theirs._arrays()
    assert have.keys() == want.keys()
    for name, array in want.items():
        np.testing.assert_array_equal(have[name], array, err_msg=name)


@pytest.mark.parametrize("option", OPTIONS)
def test_resuming_is_exact_with_every_option(option: str, tmp_path: Path) -> None:
    """On the real game, with two threads and the rank network: two updates, saved, loaded into a
    new trainer, two more, and four in a row.
    """
    args = replace(REAL, **OPTIONS[option])
    whole = ppo.Trainer(args)
    for i in range(4):
        if i == 2:
            whole.save(tmp_path / "last")
        whole.update()
    second = ppo.Trainer(args)
    second.load(checkpoints.read(tmp_path))
    for _ in range(2):
        second.update()
    same(second, whole)


# --- a start with given weights -----------------------------------------------------------------


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A run of one update on the guessing game."""
    trainer = ppo.Trainer(SMALL, GuessingBatch())
    trainer.update()
    trainer.save(tmp_path / "run/last")
    return tmp_path / "run"


def test_a_start_takes_weights_and_widths_and_nothing_else(trained: Path) -> None:
    saved = checkpoints.read(trained).arrays("network")
    args = replace(SMALL, network="auto", hidden=(), start=str(trained), seed=5)
    trainer = ppo.Trainer(args, GuessingBatch())
    assert (trainer.args.network, trainer.args.hidden) == ("mlp", (16,))
    assert (trainer.deals, trainer.updates) == (0, 0)
    for name, tensor in trainer.network.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), saved[name])
    trainer.update()
    row = torch.nn.utils.parameters_to_vector(trainer.network.parameters())
    assert torch.equal(row, trainer.descent.weights)  # these weights are the ones that learn


def test_a_run_that_was_started_so_goes_on_without_the_start(trained: Path) -> None:
    args = replace(SMALL, start=str(trained))
    trainer = ppo.Trainer(args, GuessingBatch())
    trainer.update()
    trainer.save(trained.parent / "second/last")
    again = ppo.Trainer(replace(args, start="gone", resume="second"), GuessingBatch())
    again.load(checkpoints.read(trained.parent / "second"))
    same(again, trainer)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"start": "nowhere"}, "no such file"),
        ({"hidden": (8,)}, "its network is mlp 16, and another one is asked for"),
        ({"network": "ranks", "hidden": ()}, "its network is mlp 16"),
    ],
)
def test_starts_that_are_refused(trained: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        ppo.Trainer(replace(SMALL, start=str(trained), **change) if "start" not in change
                    else replace(SMALL, **change), GuessingBatch())  # fmt: skip
    assert "\n" not in str(refused.value)


def test_a_start_from_other_players_is_refused(trained: Path) -> None:
    with pytest.raises(ValueError, match="another number of players"):
        ppo.Trainer(replace(SMALL, start=str(trained)), GuessingBatch(players=2))


def test_a_run_with_the_former_opponent_is_refused_in_one_line(trained: Path) -> None:
    saved = checkpoints.read(trained)
    meta = {**saved.meta, "settings": {**saved.meta["settings"], "opponent_share": 0.5}}
    parts = {part: saved.arrays(part) for part in ("network", "trainer")}
    checkpoints.write(trained / "last", meta, parts)
    with pytest.raises(checkpoints.CheckpointError, match=r"--opponent-share.*--start"):
        ppo.Trainer(SMALL, GuessingBatch()).load(checkpoints.read(trained))
