"""The environment of one learner: what it sees, what it is paid and when, and both checkers."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from agents.bots import BotAgent
from canasta_env import Batch, Game, canasta_v0
from canasta_env.batch import IllegalActionError
from canasta_env.single import CanastaEnv
from canasta_env.vector import INFO
from tests.playing import TABLES
from tests.rounds import varied

ROOT = Path(__file__).resolve().parent.parent
ID = "canasta_env:Canasta-v0"
COPIES = [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]


def made(**arguments: Any) -> Any:
    """The environment without Gymnasium's wrappers."""
    return gymnasium.make(ID, **arguments).unwrapped


def seen(observation: Any, mask: Any) -> int:
    """A player: an action that depends on nothing but what it sees."""
    return varied(mask, observation)


def play(env: Any, steps: int, observation: Any) -> list[Any]:
    """So many steps, over the ends of episodes; all that was told."""
    told = []
    for _ in range(steps):
        observation, *rest = env.step(seen(observation, env.action_masks()))
        told.append((observation.tobytes(), *rest[:3], *map(str, rest[3].values())))
        if rest[1] or rest[2]:
            observation, info = env.reset()
            told.append((observation.tobytes(), *map(str, info.values())))
    return told


# -- rewards -----------------------------------------------------------------------------------

LAST_TURNS = {
    "rules": "classic", "phase": "meld", "turn": 2, "melds": {0: ["K K K K K K K"]},
    "hands": {0: "4", 1: "4 4", 2: "5 6", 3: "4"}, "stock": "8 K 9 9 9 9", "absent": "rest",
}  # fmt: skip
"""Seat 2 is to act; seat 0, its partner, will draw a king and go out."""
SCRIPT = {2: ["discard 6"], 3: ["draw", "discard 8"], 0: ["draw", "add K", "discard 4"]}
WON = (8 * 10 + 500 + 100 - 5 - (-3 * 5)) / 1000
"""Kings, canasta, going out, and the five in the hand of seat 2; the others keep three fours."""


def follower(env: Any, lines: list[str]) -> Callable[..., int]:
    """A player that follows a script."""
    words = iter(lines)
    return lambda observation, mask: env.table.id(next(words))


@pytest.mark.parametrize(
    ("seat", "paid"),
    [
        pytest.param(0, [0.0, 0.0, WON], id="it ends the deal itself"),
        pytest.param(2, [WON], id="its partner ends it"),
        pytest.param(3, [0.0, -WON], id="an opponent ends it"),
    ],
)
def test_each_reward_comes_with_the_decision_before_it(seat: int, paid: list[float]) -> None:
    env = made(seat=seat, scores="zero")
    opponents = [follower(env, SCRIPT.get((seat + place) % 4, [])) for place in (1, 3)]
    partner = follower(env, SCRIPT.get((seat + 2) % 4, []))
    env.set_players(opponents, partner)
    observation, info = env.reset(seed=0, options={"position": LAST_TURNS})
    for line, reward in zip(SCRIPT[seat], paid, strict=True):
        assert info["seat"] == seat and info["points"] == 0
        observation, *told, info = env.step(env.table.id(line))
        assert told == [reward, line == SCRIPT[seat][-1], False]
    assert info["deals"] == 1 and info["points"] == (675 if seat % 2 == 0 else -15)
    assert env.observation_space.contains(observation)


def test_a_given_deal_without_a_decision_is_refused_and_changes_nothing() -> None:
    env, other = made(seat=1, scores="zero"), made(seat=1, scores="zero")
    env.reset(seed=4)
    observation, _ = other.reset(seed=4)
    env.set_players([follower(env, SCRIPT[2]), follower(env, SCRIPT[0])], follower(env, SCRIPT[3]))
    with pytest.raises(ValueError, match="ends before the learner must act"):
        env.reset(options={"position": LAST_TURNS})
    env.set_players("basic", "basic")
    assert play(env, 60, observation) == play(other, 60, observation)


