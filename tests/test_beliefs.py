"""Beliefs about hidden hands: what is certain, the laws, the network, what is measured."""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from canasta_env import Batch, Game, Rules
from canasta_env.cards import Kind, parse_kind
from canasta_env.engine.state import Phase, copy_records
from canasta_env.kernels import determinize_game, plain, workspace
from experiments.beliefs import __main__ as command
from experiments.beliefs import measures, worlds
from experiments.beliefs.counting import (
    Certain,
    certain,
    hidden_cards,
    look,
    most_copies,
    relations,
)
from experiments.beliefs.laws import (
    bits_of,
    condition,
    counting_bits,
    hypergeometric,
)
from experiments.beliefs.model import BeliefNetwork, Judged, Training, corrections, judge, train
from experiments.beliefs.samples import Play, Samples, gather
from tests.playing import TABLES

MINI = Rules.parse("mini")
MOST = most_copies(MINI, 4)
UNSUITED = [(rules, n) for rules, n in TABLES if "czech" not in rules and "cut_bonus" not in rules]


def mini(deals: int, **options: Any) -> Samples:
    return gather("basic", Play(MINI, 4, deals, **options))


def made_up(hidden: Any, truth: Any, deal: Any, left: Any = 1.0) -> Samples:
    """States with one other hand, of which nothing else is known."""
    hidden, truth, deal = (np.asarray(of) for of in (hidden, truth, deal))
    n, kinds = truth.shape
    sure = Certain(np.full((n, kinds), 9), np.zeros((n, 1, kinds), int), hidden[:, None], hidden)
    return Samples(np.zeros((n, 1), np.uint8), sure, truth[:, None], deal, np.full(n, left))


# --- what is certain ----------------------------------------------------------------------------


def test_a_position_by_hand() -> None:
    position = {
        "rules": "classic",
        "players": 4,
        "hands": {0: "K K 4", 1: "4 5 A", 2: "9", 3: "2 JK"},
        "known": {1: "4 A", 3: "2"},
        "melds": {1: ["8 8 8"]},
        "pile": "9 10",
        "turn": 0,
        "phase": "draw",
    }
    found = certain(Game.from_position(position).view(0))
    four, five, queen = map(parse_kind, ("4", "5", "Q"))
    assert found.hidden.tolist() == [[1, 1, 1]]
    assert found.known[0, 0, four] == 1
    assert found.known[0].sum(axis=1).tolist() == [2, 0, 1]
    assert found.stock.tolist() == [108 - 9 - 3 - 2]
    # of the fours one is the own one and one is known; where the five lies nobody has shown
    assert found.pool[0, [four, five, queen, Kind.RED_THREE]].tolist() == [6, 8, 8, 0]
    # all but red threes may lie in the three hidden cards as well as in the stock
    assert found.pool[0].sum() == 3 + found.stock[0] - 4


def test_relations() -> None:
    classic = Rules.parse("classic")
    assert relations(classic, 2) == ("opponent",)
    assert relations(classic, 4) == ("left opponent", "partner", "right opponent")
    assert relations(classic, 3) == ("left opponent", "right opponent")


@pytest.mark.parametrize(("rules", "players"), UNSUITED)
def test_the_truth_lies_within_what_is_certain(rules: str, players: int) -> None:
    found = gather("random", Play(Rules.parse(rules), players, 3, 3))
    assert len(found) >= 3
    assert (found.truth.sum(axis=2) == found.certain.hidden).all()
    assert (found.truth >= 0).all()
    assert (found.truth.sum(axis=1) <= found.certain.pool).all()


def exchanged(batch: Batch, seed: int) -> None:
    """Draw all that the seats to act cannot see anew."""
    for row in range(batch.n):
        world, seat = copy_records(batch.games[row : row + 1]), int(batch.seat[row])
        arguments = plain(batch.packed), seat, seed + row, workspace()[2]
        assert determinize_game(plain(world), 0, *arguments)
        batch.games[row : row + 1] = world
    batch.refresh()


def test_nothing_hidden_is_in_what_beliefs_are_made_from() -> None:
    batch = Batch("classic", 24, seed=3)
    rng, rows = np.random.default_rng(0), np.arange(24)
    for step in range(60):
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.mask])
        if step % 20 != 19:
            continue
        seen, sure = batch.observation.copy(), certain(look(batch, rows))
        truth = hidden_cards(batch, rows, sure.known)
        exchanged(batch, 100 * step)
        np.testing.assert_array_equal(batch.observation, seen)
        again = certain(look(batch, rows))
        for name in vars(sure):
            np.testing.assert_array_equal(getattr(again, name), getattr(sure, name))
        other = hidden_cards(batch, rows, sure.known)
        assert (other != truth).any(axis=(1, 2)).mean() > 0.9


