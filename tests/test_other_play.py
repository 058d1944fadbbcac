"""Other-play in PPO: each seat sees a deal under names of its own and plays the real one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents.network import masked  # noqa: E402
from agents.neural import make_network  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from train import ppo, runs  # noqa: E402
from train.other_play import OtherPlay  # noqa: E402

ARGS = ppo.Args(
    rules="mini", num_games=16, rollout=40, hidden=(8, 12), threads=1, other_play=True
)  # fmt: skip


def in_the_middle(rules: str, players: int, games: int = 40, steps: int = 30) -> Any:
    """Games some random moves along."""
    batch = Batch(rules, games, players=players, seed=3, autoreset="same_step")
    rng = np.random.default_rng(4)
    for _ in range(steps):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.mask]))
    return batch


@pytest.mark.parametrize(("rules", "players"), [("mini", 4), ("classic", 2), ("czech", 4)])
def test_an_action_under_another_name_is_legal_and_its_own(rules: str, players: int) -> None:
    """The relabelled mask goes onto the real one, one to one, and says what the relabelling of the
    group says; most of the games look different.
    """
    batch = in_the_middle(rules, players)
    other = OtherPlay(batch, 1)
    games, seats = np.arange(batch.n), batch.seat
    mask = other.masked(batch.mask, games, seats)
    change = other.changes[games * players + seats]
    seen = other.observed(batch.observation, games, seats)
    np.testing.assert_array_equal(mask, other.group.masks(change, batch.mask))
    np.testing.assert_array_equal(seen, other.group.observations(change, batch.observation))
    for game in games:
        named = np.flatnonzero(mask[game])
        at = np.full(len(named), game)
        real = other.played(named, at, seats[at])
        np.testing.assert_array_equal(np.sort(real), np.flatnonzero(batch.mask[game]))
    assert (seen != batch.observation).any(1).mean() > 0.5


def test_a_symmetric_network_is_not_moved_by_it() -> None:
    """Its policy, put back into real names, is the one without other-play; that of plain layers is
    another.
    """
    batch = in_the_middle("mini", 4)
    other = OtherPlay(batch, 1)
    games, seats = np.arange(batch.n), batch.seat
    identity = checkpoints.identity(batch)
    every = np.broadcast_to(np.arange(batch.actions), (batch.n, batch.actions))
    real = np.stack([other.played(row, np.full(len(row), g), np.full(len(row), seats[g]))
                     for g, row in zip(games, every, strict=True)])  # fmt: skip
    apart = {}
    for kind in ("symmetric", "mlp"):
        torch.manual_seed(2)
        network = make_network(kind, (8, 12), identity, batch.scale)
        plain = policy(network, batch.observation, batch.mask)
        renamed = policy(
            network,
            other.observed(batch.observation, games, seats),
            other.masked(batch.mask, games, seats),
        )
        back = np.zeros_like(renamed)
        np.put_along_axis(back, real, renamed, axis=1)
        apart[kind] = float(np.abs(back - plain).max())
    assert apart["symmetric"] < 1e-5 < 1e-4 < apart["mlp"]


def policy(network: Any, observation: Any, mask: Any) -> Any:
    """Probabilities (n, A)."""
    with torch.inference_mode():
        arranged = network.arrange(torch.from_numpy(observation))
        logits, _ = network.judge(arranged)
        return masked(logits, torch.from_numpy(mask)).softmax(-1).numpy()


def test_names_hold_for_a_deal_and_differ_between_its_seats() -> None:
    """In training: they change in the games whose deals ended, and only there."""
    trainer = ppo.Trainer(ARGS)
    other = trainer.other_play
    assert other is not None
    names = other.changes.ranks.reshape(16, 4, -1)
    assert (names[:, 0] != names[:, 1]).any()
    kept = changed = 0
    for _ in range(120):
        before = names.copy()
        ppo.collect(trainer.batch, trainer.player, one_step(trainer))
        ended = trainer.batch.terminated | trainer.batch.truncated
        np.testing.assert_array_equal(names[~ended], before[~ended])
        kept += int((~ended).sum())
        changed += int((names[ended] != before[ended]).any(-1).sum())
    assert kept > 1000
    assert changed > 20


def one_step(trainer: ppo.Trainer) -> ppo.Rollout:
    batch = trainer.batch
    return ppo.Rollout(1, batch.n, batch.players, batch.observation_size, batch.actions)


def test_what_is_learnt_from_is_what_the_seat_saw() -> None:
    """The noted action is the seat's own name of the move that was made; with relabellings that
    change nothing all is as without.
    """
    trainer, plain = ppo.Trainer(ARGS), ppo.Trainer(replace(ARGS, other_play=False))
    other = trainer.other_play
    assert other is not None
    for one in (trainer, plain):
        rng = np.random.default_rng(4)
        for _ in range(30):
            one.batch.step(np.array([rng.choice(np.flatnonzero(m)) for m in one.batch.mask]))
    batch, rollout = trainer.batch, one_step(trainer)
    seats, seen, legal = batch.seat.copy(), batch.observation.copy(), batch.mask.copy()
    actions = ppo.choose(batch, trainer.player, rollout, 4)
    games = np.flatnonzero(rollout.decided[4])
    assert len(games) > 5
    noted = rollout.action[4].numpy()[games]
    np.testing.assert_array_equal(other.played(noted, games, seats[games]), actions[games])
    assert legal[games, actions[games]].all()
    arranged = trainer.network.arrange(
        torch.from_numpy(other.observed(seen[games], games, seats[games]))
    )
    assert torch.equal(rollout.observation[4][games], arranged)

    other.changes = other.group.identity(len(other.changes))
    other._index(np.arange(batch.n))
    first, second = one_step(trainer), one_step(plain)
    trainer.workers.restore(plain.workers.state())
    np.testing.assert_array_equal(
        ppo.choose(batch, trainer.player, first, 4),
        ppo.choose(plain.batch, plain.player, second, 4),
    )
    assert torch.equal(first.log_probability, second.log_probability)


def test_a_habit_about_names_falls_on_all_cards_alike() -> None:
    """Whoever always throws "4" throws 4 to 7 equally often."""
    batch = SimpleNamespace(**{k: getattr(Batch("mini", 4000, players=4), k) for k in
        ("rules", "n", "players", "observation_size", "actions", "table")})  # fmt: skip
    other = OtherPlay(batch, 7)
    named = batch.table.texts.index("discard 4")
    games = np.arange(batch.n)
    real = other.played(np.full(batch.n, named), games, games % 4)
    counts = [int((real == batch.table.texts.index(f"discard {rank}")).sum()) for rank in "456789"]
    assert counts[4:] == [0, 0]
    assert all(abs(count - 1000) < 4 * np.sqrt(750) for count in counts[:4])


def test_refusals() -> None:
    with pytest.raises(runs.RunError, match="--critic oracle shows hidden hands"):
        ppo.Trainer(replace(ARGS, critic="oracle"))
    with pytest.raises(ValueError, match="no two ranks are alike"):
        ppo.Trainer(replace(ARGS, rules="tiny(ranks=1, packs=2)", players=2))