@pytest.mark.parametrize(
    ("players", "episode"), [(2, "deal"), (3, "match"), (4, "deal"), (4, "match"), (6, "match")]
)
def test_it_is_paid_and_shown_what_the_agents_of_the_aec_environment_are(
    players: int, episode: Any
) -> None:
    game: dict[str, Any] = {"players": players, "episode": episode, "max_deals": 3}
    aec = canasta_v0.raw_env(**game)
    aec.reset(seed=9)
    told: dict[str, list[Any]] = {agent: [] for agent in aec.agents}
    for agent in aec.agent_iter():
        now, reward, terminated, truncated, _ = aec.last()
        told[agent].append((now["observation"].tobytes(), reward, terminated, truncated))
        over = terminated or truncated
        aec.step(None if over else seen(now["observation"], now["action_mask"]))
    signs = set()
    for seat, agent in enumerate(told):
        env = made(seat=seat, opponents=seen, **game)
        observation, _ = env.reset(seed=9)
        for before, after in itertools.pairwise(told[agent]):
            assert observation.tobytes() == before[0]
            observation, *rest, _ = env.step(seen(observation, env.action_masks()))
            assert (observation.tobytes(), *rest) == after
            signs.add(np.sign(rest[0]))
        assert rest[1] or rest[2]
    assert signs == {-1, 0, 1}


# -- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("illegal", ["end", "replace"])
def test_gymnasium_finds_nothing(rules: str, players: int, illegal: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(
            ID, rules=rules, players=players, seat="rotate", opponents="random", illegal=illegal
        )
        check_env(env.unwrapped)


@pytest.mark.parametrize("illegal", ["end", "replace"])
def test_stable_baselines_finds_nothing(illegal: Any) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(ID, opponents="random", illegal=illegal)
        checker.check_env(env)
    assert masking.is_masking_supported(env)
    assert (masking.get_action_masks(env) == env.unwrapped.action_masks()).all()


def test_what_is_told_has_fixed_keys_and_fresh_arrays() -> None:
    env = made(opponents="random")
    observation, info = env.reset(seed=1)
    kept = []
    for _ in range(60):
        assert tuple(info) == INFO
        assert [type(info[key]) for key in INFO[1:]] == [int, int, int, bool]
        assert info["action_mask"].dtype == np.int8 and info["action_mask"].any()
        assert (info["action_mask"] == env.action_masks()).all()
        assert observation.dtype == np.float32 and env.observation_space.contains(observation)
        kept.append((observation, observation.copy(), info["action_mask"], env.action_masks()))
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        assert [type(one) for one in (reward, terminated, truncated)] == [float, bool, bool]
        if terminated:
            assert info["deals"] == 1 and np.flatnonzero(info["action_mask"]).tolist() == [0]
            observation, info = env.reset()
    assert all((now == then).all() and (mask == legal).all() for now, then, mask, legal in kept)


def test_an_episode_that_is_over_needs_a_reset() -> None:
    env = made(illegal="end")
    for _ in range(2):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            env.step(0)
        env.reset(seed=0)
        env.step(env.table.id("pass"))


def test_seeds() -> None:
    env, other = made(opponents="random", seat="rotate"), made(opponents="random", seat="rotate")
    first, _ = env.reset(seed=5)
    told = play(env, 150, first)
    assert play(other, 150, other.reset(seed=5)[0]) == told
    assert (env.reset()[0] != env.reset()[0]).any()
    assert play(env, 150, env.reset(seed=5)[0]) == told
    assert (made().reset()[0] != made().reset()[0]).any()
    for seed in (-1, 2**63):
        with pytest.raises((ValueError, gymnasium.error.Error), match=r"[Ss]eed"):
            env.reset(seed=seed)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_the_seat_rotates_from_episode_to_episode(players: int) -> None:
    env = made(players=players, seat="rotate", opponents="random")
    seats = [env.reset(seed=3)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(2 * players))]
    assert seats == [(seats[0] + i) % players for i in range(2 * players + 1)]
    assert len({env.reset(seed=seed)[1]["seat"] for seed in range(40)}) == players


# -- illegal actions ---------------------------------------------------------------------------


