"""Bots, views, worlds and pictures in states of all kinds, those that seldom come too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.bots import BotAgent
from canasta_env import Game
from canasta_env.aec import raw_env
from canasta_env.bots import Bot
from canasta_env.rules import preset_names
from tests.endings import SHORT, short
from tests.playing import TABLES
from tests.reference.generate import positions

GENERATED = [(rules, players) for rules, players in TABLES if rules in preset_names()]


def chosen(game: Game, bot: Bot) -> str:
    """The text of what a bot does."""
    table = SimpleNamespace(
        games=game._games,
        packed=game._packed,
        mask=game.mask().astype(np.bool_)[None],
        rules=game.rules,
        players=game.players,
    )
    agent = BotAgent(bot.name.lower(), seed=1)
    return game.table.text(int(agent.act(table, np.zeros(1, np.int64))[0]))


@pytest.mark.parametrize(("rules", "players"), GENERATED)
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


@pytest.mark.parametrize(("rules", "players"), GENERATED)
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
