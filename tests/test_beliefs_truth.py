"""Beliefs beside the exact posterior of games that can be walked through."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from canasta_env import Game, Rules
from experiments.beliefs import truth
from experiments.beliefs.laws import hypergeometric
from experiments.beliefs.posterior import (
    Posterior,
    States,
    best_laws,
    bits,
    posterior,
    states,
)
from experiments.exact.deals import DEALER
from experiments.exact.policies import strategy_of
from experiments.exact.tree import Tree, grow

SMALLEST = "tiny(copies=3)"
"""Some hundred histories: few enough to be played one by one."""
TINY = "tiny(deuces=1)"


@pytest.fixture(scope="module")
def smallest() -> Tree:
    return grow(Rules.parse(SMALLEST))


@pytest.fixture(scope="module")
def tiny() -> Tree:
    return grow(Rules.parse(TINY))


def of(tree: Tree, name: str) -> tuple[Posterior, States]:
    seen = states(tree)
    agent = registry.make(name, str(tree.rules), 2)
    return posterior(tree, strategy_of(tree, agent), seen), seen


def played(tree: Tree, strategy: Any) -> dict[int, Counter[Any]]:
    """For each information state how likely each hand of the other seat is, history by history."""
    found: dict[int, Counter[Any]] = {}
    chances = tree.deals.chance
    games = [
        Game(tree.rules, players=2, deck=deck.tolist(), dealer=DEALER) for deck in tree.deals.decks
    ]
    for depth, level in enumerate(tree.levels):
        if depth:
            chances = chances[level.parent] * strategy[level.move]
            before, games = games, []
            for parent, move in zip(level.parent, level.move, strict=True):
                games.append(before[parent].copy())
                games[-1].play(int(tree.action[move]))
        for info, chance, game in zip(level.info, chances, games, strict=True):
            if info >= 0:
                record = game.record
                hidden = record.hands[1 - game.turn] - record.known[1 - game.turn]
                found.setdefault(int(info), Counter())[tuple(hidden.tolist())] += chance
    return found


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_the_posterior_is_that_of_all_histories(smallest: Tree, name: str) -> None:
    given, _ = of(smallest, name)
    strategy = strategy_of(smallest, registry.make(name, SMALLEST, 2))
    expected = played(smallest, strategy)
    hands = zip(given.info.tolist(), map(tuple, given.hand.tolist()), strict=True)
    ours = dict(zip(hands, given.reach, strict=True))
    for info, chances in expected.items():
        for hand, chance in chances.items():
            assert ours.pop((info, hand), 0.0) == pytest.approx(chance, abs=1e-12)
    assert not ours
    exact = given.bits(given.info)
    for row in range(len(given.info)):
        chances = expected[int(given.info[row])]
        share = chances[tuple(given.hand[row].tolist())] / chances.total()
        assert 2.0 ** -exact[row] == pytest.approx(share)


def test_choices_tell_of_the_hand(tiny: Tree) -> None:
    """Even random play does: who throws one kind as likely as another shows what he holds few of.
    A player whose choices are seen through says much more.
    """
    found = {name: bits(*of(tiny, name), most=4) for name in ("random", "greedy")}
    for one in found.values():
        assert one.exact <= one.observation + 1e-12
        assert one.observation <= one.best_law + 1e-9
        assert one.best_law < one.hypergeometric
        assert np.isnan(one.learned)
    saved = {name: one.hypergeometric - one.exact for name, one in found.items()}
    assert 0 < saved["random"] < 0.02 < saved["greedy"]


def test_best_laws_have_the_chances_of_the_posterior() -> None:
    """Two kinds that go together: the best law has the chances of each, and is independent."""
    hands = np.array([[0, 0, 2], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
    reach = np.array([0.3, 0.3, 0.2, 0.2])
    given = Posterior(np.zeros(4, int), hands, reach)
    base = hypergeometric(np.array([[1, 1, 2]]), np.array([2]), 2)
    found = best_laws(base, np.array([2]), np.zeros(4, int), given)
    logs = found[0][np.arange(3), hands]  # (hands, kinds)
    shares = np.exp(logs.sum(axis=1))
    shares /= shares.sum()
    assert shares @ hands == pytest.approx(reach @ hands, abs=1e-5)
    assert shares @ (hands[:, 2] == 1) == pytest.approx(0.4, abs=1e-5)


def arguments(**changed: Any) -> list[str]:
    given = {"rules": TINY, "deals": 1000, "test-deals": 600, "epochs": 6, "seed": 1} | changed
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


def test_a_learned_belief_comes_near_the_exact_one(tiny: Tree) -> None:
    options = truth.parser().parse_args(["greedy", *arguments()])
    found = truth.compare("greedy", tiny, states(tiny), options)
    expected = found.expected
    assert expected.exact < expected.learned < expected.hypergeometric
    gap = expected.hypergeometric - expected.exact
    assert expected.learned - expected.exact < 0.1 * gap
    assert found.drawn.low < expected.learned < found.drawn.high
    assert found.drawn.high - found.drawn.low < 0.5 * gap


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = arguments(rules=SMALLEST, deals=50, epochs=1) + ["--test-deals", "25"]
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file in files:
        assert truth.main(["random", "greedy", *small, "--json", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    found = json.loads(files[0].read_text())
    assert set(found["bits"]) == set(found["agents"]) == {"random", "greedy"}
    assert "bits a hidden card" in capsys.readouterr().out
    for wrong, text in (
        (["random", "--rules", "mini"], "mini has more than 20,000 deals"),
        (["nobody"], "no agent is called 'nobody'"),
        (["random", *small, "--json", str(files[0])], "exists; --force overwrites it"),
    ):
        assert truth.main(wrong if "--json" in wrong else [*wrong, *small[2:]]) == 2
        assert text in capsys.readouterr().err
