"""Chances to win a match: what must hold for any model, and how the fitted ones foretell matches
that they never saw.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")

from agents import registry
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from train import winning

FRESH = 987_654
"""A seed that no model was fitted with."""


def model(rules: str = "classic", players: int = 4) -> winning.WinningModel:
    """One that is not fitted, for what must hold for all."""
    return winning.WinningModel(Rules.parse(rules).at(players), 0.8, 0.9)


def states(rng: np.random.Generator, sides: int, target: int, rows: int = 500) -> Any:
    scores = rng.integers(-120, target // 5, size=(rows, sides)) * 5
    return scores, rng.integers(1, 12, size=rows)


@pytest.mark.parametrize(("players", "target"), [(2, 5000), (3, 7500), (4, 5000)])
def test_chances_sum_to_one_and_treat_sides_alike(players: int, target: int) -> None:
    one = model("classic", players)
    scores, deals = states(np.random.default_rng(players), int(one.rules.sides), target)
    chances = one.chances(scores, deals)
    assert chances.dtype == np.float32 and chances.shape == scores.shape
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)
    assert (chances > 0).all()
    np.testing.assert_allclose(one.chances(scores[:, ::-1], deals), chances[:, ::-1], atol=1e-6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_more_points_never_lower_a_chance(players: int) -> None:
    one = model("classic", players)
    scores, deals = states(np.random.default_rng(players), int(one.rules.sides), 5000)
    better = scores.copy()
    better[:, 0] += 100
    assert (one.chances(better, deals)[:, 0] >= one.chances(scores, deals)[:, 0]).all()
    near = scores.max(axis=1) < 4900
    assert (one.chances(better, deals)[near, 0] > one.chances(scores, deals)[near, 0]).all()


def test_a_lead_counts_for_more_near_the_end() -> None:
    early, late = model().chances([[1000, 500], [4500, 4000]], [2, 8])[:, 0]
    assert 0.5 < early < late < 1
    four = winning.WinningModel(Rules.parse("hand_and_foot").at(4), 0.8, 0.9)
    second, last = four.chances([[1000, 500], [1000, 500]], [2, 4])[:, 0]
    assert 0.5 < second < last < 1


def test_a_match_that_is_over_has_a_winner() -> None:
    """By points: a tie above the target brings another deal, which is open."""
    chances = model().chances([[5000, 4995], [5200, 6100], [5100, 5100]], [7, 8, 9])
    np.testing.assert_array_equal(chances, [[1, 0], [0, 1], [0.5, 0.5]])
    three = model("classic", 3).chances([[7600, 7600, 0]], [12])[0]
    assert three[0] == three[1] > three[2] > 0


def test_a_match_of_so_many_deals_is_over_after_them() -> None:
    """A tie is a draw in hand_and_foot; points end nothing there."""
    four = model("hand_and_foot", 4)
    chances = four.chances([[2000, 9000], [300, 100], [70, 70]], [4, 5, 5])
    assert 0 < chances[0, 0] < 0.5 and chances[0, 1] < 1
    np.testing.assert_array_equal(chances[1:], [[1, 0], [0.5, 0.5]])
    np.testing.assert_array_equal(model("tiny", 2).chances([[20, 10]], [2]), [[1, 0]])


def test_wrong_shapes_are_told() -> None:
    with pytest.raises(ValueError, match=r"scores: shape \(m, 2\)"):
        model().chances([[0, 0, 0]], [1])
    with pytest.raises(ValueError, match=r"deals: shape \(2,\)"):
        model().chances([[0, 0], [0, 0]], [1])


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("classic", 2)])
def test_stored_models_foretell_fresh_matches(rules: str, players: int) -> None:
    """One state of each match, so that they are independent: by thirds of the chance, the share of
    wins is the mean chance within four standard errors.
    """
    played = winning.play(rules, players, 400, FRESH)
    first = np.unique(played.match, return_index=True)[1]
    chance = winning.load(rules, players).chances(played.scores[first], played.deals[first])[:, 0]
    won = played.won[first, 0]
    for low, high in ((0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1)):
        at = (chance >= low) & (chance <= high)
        error = np.sqrt((chance[at] * (1 - chance[at])).sum()) / at.sum()
        assert abs(won[at].mean() - chance[at].mean()) < 4 * error
    brier, equal = ((chance - won) ** 2).mean(), ((0.5 - won) ** 2).mean()
    assert brier < 0.85 * equal


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> winning.WinningModel:
    """Fitted by the command to matches of ``mini`` with two."""
    folder = tmp_path_factory.mktemp("models")
    options = winning.parser().parse_args(["--rules", "mini", "--players", "2"])
    options.matches = 1500
    path = winning.run(options, folder)
    assert path == folder / "mini-2p.json"
    return winning.load("mini", 2, folder)


@pytest.mark.parametrize("scores", [(0, 0), (500, 100), (-50, 350), (900, 850)])
def test_mini_against_simulation(mini: winning.WinningModel, scores: tuple[int, int]) -> None:
    """Matches played from just these scores: within four standard errors and three hundredths."""
    matches = 500
    batch = Batch(
        "mini", matches, players=2, seed=FRESH, episode="match", scores="zero", max_deals=100,
        autoreset="off", observe=False,
    )  # fmt: skip
    batch.games.scores[:, :2] = scores
    batch.refresh()
    bot = registry.make("basic", "mini", 2, FRESH)
    actions = np.zeros(matches, np.int64)
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        actions[rows] = bot.act(batch, rows)
        batch.step(actions)
    final = batch.games.scores[:, :2]
    share = (final[:, 0] > final[:, 1]).mean()
    chance = mini.chances([scores], [1])[0, 0]
    assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / matches) + 0.03


def test_the_fit_finds_the_numbers_that_made_the_matches() -> None:
    """States whose winners are drawn by a known model."""
    rng = np.random.default_rng(5)
    known = model()
    scores, deals = states(rng, 2, 5000, rows=20_000)
    first = rng.random(len(scores)) < known.chances(scores, deals)[:, 0]
    final = np.where(first[:, None], [1, 0], [0, 1])
    made = winning.Matches(scores, deals, np.arange(len(scores)), final)
    found = winning.fit("classic", 4, made)
    assert found.base == pytest.approx(known.base, rel=0.3)
    assert found.growth == pytest.approx(known.growth, rel=0.15)


def test_a_missing_model_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--rules 'classic\(target=3000\)' --players 2"):
        winning.load("classic(target=3000)", 2, tmp_path)
    with pytest.raises(ValueError, match="7"):
        winning.load("classic", 7)
    (tmp_path / "mini-2p.json").write_text('{"format": 1, "rules": "tiny"}')
    with pytest.raises(ValueError, match="not a model for mini"):
        winning.load("mini", 2, tmp_path)


def test_the_command_refuses_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (["--matches", "10"], "too few"),
        (["--rules", "klassic"], "did you mean"),
    ):
        with pytest.raises(SystemExit) as ended:
            winning.main(arguments)
        line = str(ended.value.code)
        assert line.startswith("train.winning: ") and text in line and "\n" not in line
