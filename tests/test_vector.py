"""The vector environment: the same games as a plain batch gives, whoever plays the other seats."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import VectorEnv

from agents.bots import BotAgent
from canasta_env import Rules
from canasta_env.batch import IllegalActionError
from canasta_env.vector import INFO, AutoresetMode, CanastaVectorEnv
from tests.playing import TABLES
from tests.rounds import QUICK, Table, bots, choose, compare, varied

ID = "canasta_env:Canasta-v0"
CASES = [*dict.fromkeys([*TABLES, ("russian", 4), ("latvian", 3)])]


def make(n: int = 3, **arguments: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=n, vectorization_mode="vector_entry_point", **arguments)


def play(envs: Any, steps: int, observations: Any) -> list[Any]:
    """So many steps; all that was told."""
    told = []
    for _ in range(steps):
        observations, *rest = envs.step(choose(envs, observations))
        told.append((observations, *rest))
    return told


def flat(told: Any) -> list[bytes]:
    """Bytes that are equal where all that was told is."""
    if isinstance(told, dict):
        return [part for key in sorted(told) for part in (key.encode(), *flat(told[key]))]
    if isinstance(told, (list, tuple)):
        return [part for one in told for part in flat(one)]
    array = np.asarray(told)
    return flat(list(array)) if array.dtype == object and array.ndim else [array.tobytes()]


def seats(players: int, sides: int) -> dict[str, Any]:
    """Different bots around the learner, and all of them in the order of play."""
    names = ["greedy", "random", "basic", "random", "greedy"][: players - 1]
    partner = [name for place, name in enumerate(names, 1) if place % sides == 0]
    opponents = [name for place, name in enumerate(names, 1) if place % sides]
    return {"opponents": opponents, "partner": partner or None, "names": names}


@pytest.mark.parametrize(("rules", "players"), CASES)
@pytest.mark.parametrize("seat", [1, "rotate"])
def test_it_plays_what_a_plain_batch_plays(rules: str, players: int, seat: Any) -> None:
    others = seats(players, Rules.parse(rules).sides_of(players))
    choose = bots(*others.pop("names"))
    game = {"rules": rules, "players": players}
    tables = [Table(5, row, seat, choose, **game) for row in range(2)]
    compare(make(2, seat=seat, **others, **game), tables, 40, seed=5)


def test_it_plays_matches_of_a_plain_batch() -> None:
    game: dict[str, Any] = {"rules": "classic(target=1500)", "episode": "match", "max_deals": 3}
    tables = [Table(8, row, 0, bots("greedy"), **game) for row in range(2)]
    assert compare(make(2, opponents="greedy", **game), tables, 300, seed=8) >= 2


class Counting:
    """An agent that plays by a function of what it sees, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def act(self, batch: Any, rows: Any) -> Any:
        self.calls += 1
        seen = batch.observation[rows] * batch.scale
        return np.array([varied(batch.mask[row], seen[j]) for j, row in enumerate(rows)])


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("classic", 3), ("czech", 2)])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_agents_play_as_bots_do(rules: str, players: int, mode: str) -> None:
    told = []
    for player in ("greedy", BotAgent("greedy")):
        envs = make(4, rules=rules, players=players, opponents=player, autoreset_mode=mode)
        observations, _ = envs.reset(seed=2)
        told.append(flat(play(envs, 80, observations)))
    assert told[0] == told[1]


def test_functions_play_as_agents_do() -> None:
    told = []
    for player in (Counting(), lambda observation, mask: varied(mask, observation)):
        envs = make(3, opponents=player, partner="basic", seat="rotate")
        observations, _ = envs.reset(seed=2)
        told.append(flat(play(envs, 80, observations)))
    assert told[0] == told[1]


def test_episodes_that_end_before_the_learner_acts_are_passed_over() -> None:
    game: dict[str, Any] = {"rules": QUICK, "players": 6}
    tables = [Table(0, row, "rotate", bots("basic"), **game) for row in range(2)]
    compare(make(2, opponents="basic", seat="rotate", **game), tables, 100, seed=0)
    assert sum(table.passed for table in tables) > 0


