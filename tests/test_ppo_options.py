"""PPO's options: with each of them a run that goes on equals the one that was not interrupted."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402
from tests.test_ppo import SMALL  # noqa: E402
from train import ppo  # noqa: E402
from train.reward import WinningReward  # noqa: E402
from train.workers import make_batch  # noqa: E402

REAL = ppo.Args(
    rules="mini", num_games=24, rollout=40, minibatch=128, hidden=(8, 12), threads=2
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "pool": {
        "pool": ("random=0.3", "past=0.4"), "partners": ("random=0.2", "past=0.2"),
        "snapshot_every": 1, "snapshots": 3,
    },
    "magnet": {"magnet": 0.1, "magnet_every": 2, "entropy_end": 0.0},
    "oracle": {"critic": "oracle", "value_clip": 0.2},
    "winning": {"reward": "winning"},
    "other_play": {"other_play": True, "network": "mlp", "pool": ("past=0.3",)},
    "shown": {"shown": ("order", "suits"), "pool": ("basic=0.2", "past=0.2"), "critic": "oracle"},
    "symmetric": {"network": "symmetric", "critic": "team", "pool": ("past=0.5",)},
    "all": {
        "pool": ("basic=0.2", "past=0.2"), "partners": ("past=0.2",), "snapshot_every": 2,
        "magnet": 0.1, "magnet_every": 1, "critic": "team", "reward": "winning",
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


def resumes_exactly(args: ppo.Args, folder: Path) -> None:
    """Four updates in a row come to the same as two, a checkpoint, and two of a new trainer."""
    whole = ppo.Trainer(args)
    for i in range(4):
        if i == 2:
            whole.save(folder / "last")
        whole.update()
    second = ppo.Trainer(args)
    second.load(checkpoints.read(folder))
    for _ in range(2):
        second.update()
    same(second, whole)


@pytest.mark.parametrize("option", OPTIONS)
def test_resuming_is_exact_with_every_option(option: str, tmp_path: Path) -> None:
    """On the real game, with two threads and the rank network."""
    resumes_exactly(replace(REAL, **OPTIONS[option]), tmp_path)


# --- entropy, magnet, reward --------------------------------------------------------------------


def test_the_entropy_weight_goes_in_a_straight_line() -> None:
    trainer = ppo.Trainer(
        replace(SMALL, deals=100, entropy=0.04, entropy_end=0.01), GuessingBatch()
    )
    found = []
    for trainer.deals in (0, 50, 100, 120):
        found.append(trainer.entropy_weight())
    assert found == pytest.approx([0.04, 0.025, 0.01, 0.01])
    assert ppo.Trainer(replace(SMALL, entropy=0.04), GuessingBatch()).entropy_weight() == 0.04


def minibatch_of(trainer: ppo.Trainer, size: int = 50) -> dict[str, Any]:
    """Decisions of a rollout as a minibatch, with the log-probabilities of the trainer's magnet."""
    ppo.collect(trainer.batch, trainer.player, trainer.rollout)
    index = torch.from_numpy(np.flatnonzero(trainer.rollout.decided))[:size]
    data = ppo.lesson(trainer.learner, trainer.rollout, index, 16)
    return {name: tensor[index] for name, tensor in data.items()}


def test_the_magnets_pull_is_the_divergence_of_the_policy_from_it() -> None:
    """Against torch's own; nothing where the two are equal, and its gradient leads back."""
    trainer = ppo.Trainer(replace(SMALL, magnet=1.0), GuessingBatch())
    batch = minibatch_of(trainer)
    network = trainer.network

    def pulled() -> Any:
        return ppo.loss_and_parts(network, batch, trainer.args, 0.0)

    assert pulled()[1][-1].item() == pytest.approx(0, abs=1e-6)
    torch.manual_seed(1)
    with torch.no_grad():
        trainer.learner.weights.add_(0.3 * torch.randn(len(trainer.learner.weights)))
    shown = pulled()[1]
    logits = network.judge(batch["observation"])[0].masked_fill(~batch["mask"], -1e9)
    both = zip(logits.log_softmax(-1), batch["magnet"], batch["mask"], strict=True)
    by_hand = [
        torch.nn.functional.kl_div(magnet[mask], ours[mask], log_target=True, reduction="sum")
        for ours, magnet, mask in both
    ]
    assert shown[-1].item() == pytest.approx(torch.stack(by_hand).mean().item(), rel=1e-4)
    assert shown[-1] > 0.01
    (slope,) = torch.autograd.grad(shown_pull(network, batch), [network.policy.weight])
    with torch.no_grad():
        network.policy.weight.sub_(slope)
    assert pulled()[1][-1] < shown[-1]


def shown_pull(network: Any, batch: dict[str, Any]) -> Any:
    """The magnet's part of the loss: what its weight of 1 adds."""
    args = replace(SMALL, magnet=1.0)
    return (
        ppo.loss_and_parts(network, batch, args, 0.0)[0]
        - ppo.loss_and_parts(network, batch, replace(args, magnet=0.0), 0.0)[0]
    )


