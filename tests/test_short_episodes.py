"""The AEC environment from positions near the end of a deal: everything once, in a few actions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import canasta_env
from canasta_env import Game, aec_options, kernels
from canasta_env.aec import raw_env
from canasta_env.batch import IllegalActionError
from tests.endings import SHORT, short


def play(env: Any, check: Callable[[Any], None] | None = None) -> list[dict[str, float]]:
    """Play an episode by the first legal actions; the rewards after each step."""
    paid = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[-1] if len(paid) % 3 else legal[0]))
        paid.append(dict(env.rewards))
        if check is not None and env.agents:
            check(env)
        assert agent in env.possible_agents
    return paid


def sees_what_it_should(env: Any) -> None:
    for agent in env.agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        acts = agent == env.agent_selection and not env.terminations[agent]
        assert seen["action_mask"].any() == acts
    assert env.state_space.contains(env.state())


def test_a_deal_to_its_end() -> None:
    env = raw_env(players=2, scores="zero", info=True)
    env.reset(seed=3, options={"position": SHORT})
    paid = play(env, sees_what_it_should)
    assert not env.agents and len(paid) > 4
    assert all(not any(row.values()) for row in paid[:-1])
    last = paid[-1]
    assert last["player_0"] == -last["player_1"] != 0


def test_infos_hold_numbers() -> None:
    env = raw_env(players=2, info=True)
    env.reset(seed=1, options={"position": short(scores=[50, 200])})
    info = env.infos["player_0"]
    assert 50 in info.values() and 200 in info.values()
    play(env)
    plain = raw_env(players=2)
    plain.reset(seed=1)
    assert plain.infos["player_0"] == {}


def test_the_wrapped_environment_ends_with_an_illegal_action() -> None:
    env = canasta_env.env(players=2, illegal_reward=-2)
    env.reset(seed=1, options={"position": SHORT})
    mask = env.observe("player_0")["action_mask"]
    env.step(int(np.flatnonzero(mask == 0)[0]))
    assert env.rewards["player_0"] == -2 and all(env.terminations.values())


@pytest.mark.parametrize(("action", "message"), [("draw", "an id"), (-1, "ids are"), (5, "legal")])
def test_an_illegal_action_says_why_and_changes_nothing(action: Any, message: str) -> None:
    env = raw_env(players=2)
    env.reset(options={"position": SHORT})
    before = env.state()
    with pytest.raises(IllegalActionError, match=message):
        env.step(action)
    assert (env.state() == before).all()


def test_a_match_is_won_lost_or_cut_off() -> None:
    arguments: dict[str, Any] = {"players": 2, "episode": "match", "reward": "win"}
    env = raw_env(**arguments)
    env.reset(options={"position": short(scores=[5600, 100])})
    assert play(env)[-1] == {"player_0": 1.0, "player_1": -1.0}
    # a deal that does not decide it, and no other may follow
    cut = raw_env(**arguments, max_deals=1)
    cut.reset(options={"position": SHORT})
    assert play(cut)[-1] == {"player_0": 0.0, "player_1": 0.0}
    # or the next one is dealt, from its own seed
    env.reset(options={"position": SHORT})
    while int(env._table.record.deal) == 1:
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert env.agents and not any(env.terminations.values())


def test_copies_go_on_alike_and_apart() -> None:
    env = raw_env(players=2, render_mode="ansi")
    assert raw_env.clone(env).possible_agents == env.possible_agents
    env.reset(seed=5, options={"position": SHORT})
    env.step(env.table.id("draw"))
    copies = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    first = env.state()
    results = [play(one)[-1] for one in copies]
    assert results[0] == results[1] == results[2]
    assert (env.state() == first).all()
    assert copies[1].observation_spaces["player_0"] is not env.observation_spaces["player_0"]


def test_a_world_looks_the_same_to_its_seat() -> None:
    env = raw_env(players=2)
    env.reset(seed=5, options={"position": short(absent="", stock=None, hands={0: "4 5 K", 1: 9})})
    for seed in (1, np.random.default_rng(1)):
        world = env.determinize("player_0", seed)
        assert (
            world.observe("player_0")["observation"] == env.observe("player_0")["observation"]
        ).all()
        assert (world.state() != env.state()).any()
    with pytest.raises(ValueError, match="is not an agent"):
        env.determinize("player_7", 1)


def test_a_world_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    env = raw_env(players=2)
    env.reset(options={"position": SHORT})
    game = Game.from_position(SHORT)
    monkeypatch.setattr(kernels, "determinize_game", lambda *given: False)
    with pytest.raises(ValueError, match="no possible world"):
        env.determinize(0, 1)
    with pytest.raises(ValueError, match="no possible world"):
        game.determinize(0, 1)


def test_drawing() -> None:
    env = raw_env(players=2, render_mode="ansi")
    with pytest.raises(ValueError, match="reset"):
        env.render()
    env.reset(options={"position": SHORT})
    assert "classic" in str(env.render())
    silent = raw_env(players=2)
    silent.reset(options={"position": SHORT})
    with pytest.warns(UserWarning, match="draws nothing"):
        assert silent.render() is None
    silent.close()


def test_before_the_first_reset_nobody_sees_anything() -> None:
    env = raw_env(players=2)
    with pytest.raises(ValueError, match="reset"):
        env.observe("player_0")
    with pytest.raises(ValueError, match="is not an agent"):
        env.observe("somebody")


def test_the_options_of_a_reset() -> None:
    env = raw_env(players=2, scores="zero")
    env.reset(seed=8)
    first = env._table.record
    deck, dealer = env._table.deck(int(first.match_seed), 1).tolist(), int(first.dealer)
    before = env.state()
    env.reset(options={"deck": deck, "dealer": dealer, "scores": [0, 0], "options": 1})
    assert (env.state() == before).all()
    env.reset(seed=8, options={"scores": [700, -50]})
    assert env._table.record.scores[:2].tolist() == [700, -50]
    env.reset(options={"position": short(match_seed=77, deal=3)})
    assert (int(env._table.record.match_seed), int(env._table.record.deal)) == (77, 3)


OVER = {"phase": "over", "deal_scores": [0, 0]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decks": 1}, "not known"),
        ({"position": SHORT, "dealer": 1}, "a position is whole"),
        ({"position": short(rules="latvian")}, "it is one of latvian"),
        ({"position": short(**OVER)}, "over"),
        ({"dealer": 2}, "not a seat"),
    ],
)
def test_wrong_options_change_nothing(options: dict[str, Any], message: str) -> None:
    env = raw_env(players=2)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    env.reset(seed=2)
    before = env.state()
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert (env.state() == before).all()


@pytest.mark.parametrize(
    "arguments",
    [{"episode": "deals"}, {"max_deals": -1}, {"reward": "win"}, {"render_mode": "png"}],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        raw_env(players=2, **arguments)


def test_seeds_count_from_zero() -> None:
    env = raw_env(players=2)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    assert 0 <= aec_options.fresh_seed() < 2**63


@pytest.mark.parametrize("stock", ["shared", "seat_streams"])
def test_the_full_state_has_the_feet_too(stock: Any) -> None:
    env = raw_env("hand_and_foot", players=2, stock=stock)
    env.reset(seed=1)
    assert env.state_space.contains(env.state())


def test_pettingzoo_knows_the_environment() -> None:
    from canasta_env import canasta_v0

    assert canasta_v0.raw_env is raw_env and canasta_v0.env is canasta_env.env


def test_the_package_lists_its_names() -> None:
    assert {"Game", "Batch", "env"} <= set(dir(canasta_env))
    assert canasta_env.__version__
    with pytest.raises(AttributeError, match="no attribute 'Games'"):
        _ = canasta_env.Games