def test_deals_of_a_match_that_end_before_the_learner_acts_are_paid_by_its_first_step() -> None:
    game: dict[str, Any] = {"rules": QUICK, "players": 6, "episode": "match", "max_deals": 2}
    table = Table(0, 0, "rotate", bots("basic"), **game)
    envs = make(1, opponents="basic", seat="rotate", **game)
    for episode in range(12):
        seen, _ = envs.reset(seed=None if episode else 0)
        table.begin()
        assert (seen[0] == table.observation).all()
        actions = choose(envs, seen)
        assert envs.step(actions)[1][0] == table.act(int(actions[0]))
    assert table.early > 0


# -- rows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["classic", "czech"])
@pytest.mark.parametrize(("n", "threads"), [(5, 1), (70, 2), (131, 3)])
def test_a_row_depends_on_neither_number_nor_threads(rules: str, n: int, threads: int) -> None:
    arguments: dict[str, Any] = {"rules": rules, "opponents": ["random", "basic"]}
    few = make(3, seat="rotate", **arguments)
    many = make(n, seat="rotate", threads=threads, **arguments)
    seen, others = few.reset(seed=4)[0], many.reset(seed=4)[0]
    for _ in range(60):
        assert (others[:3] == seen).all()
        assert (few.action_masks() == many.action_masks()[:3]).all()
        seen, *told, infos = few.step(choose(few, seen))
        others, *rest, more = many.step(choose(many, others))
        assert all((one[:3] == other).all() for one, other in zip(rest, told, strict=True))
        assert (more["seat"][:3] == infos["seat"]).all()
    assert len({row.tobytes() for row in others}) == n
    many.close()


def test_row_0_is_the_environment_of_one() -> None:
    env = gymnasium.make(ID, opponents="random", seat="rotate").unwrapped
    envs = make(1, opponents="random", seat="rotate", autoreset_mode="SameStep")
    now, _ = env.reset(seed=6)
    seen, _ = envs.reset(seed=6)
    for _ in range(150):
        assert (seen[0] == now).all()
        action = varied(env.action_masks(), now)
        now, reward, over, _, info = env.step(action)
        seen, rewards, terminated, _, infos = envs.step([action])
        assert (rewards[0], terminated[0]) == (reward, over)
        if over:
            assert (infos["final_obs"][0] == now).all()
            last = {key: infos["final_info"][key][0] for key in INFO}
            assert all((last[key] == info[key]).all() for key in INFO)
            now, info = env.reset()
        assert all((infos[key][0] == info[key]).all() for key in INFO)


# -- resets ------------------------------------------------------------------------------------


def episodes(envs: Any, steps: int) -> list[list[list[bytes]]]:
    """What was seen and paid in the finished episodes of each row."""
    same = envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    found: list[list[list[bytes]]] = [[[]] for _ in range(envs.num_envs)]
    seen, _ = envs.reset(seed=3)
    over = np.zeros(envs.num_envs, bool)
    for _ in range(steps):
        actions = choose(envs, seen)
        before, waited = seen, over
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        over = terminated | truncated
        for row in range(envs.num_envs):
            if waited[row] and not same:
                assert rewards[row] == 0 and not over[row]
                continue
            found[row][-1] += [
                before[row].tobytes(),
                actions[row].tobytes(),
                rewards[row].tobytes(),
            ]
            if over[row]:
                last = infos["final_obs"] if same else seen
                found[row][-1].append(last[row].tobytes())
                found[row].append([])
    return [row[:-1] for row in found]


def test_both_ways_to_reset_give_the_same_episodes() -> None:
    following, same = (
        episodes(make(4, opponents="random", seat="rotate", autoreset_mode=mode), 250)
        for mode in (AutoresetMode.NEXT_STEP, "SameStep")
    )
    for one, other in zip(following, same, strict=True):
        assert len(one) > 3 and one == other[: len(one)]


def test_a_reset_by_the_next_step() -> None:
    envs = make(4, opponents="random", illegal="raise")
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    seen, _ = envs.reset(seed=1)
    over = np.zeros(4, bool)
    while not over.any():
        assert envs.action_masks().any(axis=1).all()
        seen, _, over, _, infos = envs.step(choose(envs, seen))
        assert set(infos) == {*INFO, *(f"_{key}" for key in INFO)}
    assert (np.flatnonzero(envs.action_masks()[over].any(axis=0)) == [0]).all()
    actions = choose(envs, seen)
    actions[over] = -7  # ignored
    _, rewards, terminated, _, infos = envs.step(actions)
    assert not rewards[over].any() and not terminated[over].any()
    assert (envs.batch.games.turns[over] < 4).all()


