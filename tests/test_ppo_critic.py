"""The privileged critic: it sees hidden hands, and the network that plays can't."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents.neural import NeuralAgent, make_network  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402
from tests.test_ppo import SMALL  # noqa: E402
from train import ppo  # noqa: E402
from train.critic import hidden_hands, make_critic, seats_seen  # noqa: E402

REAL = ppo.Args(rules="mini", num_games=24, rollout=24, minibatch=128, hidden=(8, 12), threads=1)
KINDS: list[Any] = ["ranks", "symmetric", "mlp"]


def trainer_for(critic: Any, network: Any = "ranks", **changes: Any) -> ppo.Trainer:
    hidden = (16,) if network == "mlp" else (8, 12)
    return ppo.Trainer(replace(REAL, critic=critic, network=network, hidden=hidden, **changes))


def lively(trainer: ppo.Trainer) -> ppo.Trainer:
    """The trainer after an update, its weights far from zero."""
    trainer.update()
    for descent in trainer.learner.descents:
        descent.weights.data.mul_(3)
    return trainer


def exchange(batch: Any, first: int, second: int) -> Any:
    """In each game a card of one seat (from the one to act on) for a card of another seat."""
    games = batch.games
    changed = np.zeros(batch.n, bool)
    for row in range(batch.n):
        one, two = ((batch.seat[row] + seat) % batch.players for seat in (first, second))
        hands = games.hands[row]
        given, taken = (np.flatnonzero(hands[seat]) for seat in (one, two))
        pairs = [(a, b) for a in given for b in taken if a != b]
        if pairs:
            a, b = pairs[0]
            hands[one, a] -= 1
            hands[one, b] += 1
            hands[two, b] -= 1
            hands[two, a] += 1
            changed[row] = True
    batch.refresh()
    return changed


@pytest.mark.parametrize("network", KINDS)
def test_hidden_hands_change_the_critics_value_and_never_what_the_network_says(
    network: Any,
) -> None:
    trainer = lively(trainer_for("oracle", network))
    batch, critic = trainer.batch, trainer.learner.critic
    assert critic is not None
    rows = np.arange(batch.n)

    def said() -> Any:
        with torch.no_grad():
            observation = trainer.network.arrange(torch.from_numpy(batch.observation))
            logits, value = trainer.network.judge(observation)
            judged = critic(observation, torch.from_numpy(critic.look(batch, rows)))
        return logits.clone(), value.clone(), judged

    batch.reset(seed=3)  # nobody knows a card of another seat yet
    logits, value, judged = said()
    changed = exchange(batch, 1, 2)
    assert changed.mean() > 0.8
    logits_after, value_after, judged_after = said()
    assert torch.equal(logits, logits_after) and torch.equal(value, value_after)
    assert (judged != judged_after).numpy()[changed].all()


def test_each_critic_sees_the_hands_that_it_may() -> None:
    """``team`` notices a card exchanged between partner and opponent, none between opponents;
    ``apart`` notices nothing.
    """
    noticed_by = {"apart": (False, False), "team": (True, False), "oracle": (True, True)}
    for kind, notices in noticed_by.items():
        for seats, noticed in zip(((2, 1), (1, 3)), notices, strict=True):
            trainer = trainer_for(kind)
            critic = trainer.learner.critic
            assert critic is not None
            before = critic.look(trainer.batch, np.arange(24))
            changed = exchange(trainer.batch, *seats)
            after = critic.look(trainer.batch, np.arange(24))
            seen = (before != after).any(1)[changed]
            assert seen.all() if noticed else not seen.any(), (kind, seats)


@pytest.mark.parametrize(
    ("players", "sides", "team", "oracle"),
    [(4, 2, (2,), (1, 2, 3)), (6, 2, (2, 4), (1, 2, 3, 4, 5)), (6, 3, (3,), (1, 2, 3, 4, 5))],
)
def test_seats_seen(players: int, sides: int, team: Any, oracle: Any) -> None:
    assert seats_seen("team", players, sides) == team
    assert seats_seen("oracle", players, sides) == oracle
    assert seats_seen("apart", players, sides) == ()


def test_hands_are_those_of_the_seats_after_the_one_to_act() -> None:
    batch = Batch("mini", 8, seed=1)
    for _ in range(5):
        batch.step(batch.mask.argmax(1))
    rows = np.array([1, 4, 6])
    hands = hidden_hands(batch, rows, (1, 3))
    for i, row in enumerate(rows):
        for j, seat in enumerate((1, 3)):
            expected = batch.games.hands[row, (batch.seat[row] + seat) % 4]
            np.testing.assert_array_equal(hands[i, j], expected)


@pytest.mark.parametrize(
    ("network", "rules"), [("ranks", "mini"), ("symmetric", "mini"), ("symmetric", "czech")]
)
def test_a_critic_of_tokens_reads_each_hand_at_its_token(network: Any, rules: str) -> None:
    """What it is given is what its network over observation and hands would arrange, and a token's
    part of each hand are the cards that it has in the own hand.
    """
    batch = Batch(rules, 24, seed=2)
    torch.manual_seed(0)
    identity = checkpoints.identity(batch)
    playing = make_network(network, (8, 12), identity, batch.scale)
    critic = make_critic("oracle", network, (8, 12), identity, batch)
    assert critic is not None and critic.tokens is not None
    rows, kinds = np.arange(24), batch.games.hands.shape[-1]
    hands = hidden_hands(batch, rows, critic.seats).reshape(24, -1)
    whole = torch.from_numpy(np.concatenate([batch.observation, hands], axis=1))
    observation = playing.arrange(torch.from_numpy(batch.observation))
    with torch.no_grad():
        given = critic(observation, torch.from_numpy(critic.look(batch, rows)))
        torch.testing.assert_close(given, critic.network(whole)[1])
    count, features = critic.tokens
    own = playing.columns[: count * features].reshape(count, features)
    theirs = critic.columns[: critic.of_tokens].reshape(count, 3, -1)
    for token in range(count):
        for hand in theirs[token] % kinds:
            assert hand.tolist() == own[token][own[token] < kinds].tolist()
    naturals = 4 * 12 - 4 if rules == "czech" else count
    assert critic.of_tokens == 3 * naturals


def test_where_nobody_has_a_partner_team_is_refused() -> None:
    with pytest.raises(ValueError, match="--critic team: with 2 players nobody has a partner"):
        ppo.Trainer(replace(SMALL, critic="team"), GuessingBatch(players=2))


@pytest.mark.parametrize("network", KINDS)
@pytest.mark.parametrize("kind", ["apart", "team", "oracle"])
def test_the_critic_learns_and_its_values_are_used(kind: Any, network: Any) -> None:
    trainer = trainer_for(kind, network)
    critic = trainer.learner.critic
    assert critic is not None
    before = trainer.learner.descents[1].weights.detach().clone()
    ppo.collect(trainer.batch, trainer.player, trainer.rollout)
    own = trainer.rollout.value.clone()
    ppo.judge_again(trainer.learner, critic, trainer.rollout, 50)
    decided = torch.from_numpy(trainer.rollout.decided)
    assert (trainer.rollout.value != own)[decided].all()
    assert torch.equal(trainer.rollout.value[~decided], own[~decided])
    losses = [trainer.update()["critic"] for _ in range(3)]
    assert np.isfinite(losses).all()
    assert not torch.equal(before, trainer.learner.descents[1].weights)


def test_values_of_decisions_held_back_stay() -> None:
    trainer = trainer_for("oracle")
    trainer.update()
    critic = trainer.learner.critic
    assert critic is not None
    held = trainer.rollout.decided[:4].copy()
    old = trainer.rollout.value[:4].clone()
    ppo.judge_again(trainer.learner, critic, trainer.rollout, 50)
    assert held.any() and torch.equal(trainer.rollout.value[:4], old)


def test_the_network_of_a_checkpoint_holds_nothing_of_the_critic(tmp_path: Path) -> None:
    """Its arrays are those of a run without one, and it plays without the rest."""
    trainer = trainer_for("oracle")
    trainer.update()
    trainer.save(tmp_path)
    saved = checkpoints.read(tmp_path)
    plain = trainer_for("own")
    have = {n: a.shape for n, a in saved.arrays("network").items()}
    assert have == {n: tuple(t.shape) for n, t in plain.network.state_dict().items()}
    (tmp_path / saved.meta["files"]["trainer"]["file"]).unlink()
    agent = NeuralAgent.load(tmp_path, "mini", 4)
    rows = np.arange(24)
    assert trainer.batch.mask[rows, agent.act(trainer.batch, rows)].all()


def test_a_critic_for_suits() -> None:
    """Hands have 48 kinds there."""
    batch = Batch("czech", 2, seed=1)
    identity = checkpoints.identity(batch)
    critic = make_critic("oracle", "mlp", (8,), identity, batch)
    assert critic is not None and critic.size == 3 * 48
    with torch.no_grad():
        seen = torch.from_numpy(critic.look(batch, np.arange(2)))
        assert critic(torch.from_numpy(batch.observation), seen).shape == (2,)
