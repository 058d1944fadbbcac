"""The environments from positions near the end of a deal: everything once, in a few actions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import canasta_env
from canasta_env import Batch, Game, aec_options, kernels
from canasta_env.aec import raw_env
from canasta_env.batch import IllegalActionError
from canasta_env.bots import Bot
from canasta_env.bots.choose import choose_games
from tests.playing import TABLES
from tests.reference.generate import positions

SHORT: dict[str, Any] = {
    "rules": "classic",
    "players": 2,
    "dealer": 1,
    "turn": 0,
    "hands": {0: "4 5 K", 1: "6 7 K"},
    "pile": "J",
    "stock": "8 9 10 3r",
    "absent": "rest",
}
"""Three draws of two cards or fewer, then a pass."""


def short(**changes: Any) -> dict[str, Any]:
    return SHORT | changes


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


# -- the AEC environment -------------------------------------------------------------------------


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


def test_drawing(capsys: pytest.CaptureFixture[str]) -> None:
    env = raw_env(players=2, render_mode="ansi")
    with pytest.raises(ValueError, match="reset"):
        env.render()
    env.reset(options={"position": SHORT})
    assert "classic" in str(env.render())
    human = raw_env(players=2, render_mode="human")
    human.reset(options={"position": SHORT})
    assert "classic" in capsys.readouterr().out
    silent = raw_env(players=2)
    silent.reset(options={"position": SHORT})
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


# -- the batch -----------------------------------------------------------------------------------


def batch_of(n: int, position: dict[str, Any], **arguments: Any) -> Batch:
    """A batch whose games all stand in one position."""
    batch = Batch("classic", n, players=2, **arguments)
    for i in range(n):
        batch.games[i] = Game.from_position(position).record
    batch.refresh()
    return batch


def first_legal(batch: Batch) -> np.ndarray[Any, Any]:
    return np.asarray(batch.mask.argmax(axis=1))


@pytest.mark.parametrize("autoreset", ["off", "next_step", "same_step"])
def test_a_batch_to_the_end_of_its_deals(autoreset: Any) -> None:
    batch = batch_of(3, SHORT, autoreset=autoreset, threads=2)
    for _ in range(20):
        batch.step(first_legal(batch))
        if batch.terminated.any():
            break
    assert batch.terminated.all() and batch.deal_over.all()
    assert np.allclose(batch.reward.sum(axis=1), 0) and batch.reward.any()
    batch.step(first_legal(batch) if autoreset != "off" else np.zeros(3, int))
    assert batch.terminated.any() == (autoreset == "off") or not batch.terminated.any()


def test_a_match_of_a_batch_goes_on_ends_or_is_cut_off() -> None:
    for scores, most, flags in (([0, 0], 5, (0, 0)), ([0, 0], 1, (0, 1)), ([6000, 0], 5, (1, 0))):
        batch = batch_of(1, short(scores=scores), episode="match", max_deals=most, threads=1)
        for _ in range(20):
            batch.step(first_legal(batch))
            if batch.deal_over[0]:
                break
        assert (int(batch.terminated[0]), int(batch.truncated[0])) == flags


def test_a_batch_refuses_what_is_not_possible() -> None:
    batch = batch_of(1, SHORT)
    for actions, message in (([0, 0], "shape"), ([-1], "not an action"), ([5], "not legal")):
        with pytest.raises(ValueError, match=message):
            batch.step(actions)
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed=-1)
    for arguments in ({"n": 0}, {"n": 1, "autoreset": "now"}):
        with pytest.raises(ValueError, match="not possible"):
            Batch("classic", players=2, **arguments)
    deck = np.zeros((1, 108), np.uint8)
    with pytest.raises(ValueError, match="does not hold the cards"):
        batch.start_deal([0], deck, [0])
    with pytest.raises(ValueError, match="needed"):
        batch.start_deal([0], deck[:, :5], [0])
    state = batch.state_dict()
    with pytest.raises(ValueError, match="bytes given"):
        batch.load_state_dict(state | {"games": state["games"][:9]})


def test_a_batch_takes_deals_and_states() -> None:
    batch = batch_of(1, SHORT, observe=False)
    state = batch.state_dict()
    game = Game("classic", players=2, seed=4)
    scores = np.array([[100, 50]], np.int32)
    batch.start_deal([0], game.deck[None], [game.dealer], scores, [2])
    assert batch.games[0].scores[:2].tolist() == [100, 50] and batch.games[0].deal == 2
    assert batch.mask[0].tolist() == game.mask().astype(bool).tolist()
    batch.load_state_dict(state)
    assert batch.games[0].stock_size == 4 and "Batch('classic', 1" in repr(batch)
    spread = Batch("hand_and_foot", 1, players=2, scores="spread")
    assert 1 <= int(spread.games[0].deal) <= 4


# -- bots, views and worlds in states of all kinds -----------------------------------------------


def chosen(game: Game, bot: Bot) -> str:
    """The text of what a bot does."""
    views, view_bytes, _, _ = kernels.workspace()
    out = np.full(1, -1, np.int64)
    games, masks = game._games, game.mask().astype(np.bool_)[None]
    arrays = kernels.plain(games), kernels.as_bytes(games), kernels.plain(game._packed)
    rows, bots = np.zeros(1, np.int64), np.full(1, int(bot), np.int64)
    choose_games(*arrays, rows, bots, masks, views, view_bytes, True, 1, 0, out)
    return game.table.text(int(out[0]))


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_bots_play_on_from_any_state(rules: str, players: int) -> None:
    for i, position in enumerate(positions(rules, players, 77, 12, limit=300)):
        game = Game.from_position(position)
        for step in range(6):
            if game.over:
                break
            legal = {str(action) for action in game.legal()}
            choices = [chosen(game, bot) for bot in Bot]
            assert set(choices) <= legal
            game.play(choices[(i + step) % 3])


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_world_of_any_state_looks_the_same(rules: str, players: int) -> None:
    found = 0
    for i, position in enumerate(positions(rules, players, 78, 6, limit=300)):
        game = Game.from_position(position)
        seat = (game.turn + i) % players
        try:
            world = game.determinize(seat, i)
        except ValueError:
            continue  # the cards of the generated turn leave no other world
        found += 1
        assert world.view(seat).tobytes() == game.view(seat).tobytes()
        assert world.hand(seat) == game.hand(seat)
    assert found


def test_without_recall_a_view_forgets() -> None:
    position = short(discards={0: "5", 1: "J"}, known={0: "K"}, pile="5 J")
    remembers = Game.from_position(position).view(1)[0]
    forgets = Game.from_position(position, recall=False).view(1)[0]
    assert remembers.discards.any() and remembers.known.any() and remembers.pile.sum() == 2
    assert not forgets.discards.any() and not forgets.known.any() and forgets.pile.sum() == 1
    assert (forgets.last_discard[:2] == -1).all()
    empty = Game.from_position(short(pile=""), recall=False).view(1)[0]
    assert empty.pile.sum() == 0 and empty.pile_top == -1


# -- states that seldom come ---------------------------------------------------------------------

CLOSED = {"K K K K K K K": "7 K", "8 8 8 8 8 2 2": "5 8"}


def drawn(rules: str, **position: Any) -> tuple[str, Any]:
    """The table of a position as text, and the environment in it."""
    env = raw_env(rules, render_mode="ansi")
    env.reset(options={"position": {"rules": rules, "turn": 0, **position}})
    return str(env.render()), env


def test_closed_canastas_are_drawn_and_encoded() -> None:
    given: dict[str, Any] = {"phase": "meld", "hands": {0: "9 9 5 6"}}
    text, env = drawn("hand_and_foot", melds={0: [*CLOSED, "9 9 9"]}, **given)
    assert text.count("closed") == 2
    _, other = drawn("hand_and_foot", melds={0: ["9 9 9"]}, **given)
    mine, its = (one.observe("player_0")["observation"] for one in (env, other))
    assert (mine != its).any() and env.observation_space("player_0").contains(
        env.observe("player_0")
    )


def test_a_pending_pile_is_drawn_and_encoded() -> None:
    text, env = drawn("classic", hands={0: "K K Q Q 2 6"}, pile="A 9 K")
    assert "apart" not in text
    env.step(env.table.id("take K K"))
    assert "apart until the first meld: 9 A" in str(env.render())
    assert env.observe("player_1")["observation"].max() <= 1


def test_a_question_is_drawn_and_encoded() -> None:
    canasta = {0: ["K K K K K K K", "9 9 9"]}
    text, env = drawn("classic", phase="meld", hands={0: "9 5"}, melds=canasta)
    before = env.observe("player_1")["observation"]
    env.step(env.table.id("ask"))
    assert env.agent_selection == "player_2" and str(env.render()) != text
    after = env.observe("player_1")["observation"]
    assert (before != after).any()
    env.step(env.table.id("no"))
    assert env.agent_selection == "player_0"
    assert (env.observe("player_1")["observation"] != after).any()


def test_a_wild_canasta_is_drawn_and_encoded() -> None:
    wild = "2 2 2 2 2 JK JK"
    given: dict[str, Any] = {"phase": "meld", "hands": {0: "9 5"}}
    text, env = drawn("hungarian", melds={0: [wild, "9 9 9"]}, **given)
    assert "JK" in text
    _, other = drawn("hungarian", melds={0: ["K K K", "9 9 9"]}, **given)
    mine, its = (one.observe("player_1")["observation"] for one in (env, other))
    assert (mine != its).any()


def test_a_finished_deal_is_drawn() -> None:
    env = raw_env(players=2, render_mode="ansi")
    env.reset(options={"position": SHORT})
    while env.agents and not env.terminations[env.agent_selection]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    assert "in this deal" in str(env.render())


def test_concealed_canastas_are_an_event() -> None:
    position: dict[str, Any] = {"rules": "latvian", "turn": 0, "phase": "meld"}
    game = Game.from_position({**position, "hands": {0: "K K K K K K K 5 6 9"}})
    for text in ("meld K K K", *["add K"] * 4, "discard 5"):
        game.play(text)
    for seat in (0, 1):
        assert any("1 concealed canasta" in str(event) for event in game.events(seat))


def test_basic_takes_with_a_wild_card_and_a_big_pile() -> None:
    """And passes where the stock is empty and nothing can be taken."""
    pile = "4 5 6 7 8 9 10 J 4 5 6 7 8 9 10 J 4 5 6 7 8 A"
    position: dict[str, Any] = {"rules": "classic", "turn": 0, "melds": {0: ["Q Q Q"]}}
    for hand, wanted in (("A 2 5 6 9", "take A 2"), ("A JK 5 6 9", "take A JK")):
        game = Game.from_position({**position, "hands": {0: hand}, "pile": pile})
        assert chosen(game, Bot.BASIC) == wanted
    given = {"hands": {0: "4 5", 1: 3, 2: 3, 3: 3}, "pile": "9", "stock": "", "absent": "rest"}
    assert chosen(Game.from_position({**position, **given}), Bot.BASIC) == "pass"


def test_every_bot_lays_a_whole_wild_canasta_or_discards() -> None:
    position = {"rules": "hungarian", "turn": 0, "phase": "meld", "melds": {0: ["Q Q Q"]}}
    game = Game.from_position({**position, "hands": {0: "2 2 2 2 2 JK JK 5 6 9"}})
    assert chosen(game, Bot.BASIC) == "meld 2 2 2 2 2 JK JK"
    assert {chosen(game, bot) for bot in Bot} <= {str(action) for action in game.legal()}
