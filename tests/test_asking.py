"""The study of asking: its measures on effects that are known, and the whole command, small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

pytest.importorskip("torch")

from agents import checkpoint as checkpoints
from experiments.asking import __main__ as command
from experiments.asking import arms
from experiments.asking.arms import Agents
from experiments.asking.config import Game, read
from experiments.asking.effects import crossed, detectable, over_seeds
from experiments.asking.information import classes, information
from experiments.asking.matches import Hall
from experiments.stats import power

STUDY = """
seed = 0
level = 0.95
shuffles = 19
[[games]]
rules = "mini"
seeds = [1, 2]
training = ["--deals", "10"]
start = ""
pairs = 40
alone = 20
crossed = 10
opponent = "basic"
agents = ["expert"]
bot = "basic"
ask_hand = [1]
answer_no_above = [0, 1000]
bot_pairs = 40
"""
GAME = Game(
    rules="mini", seeds=(1, 2), training=(), start="", pairs=100, alone=20, crossed=10,
    opponent="basic", agents=(), bot="basic", ask_hand=(1,), answer_no_above=(0,), bot_pairs=20,
)  # fmt: skip


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path / "played", 0, Console(quiet=True))


# --- effects that are known ---------------------------------------------------------------------


def test_who_asks_always_and_is_refused_pays_for_it(hall: Hall) -> None:
    """The planted effect: whoever asks whenever it can and hears no never goes out, so the question
    costs just what going out is worth, and muting brings that back."""
    refused = "answering(basic(ask_hand=1),no)"
    lost = hall.play(GAME, (refused, "basic"), 150)
    assert lost.counts["went_out"][0] < 0.1 * lost.counts["went_out"][1]
    assert lost.uses["asked"][0] > 50
    assert lost.uses["yes"][0] == 0
    assert lost.uses["no"][0] == lost.uses["asked"][0]
    assert lost.uses["asked"][1] == 0
    muted = hall.play(GAME, (f"mute({refused})", "basic"), 150)
    assert muted.uses["asked"].tolist() == [0, 0]
    error = lost.leads.std() / 150**0.5
    assert lost.leads.mean() < -5 * error
    assert abs(muted.leads.mean()) < 4 * muted.leads.std() / 150**0.5
    switched = hall.play(GAME, (refused, f"mute({refused})"), 150)
    assert abs(switched.leads.mean() - lost.leads.mean()) < 4 * error


def test_who_never_asks_loses_nothing_when_muted(hall: Hall) -> None:
    """Without lots the teams of the two tables play the same games: not a single lead."""
    played = hall.play(GAME, ("tests.odd_agents:First", "mute(tests.odd_agents:First)"), 60)
    assert played.uses["asked"].sum() == 0 < played.uses["possible"].sum()
    assert not played.leads.any()


def test_answers_by_lot_are_yes_as_often_as_the_own_ones(hall: Hall) -> None:
    asker = "basic(ask_hand=1,answer_no_above=20)"
    found = arms.switched_off(hall, GAME, asker)
    assert list(found) == [arms.OWN, arms.BY_LOT, arms.TOLD, arms.YES, arms.NO]
    np.testing.assert_allclose(found[arms.TOLD], found[arms.OWN] - found[arms.BY_LOT])
    own = hall.play(GAME, (asker, f"mute({asker})"), GAME.pairs)
    share = arms.yes_share(own)
    assert 0.2 < share < 0.9
    lot = hall.play(GAME, (f"answering({asker},{share:.4f})", f"mute({asker})"), GAME.pairs)
    asked = lot.uses["asked"][0]
    assert abs(arms.yes_share(lot) - share) < 4 * (share * (1 - share) / asked) ** 0.5


def test_answers_are_noted_with_the_hand_behind_them(hall: Hall) -> None:
    """The bot's rule is yes up to so many points, and above them if the deal is about to end."""
    asker = "basic(ask_hand=1,answer_no_above=20)"
    answers = hall.play(GAME, (asker, asker), 100).answers
    team, yes, hand, points, asking = answers.T
    assert len(answers) > 100
    assert yes[points <= 20].all()
    assert 10 < (1 - yes).sum() < len(yes) - 10
    assert set(team) == {0, 1}
    assert hand.min() >= 1
    assert asking.min() >= 2
    found = information(yes, points, shuffles=19)
    assert found.bits > 4 * found.control
    assert found.p_value == 1 / 20