# --- laws ---------------------------------------------------------------------------------------


def test_sums_and_chances_are_those_of_all_hands() -> None:
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(4, 3, 4)) * 3
    weights[0, 1, 2:] = -np.inf
    cards = np.array([3, 0, 5, 9])
    sums, chances = condition(weights, cards)
    for row, n in enumerate(cards):
        hands = [hand for hand in itertools.product(range(4), repeat=3) if sum(hand) == n]
        logs = np.array([weights[row, range(3), hand].sum() for hand in hands])
        share = np.exp(logs) / np.exp(logs).sum()
        assert sums[row] == pytest.approx(np.log(np.exp(logs).sum()))
        for kind, count in itertools.product(range(3), range(4)):
            at = np.array([hand[kind] == count for hand in hands])
            assert chances[row, kind, count] == pytest.approx(share[at].sum(), abs=1e-12)
        bits = bits_of(weights[[row]], sums[[row]], np.array([hands[-1]]))
        assert bits[0] == pytest.approx(-np.log2(share[-1]))


def test_the_hypergeometric_law() -> None:
    pool = np.array([[4, 0, 8, 1, 7], [2, 3, 0, 0, 1]])
    hidden = np.array([9, 6])
    weights = hypergeometric(pool, hidden, 8)
    sums, chances = condition(weights, hidden)
    counts = np.arange(9)
    for row in range(2):
        for kind, copies in enumerate(pool[row]):
            law = stats.hypergeom(pool[row].sum(), copies, hidden[row])
            np.testing.assert_allclose(chances[row, kind], law.pmf(counts), atol=1e-12)
    hands = np.array([[1, 0, 5, 0, 3], [2, 3, 0, 0, 1]])
    expected = [
        -stats.multivariate_hypergeom.logpmf(hand, of, n) / np.log(2)
        for hand, of, n in zip(hands, pool, hidden, strict=True)
    ]
    np.testing.assert_allclose(bits_of(weights, sums, hands), expected, atol=1e-9)


def test_counting_is_a_multinomial_law() -> None:
    unseen, hands = np.array([[4, 0, 8, 3]]), np.array([[1, 0, 3, 2]])
    expected = -stats.multinomial.logpmf(hands[0], 6, unseen[0] / 15) / np.log(2)
    assert counting_bits(unseen, hands)[0] == pytest.approx(expected)
    assert counting_bits(unseen, np.array([[1, 1, 3, 1]]))[0] == np.inf


def test_worlds_are_hypergeometric_but_for_a_question() -> None:
    batch = Batch("mini", 3, seed=2)
    rng = np.random.default_rng(4)
    for _ in range(25):
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.mask])
    draws = 1000
    expected = worlds.chances(certain(look(batch, np.arange(3))), MOST)
    for row in range(3):
        found = worlds.shares(batch, row, draws, seed=7)
        error = np.sqrt(expected[row] * (1 - expected[row]) / draws)
        assert (np.abs(found - expected[row]) <= 4.5 * error + 1e-9).all()
        assert not np.isin(expected[row], [0, 1]).all()


def test_an_asker_can_go_out_in_every_world() -> None:
    """So his hand is not a draw from the pool."""
    position = {
        "rules": "classic",
        "hands": {0: "Q 5", 1: "K K", 2: "7", 3: "J"},
        "melds": {0: ["Q Q Q Q Q Q Q", "5 5 5"]},
        "stock": "4 4",
        "pile": "9",
        "turn": 2,
        "phase": "answer",
        "turn_state": {"asker": 0},
        "absent": "rest",
    }
    batch = Batch("classic", 1)
    batch.games.view(np.ndarray)[:] = Game.from_position(position).record
    batch.refresh()
    assert batch.games.phase[0] == Phase.ANSWER
    chance = worlds.chances(certain(look(batch, np.array([0]))), 8)[0]
    share = worlds.shares(batch, 0, 200, seed=1)
    asker = 1  # opposite
    assert np.abs(share[asker] - chance[asker]).max() > 0.15


# --- the network --------------------------------------------------------------------------------


