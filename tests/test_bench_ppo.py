"""The trainer's benchmark: MaskablePPO plays with the trainer's network; the command runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from experiments import bench_ppo  # noqa: E402
from experiments.sb3_batch import maskable_ppo  # noqa: E402
from train import ppo  # noqa: E402

SMALL = ppo.Args(num_games=16, rollout=8, minibatch=64, threads=2)


@pytest.mark.parametrize("network", ["ranks", "mlp"])
def test_maskable_ppo_has_the_trainers_network(network: Any) -> None:
    """The same weights from the same seed, and the same logits and values; nothing besides."""
    args = replace(SMALL, network=network, hidden=(8, 12))
    trainer = ppo.Trainer(args)
    model = maskable_ppo(args, 16, 64)
    ours = dict(trainer.network.named_parameters())
    theirs = dict(model.policy.features_extractor.network.named_parameters())
    assert ours.keys() == theirs.keys()
    assert {id(p) for p in model.policy.parameters()} == {id(p) for p in theirs.values()}
    for name, parameter in ours.items():
        torch.testing.assert_close(parameter, theirs[name])
    observation = torch.from_numpy(trainer.batch.observation)
    given = torch.from_numpy(model.env.reset())
    with torch.no_grad():
        logits, value = trainer.network(observation)
        features = model.policy.extract_features(given)
        torch.testing.assert_close(model.policy.action_net(features), logits)
        torch.testing.assert_close(model.policy.value_net(features)[:, 0], value)


def test_maskable_ppo_trains_it() -> None:
    model = maskable_ppo(replace(SMALL, hidden=(8, 12)), 16, 64)
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(2 * 16 * model.n_steps)
    assert model.n_steps == 8
    for old, new in zip(before, model.policy.parameters(), strict=True):
        assert not torch.equal(old, new)


def test_the_bound_trains_what_the_trainer_has() -> None:
    trainer = ppo.Trainer(SMALL)
    trainer.update()
    bound = bench_ppo.Bound(trainer, 0.001)
    assert len(bound.many) == SMALL.minibatch
    assert 0 < len(bound.few) <= SMALL.num_games
    before = trainer.learner.weights.detach().clone()
    forward, training, limit = bound.measure()
    assert limit == pytest.approx(1 / (1 / forward + SMALL.epochs / training))
    np.testing.assert_array_equal(before.numpy(), trainer.learner.weights.detach().numpy())


def test_the_bound_has_the_passes_of_the_options() -> None:
    """Past selves take turns from the learner, critic and magnet judge once more; all is done on
    copies.
    """
    args = replace(SMALL, critic="oracle", magnet=0.1, pool=("past=0.5",), partners=("past=0.5",))
    trainer = ppo.Trainer(args)
    trainer.update()
    bound = bench_ppo.Bound(trainer, 0.001)
    seats = 4 * 16
    theirs = seats - trainer.pool.learner.sum()  # type: ignore[union-attr]
    assert bound.past == pytest.approx(theirs / (seats - theirs)) and bound.past > 0.5
    before = [descent.weights.detach().clone() for descent in trainer.learner.descents]
    forward, training, limit = bound.measure()
    assert 1 / limit > (1 + bound.past) / forward + SMALL.epochs / training
    for old, descent in zip(before, trainer.learner.descents, strict=True):
        assert torch.equal(old, descent.weights)
    assert [len(d.weights) for d in bound.descents] == [len(row) for row in before]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    small = {
        "--trainer.num-games": 16, "--trainer.rollout": 8, "--trainer.minibatch": 64,
        "--rounds": 1, "--seconds": 0.001, "--sb3-games": 8, "--sb3-minibatch": 64,
    }  # fmt: skip
    bench_ppo.main([str(word) for pair in small.items() for word in pair])
    text = capsys.readouterr().out
    assert "% of its bound" in text
    assert "times the moves of MaskablePPO" in text
