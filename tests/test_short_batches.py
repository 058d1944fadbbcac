"""The batch from positions near the end of a deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Batch, Game
from tests.endings import SHORT, short


def batch_of(n: int, position: dict[str, Any], **arguments: Any) -> Batch:
    """A batch whose games all stand in one position."""
    batch = Batch("classic", n, players=2, **arguments)
    for i in range(n):
        batch.games[i] = Game.from_position(position).record
    batch.refresh()
    return batch


def first_legal(batch: Batch) -> np.ndarray[Any, Any]:
    return np.asarray(batch.mask.argmax(axis=1))


@pytest.mark.parametrize("autoreset", ["off", "next_step", "same_step"])
def test_a_batch_to_the_end_of_its_deals(autoreset: Any) -> None:
    batch = batch_of(3, SHORT, autoreset=autoreset, threads=2)
    for _ in range(20):
        batch.step(first_legal(batch))
        if batch.terminated.any():
            break
    assert batch.terminated.all() and batch.deal_over.all()
    assert np.allclose(batch.reward.sum(axis=1), 0) and batch.reward.any()
    batch.step(first_legal(batch) if autoreset != "off" else np.zeros(3, int))
    assert batch.over.all() == (autoreset == "off") and not batch.terminated.any()


def test_a_match_of_a_batch_goes_on_ends_or_is_cut_off() -> None:
    for scores, most, flags in (([0, 0], 5, (0, 0)), ([0, 0], 1, (0, 1)), ([6000, 0], 5, (1, 0))):
        batch = batch_of(1, short(scores=scores), episode="match", max_deals=most, threads=1)
        for _ in range(20):
            batch.step(first_legal(batch))
            if batch.deal_over[0]:
                break
        assert (int(batch.terminated[0]), int(batch.truncated[0])) == flags


def test_a_batch_refuses_what_is_not_possible() -> None:
    batch = batch_of(1, SHORT)
    for actions, message in (([0, 0], "shape"), ([-1], "not an action"), ([5], "not legal")):
        with pytest.raises(ValueError, match=message):
            batch.step(actions)
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed=-1)
    for arguments in ({"n": 0}, {"n": 1, "autoreset": "now"}):
        with pytest.raises(ValueError, match="not possible"):
            Batch("classic", players=2, **arguments)
    deck = np.zeros((1, 108), np.uint8)
    with pytest.raises(ValueError, match="does not hold the cards"):
        batch.start_deal([0], deck, [0])
    with pytest.raises(ValueError, match="needed"):
        batch.start_deal([0], deck[:, :5], [0])
    state = batch.state_dict()
    with pytest.raises(ValueError, match="bytes given"):
        batch.load_state_dict(state | {"games": state["games"][:9]})


def test_a_batch_takes_deals_and_states() -> None:
    batch = batch_of(1, SHORT, observe=False)
    state = batch.state_dict()
    game = Game("classic", players=2, seed=4)
    scores = np.array([[100, 50]], np.int32)
    batch.start_deal([0], game.deck[None], [game.dealer], scores, [2])
    assert batch.games[0].scores[:2].tolist() == [100, 50] and batch.games[0].deal == 2
    assert batch.mask[0].tolist() == game.mask().astype(bool).tolist()
    batch.load_state_dict(state)
    assert batch.games[0].stock_size == 4 and "Batch('classic', 1" in repr(batch)
    spread = Batch("hand_and_foot", 1, players=2, scores="spread")
    assert 1 <= int(spread.games[0].deal) <= 4