def test_a_new_network_is_the_hypergeometric_law() -> None:
    found = mini(3)
    network = BeliefNetwork(MINI, 4, MOST)
    plain_law, same = judge(found, MOST, keep=True), judge(found, MOST, network, keep=True)
    np.testing.assert_array_equal(same.bits, plain_law.bits)
    np.testing.assert_array_equal(same.chances, plain_law.chances)


def test_any_network_gives_laws_of_the_hands() -> None:
    found = mini(3)
    network = BeliefNetwork(MINI, 4, MOST)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_(generator=torch.Generator().manual_seed(1))
    added = corrections(network, found.observation)
    assert np.abs(added).max() <= 20 and np.abs(added).max() > 5
    judged = judge(found, MOST, network, keep=True)
    assert judged.chances is not None
    assert np.isfinite(judged.bits).all()
    np.testing.assert_allclose(judged.chances.sum(axis=3), 1)
    expected = (judged.chances @ np.arange(MOST + 1)).sum(axis=2)
    np.testing.assert_allclose(expected, found.certain.hidden, atol=1e-6)
    above = np.arange(MOST + 1) > found.certain.pool[:, None, :, None]
    assert not judged.chances[np.broadcast_to(above, judged.chances.shape)].any()


def test_training_finds_what_a_hand_gives_away() -> None:
    """In made-up play the partner's card is wild, and no card of the others is."""
    found = mini(40, every=5)
    rng, wild = np.random.default_rng(0), [Kind.JOKER, Kind.DEUCE]
    found.certain.hidden[:, 1] = 1
    found = found.take(found.certain.pool[:, wild].sum(axis=1) > 0)
    found.certain.hidden[:] = np.minimum(found.certain.hidden, 3)
    for state in range(len(found)):
        for hand, fits in enumerate((False, True, False)):
            pool = np.where(np.isin(np.arange(15), wild) == fits, found.certain.pool[state], 0)
            n = int(found.certain.hidden[state, hand])
            found.truth[state, hand] = rng.multivariate_hypergeometric(pool, n)
    before = judge(found, MOST).at_least_one
    network = train(found, MINI, 4, Training(epochs=12, minibatch=32, rate=0.02))
    after = judge(found, MOST, network).at_least_one
    assert before[:, 1, wild].sum(axis=1).mean() < 0.5
    assert after[:, 1, wild].sum(axis=1).mean() > 0.9
    assert after[:, 0, wild].sum(axis=1).mean() < 0.1
    bits = judge(found, MOST, network).bits.sum()
    assert bits < 0.8 * judge(found, MOST).bits.sum()


def test_training_repeats_itself_and_leaves_the_global_generator_alone() -> None:
    found = mini(12, every=4)
    state = torch.random.get_rng_state()
    one, two = (train(found, MINI, 4, Training(epochs=2, seed=3)) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), state)
    for name, weights in one.state_dict().items():
        assert torch.equal(weights, two.state_dict()[name])
    with pytest.raises(ValueError, match="1 deal is too few"):
        train(found.take(found.deal == 0), MINI, 4, Training())


# --- measures -----------------------------------------------------------------------------------


def test_a_rate_is_a_ratio_of_sums_over_deals() -> None:
    found = made_up([4, 2, 6, 0], np.zeros((4, 3), int), [0, 0, 7, 9])
    bits = np.array([[8.0], [1.0], [9.0], [5.0]])
    one = measures.rate(bits, found, found.certain.hidden > 0)
    assert one.mean == pytest.approx(18 / 12)
    units = np.array([1.5 + (9 - 1.5 * 6) / 6, 1.5 + (9 - 1.5 * 6) / 6])
    assert (one.low, one.high) == pytest.approx((units.mean(), units.mean()))
    with pytest.raises(ValueError, match="no hidden card was seen"):
        measures.rate(bits, found, np.zeros((4, 1), bool))


def test_the_interval_of_a_rate_holds_the_truth_as_often_as_it_says() -> None:
    rng, held = np.random.default_rng(5), 0
    for _ in range(200):
        hidden, deal = rng.integers(1, 9, 150), np.repeat(np.arange(25), 6)
        ease = rng.normal(size=25)[deal]  # what the states of a deal have in common
        bits = (hidden * (2 + 0.3 * ease + 0.5 * rng.normal(size=150)))[:, None]
        found = made_up(hidden, np.zeros((150, 1), int), deal)
        one = measures.rate(bits, found, np.ones((150, 1), bool), level=0.9)
        held += one.low <= 2 <= one.high
    assert 160 <= held <= 195