def test_the_magnet_follows_from_time_to_time() -> None:
    trainer = ppo.Trainer(replace(SMALL, magnet=0.1, magnet_every=2), GuessingBatch())
    seen = [trainer.learner.weights.detach().clone()]
    for _ in range(4):
        trainer.update()
        seen.append(trainer.learner.weights.detach().clone())
        magnet = trainer.learner.magnet
        assert magnet is not None
        row = torch.nn.utils.parameters_to_vector(magnet.network.parameters())
        assert torch.equal(row, seen[trainer.updates // 2 * 2])


def test_a_deal_pays_the_change_of_the_chance_to_win() -> None:
    """By the model, from the scores before and after each deal of a real batch."""
    from train import winning
    from train.workers import make_batch

    batch = make_batch(REAL, 64, seed=2)
    paying = WinningReward(batch, "mini")
    model = winning.load("mini", 4)
    random = np.random.default_rng(1)
    deals = 0
    for _ in range(120):
        scores = batch.games.scores[:, :2].copy()
        actions = (random.random(batch.mask.shape) * batch.mask).argmax(1)
        paying.before()
        batch.step(actions)
        rewards = paying.paid()
        assert not rewards[~batch.deal_over].any()
        for row in np.flatnonzero(batch.deal_over):
            before = model.chances(scores[row : row + 1], [1])[0]
            after = model.chances(scores[row : row + 1] + batch.deal_scores[row], [2])[0]
            expected = batch.rules.at(4).target / 1000 * (after - before)
            np.testing.assert_allclose(rewards[row], expected[[0, 1, 0, 1]], atol=1e-5)
            np.testing.assert_allclose(rewards[row, :2].sum(), 0, atol=1e-5)
            deals += 1
    assert deals > 20


def test_chances_to_win_pay_about_as_much_as_points() -> None:
    """Their standard deviations over deals of ``basic``: neither is twice the other."""
    from agents import registry
    from train.workers import make_batch

    args = ppo.Args(threads=1)
    batch = make_batch(args, 256, seed=3)
    paying, basic = WinningReward(batch, "classic"), registry.make("basic")
    points, chances = [], []
    for _ in range(300):
        paying.before()
        batch.step(basic.act(batch, np.arange(256)))
        rewards = paying.paid()
        points.append(batch.reward[batch.deal_over, 0])
        chances.append(rewards[batch.deal_over, 0])
    ratio = np.concatenate(chances).std() / np.concatenate(points).std()
    assert 0.5 < ratio < 2


def test_rules_without_a_model_are_refused_with_the_command_that_makes_one() -> None:
    with pytest.raises(ValueError, match=r"python -m train\.winning --rules 'tiny"):
        ppo.Trainer(replace(REAL, rules="tiny", players=2, network="mlp", hidden=(8,),
                            reward="winning"))  # fmt: skip


# --- another device -----------------------------------------------------------------------------


def test_a_copy_learns_what_the_playing_network_would(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No device but the CPU can be counted on: there a copy that learns apart from the network that
    plays comes to the same weights, bit for bit, with all that stands beside it, and goes on so.
    """
    args = replace(REAL, **OPTIONS["all"])
    plain = ppo.Trainer(args)
    monkeypatch.setattr("train.learner.on_device", lambda network, device: copy.deepcopy(network))
    apart = ppo.Trainer(args)
    assert apart.learner.network is not apart.network
    for i in range(3):
        if i == 2:
            apart.save(tmp_path / "last")
            apart = ppo.Trainer(args)
            apart.load(checkpoints.read(tmp_path))
        plain.update()
        apart.update()
        same(apart, plain)
    shared = {p.data_ptr() for p in apart.network.parameters()}
    assert not shared & {p.data_ptr() for p in apart.learner.network.parameters()}


def test_what_is_shown_is_in_the_view_and_in_the_checkpoint(tmp_path: Path) -> None:
    """It plays the evaluation's games, which show it too; at a table that does not, it is refused
    in one line.
    """
    args = replace(REAL, shown=("suits",), eval_decks=8)
    trainer = ppo.Trainer(args)
    assert trainer.args.network == "mlp"
    trainer.update()
    assert np.isfinite(trainer.evaluate().points)
    trainer.save(tmp_path / "last")
    assert checkpoints.read(tmp_path).meta["settings"]["shown"] == ["suits"]
    agent = registry.make(str(tmp_path), "mini", 4)
    assert agent.act(trainer.batch, np.arange(24)).shape == (24,)
    for other in (replace(args, shown=()), replace(args, shown=("order",))):
        with pytest.raises(checkpoints.CheckpointError, match="--shown suits") as refused:
            agent.act(make_batch(other, 4, seed=1), np.arange(4))
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"network": "ranks"}, "--network ranks lays out.*use --network mlp"),
        ({"network": "symmetric"}, "--network symmetric lays out"),
        ({"other_play": True}, "--other-play renames"),
        ({"rules": "czech"}, "suits matter and are seen"),
    ],
)
def test_what_does_not_go_with_a_wider_view(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ppo.Trainer(replace(REAL, **{"shown": ("suits",), "hidden": (8,), **change}))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is such a device here")
def test_a_device_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match="finds no such device here; use --device cpu"):
        ppo.Trainer(replace(SMALL, device="cuda"), GuessingBatch())


@pytest.mark.parametrize("name", ["snapshot_every", "magnet_every", "minibatch", "threads"])
def test_numbers_below_one_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not possible; 1 or more"):
        ppo.Trainer(replace(SMALL, **{name: 0}), GuessingBatch())


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
    assert torch.equal(row, trainer.learner.weights)  # these weights are the ones that learn


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
