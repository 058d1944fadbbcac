"""The export to OpenSpiel, and its solver beside ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Rules
from experiments.exact.policies import tables
from experiments.exact.strategy import exploitability, uniform, value
from experiments.exact.tree import Tree, grow

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra openspiel)")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import cfr, expected_game_score  # noqa: E402
from open_spiel.python.algorithms import exploitability as theirs  # noqa: E402

from experiments.openspiel_game import CanastaGame  # noqa: E402

SMALLEST = "tiny(copies=3)"


@pytest.fixture(scope="module")
def game() -> Any:
    return CanastaGame({"rules": SMALLEST})


@pytest.fixture(scope="module")
def tree() -> Tree:
    return grow(Rules.parse(SMALLEST))


def strategy_of(tree: Tree, game: Any, policy: Any) -> Any:
    """A policy of OpenSpiel as a strategy of ours: asked for in one history of each state."""
    found = np.zeros(len(tree.action))
    deals, moves = tree.paths()
    for infos, _ in tables(tree, observe=False):
        for info in infos.tolist():
            state = game.new_initial_state()
            state.apply_action(int(deals[info]))
            for move in moves[info][moves[info] >= 0]:
                state.apply_action(int(tree.action[move]))
            chances = policy.action_probabilities(state)
            some = range(tree.first[info], tree.first[info + 1])
            found[list(some)] = [chances[int(tree.action[move])] for move in some]
    return found


def test_the_game_is_registered() -> None:
    game = pyspiel.load_game("python_canasta(rules=tiny)")
    state = game.new_initial_state()
    assert state.is_chance_node() and len(state.chance_outcomes()) == 356
    state.apply_action(7)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(copy) != str(state)
    assert state.action_to_string(state.legal_actions()[0]) == "draw"
    assert "draw" in copy.information_state_string(0)


def test_random_play_is_worth_the_same(game: Any, tree: Tree) -> None:
    random = policies.UniformRandomPolicy(game)
    scores = expected_game_score.policy_value(game.new_initial_state(), [random, random])
    assert scores[0] == -scores[1] == pytest.approx(value(tree, uniform(tree)), abs=1e-9)
    ours = exploitability(tree, uniform(tree))
    assert theirs.nash_conv(game, random) / 2 == pytest.approx(ours, abs=1e-9)


def test_a_policy_that_their_cfr_finds_is_as_exploitable(game: Any, tree: Tree) -> None:
    solver = cfr.CFRPlusSolver(game)
    for _ in range(2):
        solver.evaluate_and_update_policy()
    found = solver.average_policy()
    ours = exploitability(tree, strategy_of(tree, game, found))
    assert 0 < ours < exploitability(tree, uniform(tree))
    assert theirs.nash_conv(game, found) / 2 == pytest.approx(ours, abs=1e-9)