# --- measures -----------------------------------------------------------------------------------


def test_information_by_hand() -> None:
    said, group = [1, 1, 0, 0], [0, 0, 1, 1]
    assert information(said, group, shuffles=9).bits == pytest.approx(1.0)
    assert information(said, [0, 1, 0, 1], shuffles=9).bits == pytest.approx(0.0)
    quarter = information([1, 0, 0, 0], [0, 0, 1, 1], shuffles=9)
    entropy = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    assert quarter.entropy == pytest.approx(entropy)
    assert quarter.bits == pytest.approx(entropy - 0.5)


def test_answers_that_tell_nothing_look_like_their_control() -> None:
    rng = np.random.default_rng(0)
    said, group = rng.random(2000) < 0.4, rng.integers(5, size=2000)
    found = information(said, group, shuffles=199)
    assert found.p_value > 0.05
    assert 0 < found.bits < 3 * found.control


def test_what_is_known_already_is_not_told() -> None:
    """An answer by the number of cards alone tells about points only through that number."""
    rng = np.random.default_rng(1)
    cards = rng.integers(1, 6, size=3000)
    points = classes(10 * cards + rng.integers(10, size=3000))
    said = rng.random(3000) < cards / 8
    alone, given = (information(said, points, known, shuffles=99) for known in (None, cards))
    assert alone.p_value == 1 / 100
    assert given.p_value > 0.05
    assert given.bits < 0.1 * alone.bits


def test_no_answers_tell_nothing() -> None:
    found = information([], [])
    assert found.answers == 0
    assert np.isnan(found.bits)
    with pytest.raises(ValueError, match="2 answers, 1 groups"):
        information([1, 0], [1])


def test_classes_are_about_equally_large() -> None:
    counts = np.bincount(classes(np.random.default_rng(0).random(1000)))
    assert counts.tolist() == [200] * 5
    assert classes([3, 3, 3]).tolist() == [0, 0, 0]


def test_the_seed_is_the_unit() -> None:
    one = over_seeds({1: np.array([1.0, 3.0]), 2: np.array([4.0, 4.0])}, 0.95)
    assert one.means.tolist() == [2.0, 4.0]
    assert one.mean == 3.0
    assert one.interval.high - one.mean == pytest.approx(12.706, abs=1e-3)
    assert one.error == pytest.approx(0.5)
    same = over_seeds({1: np.zeros(3), 2: np.zeros(3)}, 0.95)
    assert same.interval.low == same.interval.high == 0.0
    assert np.isnan(same.detectable)


def test_what_is_detectable_has_that_power() -> None:
    for units, deviation in ((3, 1.0), (5, 30.0), (10, 7.0)):
        effect = detectable(units, deviation, 0.95)
        assert power(units, effect, deviation) == pytest.approx(0.8, abs=1e-6)


def test_a_grid_heeds_both_arms() -> None:
    grid = np.array([[0.0, 2.0], [4.0, 6.0]])
    found = crossed(grid, 3.0, 0.95)
    assert found.means.tolist() == [1.0, 5.0]
    assert found.error == pytest.approx(3.0 / 2**0.5)
    assert (
        found.interval.low < over_seeds({1: grid[0], 2: grid[1]}, 0.95).mean < found.interval.high
    )


# --- the study ----------------------------------------------------------------------------------


