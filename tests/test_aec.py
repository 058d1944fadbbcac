"""The AEC environment keeps its contract, point by point."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

from canasta_env import Game, canasta_v0
from canasta_env.aec import INFO
from canasta_env.aec_state import state_pieces
from canasta_env.batch import IllegalActionError
from tests.playing import TABLES

ROOT = Path(__file__).resolve().parent.parent
MAKERS = [canasta_v0.raw_env, canasta_v0.env]
CASES = [(players, episode) for players in (2, 3, 4, 6) for episode in ("deal", "match")]


def choose(env: Any, rng: np.random.Generator) -> int | None:
    """A random legal action of the agent to act, None if it is done."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(env: Any, steps: int, seed: int = 0) -> list[Any]:
    """Play so many random actions; what an agent saw and was paid each time."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        observation, *rest = env.last()
        seen.append((env.agent_selection, observation["observation"].tobytes(), rest))
        env.step(choose(env, rng))
    return seen


def started(seed: int = 0, **arguments: Any) -> Any:
    env = canasta_v0.raw_env(**arguments)
    env.reset(seed=seed)
    return env


def at_the_end(**arguments: Any) -> Any:
    """An environment whose episode has just ended."""
    env = started(**arguments)
    rng = np.random.default_rng(1)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(choose(env, rng))
    return env


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("players", "episode"), CASES)
def test_pettingzoo_finds_nothing(make: Any, players: int, episode: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # PettingZoo means these for other environments than its own and for those that have ended
        for fine in ("Observation is not a NumPy", "Observation space for each", "Action mask is"):
            warnings.filterwarnings("ignore", message=fine)
        api_test(make(players=players, episode=episode, max_deals=3), num_cycles=150)
    seed_test(lambda: make(players=players, episode=episode), num_cycles=100)


def test_it_says_what_it_is() -> None:
    env = canasta_v0.env(players=6)
    assert env.metadata["name"] == "canasta_v0" and str(env) == "canasta_v0"
    assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert env.metadata["render_fps"] > 0 and env.metadata["is_parallelizable"] is False
    assert env.possible_agents == [f"player_{seat}" for seat in range(6)]
    spaces = [env.observation_space(agent) for agent in env.possible_agents]
    assert all(space == spaces[0] for space in spaces)
    assert spaces[0]["observation"].dtype == np.float32
    assert spaces[0]["action_mask"].dtype == np.int8
    assert env.action_space("player_0").n == len(env.unwrapped.table)


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("recall", [True, False])
def test_everybody_sees_at_any_time_what_the_game_shows(
    rules: str, players: int, recall: bool
) -> None:
    game = Game(rules, players=players, seed=3, recall=recall)
    env = canasta_v0.raw_env(rules, players=players, recall=recall, scores="zero")
    env.reset(seed=5, options={"deck": game.deck.tolist(), "dealer": game.dealer})
    rng = np.random.default_rng(0)
    while True:
        for agent in env.possible_agents:
            seat = int(agent[-1])
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert (seen["observation"] == game.observation(seat) * env._scale).all()
            acts = seat == game.turn and not game.over
            mask = game.mask() if acts else np.zeros(len(game.table))
            assert (seen["action_mask"] == mask).all()
        if game.over:
            break
        assert env.agent_selection == f"player_{game.turn}"
        action = choose(env, rng)
        assert action is not None
        env.step(action)
        game.play(action)
    sides = [game.deal_scores[seat % game.sides] for seat in range(players)]
    others = [(sum(game.deal_scores) - own) / (game.sides - 1) for own in sides]
    paid = [(own - other) / 1000 for own, other in zip(sides, others, strict=True)]
    assert list(env.rewards.values()) == pytest.approx(paid)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_rewards_add_up(players: int) -> None:
    env = started(players=players, episode="match", max_deals=4)
    rng = np.random.default_rng(0)
    owed: dict[str, float] = defaultdict(float)
    paid = 0
    while env.agents:
        agent = env.agent_selection
        assert env.last()[1] == owed[agent]
        was_live = not env.terminations[agent] and not env.truncations[agent]
        env.step(choose(env, rng))
        if was_live:
            owed[agent] = 0.0
        for other, reward in env.rewards.items():
            owed[other] += reward
        if not any(env.rewards.values()):
            continue
        paid += 1
        rewards = [env.rewards[other] for other in env.possible_agents]
        assert sum(rewards) == pytest.approx(0)
        assert all(rewards[seat] == rewards[seat % env.sides] for seat in range(players))
        assert all(type(reward) is float for reward in rewards)
    assert paid == 4


def test_agents_act_several_times_in_a_row() -> None:
    env = started()
    rng = np.random.default_rng(0)
    turns = []
    for _ in range(60):
        turns.append(env.agent_selection)
        env.step(choose(env, rng))
    assert any(first == second for first, second in itertools.pairwise(turns))
    assert set(turns) == set(env.possible_agents)


@pytest.mark.parametrize("arguments", [{}, {"episode": "match", "max_deals": 1}])
def test_all_end_together(arguments: dict[str, Any]) -> None:
    env = at_the_end(**arguments)
    truncated = "max_deals" in arguments and not env.terminations["player_0"]
    assert list(env.terminations.values()) == [not truncated] * 4
    assert list(env.truncations.values()) == [truncated] * 4
    assert all(type(flag) is bool for flag in env.terminations.values())
    assert all(type(flag) is bool for flag in env.truncations.values())
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for left in (3, 2, 1, 0):
        env.step(None)
        assert len(env.agents) == left == len(env.rewards) == len(env.infos)
    env.reset()
    assert len(env.agents) == 4


def test_a_reset_amid_dead_agents_forgets_them() -> None:
    env = at_the_end()
    env.step(None)
    env.reset(seed=4)
    other = started(seed=4)
    assert play(env, 400) == play(other, 400)


def test_infos_are_empty_or_numbers_with_fixed_keys() -> None:
    env = started()
    play(env, 50)
    assert all(info == {} for info in env.infos.values())
    env = started(info=True, episode="match", scores="zero", max_deals=2)
    for _ in range(3):
        play(env, 37)
        assert all(tuple(info) == INFO for info in env.infos.values())
        assert all(type(value) is int for info in env.infos.values() for value in info.values())
        before = env.infos["player_1"]
        env.step(choose(env, np.random.default_rng(0)))
        assert env.infos["player_1"] is not before
    env = at_the_end(info=True, scores="zero")
    for info in env.infos.values():
        assert info["deal_over"] == 1 and info["score"] == info["deal_score"]
    env.reset()
    assert all(info["deal_over"] == info["deal_score"] == 0 for info in env.infos.values())


def test_arrays_are_fresh() -> None:
    env = started()
    for agent in env.possible_agents:
        first, second = env.observe(agent), env.observe(agent)
        for name, array in first.items():
            assert not np.shares_memory(array, second[name])
            array[:] = 7
            assert (env.observe(agent)[name] == second[name]).all()
    kept = env.observe(env.agent_selection)
    copies = {name: array.copy() for name, array in kept.items()}
    play(env, 30)
    assert all((kept[name] == copies[name]).all() for name in kept)
    play(env, 1)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("steps", [0, 1, 57, 130, 333])
def test_copies_keep_the_state(make: Any, duplicate: Any, steps: int) -> None:
    env = make(episode="match", max_deals=2, info=True)
    env.reset(seed=11)
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    play(env, steps)
    other = duplicate(env)
    assert play(env, 600, 3) == play(other, 600, 3)
    for agent in env.possible_agents:
        assert env.action_space(agent).sample() == other.action_space(agent).sample()
    assert env.action_space("player_0") is not other.action_space("player_0")


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_before_the_first_reset_works(duplicate: Any) -> None:
    env, other = canasta_v0.env(), duplicate(canasta_v0.env())
    env.reset(seed=1)
    other.reset(seed=1)
    assert play(env, 100) == play(other, 100)


def test_a_copy_with_dead_agents_buries_them_too() -> None:
    env = at_the_end()
    env.step(None)
    other = pickle.loads(pickle.dumps(env))
    assert other.agents == env.agents and other.agent_selection == env.agent_selection
    assert play(env, 300) == play(other, 300)


def test_clones_are_independent() -> None:
    env = started(seed=2)
    play(env, 40)
    untouched = copy.deepcopy(env)
    clone = env.clone()
    play(clone, 500, 9)
    clone.rewards["player_0"] = 5.0
    clone.agents.clear()
    assert play(env, 300) == play(untouched, 300)
    early, late = env.clone(), env.clone()
    assert play(early, 300) == play(late, 300)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_determinizing_keeps_what_the_seat_knows(players: int) -> None:
    env = started(seed=8, players=players, episode="match")
    play(env, 45)
    before = copy.deepcopy(env)
    for seat, agent in enumerate(env.possible_agents):
        world = env.determinize(seat, 3)
        for name, array in env.observe(agent).items():
            assert (world.observe(agent)[name] == array).all()
        assert world.agent_selection == env.agent_selection
        assert (world.state() != env.state()).any()
        same, other = env.determinize(agent, 3), env.determinize(seat, np.random.default_rng(0))
        assert (same.state() == world.state()).all() and (other.state() != world.state()).any()
        # what comes later is not known either
        assert world._table.record.match_seed != env._table.record.match_seed
        play(world, 400)
    assert play(env, 100) == play(before, 100)


def test_an_illegal_action_is_explained_and_changes_nothing() -> None:
    env = started()
    other = copy.deepcopy(env)
    for action, why in (
        ("discard 5", "must draw or take the pile first"),
        ("pass", "only with an empty stock"),
        ("yes", "answers are given only to a partner's question"),
    ):
        with pytest.raises(IllegalActionError, match=f"{env.agent_selection}.*{action}.*{why}"):
            env.step(env.table.id(action))
    for action in (-1, len(env.table), None, 1.5, "draw"):
        with pytest.raises(IllegalActionError, match="id"):
            env.step(action)
    assert play(env, 200) == play(other, 200)


def test_actions_may_be_any_whole_numbers() -> None:
    for kind in (int, np.int64, np.int32, np.uint8, np.array):
        env = started()
        env.step(kind(0))
        assert env._table.record.phase == 2


def test_the_wrapped_environment_ends_at_an_illegal_action() -> None:
    env = canasta_v0.env(illegal_reward=-2.0)
    env.reset(seed=0)
    agent = env.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(env.unwrapped.table.id("pass"))
    assert all(env.terminations.values())
    assert env.rewards == {other: -2.0 if other == agent else 0 for other in env.possible_agents}
    while env.agents:
        env.step(None)
    env.reset(seed=1)
    other = canasta_v0.env()
    other.reset(seed=1)
    assert play(env, 200) == play(other, 200)
    with pytest.raises(AssertionError, match="action space"):
        env.step(-5)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has no registry yet")
@pytest.mark.parametrize(
    "imports", ["canasta_env, pettingzoo", "pettingzoo, canasta_env", "canasta_env.canasta_v0"]
)
def test_pettingzoo_finds_it_by_name(imports: str) -> None:
    code = f"""
