"""A population's mean policy: its entropy, its gradient, what the trainer makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents.network import masked  # noqa: E402
from tests.scripted import ACTIONS, GuessingBatch  # noqa: E402
from tests.test_ppo import SMALL  # noqa: E402
from tests.test_ppo_options import minibatch_of, same  # noqa: E402
from train import ppo  # noqa: E402
from train.diversity import Others, entropy_of_mean  # noqa: E402


def some_policies(count: int, seed: int = 0) -> Any:
    """Logits (count, states, actions) and a mask (states, actions) with illegal actions."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn((count, 7, ACTIONS), generator=generator, dtype=torch.float64)
    mask = torch.rand((7, ACTIONS), generator=generator) < 0.6
    mask[:, 0] = mask[:, 1] = True
    return logits, mask


def test_the_entropy_of_the_mean_by_hand() -> None:
    ours = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    others = torch.tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    found = entropy_of_mean(ours, others, 2)
    assert found.item() == pytest.approx(np.log(2))
    assert entropy_of_mean(ours, torch.zeros(2, 3), 1).item() == pytest.approx(np.log(2) / 2)


def test_its_gradient_is_that_of_the_payment_for_what_others_do_not_play() -> None:
    """n times the entropy of the mean has the gradient of the expected -log of the mean policy, the
    payment held fixed; and illegal actions do not make it undefined.
    """
    logits, mask = some_policies(3)
    policies = masked(logits, mask).softmax(-1)
    ours = logits[0].clone().requires_grad_()
    probabilities = masked(ours, mask).softmax(-1)
    others = policies[1] + policies[2]
    entropy = entropy_of_mean(probabilities, others, 3)
    (found,) = torch.autograd.grad(3 * entropy, ours, retain_graph=True)
    payment = -policies.mean(0).clamp_min(1e-300).log()
    expected = (probabilities * payment.masked_fill(~mask, 0)).sum(1).mean()
    (wanted,) = torch.autograd.grad(expected, ours)
    assert torch.isfinite(found).all()
    torch.testing.assert_close(found, wanted, atol=1e-6, rtol=1e-5)
    assert not found[~mask].any()


@pytest.fixture
def member(tmp_path: Path) -> str:
    """A run of one update on the guessing game, of wider layers."""
    trainer = ppo.Trainer(replace(SMALL, hidden=(24,), seed=8), GuessingBatch(seed=4))
    trainer.update()
    trainer.save(tmp_path / "member/last")
    return str(tmp_path / "member")


def test_the_others_give_the_sum_of_their_probabilities(member: str) -> None:
    args = replace(SMALL, diversity=0.1, diversity_from=(member, member))
    trainer = ppo.Trainer(args, GuessingBatch(seed=3))
    batch = minibatch_of(trainer)
    others = trainer.learner.others
    assert others is not None
    network = others.networks[0]
    policy = masked(network(batch["observation"])[0], batch["mask"]).softmax(-1)
    torch.testing.assert_close(batch["others"], 2 * policy)
    assert not any(p.requires_grad for p in network.parameters())
    loss, shown = ppo.loss_and_parts(trainer.network, batch, args, 0.0)
    without, _ = ppo.loss_and_parts(
        trainer.network, {n: x for n, x in batch.items() if n != "others"}, args, 0.0
    )
    assert shown[-1] > 0
    assert (without - loss).item() == pytest.approx(0.1 * 3 * shown[-1].item(), abs=1e-6)
    assert ppo.losses_shown(args)[-1] == "population"


def test_the_first_member_has_more_entropy_and_nothing_else() -> None:
    """Without others, the mean policy is the network's own: the same as a larger entropy bonus."""
    ends = []
    for change in ({"diversity": 0.03}, {"entropy": SMALL.entropy + 0.03}):
        trainer = ppo.Trainer(replace(SMALL, **change), GuessingBatch(seed=3))  # type: ignore[arg-type]
        for _ in range(2):
            trainer.update()
        ends.append(trainer.learner.weights.detach())
    torch.testing.assert_close(*ends, atol=1e-5, rtol=1e-4)


def test_the_next_member_keeps_away_from_what_the_others_play(tmp_path: Path) -> None:
    """One that nearly always plays the first action, which pays as often as the others."""
    trainer = ppo.Trainer(SMALL, GuessingBatch())
    with torch.no_grad():
        trainer.network.policy.bias[0] = 5.0
    trainer.save(tmp_path / "first/last")
    shares = []
    for change in ({}, {"diversity": 0.3, "diversity_from": (str(tmp_path / "first"),)}):
        trainer = ppo.Trainer(replace(SMALL, entropy=0.3, **change), GuessingBatch(seed=3))  # type: ignore[arg-type]
        for _ in range(6):
            trainer.update()
        batch = minibatch_of(trainer, 400)
        logits = masked(trainer.network(batch["observation"])[0], batch["mask"])
        shares.append(logits.softmax(-1)[:, 0].mean().item())
    assert shares[1] < 0.8 * shares[0]


def test_resuming_is_exact(member: str, tmp_path: Path) -> None:
    args = replace(SMALL, diversity=0.2, diversity_from=(member,), magnet=0.1)
    whole = ppo.Trainer(args, GuessingBatch(seed=3))
    whole.update()
    whole.save(tmp_path / "run/last")
    whole.update()
    second = ppo.Trainer(args, GuessingBatch(seed=3))
    second.load(checkpoints.read(tmp_path / "run"))
    second.update()
    same(second, whole)


def test_what_is_refused(member: str) -> None:
    with pytest.raises(ValueError, match="--diversity-from needs the weight"):
        ppo.Trainer(replace(SMALL, diversity_from=(member,)), GuessingBatch())
    with pytest.raises(ValueError, match="another number of players"):
        Others([member], checkpoints.identity(GuessingBatch(players=2)), "mlp")
    with pytest.raises(ValueError, match="its network is mlp, and the one that learns is ranks"):
        Others([member], checkpoints.identity(GuessingBatch()), "ranks")
    with pytest.raises(ValueError, match="no such file"):
        Others(["nowhere"], checkpoints.identity(GuessingBatch()), "mlp")
