"""The styles of the rule bots: basic as it always was, others by their weights alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.bots import BotAgent
from canasta_env import Batch, Game
from canasta_env.bots import Bot, styles
from canasta_env.bots.weights import BASIC, WEIGHTS
from canasta_env.rounds.roster import Roster
from experiments.play import Setup, line_up, play
from experiments.result import rates
from tests.rounds import QUICK, Table, bots, compare
from tests.test_bots import choice, position
from tests.test_vector import make

BASIC_HASH = "a"
"""The hash of basic's weights, which docs/bots.md names too."""

CHOICES = {
    ("standard", 4): "2d9e7908863e577f",
    ("latvian", 4): "0b591e99fdc3a01c",
    ("hungarian", 2): "4895c18461ea769c",
    ("hungarian", 4): "29726741674509ed",
    ("russian", 4): "ed504728d3fdd52f",
    ("hand_and_foot", 2): "d361c0c1bc563af5",
    ("hand_and_foot", 4): "8e1a3110d49e2bc1",
    ("czech", 2): "6f711ed5f9df3e59",
    ("czech", 4): "b3e76eb17b1c33aa",
    ("mini", 2): "3c18658bd07f39bd",
    ("tiny", 2): "43287b8a4838127a",
}
"""A hash of basic's actions in eight deals, from before its weights were an argument; those of
`classic` are in test_bots."""

DIFFERENT = {
    "closer": ("first_meld_turn", -1),
    "hoarder": ("caught", 1),
    "freezer": ("wild_discards", 1),
    "pile_hunter": ("takes", 1),
    "cautious": ("mixed_canastas", -1),
}
"""For each style something that it does by a fifth more or less than basic."""


@pytest.mark.parametrize(("rules", "players"), list(CHOICES))
def test_basic_plays_every_preset_as_it_always_did(rules: str, players: int) -> None:
    batch = Batch(rules, 8, players=players, seed=17, autoreset="off")
    agent, digest = BotAgent("basic", 7), hashlib.sha256()
    rows = np.arange(batch.n)
    while rows.size:
        actions = np.zeros(batch.n, np.int64)
        actions[rows] = agent.act(batch, rows)
        digest.update(actions[rows].astype("<i8").tobytes())
        batch.step(actions)
        rows = rows[~batch.over[rows]]
    assert digest.hexdigest()[:16] == CHOICES[rules, players]


def test_the_weights_of_basic_are_those_of_the_page() -> None:
    assert styles.digest({}) == BASIC_HASH
    page = Path(__file__).resolve().parent.parent / "docs" / "bots.md"
    assert BASIC_HASH in page.read_text(encoding="utf-8")


def test_a_weight_that_is_zero_changes_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(styles.BASIC, "new_weight", 0)
    assert styles.digest({}) == BASIC_HASH != styles.digest({"keep_joker": 1})


def test_each_style_has_its_number() -> None:
    assert list(styles.STYLES) == [bot.name.lower() for bot in Bot if bot >= Bot.BASIC]
    table = styles.table()
    for bot in list(Bot)[Bot.BASIC :]:
        changes = styles.STYLES[bot.name.lower()]
        row = table[bot - Bot.BASIC]
        assert {name: int(row[name]) for name in BASIC} == {**BASIC, **changes}


@pytest.mark.parametrize("style", list(DIFFERENT))
def test_each_style_is_one(style: str) -> None:
    rules = Setup("classic", Batch("classic", 1).rules, 4, units=150, seed=3)
    found = rates(play(rules, line_up(style, "basic", rules)).counts)
    measure, sign = DIFFERENT[style]
    mine, of_basic = found[measure]
    assert sign * (mine / of_basic - 1) > 0.2


@pytest.mark.parametrize(
    ("rules", "players"),
    [("classic", 3), ("hungarian", 4), ("hand_and_foot", 4), ("czech", 4), ("mini", 2)],
)
def test_styles_are_legal_and_end_their_deals(rules: str, players: int) -> None:
    batch = Batch(rules, 24, players=players, seed=3, autoreset="off")
    names = list(styles.STYLES)[1:]
    agents = [BotAgent(name, 1) for name in names]
    rows = np.arange(batch.n)
    for step in range(100_000):
        actions = np.zeros(batch.n, np.int64)
        actions[rows] = agents[step % len(agents)].act(batch, rows)
        assert batch.mask[rows, actions[rows]].all()
        batch.step(actions)
        rows = rows[~batch.over[rows]]
        if not rows.size:
            break
    assert batch.over.all()


@pytest.mark.parametrize("bot", [Bot.EXPERT, Bot.FREEZER, Bot.HOARDER])
def test_styles_are_blind_to_hidden_cards(bot: Bot) -> None:
    compared = 0
    for seed in range(4):
        game, step = Game("classic", seed=seed), 0
        while not game.over:
            action = choice(game, bot, seed, step)
            if step % 5 == 0:
                world = game.determinize(game.turn, 100 * seed + step)
                assert choice(world, bot, seed, step) == action
                compared += world.record.hands.tobytes() != game.record.hands.tobytes()
            game.play(action)
            step += 1
    assert compared > 30


def test_other_weights_play_otherwise() -> None:
    game = position(hands={0: "JK 4 6 8 9 10 K A"})
    row = np.zeros(1, np.int64)

    def discard(name: str) -> str:
        batch: Any = Batch("classic", 1, autoreset="off")
        batch.games[:] = game.record
        batch.refresh()
        return str(batch.table.text(int(registry.make(name).act(batch, row)[0])))

    assert discard("basic") != "discard JK" == discard("basic(keep_joker=-900)")
    assert discard("basic()") == discard("basic")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("basic(keep_jokers=7)", "no weight keep_jokers; perhaps keep_joker"),
        ("basic(keep_joker=much)", "'keep_joker=much' is no change of a weight"),
        ("basic(keep_joker)", "'keep_joker' is no change of a weight"),
        ("basic(keep_joker=1000000)", "keep_joker=1000000 is not possible"),
        ("closest", "did you mean closer"),
        ("greedy(keep_joker=1)", "greedy has no weights"),
    ],
)
def test_names_that_are_none_say_why(name: str, said: str) -> None:
    with pytest.raises(registry.UnknownAgentError, match=said.replace("(", r"\(")):
        registry.make(name)


def test_styles_are_known_everywhere() -> None:
    for name in styles.STYLES:
        assert registry.make(name).name == name
        assert Roster().number(name) == Bot[name.upper()]
        assert line_up(name, "basic", Setup("classic", Batch().rules, 4, 1)).names[0] == name


def test_a_learner_meets_a_style() -> None:
    game: dict[str, Any] = {"rules": QUICK, "players": 4}
    tables = [Table(2, row, "rotate", bots("hoarder"), **game) for row in range(2)]
    compare(
        make(2, opponents="hoarder", partner="hoarder", seat="rotate", **game), tables, 60, seed=2
    )


def test_weights_have_words_and_units() -> None:
    names = [weight.name for weight in WEIGHTS]
    assert len(set(names)) == len(names) and all(weight.text for weight in WEIGHTS)
