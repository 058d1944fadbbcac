"""What discards tell: agents whose discards tell a known amount, and the exact truth in tiny."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import registry
from canasta_env import Batch, Rules
from canasta_env.kernels import as_bytes
from experiments.deals import agent_seed, unit_seeds
from experiments.exact.policies import strategy_of
from experiments.exact.strategy import uniform
from experiments.exact.tree import Tree, grow
from experiments.signals import __main__ as command
from experiments.signals.discards import DiscardProbe, listen_to, of_name
from experiments.signals.information import plug_in
from experiments.signals.laws import law
from experiments.signals.truth import Throws, throws, truth
from experiments.signals.worlds import Case, Worlds
from experiments.stats import mean_interval

MINI = DiscardProbe(Rules.parse("mini"), deals=12, every=3, worlds=24, most=768, seed=2)
SMALL = "tiny(deuces=1)"
DEALT, LOTS = int(unit_seeds(0, np.zeros(1, np.int64))[0]), agent_seed(0, 0, 0)
"""The seeds of the deals and of the agent that plays them, of a probe with the seed 0."""


@pytest.fixture(scope="module")
def tree() -> Tree:
    return grow(Rules.parse(SMALL))


@pytest.fixture(scope="module")
def thrown(tree: Tree) -> Throws:
    return throws(tree)


class AnyCard:
    """Throws any card of its hand that may be thrown with the same chance, as soon as it may."""

    def policy(self, batch: Any, rows: Any) -> Any:
        packed = batch.packed[0]
        first = int(packed.at_discard)
        kinds = packed.rank[first : batch.actions]
        found = np.zeros((len(rows), batch.actions))
        hands = batch.games.hands[rows, batch.seat[rows]].astype(float)
        found[:, first:] = hands[:, kinds] * batch.mask[rows, first:]
        none = found.sum(1) == 0
        found[none] = batch.mask[rows[none]]
        return found / found.sum(1, keepdims=True)

    def act(self, batch: Any, rows: Any) -> Any:
        return self.policy(batch, rows).argmax(1)


def means(sums: Any, name: str) -> float:
    return float(sums.units(name).mean())


def test_any_card_of_the_hand_tells_what_the_hand_only_control_tells() -> None:
    found = listen_to(AnyCard(), AnyCard(), MINI)
    assert list(found) == ["partner", "opponent"]
    assert found["opponent"].cases.sum() == 2 * found["partner"].cases.sum() > 50
    for sums in found.values():
        np.testing.assert_allclose(sums.units("told", less="hand_only"), 0.0, atol=1e-12)
        assert 0.4 < means(sums, "told") < means(sums, "uncertain") - 0.5
        assert abs(means(sums, "exchanged")) < 0.01


def test_a_discard_without_lots_tells_all_that_was_uncertain_of_it() -> None:
    for sums in of_name("greedy", MINI).values():
        np.testing.assert_allclose(sums.units("told", less="uncertain"), 0.0, atol=1e-12)
        assert mean_interval(sums.units("told", less="hand_only")).low > 0.3
        assert abs(means(sums, "exchanged")) < 0.01


def test_an_agent_that_must_be_asked() -> None:
    """The same agent, with probabilities and without: then its answers are counted."""
    agent = AnyCard()
    rng = np.random.default_rng(0)

    def act(batch: Any, rows: Any) -> Any:
        lots = rng.random((len(rows), 1))
        return np.minimum((agent.policy(batch, rows).cumsum(1) < lots).sum(1), batch.actions - 1)

    asked = listen_to(agent, SimpleNamespace(act=act), MINI)
    known = listen_to(agent, agent, MINI)
    for name, sums in asked.items():
        assert sums.cases.tolist() == known[name].cases.tolist()
        assert means(sums, "told") == pytest.approx(means(known[name], "told"), abs=0.06)
        assert means(sums, "exchanged") == pytest.approx(0.0, abs=0.01)


def test_questions_do_not_change_play() -> None:
    """Asked about every discard, of more worlds: there are as many discards as the agent throws."""
    batch = Batch("mini", 4, players=4, seed=DEALT, autoreset="off", observe=False)
    agent, thrown = registry.make("basic", "mini", 4, LOTS), np.zeros(4, np.int64)
    while not batch.over.all():
        rows, actions = np.flatnonzero(~batch.over), batch.mask.argmax(1)
        actions[rows] = agent.act(batch, rows)
        thrown[rows] += actions[rows] >= batch.packed[0].at_discard
        batch.step(actions)
    for worlds in (8, 12):
        probe = DiscardProbe(MINI.rules, deals=4, every=1, worlds=worlds, most=1024)
        sums = of_name("basic", probe)["partner"]
        assert sums.left_out == 0
        assert sums.cases.tolist() == thrown.tolist()


def test_worlds_are_those_in_which_the_agent_throws() -> None:
    """Each that is kept has the observer's hand and the seat's known cards, and a discard."""
    batch = Batch("mini", 16, players=4, seed=8, autoreset="off", observe=False)
    agent = registry.make("closer", "mini", 4, 1)
    worlds = Worlds(batch, agent, 4, np.random.default_rng(3))
    checked = 0
    for _ in range(30):
        actions = batch.mask.argmax(1)
        rows = np.flatnonzero(~batch.over)
        actions[rows] = agent.act(batch, rows)
        for row in rows[actions[rows] >= worlds.throws[0]][:2].tolist():
            seat = int(batch.seat[row])
            case = Case(as_bytes(batch.games)[row].copy(), seat, (seat + 1) % 4, row)
            worlds.fill([case], 8, 128)
            assert case.drawn <= 128 and len(case.kept) <= 8
            for shares, held in zip(case.kept, case.held, strict=True):
                assert shares.sum() == pytest.approx(1.0)
                assert not shares[held == 0].any()
                assert held.sum() == batch.games.hand_sizes[row, seat]
                checked += 1
        batch.step(actions)
    assert checked > 100


def test_laws() -> None:
    batch = Batch("mini", 5, players=4)
    rows = np.arange(5)
    alike = law(registry.make("random", "mini", 4), batch, rows)
    np.testing.assert_allclose(alike.sum(1), 1.0)
    assert (np.count_nonzero(alike, axis=1) == np.count_nonzero(batch.mask, axis=1)).all()
    greedy = registry.make("greedy", "mini", 4)
    once = law(greedy, batch, rows)
    assert np.array_equal(once.argmax(1), greedy.act(batch, rows))
    assert set(np.unique(once)) == {0.0, 1.0}
    network = SimpleNamespace(logits=lambda seen: np.zeros((len(seen), batch.actions)))
    drawn = SimpleNamespace(network=network, temperature=2.0)
    np.testing.assert_allclose(law(drawn, batch, rows), alike)


@pytest.mark.parametrize("name", ["random", "greedy", "basic"])
def test_estimates_hold_the_exact_truth(tree: Tree, thrown: Throws, name: str) -> None:
    strategy = strategy_of(tree, registry.make(name, SMALL, 2), 64)
    exact = truth(tree, thrown, strategy)
    probe = DiscardProbe(tree.rules, 2, deals=150, every=1, worlds=32, scores="zero", seed=4)
    (sums,) = of_name(name, probe).values()
    for measure, value, width in (
        ("told", exact.uniform.told, 0.1),
        ("uncertain", exact.uniform.uncertain, 0.2),
        ("hand_only", exact.hand_only.told, 0.03),
    ):
        ends = mean_interval(sums.units(measure), level=0.99)
        assert ends.low < value < ends.high, measure
        assert ends.high - ends.low < width, measure
    assert exact.posterior.told < exact.uniform.told
    assert exact.hand_only.told > 0.01


def test_the_truth_by_hand(tree: Tree, thrown: Throws) -> None:
    """Where the seat has just begun, the other knows its own hand and the upcard, and all orders
    of the seven other cards are alike: three are the hand, one was drawn."""
    strategy = uniform(tree)
    first = np.flatnonzero(thrown.level == 1)
    one = thrown.seen[first[0]]
    group = first[thrown.seen[first] == one]
    chance = tree.deals.chance[tree.levels[1].parent[thrown.place[group]]]
    laws = thrown.held[group] > 0
    assert (thrown.ways[group] == 1.0).all()
    told = plug_in(laws / laws.sum(1, keepdims=True), chance)
    assert 0.0 < told.told < told.uncertain < np.log2(3)
    found = truth(tree, thrown, strategy)
    # what is thrown at random tells no more to who weighs the choices before
    assert found.posterior.told == pytest.approx(found.uniform.told, abs=0.01)


def test_where_all_is_known_nothing_is_told() -> None:
    small = grow(Rules.parse("tiny(copies=3)"))
    exact = truth(small, throws(small), uniform(small))
    assert exact.uniform.told == pytest.approx(0.0, abs=1e-12)
    assert exact.uniform.uncertain > 1.0
    probe = DiscardProbe(small.rules, 2, deals=20, every=1, worlds=8, scores="zero")
    (sums,) = of_name("random", probe).values()
    np.testing.assert_allclose(sums.units("told"), 0.0, atol=1e-12)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert command.main(arguments) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.json", "two.json")]
    few = ("--deals", "4", "--rules", "mini", "--worlds", "16")
    for file in files:
        shown = run(capsys, "discards", "greedy", "basic", *few, "--json", str(file))
    for name in ("greedy", "basic"):
        assert f"{name}, mini, 4 players, 4 deals bits a discard to the partner" in shown
    assert shown.count("told to the partner less: ") == 2
    assert files[0].read_bytes() == files[1].read_bytes()
    whole = json.loads(files[0].read_text())
    assert whole["settings"]["worlds"] == 16
    part = whole["agents"]["basic"]["opponent"]
    assert part["cases"] == sum(part["deals"]["cases"])
    ratio = sum(part["deals"]["told"]) / part["cases"]
    assert part["measures"]["told"]["mean"] == pytest.approx(ratio)


def test_the_other_parts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown = run(capsys, "listening", "basic", "--rules", "mini", "--deals", "12", "--no-recall")
    assert "12 deals, without recall: who listens" in shown
    assert "two opponents" in shown
    file = tmp_path / "truth.json"
    run(capsys, "truth", "greedy", "--rules", SMALL, "--deals", "8", "--json", str(file))
    exact = json.loads(file.read_text())["exact"]["greedy"]
    assert exact["uniform"]["told"] > exact["posterior"]["told"] > 0.1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["discards", "greedi"], "no agent is called 'greedi'"),
        (["discards", "greedy", "--worlds", "4"], "worlds: 4 is not possible; 8 or more"),
        (["discards", "greedy", "--most", "9"], "most: 9 is not possible; 64 or more"),
        (["discards", "greedy", "--answers", "1"], "answers: 1 is not possible; 2 or more"),
        (["discards", "greedy", "--level", "1"], "--level 1.0 is not between 0 and 1"),
        (["listening", "greedy", "--seed", "-1"], "--seed -1 is not possible"),
        (["listening", "greedy", "--players", "2"], "players: 2 is not possible"),
        (["listening", "greedy", "--rules", "hand_and_foot"], "a part of the pile can stay"),
        (["truth", "greedy", "--rules", "mini"], "mini has more than 20,000 deals"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("experiments.signals: ") and text in shown
    assert shown.count("\n") == 1