def test_the_study_that_is_shipped_can_be_read() -> None:
    study = read(command._STUDY)
    assert [game.rules for game in study.games] == ["mini", "classic"]
    assert study.games[0].without == "mini(asking=False)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 0", "seed =", "study.toml: Invalid value"),
        ("pairs = 40\n", "", "games 1: missing: pairs"),
        ("pairs = 40", "pears = 1\npairs = 40", "games 1: unknown: pears"),
        ("pairs = 40", 'pairs = "40"', "pairs: '40' is not a value of the type int"),
        ("seeds = [1, 2]", "seeds = 1", "seeds: 1 is not a list of int"),
        ("seeds = [1, 2]", "seeds = [1]", "none, or two and more"),
        ("crossed = 10", "crossed = 1", "crossed 1 is not 2 or more"),
        ('rules = "mini"', 'rules = "mini(asking=false)"', "nobody asks"),
        ('rules = "mini"', 'rules = "minni"', "minni"),
        ("level = 0.95", "level = 2", "level must lie between 0 and 1"),
        ("[[games]]", "[[game]]", r"no \[\[games\]\]"),
    ],
)
def test_a_wrong_study_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace(old, new, 1))
    with pytest.raises(ValueError, match=message) as told:
        read(file)
    assert "\n" not in str(told.value)


def test_a_match_is_played_once(tmp_path: Path) -> None:
    console = Console(record=True, quiet=True)
    hall = Hall(tmp_path, 0, console)
    teams = ("basic(ask_hand=1)", "basic")
    first, again = (hall.play(GAME, teams, 20) for _ in range(2))
    assert len(list(tmp_path.iterdir())) == 1
    np.testing.assert_array_equal(first.leads, again.leads)
    np.testing.assert_array_equal(first.answers, again.answers)
    hall.play(GAME, teams, 21)
    file, _ = sorted(tmp_path.iterdir())
    file.write_text("{}")
    with pytest.raises(ValueError, match="damaged; remove it"):
        for pairs in (20, 21):
            hall.play(GAME, teams, pairs)


def test_settings_of_both_arms(tmp_path: Path) -> None:
    agents = Agents(GAME, tmp_path)
    assert agents.settings("with") == ("--rules", "mini")
    assert agents.settings("without") == ("--rules", "mini(asking=False)")
    assert agents.trained_without(3).endswith("mini-without-seed3")


def test_arms_that_go_on_from_the_champion(tmp_path: Path) -> None:
    """Both begin with its weights, one without the question."""
    agents = Agents(replace(GAME, rules="classic", start="champion", training=("--x",)), tmp_path)
    assert agents.settings("with")[-3:] == ("--start", "agents/champions/classic-4p", "--x")
    *_, start, last = agents.settings("without")
    assert (start, last) == (str(tmp_path / "classic-without-start"), "--x")
    assert checkpoints.read(start).meta["rules"] == "classic(asking=False)"


def test_the_command_writes_the_same_page_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """With rule bots in place of trained agents: the whole way from the file to the page."""
    monkeypatch.setattr(command.seeds, "run", lambda *_: None)
    monkeypatch.setattr(Agents, "trained_with", lambda _, seed: f"basic(ask_hand={seed})")
    monkeypatch.setattr(Agents, "trained_without", lambda _, seed: f"closer(keep_add={seed})")
    (tmp_path / "study.toml").write_text(STUDY)
    page = tmp_path / "docs" / "asking.md"
    options = [
        f"--study={tmp_path / 'study.toml'}",
        f"--runs={tmp_path / 'runs'}",
        f"--page={page}",
    ]
    assert command.main(options) == 0
    made = page.read_bytes(), (page.with_suffix("") / "mini.svg").read_bytes()
    assert "seed 1" in page.read_text()
    assert "trained with, asks, against trained without" in page.read_text()
    assert str(tmp_path) not in page.read_text()
    capsys.readouterr()
    assert command.main(options) == 0
    assert (page.read_bytes(), (page.with_suffix("") / "mini.svg").read_bytes()) == made
    assert "–" not in capsys.readouterr().out  # no match was played


def test_the_command_tells_of_a_missing_file_in_one_line(tmp_path: Path, capsys: Any) -> None:
    assert command.main([f"--study={tmp_path / 'none.toml'}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
