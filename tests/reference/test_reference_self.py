"""The reference against itself: deals, positions that read back, turns that always end."""

import random

import pytest

from . import Table, deal, next_dealer, write
from .cards import deck
from .generate import deals, positions
from .rules import PRESETS, rules_for, seats_of

GAMES = [(preset, players) for preset in PRESETS for players in seats_of(preset)]


def shuffled(preset: str, players: int, seed: int) -> list[str]:
    rules = rules_for(preset, players)
    cards = deck(rules)
    random.Random(seed).shuffle(cards)
    return cards


@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_generated_positions_read_back_and_turns_end(preset: str, players: int) -> None:
    for position in positions(preset, players, 5, 25):
        table = Table.from_position(position)
        assert write(table) == position
        rng = random.Random(0)
        copy, turn = table.copy(), table.turn
        while not copy.over and (copy.turn == turn or copy.phase in ("answer", "meld")):
            assert copy.legal()
            copy.play(rng.choice(copy.legal()))
        assert write(table) == position


@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_a_deal_of_random_actions_reads_back(preset: str, players: int) -> None:
    for position in deals(preset, players, 2, limit=300):
        assert write(Table.from_position(position)) == position


@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_the_deal_places_every_card(preset: str, players: int) -> None:
    for seed in range(5):
        cards = shuffled(preset, players, seed)
        table = deal(preset, players, cards, dealer=seed % players)
        placed = [card for hand in table.hands for card in hand]
        placed += [card for foot in table.feet for card in foot or []]
        placed += table.pile + table.stock + ["3r"] * sum(table.red_threes)
        assert sorted(placed) == sorted(cards)
        assert table.turn == (seed + 1) % players
        rules = table.rules
        owed = table.owed if rules.cut else [0] * players
        sizes = [len(hand) + missing for hand, missing in zip(table.hands, owed, strict=True)]
        assert sizes == [rules.hand] * players


def test_cards_go_round_from_the_dealers_left() -> None:
    cards = shuffled("classic", 4, 1)
    table = deal("classic", 4, cards, dealer=1)
    first = [card for card in cards[0:44:4] if card != "3r"]
    assert table.hands[2][: len(first)] == first


def test_the_cut_gives_jokers_deuces_and_red_threes() -> None:
    cards = shuffled("czech", 4, 3)
    for card in ("2", "3r", "Kh"):
        cards.remove(card)
    table = deal("czech", 4, [*cards, "2", "Kh", "3r"], dealer=2)
    assert table.stock[-1] == "Kh" and "2" in table.hands[1]
    assert table.owed[1] >= 1 and table.phase == "offer"


def test_the_winning_side_deals_next_in_russian() -> None:
    table = deal("russian", 4, shuffled("russian", 4, 4), dealer=3)
    table.deal_scores = [100, 300]
    assert next_dealer(table) == 1
    table.deal_scores = [100, 100]
    assert next_dealer(table) == 0
