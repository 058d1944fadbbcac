"""TorchRL: its wrapper around the AEC environment, decisions made of a rollout, the trainer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl", reason="TorchRL is not installed (extra torchrl)")

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from agents.neural import network_arrays  # noqa: E402
from canasta_env.aec import raw_env  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from train import torchrl_ppo  # noqa: E402
from train.torchrl_run import GROUP, Trainer, decisions  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")

SMALL = torchrl_ppo.Args(
    network="mlp", hidden=(8,), num_deals=2, minibatch=32, epochs=1, deals=2, eval_every=0
)
COMMAND = [
    "--network", "mlp", "--hidden", "8", "--num-deals", "2", "--minibatch", "32", "--epochs", "1",
    "--eval-every", "0",
]  # fmt: skip


@pytest.fixture(scope="module")
def trainer() -> Trainer:
    """One that makes no update."""
    return Trainer(SMALL)


@pytest.fixture(scope="module")
def deal(trainer: Trainer) -> Any:
    """A deal that pays something."""
    deals = (trainer.play() for _ in range(20))
    return next(deal for deal in deals if deal["next", GROUP, "reward"].any())


# --- the wrapper --------------------------------------------------------------------------------


def test_the_wrapper_gives_the_environment(trainer: Trainer) -> None:
    """Each seat's views, the masks of those who act, and everybody's rewards."""
    trainer.env.set_seed(7)
    deal = trainer.play()
    twin = raw_env("mini")
    twin.reset(seed=7)
    twin.reset()  # set_seed() has begun the first deal of the seed, the rollout the second
    for step in deal:
        rows = step[GROUP]
        (seat,) = rows["mask"].nonzero().flatten().tolist()
        assert twin.agent_selection == f"player_{seat}"
        for number, agent in enumerate(twin.possible_agents):
            seen = twin.observe(agent)
            np.testing.assert_array_equal(
                rows["observation", "observation"][number], seen["observation"]
            )
        mask = twin.observe(twin.agent_selection)["action_mask"]
        np.testing.assert_array_equal(rows["action_mask"][seat], mask)
        twin.step(int(rows["action"][seat]))
        paid = list(twin.rewards.values())
        np.testing.assert_allclose(step["next", GROUP, "reward"][:, 0], paid, atol=1e-6)
    assert all(twin.terminations.values())
    assert deal["next", "done"][-1].item()


def test_what_to_look_out_for(deal: Any) -> None:
    """Who doesn't act has a mask that allows everything; after the end nothing is allowed."""
    rows = deal[GROUP]
    assert rows["action_mask"][~rows["mask"]].all()
    after = deal["next", GROUP]
    assert not after["action_mask"][-1][after["mask"][-1]].any()


def test_rewards_are_lost_on_those_who_do_not_act(deal: Any) -> None:
    """Why rows aren't simply picked by who acts: all but one seat would never be paid."""
    reward = deal["next", GROUP, "reward"].squeeze(-1)
    total = reward.sum(0)
    assert total.count_nonzero() == 4
    picked = (reward * deal[GROUP, "mask"]).sum(0)
    assert picked.count_nonzero() == 1


def test_the_documented_example(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "torchrl.md").read_text("utf-8")
    (example,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    exec(example, {"__name__": "example"})
    rewards = [float(x) for x in re.findall(r"-?[0-9.]+", capsys.readouterr().out)]
    assert len(rewards) == 4
    assert sum(rewards) == pytest.approx(0, abs=1e-4)


# --- decisions ----------------------------------------------------------------------------------


def test_decisions_earn_all_that_is_paid(deal: Any) -> None:
    data = decisions(deal)
    total = deal["next", GROUP, "reward"].squeeze(-1).sum(0)
    ends = data["next", "done"].squeeze(-1)
    trajectory = ends.cumsum(0) - ends.long()
    earned = torch.zeros(4).index_add(0, trajectory, data["next", "reward"].squeeze(-1))
    assert ends.sum() == 4
    torch.testing.assert_close(earned, total)
    assert torch.equal(data["next", "terminated"], data["next", "done"])


def test_decisions_are_choices(deal: Any) -> None:
    data = decisions(deal)
    legal = data["action_mask"].gather(1, data["action"][:, None])
    assert legal.all()
    assert (data["action_mask"].sum(-1) > 1).all()
    assert (data["action_log_prob"] < 0).all()
    acts = deal[GROUP, "mask"] & (deal[GROUP, "action_mask"].sum(-1) > 1)
    assert len(data) == acts.sum()
    seen = torch.cat([deal[GROUP, "observation", "observation"][acts[:, s], s] for s in range(4)])
    torch.testing.assert_close(data["observation"], seen)


def test_the_network_reads_bytes(trainer: Trainer, deal: Any) -> None:
    """Observations are scaled in the environment; the network gets what it was made for."""
    batch = Batch("mini", 3, seed=1)
    observation = torch.from_numpy(batch.observation * batch.scale)
    logits, value = trainer.critic.module(observation)
    expected, expected_value = trainer.network(torch.from_numpy(batch.observation))
    torch.testing.assert_close(logits, expected)
    torch.testing.assert_close(value[:, 0], expected_value)


# --- training -----------------------------------------------------------------------------------


def test_a_run_goes_on(tmp_path: Path) -> None:
    trainer = Trainer(SMALL)
    before = {name: array.copy() for name, array in network_arrays(trainer.network).items()}
    numbers = trainer.update()
    assert trainer.deals == 2
    assert 0 < trainer.decisions < trainer.steps
    assert all(np.isfinite(number) for number in numbers.values())
    after = network_arrays(trainer.network)
    assert not np.array_equal(before["first.weight"], after["first.weight"])
    trainer.save(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    other = Trainer(SMALL, checkpoints.read(tmp_path))
    assert (other.updates, other.deals, other.steps) == (1, 2, trainer.steps)
    for name, array in network_arrays(other.network).items():
        np.testing.assert_array_equal(array, after[name])
    other.update()
    assert other.updates == 2


def test_a_seed_gives_the_same_agent() -> None:
    made = []
    for _ in range(2):  # one after the other: TorchRL draws from torch's one generator
        trainer = Trainer(SMALL)
        trainer.update()
        made.append(network_arrays(trainer.network))
    one, other = made
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, goes on, and leaves an agent that plays by its name."""
    run = str(tmp_path / "run")
    torchrl_ppo.main(["--run", run, "--deals", "2", *COMMAND])
    assert "done: 2 deals" in capsys.readouterr().out
    torchrl_ppo.main(["--resume", run, "--deals", "4"])
    assert checkpoints.read(run).meta["counters"]["deals"] == 4
    batch = Batch("mini", 4, seed=1)
    actions = registry.make(run, "mini").act(batch, np.arange(4))
    assert batch.mask[np.arange(4), actions].all()


@pytest.mark.long
def test_it_learns() -> None:
    """On a small game it gets better against random play than it was."""
    trainer = Trainer(torchrl_ppo.Args(hidden=(32, 64), deals=160, eval_decks=1000))
    before = trainer.evaluate()
    while trainer.deals < trainer.args.deals:
        trainer.update()
    after = trainer.evaluate()
    assert after.points - 2 * after.error > before.points + 2 * before.error