def test_a_reset_by_the_same_step_is_told_as_gymnasium_tells_it() -> None:
    """Its own vector of single environments is what ours is held against."""
    if not hasattr(gymnasium.vector, "AutoresetMode"):
        pytest.skip("Gymnasium 1.0 resets by the next step alone")
    arguments: dict[str, Any] = {"opponents": "random", "rules": QUICK}
    ours = make(1, autoreset_mode="SameStep", **arguments)
    theirs = gymnasium.make_vec(
        ID, 1, "sync", vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}, **arguments
    )
    seen, _ = ours.reset(seed=2)
    theirs.reset(seed=2)
    ends = 0
    for _ in range(60):
        actions = choose(ours, seen)
        (seen, *told, infos), (others, *rest, more) = ours.step(actions), theirs.step(actions)
        assert flat([seen, *told]) == flat([others, *rest])
        assert [one.dtype for one in told] == [one.dtype for one in rest]
        assert flat(infos) == flat(more)
        ends += "final_obs" in infos
    assert ends > 3


def test_gymnasiums_own_vectors_in_one_and_in_many_processes_agree() -> None:
    """Spawned, not forked: the workers load the compiled code on their own."""
    arguments: dict[str, Any] = {"opponents": "random", "rules": QUICK}
    one = gymnasium.make_vec(ID, 2, "sync", **arguments)
    many = gymnasium.make_vec(ID, 2, "async", vector_kwargs={"context": "spawn"}, **arguments)
    try:
        (seen, infos), (others, more) = one.reset(seed=4), many.reset(seed=4)
        ends = 0
        for _ in range(40):
            assert flat([seen, infos]) == flat([others, more])
            actions = infos["action_mask"].argmax(axis=1)
            (seen, *told, infos), (others, *rest, more) = one.step(actions), many.step(actions)
            assert flat(told) == flat(rest)
            ends += int(told[1].sum())
        assert ends > 1
    finally:
        many.close()
        one.close()


def test_wrappers_of_gymnasium_fit() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(4, opponents="random"))
    seen, _ = envs.reset(seed=0)
    returns, told = np.zeros(4), 0
    for _ in range(150):
        seen, rewards, terminated, _, infos = envs.step(choose(envs.unwrapped, seen))
        returns += rewards
        if terminated.any():
            told += 1
            assert infos["episode"]["r"][terminated] == pytest.approx(returns[terminated])
            returns[terminated] = 0
    assert told > 3


# -- the contract ------------------------------------------------------------------------------


def test_what_it_says_and_gives() -> None:
    envs = make(7, opponents="random")
    assert isinstance(envs, VectorEnv) and envs.unwrapped.spec.id == "Canasta-v0"
    seen, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(seen) and seen.shape == (7, envs.batch.observation_size)
    assert envs.action_space.contains(infos["action_mask"].argmax(axis=1))
    assert envs.single_action_space.n == len(envs.batch.table)
    kept = [(seen, seen.copy())]
    for _ in range(30):
        seen, *told, infos = envs.step(choose(envs, seen))
        assert [one.dtype for one in told] == [np.float64, np.bool_, np.bool_]
        assert infos["action_mask"].dtype == np.int8
        assert (infos["action_mask"] == envs.action_masks()).all()
        kept += [(one, one.copy()) for one in (seen, *told, *infos.values())]
    assert all((now == then).all() for now, then in kept)


def test_seeds() -> None:
    envs = make(3, opponents="random")
    first, _ = envs.reset(seed=1)
    assert (envs.reset()[0] != first).any() and (envs.reset(seed=1)[0] == first).all()
    assert (envs.reset(seed=2)[0] != first).any()
    assert (make(3).reset()[0] != make(3).reset()[0]).any()
    with pytest.raises((ValueError, gymnasium.error.Error), match=r"[Ss]eed"):
        envs.reset(seed=-1)
    with pytest.raises(ValueError, match="deck"):
        envs.reset(options={"deck": []})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_keep_the_state(duplicate: Any, threads: int) -> None:
    envs = make(66, opponents=BotAgent("greedy"), partner="random", seat="rotate", threads=threads)
    seen, _ = envs.reset(seed=1)
    play(envs, 25, seen)
    other = duplicate(envs)
    seen = envs._rounds.observation.copy()
    assert flat(play(envs, 30, seen)) == flat(play(other, 30, seen))