def test_an_illegal_action_is_an_error_that_changes_nothing() -> None:
    env, other = made(illegal="raise"), made()
    env.reset(seed=1)
    observation, info = other.reset(seed=1)
    text = f"'pass' is not legal for seat {info['seat']}"
    for action, why in ((env.table.id("pass"), text), (-1, "-1"), (len(env.table), "ids are")):
        with pytest.raises(IllegalActionError, match=why):
            env.step(action)
    assert play(env, 80, observation) == play(other, 80, observation)
    for wrong in (1.5, None, "draw"):
        with pytest.raises(TypeError):
            env.step(wrong)


def test_an_illegal_action_ends_the_episode() -> None:
    env = made(illegal_reward=-2.5)
    for action in (env.table.id("pass"), -1, len(env.table)):
        observation, _ = env.reset(seed=1)
        last, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-2.5, True, False)
        assert info["illegal"] and info["deals"] == 0
        assert (last == observation).all()
        assert np.flatnonzero(info["action_mask"]).tolist() == [0]
    assert not env.reset()[1]["illegal"]


def test_an_illegal_action_is_replaced_by_lot() -> None:
    found = set()
    for steps in range(3, 15):
        env = made(opponents="greedy", illegal="replace")
        play(env, steps, env.reset(seed=steps)[0])
        legal = np.flatnonzero(env.action_masks()).tolist()
        branches = [copy.deepcopy(env).step(action)[0] for action in legal]
        *told, info = env.step(env.table.id("pass"))
        assert info["illegal"] and not told[2]
        places = [place for place, branch in enumerate(branches) if (branch == told[0]).all()]
        assert len(places) == 1
        found.add((len(legal), *places))
    assert len(found) > 6 and max(place for _, place in found) > 3


# -- the other players -------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [True, False])
def test_players_are_replaced_at_once_or_in_the_next_episode(at_once: bool) -> None:
    env, other = made(opponents="random"), made(opponents="greedy" if at_once else "random")
    observation, _ = env.reset(seed=2)
    other.reset(seed=2, options=None)
    env.set_players("greedy", "greedy", at_once=at_once)
    if at_once:  # from here on they are the same game, whoever brought it here
        other._rounds.batch.games[:] = env._rounds.batch.games
        other._rounds.batch.refresh()
    while True:
        action = seen(observation, env.action_masks())
        observation, _, terminated, _, _ = env.step(action)
        assert (other.step(action)[0] == observation).all()
        if terminated:
            break
    other.set_players("greedy", "greedy")
    assert play(env, 50, env.reset()[0]) == play(other, 50, other.reset()[0])


