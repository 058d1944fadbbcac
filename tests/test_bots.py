"""The rule bots: always legal, blind to hidden cards, and what each is defined to do."""

from __future__ import annotations

import hashlib
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.bots import BotAgent
from canasta_env import Batch, Game
from canasta_env.bots import Bot
from canasta_env.bots.weights import BASIC, weights
from canasta_env.cards import CARD_VALUES
from tests.playing import TABLES

GOLDEN = {
    2: "a03bdd10337dc1f4",
    3: "824e33b4611358d0",
    4: "7a72b145d1088d35",
    6: "1dc3c69fbd484997",
}
"""For each number of players a hash of basic's actions in some deals of classic: it's the opponent
that others are measured against, so what it plays must not change by accident."""


def choice(game: Game, bot: Bot, seed: int = 1, index: int = 0) -> str:
    """The text of what a bot does in the game."""
    agent = agent_of(bot, seed)
    agent.choices = index
    table = SimpleNamespace(
        rules=game.rules, players=game.players, games=game._games, packed=game._packed,
        mask=game.mask().astype(np.bool_)[None],
    )  # fmt: skip
    return game.table.text(int(agent.act(table, np.zeros(1, np.int64))[0]))


@cache
def agent_of(bot: Bot, seed: int) -> BotAgent:
    """One agent for many games: what it needs of rules with suits is made once."""
    return BotAgent(bot.name.lower(), seed)


def position(**changes: Any) -> Game:
    """A game of four at the start of seat 0's melds, seats and sides as given."""
    start: dict[str, Any] = {
        "rules": "classic", "players": 4, "dealer": 3, "turn": 0, "phase": "meld", "pile": "5 9",
        "hands": {1: 8, 2: 8, 3: 8}, "melded": [True, True],
        "melds": {0: ["Q Q Q"], 1: ["J J J"]},
    }  # fmt: skip
    for key, value in changes.items():
        start[key] = {**start[key], **value} if key == "hands" else value
    return Game.from_position(start)


def deals(batch: Batch, *agents: Any, steps: int = 100_000) -> list[np.ndarray]:
    """Play a batch to its end, seat i by agent i modulo their number; the actions of each step."""
    played = []
    for _ in range(steps):
        rows = np.flatnonzero(~batch.over)
        if not rows.size:
            break
        actions = np.zeros(batch.n, np.int64)
        for i, agent in enumerate(agents):
            mine = rows[batch.seat[rows] % len(agents) == i]
            if mine.size:
                actions[mine] = agent.act(batch, mine)
        assert batch.mask[rows, actions[rows]].all()
        played.append(actions[rows].copy())
        batch.step(actions)
    assert batch.over.all()
    return played


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("bot", ["random", "greedy", "basic"])
def test_bots_are_legal_and_end_their_deals(rules: str, players: int, bot: str) -> None:
    batch = Batch(rules, 60, players=players, seed=3, autoreset="off")
    other = "greedy" if bot == "random" else "random"
    deals(batch, BotAgent(bot, 1), BotAgent(other, 2))


SHORT_DEALS = {"mini": 12, "tiny": 60}
"""How many deals of rules whose deals are short."""


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("bot", [Bot.RANDOM, Bot.GREEDY, Bot.BASIC])  # styles: test_styles
def test_bots_are_blind_to_hidden_cards(rules: str, players: int, bot: Bot) -> None:
    compared = 0
    for seed in range(SHORT_DEALS.get(rules, 6)):
        game = Game(rules, players=players, seed=seed)
        step = 0
        while not game.over:
            action = choice(game, bot, seed, step)
            if step % 7 == 0:
                world = game.determinize(game.turn, 100 * seed + step)
                assert choice(world, bot, seed, step) == action
                compared += world.record.hands.tobytes() != game.record.hands.tobytes()
            game.play(choice(game, Bot.BASIC, seed, step))
            step += 1
    assert compared > 30


def test_same_seed_same_actions() -> None:
    def actions(seed: int) -> bytes:
        batch = Batch("classic", 20, seed=5, autoreset="off")
        return b"".join(step.tobytes() for step in deals(batch, BotAgent("basic", seed)))

    assert actions(1) == actions(1) != actions(2)


def test_an_agent_goes_on_from_its_state() -> None:
    batch = Batch("classic", 50, seed=9)
    rows = np.arange(50)
    agent, other = BotAgent("random", 4), BotAgent("random", 4)
    agent.act(batch, rows)
    other.load_state_dict(agent.state_dict())
    assert (agent.act(batch, rows) == other.act(batch, rows)).all()


def test_registry_makes_bots() -> None:
    for name in registry.BOTS:
        assert registry.make(name).name == name
    with pytest.raises(ValueError, match="random, greedy, basic"):
        BotAgent("nobody")