import {imports}
import pettingzoo
env = pettingzoo.make("aec", "canasta_v0", players=3)
print(env, env.unwrapped.players)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("canasta_v0 3\n", "")


def test_the_wrapped_environment_enforces_the_order() -> None:
    env = canasta_v0.env()
    with pytest.raises(Exception, match="reset"):
        env.step(0)
    with pytest.raises(AttributeError, match="reset"):
        _ = env.agents
    raw = canasta_v0.raw_env()
    for call in (lambda: raw.observe("player_0"), raw.state, lambda: raw.determinize(0, 0)):
        with pytest.raises(ValueError, match="reset"):
            call()


def test_seeds() -> None:
    env, other = started(seed=5), started(seed=5)
    assert play(env, 700) == play(other, 700)  # over the end of a deal into episodes without a seed
    env.reset(seed=5)
    assert env.state().tobytes() == started(seed=5).state().tobytes()
    first, second = canasta_v0.raw_env(), canasta_v0.raw_env()
    first.reset()
    second.reset()
    assert first.state().tobytes() != second.state().tobytes()
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)


def test_options_choose_the_deal() -> None:
    env = canasta_v0.raw_env(scores="spread")
    deck = np.random.default_rng(0).permutation(Game(seed=1).deck)
    env.reset(seed=0, options={"deck": deck.tolist(), "dealer": 2, "scores": [1500, -45]})
    game = Game(deck=deck.tolist(), dealer=2, scores=[1500, -45])
    assert env.agent_selection == "player_3"
    assert env._table.record.hands.tobytes() == game.record.hands.tobytes()
    assert env._table.record.scores[:2].tolist() == [1500, -45]
    env.reset(seed=0)
    seeded = env._table.record.copy()
    env.reset(seed=0, options={"scores": [5, 10]})
    assert env._table.record.scores[:2].tolist() == [5, 10]
    assert env._table.record.hands.tobytes() == seeded.hands.tobytes()
    assert env._table.record.dealer == seeded.dealer
    env.reset(seed=0, options={"dealer": int(seeded.dealer)})
    assert env._table.record.tobytes() == seeded.tobytes()


