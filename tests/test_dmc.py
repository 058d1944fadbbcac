"""Monte-Carlo values: what is learned, resuming exactly, the command."""

from __future__ import annotations

import copy
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from tests.scripted import ACTIONS, GuessingBatch, ScriptedBatch  # noqa: E402
from tests.test_ppo import random_episodes, weights  # noqa: E402
from train import deal_trainer, dmc, learner  # noqa: E402

SMALL = dmc.Args(
    num_games=32,
    rollout=16,
    replay=2048,
    longest=64,
    minibatch=128,
    network="mlp",
    hidden=(16,),
    threads=1,
    eval_every=0,
)

MINI = replace(
    SMALL, rules="mini", players=2, num_games=24, rollout=40, network="auto", hidden=(8, 12)
)


# --- values and choices -------------------------------------------------------------------------


def test_advantages_by_hand() -> None:
    """Two legal actions, chosen with 3/4 and 1/4; the mean goes by that, the illegal one is out."""
    logits = torch.tensor([[np.log(3), 9.0, 0.0]], dtype=torch.float32).repeat(2, 1)
    mask = torch.tensor([[True, False, True]]).repeat(2, 1)
    np.testing.assert_allclose(dmc.chances(logits, mask)[0], [0.75, 0, 0.25], atol=1e-6)
    found = dmc.advantages(logits, mask, torch.tensor([0, 2]), 0.02)
    mean = 0.75 * np.log(3)
    np.testing.assert_allclose(found, [0.02 * (np.log(3) - mean), -0.02 * mean], rtol=1e-5)
    assert (0.75 * found[0] + 0.25 * found[1]).item() == pytest.approx(0, abs=1e-8)


def test_values_and_advantages_are_told_apart() -> None:
    """One state, two actions that are paid +1 and -0.5 and a bit of luck. They were drawn evenly,
    which is not how the trained network would choose; Q is right even so.
    """
    rng = np.random.default_rng(0)
    args = replace(SMALL, replay=1024, temperature=0.5, reuse=8.0)
    trainer = dmc.Trainer(args, GuessingBatch())
    action = rng.integers(2, size=1024)
    mask = np.zeros((1024, ACTIONS), bool)
    mask[:, :2] = True
    seen = np.ones((1024, trainer.batch.observation_size), np.uint8)
    target = np.where(action == 0, 1.0, -0.5) + rng.normal(0, 0.3, 1024)
    trainer.finished.put({"observation": seen, "mask": mask, "action": action, "target": target})
    trainer.learner.set_rate(1e-2)
    for _ in range(4):
        trainer.learn(1024)
    logits, value = trainer.network.judge(torch.from_numpy(seen[:2]))
    both = torch.tensor([0, 1])
    assert dmc.chances(logits, torch.from_numpy(mask[:2]))[0, 0] > 0.9
    given = dmc.advantages(logits, torch.from_numpy(mask[:2]), both, 0.5) + value
    np.testing.assert_allclose(given.detach(), [1, -0.5], atol=0.1)


def test_play_notes_decisions_and_skips_forced_moves() -> None:
    rng = np.random.default_rng(2)
    seats, rewards, ended, _, _ = random_episodes(rng, 12, 6, 4)
    masks = rng.random((12, 6, ACTIONS)) < 0.4
    masks[..., 0] |= ~masks.any(-1)
    ended[-1] = True
    trainer = dmc.Trainer(replace(SMALL, rollout=12), ScriptedBatch(seats, rewards, ended, masks))
    for _ in range(12):
        trainer.step()
    decided = masks.sum(-1) > 1
    assert trainer.decisions == decided.sum() == len(trainer.finished)
    assert trainer.deals == ended.sum()
    kept = trainer.finished.arrays
    step, game = kept["observation"][: len(trainer.finished), :2].T.astype(int)
    assert set(zip(step, game, strict=True)) == set(zip(*np.nonzero(decided), strict=True))
    np.testing.assert_array_equal(kept["mask"][: len(step)], masks[step, game])
    assert masks[step, game, kept["action"][: len(step)]].all()


def test_it_learns_the_guessing_game() -> None:
    """A policy at random guesses right in a bit more than a fifth; who guesses is paid at the end
    of a deal only.
    """
    batch = GuessingBatch(128, seed=1)
    args = replace(SMALL, rollout=32, minibatch=512, learning_rate=1e-2, anneal=False)
    trainer = dmc.Trainer(args, batch)
    for _ in range(25):
        trainer.update()
    agent = trainer.agent()
    right = agent.act(batch, np.arange(batch.n)) == batch.good
    assert right.mean() > 0.95