def test_groups_part_the_hands() -> None:
    found = mini(8, every=3)
    groups = {group.name: group.chosen for group in measures.groups(found, MINI, 4)}
    for names in (("left opponent", "partner", "right opponent"), measures.PHASES):
        assert (sum(groups[name].astype(int) for name in names) == groups["all"]).all()
    assert groups["partner"][:, 1].any() and not groups["partner"][:, [0, 2]].any()
    early = found.left[groups["early"].any(axis=1)]
    assert early.min() > 2 / 3 > found.left[groups["middle"].any(axis=1)].max()


def test_calibration_by_hand() -> None:
    truth = np.array([[1, 0], [0, 0], [2, 1], [1, 0]])
    found = made_up([1, 1, 3, 1], truth, np.arange(4))
    chances = np.array([[0.72, 0.1], [0.78, 0.1], [0.72, 0.1], [0.78, 1.0]])[:, None]
    one = measures.calibration(Judged(np.zeros((4, 1)), chances), found)
    expected = [(0.1, 1 / 3, 3), (0.75, 0.75, 4), (1.0, 0.0, 1)]
    np.testing.assert_allclose(one.table, expected)
    assert one.error == pytest.approx((3 * (1 / 3 - 0.1) + 1) / 8)
    assert one.by_kind == pytest.approx([0.0, (3 * (1 / 3 - 0.1) + 1) / 4])


def test_a_true_law_is_calibrated_and_has_its_entropy() -> None:
    """Hands drawn from the hypergeometric law, which is then the best that there is."""
    found = mini(40, every=2)
    rng = np.random.default_rng(2)
    for state, hand in itertools.product(range(len(found)), range(3)):
        pool, n = found.certain.pool[state], int(found.certain.hidden[state, hand])
        found.truth[state, hand] = rng.multivariate_hypergeometric(pool, n)
    law, counted = judge(found, MOST), measures.counting(found)
    assert measures.calibration(law, found).error < 0.02
    assert law.bits.sum() < counted.sum()
    network = train(found, MINI, 4, Training(epochs=2))
    fresh = mini(20, every=2, part=1)
    assert judge(fresh, MOST, network).bits.sum() > 0.98 * judge(fresh, MOST).bits.sum()


# --- the command --------------------------------------------------------------------------------

SMALL = ["--rules", "mini", "--deals", "24", "--test-deals", "12", "--epochs", "2"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for name in ("one", "two"):
        files = ["--json", str(tmp_path / f"{name}.json"), "--svg", str(tmp_path / f"{name}.svg")]
        assert command.main(["--of", "basic", "greedy", *SMALL, *files]) == 0
        texts.append([(tmp_path / f"{name}.{of}").read_text() for of in ("json", "svg")])
    assert texts[0] == texts[1]
    shown = capsys.readouterr().out
    assert "play of greedy: bits a hidden card" in shown and "beliefs across agents" in shown
    found = json.loads(texts[0][0])
    assert set(found["matrix"]["basic"]) == set(found["populations"]) == {"basic", "greedy"}
    assert found["matrix"]["basic"]["basic"]["excess"]["mean"] == 0
    of = found["populations"]["basic"]["bits"]["all"]
    assert of["learned"]["low"] < of["learned"]["mean"] < of["learned"]["high"]
    assert of["learned"]["mean"] == found["matrix"]["basic"]["basic"]["bits"]["mean"]
    assert of["hypergeometric"]["mean"] < of["counting"]["mean"]
    assert texts[0][1].startswith("<svg") and texts[0][1].count("<polyline") == 4


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--of", "basik"], "no agent is called 'basik'"),
        (["--of", "basic", "--rules", "czech"], "czech: beliefs are for rules without suits"),
        (["--of", "basic", "basic"], "--of: an agent is named twice"),
        (["--of", "basic", "--level", "1"], "--level 1.0 is not between 0 and 1"),
        (["--of", "basic", "--seed", "-1"], "--seed -1 is not possible"),
        (["--of", "basic", "--players", "5"], "players: 5 cannot play classic"),
        (["--of", "basic", "--svg", __file__], "exists; --force overwrites it"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("experiments.beliefs: ") and shown.count("\n") == 1
    assert text in shown


def test_the_command_about_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["random", "--rules", "mini", "--deals", "3", "--states", "3", "--draws", "50"]
    assert worlds.main(options) == 0
    assert "mean distance" in capsys.readouterr().out
    asked = worlds.parser().parse_args(options)
    assert isinstance(asked, argparse.Namespace)
    for distance, chance in worlds.distances(asked)["draw"]:
        assert 0 < distance < 2 * chance
