"""A population's agents at the tables of a training: whose turn it is, who sits where, how long."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import ActorCritic  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402
from tests.test_ppo import SMALL  # noqa: E402
from tests.test_ppo_options import REAL, resumes_exactly  # noqa: E402
from train import ppo  # noqa: E402
from train.members import Members  # noqa: E402
from train.pool import Pool  # noqa: E402


class Note:
    """Plays the first legal action, and notes how many rows it was asked for."""

    def __init__(self, rules: Any, players: int, seed: int) -> None:
        self.name, self.seed, self.asked = "note", seed, 0

    def act(self, batch: Any, rows: Any) -> Any:
        self.asked += len(rows)
        return batch.mask[rows].argmax(1)


class A(Note):
    pass


class B(Note):
    pass


class C(Note):
    pass


NAMES = [f"{__name__}:{one}" for one in "ABC"]


def pool_for(batch: Any, opponents: Any, partners: Any, in_play: int = 2) -> Pool:
    network = ActorCritic(batch.scale, batch.actions, (8,))
    return Pool(
        batch, network, opponents, partners, keep=3, rules="classic", seed=1, members=NAMES,
        in_play=in_play,
    )  # fmt: skip


# --- turns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("in_play", "count"), [(1, 1), (2, 2), (3, 3), (8, 3)])
def test_all_members_are_in_play_equally_often(in_play: int, count: int) -> None:
    members = Members(NAMES, "classic", 4, in_play, 5)
    turns = []
    for _ in range(30):
        turns.append(members.playing.tolist())
        members.turn()
    assert {len(turn) for turn in turns} == {len(set(turn)) for turn in turns} == {count}
    assert set(Counter(np.ravel(turns).tolist()).values()) == {30 * count // 3}
    if count == 1:
        assert len({tuple(np.ravel(turns[i : i + 3])) for i in range(0, 30, 3)}) > 2  # no fixed row


def test_draws_are_of_those_in_play_and_go_on_after_a_restart() -> None:
    one, other = (Members(NAMES, "classic", 4, 2, 5) for _ in range(2))
    for _ in range(4):
        one.turn()
    first = one.draw((400, 2))
    assert set(first.ravel().tolist()) == set(one.playing.tolist())
    assert (first[:, 0] != first[:, 1]).mean() == pytest.approx(0.5, abs=0.1)
    other.restore(one.state())
    np.testing.assert_array_equal(other.playing, one.playing)
    np.testing.assert_array_equal(other.draw((50,)), one.draw((50,)))
    assert not np.array_equal(one.draw((400, 2)), first)


def test_agents_have_seeds_of_their_own() -> None:
    seeds = [agent.seed for agent in Members(NAMES, "classic", 4, 2, 5).agents]  # type: ignore[attr-defined]
    assert len(set(seeds)) == 3


@pytest.mark.parametrize(
    ("names", "in_play", "says"),
    [
        (["greedy", "basic", "greedy"], 2, "--members: greedy comes twice"),
        (["greedy"], 0, "--in-play 0 is not possible"),
        (["greedi"], 1, "no agent is called 'greedi'"),
    ],
)
def test_members_that_are_refused(names: list[str], in_play: int, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        Members(names, "classic", 4, in_play, 1)
    assert "\n" not in str(refused.value)


# --- seats --------------------------------------------------------------------------------------


def test_a_member_is_the_partner_and_the_ego_keeps_its_seats() -> None:
    batch = GuessingBatch(400)
    pool = pool_for(batch, (), ["members=1.0"])
    assert (pool.learner.sum(1) == 3).all()  # the ego has all seats but the partner's
    before, chairs = pool.learner.copy(), pool.chairs.copy()
    numbers = {1 + int(i) for i in pool.members.playing}  # type: ignore[union-attr]
    assert set(chairs[chairs > 0].tolist()) == numbers
    pool.take(torch.zeros(1), 7)
    np.testing.assert_array_equal(pool.chairs, chairs)  # deals go on with whom they began with
    pool.deal(np.arange(100))
    np.testing.assert_array_equal(pool.chairs[100:], chairs[100:])
    np.testing.assert_array_equal(pool.learner, before)
    now = {1 + int(i) for i in pool.members.playing}  # type: ignore[union-attr]
    assert now != numbers
    assert set(pool.chairs[:100][~before[:100]].tolist()) == now


def test_members_as_opponents_are_one_member_a_team() -> None:
    pool = pool_for(GuessingBatch(600), ["members=1.0"], ["members=0.5"], in_play=3)
    pool.deal(np.arange(600))
    alone = pool.learner.sum(1) == 1
    assert alone.sum() == 300 and (pool.learner.sum(1)[~alone] == 2).all()
    pairs = Counter()  # type: Counter[tuple[int, int]]
    for chairs, learner in zip(pool.chairs[alone], pool.learner[alone], strict=True):
        own = int(np.flatnonzero(learner)[0])
        partner, left, right = chairs[(own + 2) % 4], chairs[(own + 1) % 4], chairs[own - 1]
        assert left == right > 0 and partner > 0
        pairs[int(partner), int(left)] += 1
    assert len(pairs) == 9 and min(pairs.values()) > 15  # drawn apart from each other


def test_without_a_share_or_without_names_nothing_is_meant() -> None:
    batch = GuessingBatch(8)
    with pytest.raises(ValueError, match="give both or neither"):
        pool_for(batch, ["random=0.5"], ())
    network = ActorCritic(batch.scale, batch.actions, (8,))
    with pytest.raises(ValueError, match="give both or neither"):
        Pool(batch, network, (), ["members=0.5"], keep=3, rules="classic", seed=1)
    with pytest.raises(ValueError, match="give both or neither"):
        ppo.Trainer(replace(SMALL, members=("random",)), GuessingBatch())


# --- in a training ------------------------------------------------------------------------------


def test_only_those_in_play_are_asked_once_old_deals_have_ended() -> None:
    args = replace(
        SMALL, members=tuple(NAMES), partners=("members=1.0",), in_play=1, snapshot_every=2
    )
    trainer = ppo.Trainer(args, GuessingBatch(seed=3))
    pool = trainer.pool
    assert pool is not None and pool.members is not None
    asked = []
    for _ in range(6):
        before = np.array([agent.asked for agent in pool.agents])  # type: ignore[attr-defined]
        playing = int(pool.members.playing[0])
        trainer.update()  # 16 steps; a deal has 8
        share = np.array([agent.asked for agent in pool.agents]) - before  # type: ignore[attr-defined]
        asked.append((playing, share / share.sum()))
    assert len({playing for playing, _ in asked}) == 3  # each had its turn of two updates
    for playing, share in asked[1::2]:
        assert share[playing] == 1.0
    for playing, share in asked[2::2]:
        assert 0.5 < share[playing] < 1.0


def test_resuming_is_exact_with_members(tmp_path: Path) -> None:
    """Networks and bots that draw lots, on both sides of the table, through several turns."""
    first = ppo.Trainer(replace(REAL, seed=9))
    first.save(tmp_path / "member/last")
    members = ("random", f"{tmp_path}/member@1", f"{tmp_path}/member", "greedy")
    args = replace(
        REAL, members=members, partners=("members=0.8",), pool=("members=0.3", "past=0.2"),
        in_play=2, snapshot_every=1,
    )  # fmt: skip
    resumes_exactly(args, tmp_path)


def test_the_example_of_populations_md_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """At tables of a small training, with rule bots in place of the runs that the page has."""
    page = Path(__file__).resolve().parent.parent / "docs" / "populations.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    runs_of = 'f"runs/fcp/member-seed{s}/at-{m:08d}@1"'
    assert runs_of in code and '"num_games": 256' in code
    code = code.replace(runs_of, 'f"basic(keep_joker={s + m})"')
    code = code.replace('"num_games": 256', '"num_games": 24')
    exec(compile(code, page.name, "exec"), {"__name__": "page"})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "0", "1", "4", "12",
    ]  # fmt: skip