def test_an_episode_goes_on_from_a_position() -> None:
    game = Game(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(41):
        game.play(int(rng.choice(np.flatnonzero(game.mask()))))
    env = canasta_v0.raw_env()
    env.reset(seed=0, options={"position": game.to_position()})
    while True:
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)["observation"]
            assert (seen == game.observation(seat) * env._scale).all()
        if game.over:
            break
        action = choose(env, rng)
        assert action is not None
        env.step(action)
        game.play(action)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"decks": []}, "decks"),
        ({"dealer": 4}, "dealer"),
        ({"scores": [1, 2, 3]}, "scores"),
        ({"deck": "K K 2"}, "deck"),
        ({"position": {"rules": "standard"}}, "standard"),
        ({"position": {"players": 2}}, "2 players"),
        ({"position": {"hands": {0: "K"}, "deal": 0}}, "deal"),
        ({"position": {}, "dealer": 1}, "position"),
    ],
)
def test_wrong_options_change_nothing(options: dict[str, Any], what: str) -> None:
    env, other = started(seed=3), started(seed=3)
    play(env, 20)
    play(other, 20)
    with pytest.raises(ValueError, match=what):
        env.reset(seed=1, options=options)
    assert play(env, 400) == play(other, 400)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"rules": "clasic"}, "clasic"),
        ({"rules": "czech", "players": 7}, "players: 7 cannot play czech"),
        ({"players": 5}, "players"),
        ({"episode": "game"}, "episode='game'"),
        ({"scores": "low"}, "scores='low'"),
        ({"stock": "deep"}, "stock='deep'"),
        ({"reward": "money"}, "reward='money'"),
        ({"reward": "win"}, "episode='match'"),
        ({"max_deals": -1}, "max_deals"),
        ({"render_mode": "svg"}, "render_mode='svg'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        canasta_v0.env(**arguments)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_a_match_pays_its_winner(players: int) -> None:
    rules = "classic(target=300)"
    env = at_the_end(rules=rules, players=players, episode="match", reward="win", scores="zero")
    assert all(env.terminations.values())
    scores = env._table.record.scores[: env.sides]
    assert (scores >= 300).any()
    for seat, agent in enumerate(env.possible_agents):
        won = scores[seat % env.sides] == scores.max()
        assert env.rewards[agent] == pytest.approx(1 if won else -1 / (env.sides - 1))
    assert sum(env.rewards.values()) == pytest.approx(0)


def test_a_truncated_match_pays_no_winner() -> None:
    env = at_the_end(episode="match", max_deals=1, reward="win", scores="zero")
    assert all(env.truncations.values()) and not any(env.rewards.values())


def test_the_state_is_whole() -> None:
    env = started(players=3)
    names = [piece.name for piece in state_pieces(env.rules, 3)]
    assert names[-4:] == ["hand_of[0]", "hand_of[1]", "hand_of[2]", "stock"]
    rng = np.random.default_rng(0)
    for _ in range(150):
        state, record = env.state(), env._table.record
        assert env.state_space.contains(state)
        rows = state[-60:].reshape(4, 15) * env._table.rules["counts"][0]
        assert (np.rint(rows[:3]) == record.hands[:3]).all()
        assert rows[3].sum() == pytest.approx(int(record.stock_size))
        if env.terminations["player_0"]:
            break
        env.step(choose(env, rng))


def test_texts_show_only_what_the_agent_sees() -> None:
    env = started(render_mode="ansi")
    play(env, 60)
    text = env.render()
    assert text is not None
    seat = int(env.agent_selection[-1])
    assert text.count("hand of") == 1 and f"hand of player_{seat}" in text
    assert env.determinize(seat, 1).render() == text
    ended = at_the_end(render_mode="ansi").render()
    assert "the deal is over" in ended and "in this deal" in ended
    with pytest.warns(UserWarning, match="render_mode"):
        assert started().render() is None
