"""The environments measured beside ours, and ours, play legally and count what they play; a game
that ends begins again. Nothing is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import canasta_env
from experiments.empty_aec import empty_raw_env
from experiments.peers.aec import AecPlayer
from experiments.peers.canasta import BatchPlayer, SinglePlayer
from experiments.peers.measure import ENTRIES

BY_NAME = {entry.name: entry for entry in ENTRIES}
SHORT = 0.02
"""Seconds of play; how much is played in them does not matter."""


class Watched:
    """Stands for an environment: before each step it asks whether the action is legal, and counts
    the step.
    """

    def __init__(self, inner: Any, legal: Callable[[Any], bool]) -> None:
        self.inner, self.legal, self.steps = inner, legal, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def step(self, action: Any) -> Any:
        assert self.legal(action)
        self.steps += 1
        return self.inner.step(action)


def made(name: str) -> Any:
    """The environment; where its package is not installed, the test is skipped."""
    try:
        return BY_NAME[name].make()
    except ImportError as error:
        pytest.skip(str(error))


def named(framework: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", [n for n in BY_NAME if n.startswith(framework)])


def watched_aec(env: Any) -> Watched:
    def legal(action: int) -> bool:
        observation, _, terminated, truncated, _ = env.last()
        return observation["action_mask"][action] == 1 and not (terminated or truncated)

    return Watched(env, legal)


@pytest.mark.parametrize("make", [canasta_env.raw_env, canasta_env.env])
def test_our_aec(make: Callable[[], Any]) -> None:
    player = AecPlayer(watched_aec(make()))
    assert player.play(SHORT) == player.env.steps > 0


def test_the_end_of_a_game_is_no_decision() -> None:
    player = AecPlayer(watched_aec(empty_raw_env((3,), 2)))  # its games have 140 steps
    assert player._some() + player._some() == player.env.steps == 199


def test_our_batch() -> None:
    player: Any = BatchPlayer()
    batch, rows = player.batch, np.arange(player.batch.n)
    player.batch = Watched(batch, lambda actions: bool(batch.mask[rows, actions].all()))
    assert player.play(SHORT) == player.batch.steps * batch.n > 0


@pytest.mark.skipif("Canasta-v0" not in gymnasium.registry, reason="it is not registered")
def test_our_single_seat() -> None:
    player: Any = SinglePlayer()
    player.env = Watched(player.env, lambda action: player.info["action_mask"][action] == 1)
    assert player.play(SHORT) == player.env.steps > 0


@named("PettingZoo")
def test_pettingzoo(name: str) -> None:
    player = made(name)
    player.env = watched_aec(player.env)
    assert player.play(SHORT) == player.env.steps > 0


@named("RLCard")
def test_rlcard(name: str) -> None:
    player = made(name)
    env = player.env

    def legal(action: int) -> bool:
        return action in player.state["legal_actions"] and not env.is_over()

    player.env = Watched(env, legal)
    decisions = sum(player._some() for _ in range(3))
    assert decisions == player.env.steps == env.timestep


@named("OpenSpiel")
def test_openspiel(name: str) -> None:
    player = made(name)
    start, ended = player._start, []

    def start_again() -> Any:
        assert player.state.is_terminal()
        ended.append(decisions_of(player.game, player.state))
        return start()

    player._start = start_again
    decisions = sum(player._some() for _ in range(5))
    assert decisions == sum(ended) + decisions_of(player.game, player.state)
    assert ended and (player.plain or player.observer.tensor.any())


def decisions_of(game: Any, state: Any) -> int:
    """Plays a game of OpenSpiel again; how many of its moves were players' and not chance's, all
    of whose outcomes must be as likely.
    """
    again = game.new_initial_state()
    for move in state.full_history():
        assert move.action in again.legal_actions()
        if again.is_chance_node():
            assert np.ptp([probability for _, probability in again.chance_outcomes()]) < 1e-12
        again.apply_action(move.action)
    return sum(move.player >= 0 for move in state.full_history())


@pytest.mark.parametrize("name", ["Pgx bridge bidding, 64 games", "Pgx Leduc hold'em, 1,024 games"])
def test_pgx(name: str) -> None:
    player = made(name)
    for _ in range(20):
        before = np.asarray(player.state._step_count)
        assert player._some() == player.games
        over = np.asarray(player.state.terminated)
        assert (np.asarray(player.state._step_count) == np.where(over, 0, before + 1)).all()
        # no deal of bridge pays more; an illegal call pays the others three times that
        assert np.abs(np.asarray(player.state.rewards)).max() <= 7600
