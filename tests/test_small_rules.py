"""Decks with fewer cards than whole packs, and the small games that are played with them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.bots import BotAgent
from canasta_env import Batch, Game, Rules
from canasta_env.actions import ActionTable
from canasta_env.cards import RANK_TOKENS, Pack, card_counts
from canasta_env.engine.state import End
from canasta_env.positions.values import PositionError
from canasta_env.record import RecordWriter, read_record
from canasta_env.rules import RulesError, preset_names

SMALL = [("mini", 2), ("mini", 4), ("tiny", 2)]


def deck(rules: str, players: int) -> dict[str, int]:
    """The cards of a deck, by token."""
    counts = Rules.parse(rules).card_counts(players)
    return {token: n for token, n in zip(RANK_TOKENS, counts, strict=True) if n}


def test_what_the_small_decks_hold() -> None:
    mini = {"JK": 2, "2": 4, "3r": 2, "3b": 2, **dict.fromkeys(("4", "5", "6", "7", "8", "9"), 6)}
    assert deck("mini", 2) == deck("mini", 4) == mini
    assert deck("tiny", 2) == {"2": 2, "4": 4, "5": 4}


def test_whole_packs_have_54_cards() -> None:
    for name in set(preset_names()) - {"mini", "tiny"}:
        rules = Rules.preset(name)
        assert rules.pack == Pack()
        for players in rules.players:
            packs = int(rules.at(players).packs)  # type: ignore[arg-type]
            counts = rules.card_counts(players)
            assert counts == card_counts(packs, suited=rules.sequences)
            assert sum(counts) == 54 * packs


@pytest.mark.parametrize(("rules", "players"), SMALL)
def test_the_deck_that_is_dealt_is_the_one_of_the_rules(rules: str, players: int) -> None:
    game = Game(rules, players=players, seed=5)
    dealt = np.bincount(np.frombuffer(game.deals[0].deck, np.uint8), minlength=15)
    assert tuple(dealt) == Rules.preset(rules).card_counts(players)


def test_the_action_table_leaves_out_ranks_that_are_not_there() -> None:
    mini, classic = ActionTable(Rules.preset("mini")), ActionTable(Rules.preset("classic"))
    gone = {"10", "J", "Q", "K", "A"}
    assert set(mini.texts) == {text for text in classic.texts if not gone & set(text.split())}
    assert not {"6", "7"} & set(" ".join(ActionTable(Rules.preset("tiny")).texts).split())


def test_wild_melds_name_no_more_wild_cards_than_there_are() -> None:
    table = ActionTable(Rules.parse("mini(wild_melds=from_three, wild_canasta=50)"))
    assert [text for text in table.texts if text.startswith("meld 2 2 2")] == ["meld 2 2 2"]
    assert "meld 2 JK JK" in table.texts and "meld JK JK JK" not in table.texts


def test_text_and_mapping_read_back() -> None:
    rules = Rules.parse("classic(ranks=6, jokers=0)")
    assert Rules.parse(str(rules)) == rules and Rules.from_mapping(rules.to_mapping()) == rules
    assert rules.pack == Pack(ranks=6, jokers=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("classic(ranks=12)", "ranks: 12 is not allowed; allowed: a whole number from 1 to 11"),
        ("classic(copies=0)", "copies: 0 is not allowed"),
        ("classic(black_threes=3)", "black_threes: 3 is not allowed"),
        ("czech(ranks=6, jokers=1)", "sequences: True needs whole .* not ranks=6, jokers=1"),
        ("tiny(hand=5)", "hand: 2 players with hand=5 and foot=0 need 10 cards and 2 more"),
        ("tiny(wild_melds=from_three)", "wild_melds: from_three needs 3 .* deuces=2 and jokers=0"),
        ("hungarian(deuces=1, jokers=1)", "wild_melds: whole needs 7 wild cards"),
        ("tiny(red_threes=2, red_three_values=(0, 5))", "ends at 1 red threes; packs=1 have 2"),
        ("tiny(upcard=bury, hand=4)", "upcard: bury needs .* of the 2 left by hand=4 and foot=0"),
    ],
)  # fmt: skip
def test_what_does_not_fit_a_deck_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules.parse(text)


def test_a_card_that_the_deck_lacks_is_refused_by_name() -> None:
    position = {"rules": "mini", "players": 2, "hands": {0: "4 4 K", 1: 6}}
    with pytest.raises(PositionError, match=r"^K: 1 placed, the deck has 0"):
        Game.from_position(position)
    cards = " ".join(token for token, count in deck("tiny", 2).items() for _ in range(count))
    with pytest.raises(ValueError, match=r"deck: K is there 1 times; the deck has 0"):
        Game("tiny", players=2, deck=f"{cards} K")


@pytest.mark.parametrize(("rules", "players"), SMALL)
def test_a_record_replays(rules: str, players: int) -> None:
    game = Game(rules, players=players, seed=9)
    rng = np.random.default_rng(9)
    while not game.over:
        game.play(int(rng.choice(np.flatnonzero(game.mask()))))
    text = RecordWriter(game).text()
    read = read_record(text)
    assert str(read) == text and read.game.deal_scores == game.deal_scores


@pytest.mark.parametrize(("rules", "players"), SMALL)
def test_deals_end_in_many_ways(rules: str, players: int) -> None:
    """The small games are still Canasta: piles are taken, canastas made, seats go out or not."""
    batch = Batch(rules, 400, players=players, seed=1, autoreset="off", observe=False)
    agent, taken = BotAgent("basic", 3), 0
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        actions = np.zeros(batch.n, np.int64)
        actions[rows] = agent.act(batch, rows)
        taken += sum(batch.table.text(a).startswith("take") for a in actions[rows])
        batch.step(actions)
    ends = np.bincount(batch.games.end, minlength=len(End))
    assert ends[End.NOT_YET] == 0 and taken > 40
    assert ends[End.WENT_OUT] + ends[End.CONCEALED] > 40 and ends[End.PASSED] > 0
