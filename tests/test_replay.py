"""Decisions kept until their deal is paid, and the queue of those that are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.test_ppo import random_episodes  # noqa: E402
from train.replay import Finished, Pending  # noqa: E402

FEATURES, ACTIONS = 3, 4


def noted(
    episodes: Any, longest: int = 100, cuts: tuple[int, ...] = (), trace: float = 1.0
) -> dict[tuple[int, int], float]:
    """Targets by (step, game) after all steps; the pending decisions are saved and loaded at the
    ``cuts``.
    """
    seats, rewards, ended, decided, values = episodes
    steps, games, players = rewards.shape
    pending = Pending(longest, games, players, FEATURES, ACTIONS)
    found = {}
    for step in range(steps):
        if step in cuts:
            saved = {name: array.copy() for name, array in pending.state_dict().items()}
            pending = Pending(longest, games, players, FEATURES, ACTIONS)
            pending.load_state_dict(saved)
        at = np.flatnonzero(decided[step])
        observation = np.zeros((len(at), FEATURES), np.uint8)
        observation[:, 0], observation[:, 1] = step, at
        mask = np.ones((len(at), ACTIONS), bool)
        seen = observation, mask, (step + at) % ACTIONS
        pending.note(at, seats[step, at], seen, values[step, at])
        paid = pending.pay(rewards[step].astype(np.float32), ended[step], trace)
        if paid is None:
            assert not ended[step].any()
            continue
        where = paid["observation"][:, :2].astype(int)
        np.testing.assert_array_equal(paid["action"], where.sum(1) % ACTIONS)
        assert paid["mask"].all()
        for key, target in zip(map(tuple, where.tolist()), paid["target"].tolist(), strict=True):
            assert key not in found
            found[key] = target
    return found


def reference(episodes: Any) -> dict[tuple[int, int], float]:
    """What each decision's seat is paid from then to the end of the deal, one by one."""
    seats, rewards, ended, decided, _ = episodes
    found = {}
    for step, game in zip(*np.nonzero(decided), strict=True):
        after = np.flatnonzero(ended[step:, game])
        if after.size:
            last = step + after[0] + 1
            found[int(step), int(game)] = rewards[step:last, game, seats[step, game]].sum()
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_targets_against_a_slow_reference(players: int) -> None:
    episodes = random_episodes(np.random.default_rng(players), 80, 9, players)
    expected = reference(episodes)
    assert len(expected) > 200
    assert noted(episodes) == pytest.approx(expected, abs=1e-4)


def lambda_returns(episodes: Any, trace: float) -> dict[tuple[int, int], float]:
    """Of each decision: what is paid until the seat's next one, and the mixture of its value and
    its return; one by one.
    """
    seats, rewards, ended, decided, values = episodes
    found = {}
    for step, game in reversed(list(zip(*np.nonzero(decided), strict=True))):
        paid, seat = 0.0, seats[step, game]
        for later in range(step, len(seats)):
            if later > step and decided[later, game] and seats[later, game] == seat:
                if (later, game) in found:
                    after = found[later, game]
                    mixture = trace * after + (1 - trace) * values[later, game]
                    found[int(step), int(game)] = paid + mixture
                break
            paid += rewards[later, game, seat]
            if ended[later, game]:
                found[int(step), int(game)] = paid
                break
    return found


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_mixtures_with_later_values(trace: float) -> None:
    episodes = random_episodes(np.random.default_rng(3), 80, 9, 4)
    assert noted(episodes, trace=trace) == pytest.approx(lambda_returns(episodes, trace), abs=1e-4)


def test_a_deal_may_span_checkpoints() -> None:
    episodes = random_episodes(np.random.default_rng(1), 80, 9, 4)
    assert noted(episodes, cuts=(7, 30, 31, 64)) == noted(episodes)


def test_what_is_too_long_loses_its_last_decisions() -> None:
    episodes = random_episodes(np.random.default_rng(2), 80, 9, 4)
    _, _, ended, decided, _ = episodes
    number = np.zeros_like(decided, int)  # of a decision in its deal
    for step in range(80):
        before = number[step - 1] + decided[step - 1] if step else np.zeros(9, int)
        number[step] = np.where(ended[step - 1], 0, before) if step else 0
    kept = {key: target for key, target in reference(episodes).items() if number[key] < 5}
    assert len(kept) < len(reference(episodes))
    assert noted(episodes, longest=5) == pytest.approx(kept, abs=1e-4)


def some(first: int, count: int) -> Any:
    """Decisions whose targets are numbered."""
    numbers = np.arange(first, first + count)
    return {
        "observation": np.repeat(numbers[:, None], FEATURES, 1).astype(np.uint8),
        "mask": np.ones((count, ACTIONS), bool),
        "action": numbers % ACTIONS,
        "target": numbers.astype(np.float32),
    }


def test_the_queue_keeps_the_last() -> None:
    queue = Finished(10, FEATURES, ACTIONS)
    queue.put(some(0, 4))
    assert len(queue) == 4
    queue.put(some(4, 9))
    assert len(queue) == 10
    queue.put(some(13, 25))
    rows = queue.rows(torch.arange(10))
    assert sorted(rows["target"].tolist()) == list(range(28, 38))
    np.testing.assert_array_equal(rows["observation"][:, 0], rows["target"])
    np.testing.assert_array_equal(rows["action"], rows["target"] % ACTIONS)
    queue.put(some(38, 3))
    assert sorted(queue.rows(torch.arange(10))["target"].tolist()) == list(range(31, 41))


def test_the_queue_comes_back_and_is_drawn_from_evenly() -> None:
    queue, other = (Finished(10, FEATURES, ACTIONS) for _ in range(2))
    queue.put(some(0, 7))
    other.load_state_dict(queue.state_dict())
    for one in (queue, other):
        one.put(some(7, 5))
    np.testing.assert_array_equal(queue.arrays["target"], other.arrays["target"])
    drawn = queue.draw(20_000, torch.Generator().manual_seed(0))
    counts = np.bincount(drawn.numpy(), minlength=10)
    assert len(counts) == 10 and counts.min() > 1800
