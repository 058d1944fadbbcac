"""The vector environment: the same games as a plain batch gives, whoever plays the other seats."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from agents.bots import BotAgent
from canasta_env import Rules
from tests.playing import TABLES
from tests.rounds import Table, bots, varied

ID = "canasta_env:Canasta-v0"
CASES = [*dict.fromkeys([*TABLES, ("russian", 4), ("latvian", 3)])]


def make(n: int = 3, **arguments: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=n, vectorization_mode="vector_entry_point", **arguments)


def choose(envs: Any, observations: Any) -> Any:
    """Actions that depend on nothing but what is seen."""
    masks = envs.action_masks()
    return np.array([varied(*pair) for pair in zip(masks, observations, strict=True)])


def play(envs: Any, steps: int, observations: Any) -> list[Any]:
    """So many steps; all that was told."""
    told = []
    for _ in range(steps):
        observations, *rest = envs.step(choose(envs, observations))
        told.append((observations, *rest))
    return told


def flat(told: Any) -> list[bytes]:
    """Bytes that are equal where all that was told is."""
    if isinstance(told, dict):
        return [part for key in sorted(told) for part in (key.encode(), *flat(told[key]))]
    if isinstance(told, (list, tuple)):
        return [part for one in told for part in flat(one)]
    array = np.asarray(told)
    return flat(list(array)) if array.dtype == object and array.ndim else [array.tobytes()]


def seats(players: int, sides: int) -> dict[str, Any]:
    """Different bots around the learner, and all of them in the order of play."""
    names = ["greedy", "random", "basic", "random", "greedy"][: players - 1]
    partner = [name for place, name in enumerate(names, 1) if place % sides == 0]
    opponents = [name for place, name in enumerate(names, 1) if place % sides]
    return {"opponents": opponents, "partner": partner or None, "names": names}


def compare(envs: Any, tables: list[Table], steps: int, seed: int) -> int:
    """Step an environment and the tables by the same actions; how many episodes ended."""
    observations, infos = envs.reset(seed=seed)
    over, ended = [True] * len(tables), 0
    expected = [(0.0, False)] * len(tables)
    rewards, terminated = np.zeros(len(tables)), np.zeros(len(tables), bool)
    for _ in range(steps):
        for row, table in enumerate(tables):
            if over[row]:
                table.begin()
            assert (observations[row] == table.observation).all()
            assert (infos["action_mask"][row] == table.mask).all()
            assert infos["seat"][row] == table.seat
            assert (rewards[row], terminated[row]) == expected[row]
            over[row] = table.over
        actions = choose(envs, observations)
        expected = [
            (0.0 if table.over else table.act(int(action)), table.over and not over[row])
            for row, (table, action) in enumerate(zip(tables, actions, strict=True))
        ]
        ended += sum(over)
        observations, rewards, terminated, _, infos = envs.step(actions)
    return ended


@pytest.mark.parametrize(("rules", "players"), CASES)
@pytest.mark.parametrize("seat", [1, "rotate"])
def test_it_plays_what_a_plain_batch_plays(rules: str, players: int, seat: Any) -> None:
    others = seats(players, Rules.parse(rules).sides_of(players))
    choose = bots(*others.pop("names"))
    game = {"rules": rules, "players": players}
    tables = [Table(5, row, seat, choose, **game) for row in range(2)]
    compare(make(2, seat=seat, **others, **game), tables, 60, seed=5)


def test_it_plays_matches_of_a_plain_batch() -> None:
    game: dict[str, Any] = {"rules": "classic(target=1500)", "episode": "match", "max_deals": 3}
    tables = [Table(8, row, 0, bots("greedy"), **game) for row in range(2)]
    assert compare(make(2, opponents="greedy", **game), tables, 300, seed=8) >= 2


class Counting:
    """An agent that plays by a function of what it sees, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def act(self, batch: Any, rows: Any) -> Any:
        self.calls += 1
        seen = batch.observation[rows] * batch.scale
        return np.array([varied(batch.mask[row], seen[j]) for j, row in enumerate(rows)])


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("classic", 3), ("czech", 2)])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_agents_play_as_bots_do(rules: str, players: int, mode: str) -> None:
    told = []
    for player in ("greedy", BotAgent("greedy")):
        envs = make(4, rules=rules, players=players, opponents=player, autoreset_mode=mode)
        observations, _ = envs.reset(seed=2)
        told.append(flat(play(envs, 80, observations)))
    assert told[0] == told[1]


def test_functions_play_as_agents_do() -> None:
    told = []
    for player in (Counting(), lambda observation, mask: varied(mask, observation)):
        envs = make(3, opponents=player, partner="basic", seat="rotate")
        observations, _ = envs.reset(seed=2)
        told.append(flat(play(envs, 80, observations)))
    assert told[0] == told[1]