def test_illegal_actions() -> None:
    strict, ends, replaces = (
        make(3, opponents="random", illegal=mode) for mode in ("raise", "end", "replace")
    )
    seen, _ = strict.reset(seed=1)
    ends.reset(seed=1)
    replaces.reset(seed=1)
    actions = choose(strict, seen)
    actions[1] = strict.batch.table.id("pass")
    with pytest.raises(IllegalActionError, match="game 1: 'pass'"):
        strict.step(actions)
    _, rewards, terminated, _, infos = ends.step(actions)
    assert rewards.tolist() == [0, -1, 0] and terminated.tolist() == [False, True, False]
    assert infos["illegal"].tolist() == [False, True, False]
    _, rewards, terminated, _, infos = replaces.step(actions)
    assert not rewards.any() and not terminated.any()
    assert infos["illegal"].tolist() == [False, True, False]
    actions[1] = choose(strict, seen)[1]
    after = flat(strict.step(actions)[:4])
    strict.reset(seed=1)
    assert flat(strict.step(actions)[:4]) == after
    for wrong in ([0, 1], np.zeros(3), [[0, 0, 0]]):
        with pytest.raises(ValueError, match="actions has shape"):
            strict.step(wrong)


def test_nothing_is_played_before_a_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        make(2).step([0, 0])


def test_wrong_arguments_are_named() -> None:
    for arguments, what in (
        ({"autoreset_mode": "Disabled"}, "autoreset_mode='Disabled'"),
        ({"render_mode": "human"}, "render_mode='human'"),
        ({"threads": 0}, "threads=0"),
        ({"num_envs": 0}, "0 is not possible"),
    ):
        with pytest.raises(ValueError, match=what):
            CanastaVectorEnv(**arguments)  # type: ignore[arg-type]


def test_pictures() -> None:
    envs = make(3, render_mode="ansi", seat="rotate")
    seats = envs.reset(seed=0)[1]["seat"]
    texts = envs.render()
    assert len(texts) == 3
    assert all(f"hand of player_{seat}" in text for seat, text in zip(seats, texts, strict=True))
    with pytest.warns(UserWarning, match="render_mode"):
        assert make(1).render() is None


# -- the other players -------------------------------------------------------------------------


def test_players_are_replaced_row_by_row() -> None:
    envs, bots_alone = make(6, opponents="random"), make(6, opponents="random")
    pool = [Counting(), Counting()]
    for k, agent in enumerate(pool):
        envs.set_players(agent, agent, rows=np.arange(k, 4, 2))
    envs.set_players("greedy", rows=np.arange(6) == 5)
    bots_alone.set_players("greedy", rows=[5])
    seen, others = envs.reset(seed=3)[0], bots_alone.reset(seed=3)[0]
    for _ in range(60):
        assert (seen[4:] == others[4:]).all()
        seen, *_ = envs.step(choose(envs, seen))
        others, *_ = bots_alone.step(choose(bots_alone, others))
    assert (seen[:4] != others[:4]).any(axis=1).all()
    assert all(agent.calls > 100 for agent in pool)


def test_players_are_replaced_where_an_episode_begins() -> None:
    envs, agent = make(5, opponents="random"), Counting()
    seen, _ = envs.reset(seed=3)
    envs.set_players(agent, agent)
    over = np.zeros(5, bool)
    while not over.any():
        seen, _, over, _, _ = envs.step(choose(envs, seen))
    assert agent.calls == 0
    play(envs, 60, seen)
    assert agent.calls > 60
    agent.calls = 0
    envs.set_players("random", "random", at_once=True)
    play(envs, 30, envs._rounds.observation)
    assert agent.calls == 0 and not envs._rounds._roster.has_agents


def test_an_agent_is_asked_once_for_all_rows_that_wait() -> None:
    asked: list[int] = []

    class Watching(Counting):
        def act(self, batch: Any, rows: Any) -> Any:
            asked.append(len(rows))
            return super().act(batch, rows)

    agent = Watching()
    envs = make(16, players=2, opponents=agent)
    seen, _ = envs.reset(seed=0)
    play(envs, 30, seen)
    assert max(asked) > 12 and sum(asked) > 3 * len(asked)


def test_small_batches_wake_nobody() -> None:
    before = threading.active_count()
    envs = make(8, threads=4, opponents="random")
    play(envs, 3, envs.reset(seed=0)[0])
    assert threading.active_count() == before
