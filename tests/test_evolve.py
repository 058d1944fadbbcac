"""The search for weights: what it plays, that it finds what is better, and what its file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from canasta_env.bots import styles
from canasta_env.bots.weights import BASIC, WEIGHTS
from canasta_env.rules import Rules
from experiments import evolve, evolve_trial
from experiments.evolve import Search, start_from, steps_for
from experiments.evolve_trial import Field, leads
from experiments.play import Setup, line_up, play

FIELD = Field("classic", 4, ({},), seed=5)
BAD = {"keep_joker": -900, "keep_deuce": -900}
"""Throws wild cards away."""


def test_a_style_does_not_lead_against_itself() -> None:
    found = leads(FIELD, [{}, BAD], np.arange(120))
    assert found.shape == (2, 120)
    assert abs(found[0].mean()) < 60 and found[1].mean() < -150


def test_a_unit_is_that_of_a_match() -> None:
    """The same decks, dealers and scores: where no lots decide, the same points."""
    rules = "classic(canastas_to_go_out=0, hand=3, minimum_by=score, minimums=((None, 0),))"
    closer = styles.STYLES["closer"]
    found = leads(Field(rules, 2, (closer,), seed=5), [{}], np.arange(200))[0]
    setup = Setup(rules, Rules.parse(rules).at(2), 2, units=200, seed=5)
    scores = play(setup, line_up("basic", "closer", setup)).scores.astype(float)
    expected = (scores[:, 0, 0] - scores[:, 0, 1] + scores[:, 1, 1] - scores[:, 1, 0]) / 2
    assert (found == expected).mean() > 0.5  # ties between discards are broken by lots


def test_opponents_take_turns_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Field("mini", 2, ({}, BAD), seed=1)
    one, other = (Field("mini", 2, (w,), seed=1) for w in ({}, BAD))
    units = np.arange(40)
    mixed, *single = (leads(field, [{}], units)[0] for field in (both, one, other))
    assert mixed[0::2].mean() < mixed[1::2].mean()
    assert single[0].mean() < single[1].mean()
    candidates = [{}, BAD, {"keep_joker": 0}]
    monkeypatch.setattr(evolve_trial, "_ROWS", 80)
    assert leads(both, candidates, units).shape == (3, 40)


def test_more_than_two_sides() -> None:
    found = leads(Field("classic", 3, ({},), seed=2), [{}, BAD], np.arange(30))
    assert found[0].mean() > found[1].mean()


def test_a_search_gets_away_from_bad_weights() -> None:
    start = {"keep_joker": -400}
    search = Search(FIELD, start, {"keep_joker": 200.0})
    told: list[int] = []
    search.run(6, 6, 60, 1.0, lambda: told.append(len(search.means)))
    assert told == [1, 2, 3, 4, 5, 6]
    assert {**BASIC, **search.means[-1]}["keep_joker"] > -300
    chosen, compared = search.choose(100)
    assert chosen in [weights for weights, _ in compared] and compared[0][0] == start
    assert (
        max(lead for _, lead in compared)
        == {styles.digest(weights): lead for weights, lead in compared}[styles.digest(chosen)]
    )


def test_points_are_usual_changes_from_the_start() -> None:
    search = Search(FIELD, {"take_onto": 5}, {"take_onto": 1.5, "keep_joker": 20.0})
    assert search.weights(np.zeros(2)) == {"take_onto": 5}
    assert search.weights(np.array([-4 / 3, 0.5])) == {"keep_joker": BASIC["keep_joker"] + 10}


def test_what_is_searched() -> None:
    units = {weight.name: weight.unit for weight in WEIGHTS}
    assert units["rush_round"] == "limit" and units["out_open"] == "flag"
    steps = steps_for({}, ["take_onto"])
    assert not {"take_onto", "rush_round", "out_open"} & steps.keys() and "keep_joker" in steps
    assert "rush_round" in steps_for({"rush_round": 9})
    with pytest.raises(ValueError, match="--without nothing: there is no such weight"):
        steps_for({}, ["nothing"])


SMALL = ("--generations", "2", "--population", "4", "--pairs", "6", "--choice-pairs", "10",
         "--measure-pairs", "20", "--rules", "mini", "--players", "2")  # fmt: skip


def run(*arguments: str) -> int:
    return evolve.main([*SMALL, *arguments])


def test_the_file_says_what_was_found_and_how(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    assert run("--json", str(path), "--seed", "3", "--against", "basic", "closer") == 0
    document = json.loads(path.read_text())
    assert document["format"] == evolve.FORMAT and document["generations"] == 2
    assert document["settings"]["seed"] == 3 and document["versions"]["numpy"] == np.__version__
    assert document["weights_hash"] == styles.digest(document["weights"])
    assert len(document["compared"]) == 3 and document["measured"]["low"] is not None
    assert start_from(str(path)) == document["weights"]
    assert run("--json", str(path), "--force", "--start", str(path)) == 0


def test_the_same_seed_finds_the_same(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run("--json", str(tmp_path / name), "--seed", "4") == 0
    first, second = ((tmp_path / name).read_text() for name in ("a", "b"))
    assert first == second


def test_an_interrupted_search_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls, play = tmp_path / "found.json", [0], evolve.leads

    def stop(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] == 2:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(evolve, "leads", stop)
    assert run("--json", str(path)) == 0
    document = json.loads(path.read_text())
    assert document["generations"] == 1 and "measured" in document


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--start", "nobody"), "no bot is called 'nobody'"),
        (("--start", "greedy"), "greedy has no weights"),
        (("--against", "basic(keep=1)"), "no weight keep"),
        (("--rules", "clasic"), "clasic"),
        (("--without", "keep"), "no such weight"),
        (("--sigma", "0"), "--sigma more than 0"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--json", str(tmp_path / "x.json"), *arguments) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "found.json"
    path.write_text("mine")
    assert run("--json", str(path)) == 2
    assert "--force" in capsys.readouterr().err and path.read_text() == "mine"
    assert run("--json", str(tmp_path / "x.json"), "--start", str(path)) == 2
    assert "no file of a search" in capsys.readouterr().err
