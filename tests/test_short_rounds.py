"""A few rounds of a learner, short enough for plain Python too."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from canasta_env.vector import CanastaVectorEnv
from tests.rounds import QUICK, Table, bots, choose, compare, varied


@pytest.mark.parametrize(
    ("rules", "players", "steps"), [(QUICK, 4, 12), (QUICK, 3, 8), ("czech", 2, 5)]
)
def test_it_plays_what_a_plain_batch_plays(rules: str, players: int, steps: int) -> None:
    game: dict[str, Any] = {"rules": rules, "players": players}
    envs = CanastaVectorEnv(num_envs=2, opponents="basic", seat="rotate", **game)
    tables = [Table(2, row, "rotate", bots("basic"), **game) for row in range(2)]
    compare(envs, tables, steps, seed=2)


def test_functions_play_what_they_play_on_a_plain_batch() -> None:
    def follow(table: Table, place: int) -> int:
        batch, row = table.batch, table.row
        return varied(batch.mask[row], batch.observation[row] * batch.scale)

    envs = CanastaVectorEnv(QUICK, 2, opponents=lambda seen, mask: varied(mask, seen))
    tables = [Table(1, row, 0, follow, rules=QUICK) for row in range(2)]
    compare(envs, tables, 10, seed=1)


def test_the_ends_of_episodes() -> None:
    envs = CanastaVectorEnv(
        QUICK, 2, opponents="random", illegal="replace", autoreset_mode="SameStep",
        episode="match", reward="win", scores="zero", max_deals=3,
    )  # fmt: skip
    seen, _ = envs.reset(seed=0)
    over = np.zeros(2, bool)
    while not over.any():
        actions = choose(envs, seen)
        actions[0] = -1
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        over = terminated | truncated
        assert infos["illegal"][0] or over[0]
        assert set(np.abs(rewards)) <= {0.0, 1.0}
    assert (infos["_final_obs"] == over).all()
    assert infos["final_info"]["illegal"].tolist() == [bool(over[0]), False]


def test_one_learner() -> None:
    env: Any = gymnasium.make("canasta_env:Canasta-v0", rules=QUICK, opponents="greedy").unwrapped
    first, _ = env.reset(seed=0)
    _, reward, terminated, _, info = env.step(env.table.id("pass"))
    assert (reward, terminated, info["illegal"]) == (-1, True, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    assert (env.reset(seed=0)[0] == first).all()
