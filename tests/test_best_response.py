"""Best responses: who sits where, what is refused, going on exactly, frozen agents that change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from train import best_response, ppo  # noqa: E402
from train.best_response import Args, Partners, Trainer  # noqa: E402
from train.evaluate import duplicate  # noqa: E402
from train.workers import make_batch  # noqa: E402

SMALL = [
    *("--rules", "mini", "--num-games", "32", "--rollout", "16", "--minibatch", "256"),
    *("--network", "mlp", "--hidden", "8", "--threads", "1", "--eval-every", "0"),
]
ARGS = Args(
    rules="mini", num_games=32, rollout=16, minibatch=256, network="mlp", hidden=(8,), threads=1,
    eval_every=0, against="basic",
)  # fmt: skip


def fails(arguments: list[str]) -> str:
    """The one line of a command that cannot start."""
    with pytest.raises(SystemExit) as stopped:
        best_response.main(arguments)
    text = str(stopped.value)
    assert text.startswith("train.best_response: ")
    assert "\n" not in text
    return text


# --- who sits where -----------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_a_team_is_answered_by_a_whole_side_in_every_game(players: int) -> None:
    learner = Trainer(replace(ARGS, players=players)).pool.learner  # type: ignore[union-attr]
    side = np.arange(players) % 2
    sides = np.array([[row[side == s].all() for s in (0, 1)] for row in learner])
    assert (sides.sum(1) == 1).all()
    assert (learner.sum(1) == players // 2).all()
    assert sides.sum(0).tolist() == [16, 16]


def test_a_partner_is_answered_by_one_seat_in_every_game() -> None:
    pool = Trainer(replace(ARGS, partner="greedy")).pool
    assert pool is not None
    assert [agent.name for agent in pool.agents] == ["basic", "greedy"]
    assert (pool.learner.sum(1) == 1).all()
    assert pool.learner.sum(0).min() > 4  # every seat has its turn
    for chairs in pool.chairs:
        seat = int(np.flatnonzero(chairs == 0)[0])
        assert chairs[(seat + 2) % 4] == 2  # greedy
        assert chairs[(seat + 1) % 4] == chairs[(seat + 3) % 4] == 1  # basic


def test_only_the_learners_moves_are_decisions() -> None:
    trainer = Trainer(replace(ARGS, partner="basic"))
    trainer.update()
    free = 0.7 * trainer.steps  # about as many moves are no forced ones
    assert 0.1 * free < trainer.decisions < 0.4 * free


class Noting:
    """Plays the first legal action and notes the rows and seats it was asked about."""

    name = "noting"

    def __init__(self) -> None:
        self.asked: set[tuple[int, int]] = set()

    def act(self, batch: Any, rows: Any) -> Any:
        self.asked |= set(zip(rows.tolist(), batch.seat[rows].tolist(), strict=True))
        return batch.mask[rows].argmax(axis=1)


def test_partners_change_seats_from_deck_to_deck() -> None:
    ego, other = Noting(), Noting()

    def tables(n: int, *, seed: int) -> Any:
        return make_batch(ARGS, n, seed=seed, autoreset="off")

    duplicate(Partners(ego, other), Noting(), tables, decks=4, games=8)
    # a deal may be over before somebody's first turn
    assert {seat // 2 == row // 2 % 2 for row, seat in ego.asked} == {True}
    assert {seat // 2 for _, seat in ego.asked} == {0, 1}
    assert not ego.asked & other.asked
    assert {seat % 2 == row % 2 for row, seat in ego.asked | other.asked} == {True}


def test_evaluations_are_of_the_learners_side() -> None:
    """Beside basic an untrained network loses less than if it had both seats."""
    args = replace(ARGS, eval_decks=100)
    alone, beside = Trainer(args), Trainer(replace(args, partner="basic"))
    assert args.eval_opponent == "basic"
    assert beside.evaluate().points > alone.evaluate().points + 30


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "--against: name the agent"),
        (["--partner", "basic"], "--against: name the agent"),
        (["--against", "basic", "--pool", "greedy=0.5"], "--pool: here --against and --partner"),
        (["--against", "basic", "--partners", "past=0.5"], "--partners: here --against"),
        (["--against", "past"], "past: the run's own snapshots are not frozen"),
        (["--against", "basik"], "did you mean basic"),
        (["--against", "basic", "--partner", "basik"], "did you mean basic"),
        (["--against", "basic", "--eval-every", "9", "--eval-opponent", "x"], "no agent is called"),
        (["--against", "basic", "--partner", "basic", "--players", "2"], "everybody plays alone"),
    ],
)
def test_settings_that_are_not_possible(arguments: list[str], text: str, tmp_path: Path) -> None:
    assert text in fails([*SMALL, *arguments, "--run", str(tmp_path / "x")])
    assert not (tmp_path / "x").exists()


# --- runs ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of self-play, to be answered."""
    folder = tmp_path_factory.mktemp("team") / "run"
    ppo.main([*SMALL, "--deals", "1", "--run", str(folder)])
    return folder


def test_going_on_is_exact(tmp_path: Path, team: Path) -> None:
    """With agents that draw lots in all seats that do not learn."""
    args = replace(ARGS, against=f"{team}@1", partner="basic")
    whole, first = Trainer(args), Trainer(args)
    for _ in range(2):
        whole.update()
        first.update()
    first.save(tmp_path / "x")
    again = Trainer(replace(args, resume="x"))
    again.load(checkpoints.read(tmp_path / "x"))
    shown = [trainer.update()["policy"] for trainer in (whole, again)]
    assert shown[0] == shown[1]
    assert torch.equal(whole.learner.weights, again.learner.weights)


def test_the_command_goes_on_and_says_what_it_answered(
    tmp_path: Path, team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "br")
    best_response.main([*SMALL, "--against", str(team), "--deals", "10", "--run", run])
    meta = checkpoints.read(run).meta
    assert meta["trainer"] == "best_response"
    digest = checkpoints.read(team).meta["files"]["network"]["sha256"]
    assert meta["frozen"] == {str(team): digest}
    before = meta["counters"]["deals"]
    best_response.main(["--resume", run, "--deals", str(before + 1)])
    assert checkpoints.read(run).meta["counters"]["deals"] > before
    assert "the response is" in capsys.readouterr().out
    assert "--against can't change" in fails(["--resume", run, "--against", "basic"])
    with pytest.raises(SystemExit, match="saved by another trainer"):
        ppo.main(["--resume", run])


def test_a_run_does_not_go_on_against_another_of_the_same_name(tmp_path: Path) -> None:
    team, run = tmp_path / "team", str(tmp_path / "br")
    ppo.main([*SMALL, "--deals", "1", "--run", str(team)])
    best_response.main([*SMALL, "--against", f"{team}@1", "--deals", "1", "--run", run])
    ppo.main(["--resume", str(team), "--deals", "200"])
    assert "has changed since this run" in fails(["--resume", run, "--deals", "400"])
    team.rename(tmp_path / "away")
    assert "no such path exists" in fails(["--resume", run, "--deals", "400"])
    with pytest.raises(ValueError, match="is gone since this run"):
        best_response.check_frozen(checkpoints.read(run))