def test_an_agent_that_plays_an_illegal_action_is_named() -> None:
    class Wrong:
        def act(self, batch: Batch, rows: Any) -> Any:
            return np.full(len(rows), batch.table.id("pass"))

        def __repr__(self) -> str:
            return "Wrong()"

    env = made(opponents=Wrong(), partner="greedy")
    with pytest.raises(IllegalActionError, match=r"Wrong\(\).*'pass' is not legal"):
        play(env, 50, env.reset(seed=0)[0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)
    env.set_players("greedy")
    other = made(opponents="greedy")
    other.reset(seed=0)
    assert play(env, 50, env.reset(seed=0)[0]) == play(other, 50, other.reset(seed=0)[0])


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"opponents": "clever"}, "clever.*random, greedy, basic"),
        ({"opponents": 3}, "3 is no player"),
        ({"opponents": ["random"]}, "opponents: 1 players given, 2 needed"),
        ({"opponents": []}, "opponents: 0 players given, 2 needed"),
        ({"partner": ["random", "basic"]}, "partner: 2 players given, 1 needed"),
        ({"players": 2, "partner": "random"}, "partner: nobody plays with"),
        ({"seat": 4}, "seat=4"),
        ({"seat": "left"}, "seat='left'"),
        ({"illegal": "ignore"}, "illegal='ignore'"),
        ({"reward": "money"}, "reward='money'"),
        ({"reward": "win"}, "episode='match'"),
        ({"rules": "clasic"}, "clasic"),
        ({"players": 5}, "players"),
        ({"episode": "game"}, "episode='game'"),
        ({"scores": "low"}, "scores='low'"),
        ({"stock": "deep"}, "stock='deep'"),
        ({"max_deals": -1}, "max_deals"),
        ({"render_mode": "svg"}, "render_mode='svg'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        CanastaEnv(**arguments)


# -- options, copies, pictures -----------------------------------------------------------------


def test_options_choose_the_deal() -> None:
    deck = np.random.default_rng(0).permutation(Game(seed=1).deck).tolist()
    env = made(seat=3, opponents=seen)
    observation, _ = env.reset(options={"deck": deck, "dealer": 2, "scores": [1500, -45]})
    game = Game(deck=deck, dealer=2, scores=[1500, -45])
    scale = env._rounds.batch.scale
    assert (observation == game.observation(3) * scale).all()
    game.play("draw")
    env.step(env.table.id("draw"))
    position = game.to_position()
    observation, _ = env.reset(options={"position": position})
    assert (observation == game.observation(3) * scale).all()
    with pytest.raises(ValueError, match="dealer"):
        env.reset(options={"dealer": 4})
    with pytest.raises(ValueError, match="decks"):
        env.reset(options={"decks": []})


def test_an_episode_of_given_scores_is_else_that_of_the_seed() -> None:
    env = made(scores="zero")
    seeded, _ = env.reset(seed=6)
    assert (env.reset(seed=6, options={"scores": [0, 0]})[0] == seeded).all()
    assert (env.reset(seed=6, options={"scores": [1500, 0]})[0] != seeded).any()


@pytest.mark.parametrize("duplicate", COPIES)
@pytest.mark.parametrize("steps", [0, 7, 61])
def test_copies_keep_the_state(duplicate: Callable[[Any], Any], steps: int) -> None:
    arguments: dict[str, Any] = {"episode": "match", "max_deals": 2, "seat": "rotate"}
    env = made(opponents=[BotAgent("greedy"), "random"], partner="basic", **arguments)
    observation, _ = env.reset(seed=11)
    env.action_space.seed(1)
    play(env, steps, observation)
    other = duplicate(env)
    observation = env._rounds.observation[0].copy()
    assert play(env, 150, observation) == play(other, 150, observation)
    assert env.action_space.sample() == other.action_space.sample()


@pytest.mark.parametrize("duplicate", COPIES)
def test_a_wrapped_environment_can_be_copied(duplicate: Callable[[Any], Any]) -> None:
    env = gymnasium.make(ID, opponents="greedy")
    other = duplicate(env)
    assert (env.reset(seed=1)[0] == other.reset(seed=1)[0]).all()


def test_a_match_pays_its_winner() -> None:
    arguments: dict[str, Any] = {
        "rules": "classic(target=300)", "episode": "match", "scores": "zero", "opponents": "greedy",
    }  # fmt: skip
    for seed in range(4):
        points, wins = made(**arguments), made(reward="win", **arguments)
        observation, _ = points.reset(seed=seed)
        wins.reset(seed=seed)
        over = False
        while not over:
            action = seen(observation, points.action_masks())
            observation, *_ = points.step(action)
            _, reward, over, _, _ = wins.step(action)
            assert over or reward == 0
        scores = points._rounds.batch.games[0].scores[:2]
        assert reward == np.sign(int(scores[0]) - int(scores[1]))


def test_texts_show_what_the_learner_sees() -> None:
    env = made(render_mode="ansi", seat=2)
    env.reset(seed=0)
    env.step(int(env.action_masks().argmax()))
    text = env.render()
    assert isinstance(text, str)
    assert text.count("hand of") == 1 and "hand of player_2" in text
    assert "last: the learner: " in text
    with pytest.warns(UserWarning, match="render_mode"):
        assert made().render() is None


# -- how it is found ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium; env = gymnasium.make('canasta_env:Canasta-v0')",
        "import canasta_env; import gymnasium; env = gymnasium.make('canasta_env:Canasta-v0')",
        "import gymnasium; import canasta_env; env = gymnasium.make('Canasta-v0')",
        "import gymnasium; env = gymnasium.make_vec('canasta_env:Canasta-v0', 2)",
    ],
)
def test_gymnasium_finds_it_whatever_comes_first(code: str) -> None:
    after = (
        "; import gymnasium.envs.registration as it; print(env.unwrapped.spec.id, it.__loader__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + after], cwd=ROOT, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("Canasta-v0 <_frozen_importlib") and not done.stderr