# --- resuming -----------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_resuming_is_exact(tmp_path: Path, threads: int) -> None:
    """Saved in the middle of deals and loaded into a new trainer: bit for bit as in one go."""
    args = replace(MINI, threads=threads, deals=500, trace=1.0 if threads == 1 else 0.8)
    whole = dmc.Trainer(args)
    for _ in range(6):
        whole.update()
    first = dmc.Trainer(args)
    for _ in range(3):
        first.update()
    assert first.pending.count.any() and len(first.finished)
    first.save(tmp_path / "last")
    second = dmc.Trainer(replace(args, seed=99))
    second.load(checkpoints.read(tmp_path))
    for _ in range(3):
        second.update()
    for ours, theirs in zip(weights(whole), weights(second), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(whole.batch.observation, second.batch.observation)
    counters = [[getattr(t, name) for name in ("deals", "updates", "steps", "decisions")]
                for t in (whole, second)]  # fmt: skip
    assert counters[0] == counters[1]


def test_a_copy_that_learns_is_handed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on another device: what learns is a copy of what plays; nothing else differs, and a
    checkpoint comes back.
    """
    args = replace(MINI, deals=500)
    plain = dmc.Trainer(args)
    monkeypatch.setattr(learner, "on_device", lambda network, device: copy.deepcopy(network))
    apart, again = dmc.Trainer(args), dmc.Trainer(args)
    assert apart.learner.network is not apart.network
    for trainer in (plain, apart):
        for _ in range(2):
            trainer.update()
    apart.save(tmp_path / "last")
    again.load(checkpoints.read(tmp_path))
    for trainer in (plain, again):
        trainer.update()
    for ours, theirs in zip(weights(plain), weights(again), strict=True):
        np.testing.assert_array_equal(ours, theirs)


# --- the run ------------------------------------------------------------------------------------


@pytest.fixture
def guessing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The trainer's command on the guessing game, with runs in a folder of its own."""

    def make(args: dmc.Args, n: int, *, seed: int, autoreset: str = "same_step") -> Any:
        return GuessingBatch(n, args.players, seed)

    monkeypatch.setattr(deal_trainer, "make_batch", make)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = [
    *("--num-games", "32", "--rollout", "16", "--minibatch", "128", "--replay", "1024"),
    *("--network", "mlp", "--hidden", "16", "--threads", "1", "--eval-every", "0"),
]


def test_a_run_and_its_continuation(guessing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dmc.main([*COMMAND, "--deals", "200", "--run", "runs/a"])
    assert "done: " in capsys.readouterr().out
    before = checkpoints.read("runs/a").meta["counters"]
    dmc.main(["--resume", "runs/a", "--deals", "400"])
    after = checkpoints.read("runs/a").meta["counters"]
    assert before["deals"] < 400 <= after["deals"]
    dmc.main([*COMMAND, "--deals", "100", "--run", "runs/b", "--start", "runs/a"])
    assert list(guessing.glob("runs/a/events.out.tfevents*"))


def fails(arguments: list[str]) -> str:
    """The one line with which the command ends."""
    with pytest.raises(SystemExit) as ended:
        dmc.main(arguments)
    text = str(ended.value.code)
    assert text.startswith("train.dmc: ") and "\n" not in text
    return text


def test_refusals_are_one_line(guessing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dmc.main([*COMMAND, "--deals", "100", "--run", "runs/a"])
    assert "exists already" in fails([*COMMAND, "--run", "runs/a"])
    assert "--reuse can't change" in fails(["--resume", "runs/a", "--reuse", "9"])
    assert "no such file" in fails([*COMMAND, "--start", "runs/missing"])
    assert "another one is asked for" in fails(
        [*COMMAND, "--start", "runs/a", "--hidden", "17", "--run", "runs/c"]
    )
    assert not (guessing / "runs/c").exists()
    assert "--temperature 0.0 is not above 0" in fails([*COMMAND, "--temperature", "0"])
    assert "--minibatch -1 is not above 0" in fails([*COMMAND, "--minibatch", "-1"])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "--device cuda: torch finds no such device" in fails([*COMMAND, "--device", "cuda"])


def test_interrupt_saves_and_says_how_to_go_on(
    guessing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    update = dmc.Trainer.update

    def interrupted(self: dmc.Trainer) -> dict[str, float]:
        if self.updates == 2:
            signal.raise_signal(signal.SIGINT)
        return update(self)

    monkeypatch.setattr(dmc.Trainer, "update", interrupted)
    with pytest.raises(SystemExit) as ended:
        dmc.main([*COMMAND, "--deals", "100000", "--run", "runs/b"])
    assert ended.value.code == 130
    assert "python -m train.dmc --resume runs/b" in capsys.readouterr().out
    assert checkpoints.read("runs/b").meta["counters"]["updates"] == 3


def test_its_checkpoint_is_an_agent(tmp_path: Path) -> None:
    trainer = dmc.Trainer(MINI)
    trainer.update()
    trainer.save(tmp_path / "last")
    assert checkpoints.read(tmp_path).meta["trainer"] == "dmc"
    agent = registry.make(str(tmp_path), "mini", 2)
    rows = np.arange(trainer.batch.n)
    np.testing.assert_array_equal(
        agent.act(trainer.batch, rows), trainer.agent().act(trainer.batch, rows)
    )
