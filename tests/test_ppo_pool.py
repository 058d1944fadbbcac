"""The pool of PPO: who sits where, whose moves are learnt from, which snapshots stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import registry  # noqa: E402
from agents.network import ActorCritic  # noqa: E402
from tests.scripted import ACTIONS, FEATURES, GuessingBatch, ScriptedBatch  # noqa: E402
from tests.test_ppo import SMALL, random_episodes  # noqa: E402
from train import ppo  # noqa: E402
from train.pool import Past, Pool, seating, shares, superfluous  # noqa: E402


class Last:
    """Plays the last action and notes where it was asked."""

    def __init__(self, rules: Any = None, players: int = 4, seed: int = 0) -> None:
        self.name = "last"
        self.asked: list[tuple[int, int]] = []

    def act(self, batch: Any, rows: Any) -> Any:
        assert (batch.mask[rows].sum(1) > 1).all()
        self.asked.extend((int(row), int(batch.seat[row])) for row in rows)
        return np.array([np.flatnonzero(batch.mask[row])[-1] for row in rows])


LAST = f"{__name__}:Last"


def pool_for(batch: Any, opponents: Any = (), partners: Any = ()) -> Pool:
    network = ActorCritic(batch.scale, batch.actions, (8,))
    return Pool(batch, network, opponents, partners, keep=3, rules="classic", seed=1)


def seats_of(games: int, players: int, sides: int, opponents: Any, partners: Any) -> Any:
    numbers = {"a": [1], "b": [2, 3]}
    random = np.random.default_rng(7)
    return seating((games, players), sides, opponents, partners, numbers, random)


# --- who sits where -----------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "sides"), [(2, 2), (3, 3), (4, 2), (6, 2), (6, 3)])
def test_opponents_have_whole_sides_in_their_share(players: int, sides: int) -> None:
    """The learner has one side, each as often; a name with two numbers shares its games evenly."""
    chairs = seats_of(600, players, sides, {"a": 0.1, "b": 0.2}, {})
    side = np.arange(players) % sides
    assert (chairs == 0).all(1).sum() == 420
    for number, games in ((1, 60), (2, 60), (3, 60)):
        rows = chairs[(chairs == number).any(1)]
        assert len(rows) == games
        own = [(row[side == s] == 0).all() for row in rows for s in range(sides)]
        assert sum(own) == games  # one side of each
        assert ((rows == 0) | (rows == number)).all()
        of_side = np.array(own).reshape(games, sides).sum(0)
        assert of_side.max() - of_side.min() <= sides


@pytest.mark.parametrize(("players", "sides"), [(4, 2), (6, 2), (6, 3)])
def test_partners_leave_the_learner_one_seat_of_its_side(players: int, sides: int) -> None:
    chairs = seats_of(600, players, sides, {"a": 0.5}, {"b": 0.2})
    rows = chairs[(chairs >= 2).any(1)]
    assert len(rows) == 120
    mates = players // sides - 1
    for row in rows:
        seats = np.flatnonzero(row >= 2)
        assert len(seats) == mates and len(set(seats % sides)) == 1
        own = [s for s in range(players) if s % sides == seats[0] % sides and row[s] == 0]
        assert len(own) == 1
        others = row[np.arange(players) % sides != seats[0] % sides]
        assert (others == 1).all() or (others == 0).all()
    learners = (rows == 0).sum(0)
    assert learners.min() > 0.5 * learners.max()  # every seat has its turn


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["basic"], "write basic=0.1"),
        (["basic=much"], "not a name and its share"),
        (["basic=0"], "not a name and its share"),
        (["basic=1.5"], "not a name and its share"),
        (["=0.5"], "not a name and its share"),
        (["basic=0.5", "basic=0.1"], "basic comes twice"),
        (["basic=0.7", "past=0.4"], "the shares make 1.1"),
    ],
)
def test_shares_that_are_not_possible(words: list[str], says: str) -> None:
    with pytest.raises(ValueError, match="--pool") as refused:
        shares(words, "--pool")
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_shares() -> None:
    assert shares(["runs/x@0.5=0.25", "past=0.75"], "--pool") == {"runs/x@0.5": 0.25, "past": 0.75}


def test_what_the_pool_refuses() -> None:
    with pytest.raises(ValueError, match="everybody plays alone"):
        pool_for(GuessingBatch(8, players=2), partners=["past=0.5"])
    with pytest.raises(registry.UnknownAgentError, match="did you mean basic"):
        pool_for(GuessingBatch(8), ["basik=0.5"])


# --- whose moves are learnt from ----------------------------------------------------------------


def test_an_agents_moves_are_no_decisions_and_nobody_is_asked_when_forced() -> None:
    seats, rewards, ended, _, _ = random_episodes(np.random.default_rng(3), 20, 40, 4)
    masks = np.random.default_rng(4).random((20, 40, ACTIONS)) < 0.4
    masks[..., 0] |= ~masks.any(-1)
    batch = ScriptedBatch(seats, rewards, ended, masks)
    pool = pool_for(batch, [f"{LAST}=0.5"], [f"{LAST}=0.25"])
    assert len(pool.agents) == 1
    rollout = ppo.Rollout(20, 40, 4, FEATURES, ACTIONS)
    network = ActorCritic(batch.scale, batch.actions, (8,))
    ppo.collect(batch, ppo.Player(network, ppo.Workers(2, 1), pool), rollout)
    learns = pool.learner[np.arange(40), seats]
    free = masks.sum(-1) > 1
    assert 0 < learns.sum() < learns.size
    np.testing.assert_array_equal(rollout.decided[4:], learns & free)
    expected = [(game, seats[t, game]) for t, game in zip(*np.nonzero(~learns & free), strict=True)]
    assert pool.agents[0].asked == expected  # type: ignore[attr-defined]


def test_advantages_are_the_same_whoever_plays_the_other_seats() -> None:
    """The seats that learn get what they would get if all did: nothing is mixed between seats, and
    decisions are held back as ever.
    """
    episodes = random_episodes(np.random.default_rng(6), 30, 8, 4)
    seats, rewards, ended, _, _ = episodes
    kept = []
    for opponents in ((), (f"{LAST}=1.0",)):
        batch = ScriptedBatch(seats, rewards, ended)
        pool = pool_for(batch, opponents)
        rollout = ppo.Rollout(30, 8, 4, FEATURES, ACTIONS)
        torch.manual_seed(0)
        network = ActorCritic(batch.scale, batch.actions, (8,))
        ppo.collect(batch, ppo.Player(network, ppo.Workers(1, 1), pool), rollout)
        kept.append((pool, rollout, ppo.advantages(rollout, 0.97, 0.9)))
    (_, everybody, all_ready), (pool, ours, ready) = kept
    learns = np.zeros_like(all_ready)
    learns[4:] = pool.learner[np.arange(8), seats]
    np.testing.assert_array_equal(ready, all_ready & learns)
    for name in ("advantage", "target"):
        have, want = (getattr(r, name).numpy()[ready] for r in (ours, everybody))
        np.testing.assert_allclose(have, want, atol=1e-5)
    everybody.hold_back(all_ready)
    ours.hold_back(ready)
    np.testing.assert_array_equal(ours.decided[:4], everybody.decided[:4] & pool.learner.T)
    np.testing.assert_allclose(ours.pending, everybody.pending * pool.learner, atol=1e-6)


# --- snapshots ----------------------------------------------------------------------------------


def test_snapshots_that_stay_are_new_ones_and_a_few_old_ones() -> None:
    taken: list[int] = []
    for update in range(0, 2001, 10):
        taken.append(update)
        if len(taken) > 8:
            del taken[superfluous(taken)]
    assert taken[0] == 0 and taken[-1] == 2000
    age = 2001 - np.array(taken)
    assert age[-3] < 100 and (np.diff(age) < 0).all()
    assert (age[:-1] / age[1:])[:-1].max() < 8  # no long gap, by age
    assert superfluous([3, 4]) == 0


def test_past_selves_play_the_weights_of_their_snapshots() -> None:
    batch = GuessingBatch(8)
    pool = pool_for(batch, ["past=1.0"])
    past = pool.past
    assert past is not None
    size = sum(p.numel() for p in past.agents[0].network.parameters())
    for update in range(6):
        weights = torch.full((size,), float(update))
        pool.take(weights, update)
        weights.fill_(-1)  # training goes on; a snapshot doesn't
    assert len(past.taken) == 3 and past.taken[0] == 0 and past.taken[-1] == 5
    playing = [next(agent.network.parameters()).flatten()[0].item() for agent in past.agents]
    assert len(set(playing)) == 2 and set(playing) <= set(past.taken)


def test_two_snapshots_are_drawn_anew_each_time() -> None:
    network = ActorCritic(np.ones(FEATURES), ACTIONS, (4,))
    past = Past(network, {}, keep=5, seed=1)
    size = sum(p.numel() for p in network.parameters())
    seen = set()
    for update in range(12):
        past.take(torch.full((size,), float(update)), update)
        seen.add(tuple(next(a.network.parameters()).flatten()[0].item() for a in past.agents))
    assert len(seen) > 6


def test_the_trainer_takes_snapshots_of_what_it_trains() -> None:
    args = ppo.replace(SMALL, pool=("past=0.5",), snapshot_every=2, snapshots=3)
    trainer = ppo.Trainer(args, GuessingBatch(seed=3))
    rows = [trainer.learner.weights.detach().clone()]
    for _ in range(4):
        trainer.update()
        rows.append(trainer.learner.weights.detach().clone())
    past = trainer.pool.past  # type: ignore[union-attr]
    assert past is not None and past.taken == [0, 2, 4]
    for row, update in zip(past.rows, past.taken, strict=True):
        assert torch.equal(row, rows[update])


def test_past_selves_draw_other_lots_than_the_network() -> None:
    """With the same random numbers as the learner's they would be lucky together."""
    trainer = ppo.Trainer(ppo.replace(SMALL, threads=2, pool=("past=0.5",)), GuessingBatch())
    agents = trainer.pool.past.agents  # type: ignore[union-attr]
    generators = [*trainer.workers.generators, *(agent.generator for agent in agents)]
    drawn = {tuple(torch.rand(3, generator=generator).tolist()) for generator in generators}
    assert len(drawn) == 4
