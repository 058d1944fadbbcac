"""Dealt games of rules with suits, a few actions each: what a game from a position never shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Batch, Game
from canasta_env.aec import raw_env
from canasta_env.game import Stock
from tests.playing import play_some

CUTS = [1, 28, 419]
"""Seeds at which he who cuts gets one card, two and three, wild ones among them."""
STEPS = 6


def games(stock: Stock, seed: int, players: int = 4) -> list[Game]:
    """A dealt game at the beginning, and after some actions, again and again."""
    rng = np.random.default_rng(seed)
    game = Game("czech", players=players, seed=seed, stock=stock)
    return [game.copy(), *(play_some(game, STEPS, rng).copy() for _ in range(4))]


def test_the_seeds_are_those_of_cuts() -> None:
    taken = [int(Game("czech", seed=seed).record.cut_taken) for seed in CUTS]
    assert taken == [1, 2, 3]
    assert any(int(Game("czech", seed=seed).record.cut_wilds) for seed in CUTS)


@pytest.mark.parametrize("stock", ["shared", "seat_streams"])
@pytest.mark.parametrize("seed", CUTS)
def test_a_dealt_game_is_read_back(seed: int, stock: Stock) -> None:
    for game in games(stock, seed):
        position = game.to_position()
        again = Game.from_position(position)
        assert again.to_position() == position
        assert [str(a) for a in again.legal()] == [str(a) for a in game.legal()]
        for seat in range(4):
            assert again.view(seat).tobytes() == game.view(seat).tobytes()


@pytest.mark.parametrize("stock", ["shared", "seat_streams"])
@pytest.mark.parametrize("seed", CUTS)
def test_a_world_keeps_what_the_cut_has_shown(seed: int, stock: Stock) -> None:
    """To him who cut the last cards, to all the wild cards that he got."""
    for game in games(stock, seed):
        cutter = int(game.record.cut_seat)
        bottom = list(game.record.cut_bottom)
        for seat in range(4):
            world = game.determinize(seat, seed)
            assert world.view(seat).tobytes() == game.view(seat).tobytes()
            wilds = int(world._games[0].hands[cutter, :2].sum())
            assert wilds >= int(game.record.cut_wilds)
            if seat == cutter:
                assert list(world.record.cut_bottom) == bottom


@pytest.mark.parametrize("players", [2, 3, 5, 6])
def test_observations_of_every_seat_are_within_the_bounds(players: int) -> None:
    for game in games("shared", 3, players):
        for seat in range(players):
            observation = game.observation(seat)
            assert observation.any() and (observation[:48] <= 4).all()


def test_a_table_of_the_environment() -> None:
    """Observations, the whole state, the picture, a clone and a world, step by step."""
    table: Any = raw_env("czech", render_mode="ansi")
    table.reset(seed=CUTS[1])
    for step in range(STEPS):
        for agent in table.agents:
            seen = table.observe(agent)
            assert table.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (agent == table.agent_selection)
        assert table.state_space.contains(table.state())
        assert "hand" in table.render()
        world = table.clone().determinize(table.agent_selection, step)
        mask = table.observe(table.agent_selection)["action_mask"]
        assert (world.observe(table.agent_selection)["action_mask"] == mask).all()
        table.step(int(np.flatnonzero(mask)[-1]))


def test_a_batch_plays_what_a_game_plays() -> None:
    batch = Batch("czech", 2, seed=5, autoreset="off", scores="zero")
    for _ in range(STEPS):
        batch.step([np.flatnonzero(mask)[0] for mask in batch.mask])
    state = batch.state_dict()
    again = Batch("czech", 2, seed=6, autoreset="off")
    again.load_state_dict(state)
    assert (again.mask == batch.mask).all() and (again.observation == batch.observation).all()
    with pytest.raises(ValueError, match="is not legal for seat"):
        batch.step(np.argmin(batch.mask, axis=1))
    batch.reset(seed=5)
    assert not batch.deal_over.any()