def test_random_plays_all_legal_actions() -> None:
    game = position(hands={0: "K K K 2 4 7 3b"})
    seen = {choice(game, Bot.RANDOM, 7, index) for index in range(2000)}
    assert seen == {str(action) for action in game.legal()}


def greedy_by_definition(game: Game) -> str:
    """Greedy's rule, written a second time over the texts of the actions."""
    legal = [str(action) for action in game.legal()]
    for start in ("yes", "take", "meld", "add"):
        for text in legal:
            if text.startswith(start):
                return text
    discards = [text.removeprefix("discard ") for text in legal if text.startswith("discard")]
    hand = game.hand(game.turn).split()
    naturals = [card for card in discards if card not in ("JK", "2", "3b")]
    ranks = [*"456789", "10", *"JQKA"]
    if naturals:
        values = {rank: CARD_VALUES[4 + i] for i, rank in enumerate(ranks)}
        best = min(naturals, key=lambda c: (hand.count(c), values[c], ranks.index(c)))
        return f"discard {best}"
    return next((f"discard {card}" for card in ("3b", "2", "JK") if card in discards), legal[0])


def test_greedy_does_what_it_is_defined_to_do() -> None:
    for seed in range(12):
        game = Game("classic", seed=seed, scores=[500 * (seed % 7), 0])
        while not game.over:
            action = choice(game, Bot.GREEDY)
            assert action == greedy_by_definition(game)
            game.play(action)


def test_basic_goes_out_when_it_can() -> None:
    game = position(melds={0: ["Q Q Q Q Q Q Q", "K K K"], 1: ["J J J"]}, hands={0: "Q K K 7 7 2 4"})
    for _ in range(10):
        if game.over:
            break
        game.play(choice(game, Bot.BASIC))
    assert game.over and game.record.out_seat == 0


def test_basic_completes_a_canasta_with_a_wild_card() -> None:
    game = position(melds={0: ["Q Q Q Q Q Q"], 1: ["J J J"]}, hands={0: "2 4 5 6 8 9 10 K"})
    assert choice(game, Bot.BASIC) == "add 2 to Q"


def test_basic_takes_a_big_pile_and_leaves_a_small_one() -> None:
    big = position(phase="draw", pile="A 10 5 9 4 8 6 7 K", hands={0: "K K 4 5 6 8 9"})
    assert choice(big, Bot.BASIC) == "take K K"
    small = position(phase="draw", pile="3b Q", hands={0: "K K 4 5 6 8 9"})
    assert choice(small, Bot.BASIC) == "draw"


def test_basic_opens_from_the_third_round_with_the_fewest_wild_cards() -> None:
    game = position(
        melds={}, melded=[False, False], scores=[0, 0], hands={0: "A A A K K 2 JK 4 5 7 8 9"}
    )
    assert choice(game, Bot.BASIC).startswith("discard")
    game._games["turns"] = 8
    assert choice(game, Bot.BASIC) == "meld A A A"


def test_basic_does_not_feed_the_next_opponents_melds() -> None:
    game = position(pile="5 9 4 10 8 6 5 7 A", hands={0: "J 7 A A K K"})
    assert choice(game, Bot.BASIC) != "discard J"


def test_basic_answers_by_what_it_would_be_caught_with() -> None:
    for hand, expected in (("4 5 6 7", "yes"), ("A A A K K Q Q JK JK", "no")):
        game = position(
            melds={0: ["9 9 9 9 9 9 9"], 1: ["J J J"]}, hands={0: "9 4", 2: hand}, pile="5 10"
        )
        game.play("ask")
        assert choice(game, Bot.BASIC) == expected


def test_weights_by_name() -> None:
    assert weights(keep_joker=7)[0].keep_joker == 7 != BASIC["keep_joker"]
    with pytest.raises(KeyError, match="keep_jokers"):
        weights(keep_jokers=7)


@pytest.mark.parametrize("players", list(GOLDEN))
def test_basic_plays_as_it_always_did(players: int) -> None:
    batch = Batch("classic", 25, players=players, seed=11, autoreset="off")
    digest = hashlib.sha256()
    for actions in deals(batch, BotAgent("basic", 7)):
        digest.update(actions.astype("<i8").tobytes())
    assert digest.hexdigest()[:16] == GOLDEN[players]


def test_basic_is_clearly_better_than_greedy() -> None:
    gains = []
    for first in ("basic", "greedy"):
        batch = Batch("classic", 400, seed=21, stock="seat_streams", autoreset="off")
        names = ("basic", "greedy") if first == "basic" else ("greedy", "basic")
        deals(batch, *(BotAgent(name, 1) for name in names))
        gain = batch.deal_scores[:, 0] - batch.deal_scores[:, 1]
        gains.append(gain if first == "basic" else -gain)
    assert np.mean(gains) > 200
