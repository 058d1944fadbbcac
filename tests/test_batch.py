"""The batch: autoreset, seeds, errors that change nothing, and the same games as Game plays."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from canasta_env import Batch, Game, canasta_v0
from canasta_env.batch import IllegalActionError
from tests.playing import TABLES

ROOT = Path(__file__).resolve().parent.parent


def choose(batch: Batch, steps: Any) -> Any:
    """A legal action in each game that depends on its own past alone: on a count of its steps."""
    actions = np.zeros(batch.n, np.int64)
    for row in range(batch.n):
        legal = np.flatnonzero(batch.mask[row])
        if len(legal):
            actions[row] = legal[(7 * int(steps[row]) + 3) % len(legal)]
    return actions


def episodes(batch: Batch, steps: int) -> list[list[tuple[bytes, bytes]]]:
    """By row, for each finished episode: what was seen at its start, and its last rewards."""
    found: list[list[tuple[bytes, bytes]]] = [[] for _ in range(batch.n)]
    start = [row.tobytes() for row in batch.observation]
    count = np.zeros(batch.n, np.int64)
    same = batch._settings[0].autoreset == 2
    for _ in range(steps):
        waits = batch.over.copy()
        batch.step(choose(batch, count))
        count += 1
        ended = batch.terminated | batch.truncated
        for row in np.flatnonzero(ended):
            found[row].append((start[row], batch.reward[row].tobytes()))
        for row in np.flatnonzero(ended if same else waits):
            start[row] = batch.observation[row].tobytes()
            count[row] = 0
    return found


def test_both_ways_to_reset_give_the_same_episodes() -> None:
    following = Batch(n=5, seed=3, autoreset="next_step")
    same = Batch(n=5, seed=3, autoreset="same_step")
    for one, other in zip(episodes(following, 900), episodes(same, 900), strict=True):
        assert len(one) > 3 and one == other[: len(one)]
        assert len({start for start, _ in one}) == len(one)


def test_a_reset_by_the_next_step() -> None:
    batch = Batch(n=2, seed=1, autoreset="next_step")
    count = np.zeros(2, np.int64)
    while not batch.terminated[0]:
        batch.step(choose(batch, count))
        count += 1
    assert batch.over[0] and batch.reward[0].any()
    assert np.flatnonzero(batch.mask[0]).tolist() == [0]
    assert batch.games[0].phase == 4
    actions = choose(batch, count)
    actions[0] = 999  # ignored
    batch.step(actions)
    assert not batch.over[0] and not batch.terminated[0] and not batch.reward[0].any()
    assert batch.games[0].turns == 0 and batch.mask[0].any()


def test_a_reset_by_the_same_step() -> None:
    batch = Batch(n=2, seed=1, autoreset="same_step")
    count = np.zeros(2, np.int64)
    while not batch.terminated[0]:
        batch.step(choose(batch, count))
        count += 1
        assert batch.mask.any(axis=1).all()
    assert batch.reward[0].any() and not batch.over[0] and batch.games[0].turns == 0
    assert batch.seat[0] == batch.games[0].turn


def test_without_reset_a_finished_game_stays() -> None:
    batch = Batch(n=3, seed=1, autoreset="off")
    count = np.zeros(3, np.int64)
    while not batch.over.all():
        batch.step(choose(batch, count))
        count += 1
    before = batch.games.tobytes()
    batch.step(np.zeros(3, np.int64))
    assert batch.games.tobytes() == before
    assert not batch.mask.any() and not batch.reward.any() and not batch.terminated.any()


@pytest.mark.parametrize(("n", "threads"), [(7, 1), (7, 3), (4, 4)])
def test_a_row_depends_on_neither_size_nor_threads(n: int, threads: int) -> None:
    alone, many = Batch(n=3, seed=9), Batch(n=n, seed=9, threads=threads)
    for step in range(300):
        assert (alone.observation == many.observation[:3]).all()
        assert (alone.mask == many.mask[:3]).all() and (alone.seat == many.seat[:3]).all()
        assert (alone.reward == many.reward[:3]).all()
        alone.step(choose(alone, np.full(3, step)))
        many.step(choose(many, np.full(n, step)))
    assert len({row.tobytes() for row in many.observation}) == n


def test_seeds() -> None:
    batch = Batch(n=4, seed=1)
    first = batch.observation.copy()
    batch.reset()
    assert (batch.observation != first).any()
    batch.reset(seed=1)
    assert (batch.observation == first).all()
    batch.reset(seed=2)
    assert (batch.observation != first).any()
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match="seed"):
            batch.reset(seed=seed)


def test_an_illegal_action_changes_nothing() -> None:
    batch = Batch(n=4, seed=2)
    for step in range(20):
        batch.step(choose(batch, np.full(4, step)))
    arrays = (batch.games, batch.observation, batch.mask, batch.seat, batch.reward)
    before = [array.tobytes() for array in arrays]
    good = choose(batch, np.zeros(4))
    for wrong in (-1, batch.actions, int(np.flatnonzero(~batch.mask[2])[0])):
        actions = good.copy()
        actions[2] = wrong
        with pytest.raises(IllegalActionError, match="game 2"):
            batch.step(actions)
        assert [array.tobytes() for array in arrays] == before
    for shape in (good[:3], good.astype(float), good[:, None]):
        with pytest.raises(ValueError, match="shape"):
            batch.step(shape)
    assert [array.tobytes() for array in arrays] == before
    batch.step(good)


def test_arrays_are_reused() -> None:
    batch = Batch(n=3)
    names = ("observation", "mask", "seat", "reward", "terminated", "truncated", "games")
    arrays = {name: getattr(batch, name) for name in names}
    for step in range(200):
        batch.step(choose(batch, np.full(3, step)))
    batch.reset(seed=1)
    assert all(getattr(batch, name) is array for name, array in arrays.items())


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_a_state_goes_on_as_before(autoreset: Any) -> None:
    batch = Batch(n=4, seed=5, autoreset=autoreset, episode="match", max_deals=2)
    for step in range(333):
        batch.step(choose(batch, np.full(4, step)))
    other = Batch(n=4, seed=77, autoreset=autoreset, episode="match", max_deals=2)
    other.load_state_dict({name: array.copy() for name, array in batch.state_dict().items()})
    for step in range(400):
        assert (batch.observation == other.observation).all()
        assert (batch.mask == other.mask).all() and (batch.seat == other.seat).all()
        actions = choose(batch, np.full(4, step))
        batch.step(actions)
        other.step(actions)
        assert (batch.reward == other.reward).all()
        assert (batch.terminated == other.terminated).all()
        assert (batch.truncated == other.truncated).all()
    with pytest.raises(ValueError, match="games"):
        Batch(n=3).load_state_dict(batch.state_dict())


def test_a_state_of_another_version_is_refused() -> None:
    batch = Batch("mini", n=2, seed=5)
    before = batch.state_dict()
    other = Batch("mini", n=2, seed=6).state_dict()
    for layout in ({}, {"layout": other["layout"][::-1]}):
        foreign = {name: array for name, array in other.items() if name != "layout"} | layout
        with pytest.raises(ValueError, match="another version"):
            batch.load_state_dict(foreign)
        after = batch.state_dict()
        assert all((after[name] == array).all() for name, array in before.items())
    assert (Batch("czech", n=1).state_dict()["layout"] != before["layout"]).any()


@pytest.mark.parametrize("stock", ["shared", "seat_streams"])
@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_batch_plays_the_games_of_game(rules: str, players: int, stock: Any) -> None:
    n = 3
    batch = Batch(rules, n, players=players, autoreset="off", stock=stock)
    rng = np.random.default_rng(0)
    games = []
    for row in range(n):
        scores = [int(score) * 5 for score in rng.integers(-100, 800, batch.sides)]
        game = Game(
            rules, players=players, seed=row, dealer=row % players, scores=scores, stock=stock
        )
        batch.start_deal([row], game.deck[None], [row % players], np.array([scores], np.int32))
        games.append(game)
    step = 0
    while not batch.over.all():
        for row, game in enumerate(games):
            assert (batch.mask[row] == game.mask()).all()
            assert batch.seat[row] == game.turn
            assert (batch.observation[row] == game.observation(game.turn)).all()
        actions = choose(batch, np.full(n, step))
        batch.step(actions)
        step += 1
        for row, game in enumerate(games):
            if game.over:
                continue
            game.play(int(actions[row]))
            assert batch.deal_over[row] == batch.terminated[row] == game.over
            if game.over:
                assert batch.deal_scores[row].tolist() == game.deal_scores
                check_rewards(batch, row, game.deal_scores)
            else:
                assert not batch.reward[row].any()


def check_rewards(batch: Batch, row: int, scores: list[int]) -> None:
    for seat in range(batch.players):
        own = scores[seat % batch.sides]
        other = (sum(scores) - own) / (batch.sides - 1)
        assert batch.reward[row, seat] == pytest.approx((own - other) / 1000, abs=1e-6)
    assert batch.reward[row].sum() == pytest.approx(0, abs=1e-5)


def test_given_deals_must_be_of_the_rules() -> None:
    batch = Batch(n=3)
    deck = Game().deck
    wrong = deck.copy()
    wrong[0] = (wrong[0] + 1) % 15
    before = batch.games.tobytes()
    for rows, decks, dealers in (
        ([0], wrong[None], [0]),
        ([0], deck[None, :100], [0]),
        ([0, 1], deck[None], [0, 1]),
        ([0], deck[None], [0, 1]),
        ([0], deck, [0]),
    ):
        with pytest.raises(ValueError, match=r"deck|shape"):
            batch.start_deal(rows, decks, dealers)
        assert batch.games.tobytes() == before


def test_a_given_deal_follows_a_finished_one() -> None:
    batch = Batch(n=2, autoreset="off", seed=4)
    count = np.zeros(2, np.int64)
    while not batch.over.all():
        batch.step(choose(batch, count))
        count += 1
    deck = Game(seed=3).deck
    scores = np.array([[2000, -50]], np.int32)
    batch.start_deal([1], deck[None], [2], scores, deals=[5])
    assert batch.over.tolist() == [True, False]
    assert batch.seat[1] == 3 and batch.mask[1].any() and not batch.mask[0].any()
    assert batch.games[1].deal == 5 and batch.games[1].scores[:2].tolist() == [2000, -50]
    assert batch.observation[1].tobytes() == (
        Game(deck=deck.tolist(), dealer=2, scores=[2000, -50]).observation(3).tobytes()
    )


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize(("target", "end"), [(400, "terminated"), (20_000, "truncated")])
def test_matches_end_or_are_cut_off(players: int, target: int, end: str) -> None:
    rules = f"classic(target={target})"
    batch = Batch(rules, 6, players=players, episode="match", max_deals=3, scores="zero")
    total = np.zeros((6, batch.sides), np.int64)
    deals = np.zeros(6, np.int64)
    ends = {"terminated": 0, "truncated": 0}
    rng = np.random.default_rng(0)
    for _ in range(1500):
        before = batch.over.copy()
        batch.step(choose(batch, rng.integers(1000, size=6)))
        deals[before], total[before] = 0, 0
        for row in np.flatnonzero(batch.deal_over):
            deals[row] += 1
            total[row] += batch.deal_scores[row]
            check_rewards(batch, row, batch.deal_scores[row].tolist())
        assert not batch.reward[~batch.deal_over].any()
        assert not (batch.terminated & batch.truncated).any()
        for row in np.flatnonzero(batch.terminated | batch.truncated):
            scores = batch.games[row].scores[: batch.sides]
            assert scores.tolist() == total[row].tolist()
            assert batch.terminated[row] == (scores.max() >= target and leads_alone(scores))
            assert batch.terminated[row] or deals[row] == 3
            ends["terminated" if batch.terminated[row] else "truncated"] += 1
    assert ends[end] > 3


def leads_alone(scores: Any) -> bool:
    return int((scores == scores.max()).sum()) == 1


def test_scores_are_spread_over_the_bands_of_the_first_meld() -> None:
    batch = Batch(n=600, seed=0, scores="spread")
    scores = batch.games.scores[:, :2]
    bands = np.digitize(scores.ravel(), [0, 1500, 3000])
    assert (np.bincount(bands, minlength=4) > 200).all()
    assert (scores % 5 == 0).all() and (scores < 5000).all() and (scores >= -600).all()
    assert not Batch(n=4, scores="zero").games.scores.any()


def test_bots_need_no_observations() -> None:
    batch, seeing = Batch(n=3, seed=1, observe=False), Batch(n=3, seed=1)
    assert batch.observation.shape == (3, 0)
    for step in range(200):
        assert (batch.mask == seeing.mask).all()
        actions = choose(batch, np.full(3, step))
        batch.step(actions)
        seeing.step(actions)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"n": 0}, "n=0"),
        ({"n": 1.5}, "n=1.5"),
        ({"threads": 0}, "threads=0"),
        ({"max_deals": -1}, "max_deals=-1"),
        ({"autoreset": "always"}, "autoreset='always'"),
        ({"episode": "game"}, "episode='game'"),
        ({"scores": "low"}, "scores='low'"),
        ({"stock": "deep"}, "stock='deep'"),
        ({"players": 5}, "players"),
        ({"rules": "czech", "players": 7}, "players: 7 cannot play czech"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        Batch(**arguments)


def fingerprint() -> str:
    """A hash over all that a few deals show: games, masks, observations and rewards."""
    digest = hashlib.sha256()
    for rules, players in (("classic", 4), ("classic", 3), ("russian", 4), ("standard", 2)):
        batch = Batch(rules, 2, players=players, seed=11, autoreset="next_step")
        for step in range(90):
            batch.step(choose(batch, np.full(2, step)))
            for array in (batch.mask, batch.observation, batch.reward, batch.seat):
                digest.update(array.tobytes())
        for name in batch.games.dtype.names:
            digest.update(np.ascontiguousarray(batch.games[name]).tobytes())
        world = Game(rules, players=players, seed=5).determinize(1, 3)
        digest.update(world.record.hands.tobytes())
        env = canasta_v0.raw_env(rules, players=players)
        env.reset(seed=2)
        for step in range(40):
            seen = env.observe(env.agent_selection)
            digest.update(seen["observation"].tobytes())
            legal = np.flatnonzero(seen["action_mask"])
            env.step(legal[step % len(legal)])
        digest.update(env.clone().determinize(0, 1).state().tobytes())
    return digest.hexdigest()


def test_uncompiled_code_plays_the_same_games() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from tests.test_batch import fingerprint; print(fingerprint())"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == fingerprint()
