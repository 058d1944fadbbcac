"""Names of agents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents import registry

torch = pytest.importorskip("torch")

from agents.checkpoint import CheckpointError  # noqa: E402
from agents.neural import NeuralAgent  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402
from train import ppo  # noqa: E402


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The folder of a run with one update, as a user would write it."""
    monkeypatch.chdir(tmp_path)
    args = ppo.Args(
        rules="classic", num_games=16, rollout=16, network="mlp", hidden=(16,), threads=1
    )
    trainer = ppo.Trainer(args, GuessingBatch(16))
    trainer.update()
    trainer.save(Path("runs/first/last"))
    return "runs/first"


@pytest.mark.parametrize("tail", ["", "/last"])
def test_paths_of_runs_and_checkpoints(run: str, tail: str) -> None:
    agent = registry.make(run + tail, "classic", 4)
    batch = GuessingBatch(16)
    rows = np.array([3, 5, 9])
    actions = agent.act(batch, rows)
    assert actions.dtype == np.int64
    assert batch.mask[rows, actions].all()


def test_temperature_draws_by_seed(run: str) -> None:
    batch = GuessingBatch(256)
    rows = np.arange(256)

    def played(name: str, seed: int) -> list[int]:
        actions: list[int] = registry.make(name, "classic", 4, seed).act(batch, rows).tolist()
        return actions

    assert played(f"{run}@5", 1) == played(f"{run}@5", 1) != played(f"{run}@5", 2)
    assert played(run, 1) == played(run, 2)


def test_other_rules_are_refused(run: str) -> None:
    with pytest.raises(CheckpointError, match="other rules: classic, not russian"):
        registry.make(run, "russian", 4)
    with pytest.raises(CheckpointError, match="another number of players: 4, not 2"):
        registry.make(run, "classic", 2)


def test_another_batch_is_refused(run: str) -> None:
    batch = GuessingBatch(4)
    batch.scale = batch.scale * 2
    with pytest.raises(CheckpointError, match="another observation"):
        NeuralAgent.load(run).act(batch, np.arange(4))


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("basik", "did you mean basic?"),
        ("greddy", "did you mean greedy?"),
        ("runs/frst", "runs/first"),
    ],
)
def test_unknown_names(run: str, name: str, close: str) -> None:
    with pytest.raises(registry.UnknownAgentError) as refused:
        registry.make(name)
    assert close in str(refused.value) and "\n" not in str(refused.value)


def test_a_name_like_no_other_lists_the_names() -> None:
    with pytest.raises(registry.UnknownAgentError, match="the names are random, greedy, basic"):
        registry.make("zzz")


def test_bots_need_no_torch() -> None:
    code = "import sys; from agents import registry, checkpoint; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_maker_in_a_module() -> None:
    agent = registry.make("tests.odd_agents:Lots", "classic", 2, seed=7)
    assert agent.name == "first"
    for name, message in (
        ("tests.odd_agents:Nobody", "cannot be imported: .*Nobody"),
        ("no.such.module:Agent", "cannot be imported"),
        ("tests.odd_agents:Unmade", "Unmade: OSError: no such weights"),
    ):
        with pytest.raises(registry.UnknownAgentError, match=message):
            registry.make(name, seed=1)
