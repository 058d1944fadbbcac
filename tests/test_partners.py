"""Egos with partners that they never met: what is played, what is shown, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from canasta_env.rules import Rules
from experiments import leads, partners
from experiments.partners import ALL, Arm, Played, gains, play_all, points
from experiments.play import Setup, line_up, play
from experiments.stats import student_interval

MINI = Rules.parse("mini")
SETUP = Setup("mini", MINI.at(4), 4, 24, seed=3)
ARMS = (Arm("a", ("greedy", "closer")), Arm("b", ("hoarder",)))


def scores_of(units: Any) -> Any:
    """Scores (units, tables, sides) whose points a deal are ``units``."""
    units = np.asarray(units)
    scores = np.zeros((len(units), 2, 2), np.int64)
    for side in range(2):
        scores[:, side, side] = units
    return scores


def test_a_cell_is_the_match_of_the_ego_and_its_partner() -> None:
    """Whatever is played beside it: the same decks and lots as alone."""
    found = play_all(SETUP, ARMS, ["random", "cautious"], "basic")
    assert found.units(ARMS[0], "random").shape == (2, 24)
    alone = play(SETUP, line_up("closer+random", "basic", SETUP)).scores
    np.testing.assert_array_equal(found.scores["a", "closer", "random"], alone)
    mean = leads.differences(alone).mean(1)
    np.testing.assert_array_equal(found.units(ARMS[0], "random")[1], mean)
    both = found.units(ARMS[0], "random") + found.units(ARMS[0], "cautious")
    np.testing.assert_allclose(found.units(ARMS[0], ALL), both / 2)


def test_the_tables_are_the_units_means_and_both_intervals() -> None:
    """Egos that differ by a constant on decks that vary alike: the differences have no spread over
    decks, and a spread over egos that is known.
    """
    decks = np.random.default_rng(1).integers(-300, 300, 40)
    arms = (Arm("alone", ("p", "q", "r")), Arm("new", ("s", "t", "u")))
    added = {"p": 0, "q": 10, "r": 20, "s": 40, "t": 50, "u": 60}
    cells = {
        (arm.name, ego, one): scores_of(decks + added[ego])
        for arm in arms
        for ego in arm.egos
        for one in ("x", "y")
    }
    played = Played(arms, ("x", "y"), cells)
    table = points(played, 0.95)
    assert [row[0] for row in table.rows] == ["x", "y", ALL]
    mean = decks.mean()
    reach = student_interval([0, 10, 20]).high - 10
    each = ", ".join(f"{mean + add:+.0f}" for add in (0, 10, 20))
    assert table.rows[0][1] == f"{mean + 10:+.0f} ± {reach:.0f} ({each})"
    found = gains(played, 0.95)
    assert found.head[1:] == ["new - alone", "95 % by seed".replace(" %", "%"), "95% by deck"]
    for row in found.rows:
        assert row[1] == "+40" and row[3] == "[+40, +40]"
        low, high = (float(x) for x in row[2][1:-1].split(", "))
        assert low == pytest.approx(40 - 2.776 * 8.165, abs=1) and high == pytest.approx(
            62.7, abs=1
        )


def test_one_ego_has_no_interval_by_seed() -> None:
    arms = (Arm("a", ("p",)), Arm("b", ("q",)))
    cells = {(arm.name, arm.egos[0], "x"): scores_of(np.arange(9)) for arm in arms}
    assert gains(Played(arms, ("x",), cells), 0.95).rows[0][1:] == ["+0", "–", "[+0, +0]"]
    assert points(Played(arms, ("x",), cells), 0.95).rows[0][1] == "+4"


def test_the_command_writes_scores_and_page_and_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, file = tmp_path / "page.md", tmp_path / "found.json"
    page.write_text("# Partners\n\nbefore\n")
    arguments = [
        *("--ego", "a", "greedy", "--ego", "b", "closer", "--partners", "random", "cautious"),
        *("--rules", "mini", "--pairs", "12", "--json", str(file), "--page", str(page)),
    ]
    assert partners.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "b - a" in shown and "cautious" in shown
    first = file.read_bytes(), page.read_bytes()
    assert partners.main(arguments) == 0
    assert (file.read_bytes(), page.read_bytes()) == first
    text = page.read_text()
    assert text.startswith("# Partners\n\nbefore\n") and text.count("| random |") == 2
    found = json.loads(file.read_text())
    assert found["format"] == partners.FORMAT and len(found["matches"]) == 4
    cell = found["matches"][1]
    assert (cell["arm"], cell["ego"], cell["partner"]) == ("a", "greedy", "cautious")
    again = leads.differences(np.array(cell["scores"])).mean(1)
    np.testing.assert_array_equal(again, cell["differences"])


def test_a_partner_that_was_met_is_refused(tmp_path: Path) -> None:
    from tests.test_ppo_options import REAL
    from train import ppo

    trainer = ppo.Trainer(ppo.replace(REAL, partners=("closer=0.5",)))
    trainer.save(tmp_path / "ego/last")
    ego = f"{tmp_path}/ego"
    for partner, says in (("closer", "met it in its training, as closer"), (ego, "is that agent")):
        with pytest.raises(ValueError, match=says):
            play_all(SETUP, [Arm("a", (ego,))], ["basic", partner], "basic")
    assert play_all(SETUP, [Arm("a", (ego,))], ["hoarder"], "basic").scores


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--partners", "basic"], "name a way of training"),
        (["--ego", "a", "--partners", "basic"], "--ego a: name its agents"),
        (["--ego", "a", "greedy", "--ego", "a", "greedy", "--partners", "basic"], "comes twice"),
        (["--ego", "a", "greedy", "--partners", "basic", "basic"], "somebody comes twice"),
        (["--ego", "a", "greedy", "--partners", "greedy"], "greedy is that agent"),
        (["--ego", "a", "greedy", "--partners", "basik"], "no agent is called 'basik'"),
        (["--ego", "a", "greedy", "--partners", "basic", "--players", "2"], "plays alone"),
        (["--ego", "a", "greedy", "--partners", "basic", "--level", "1"], "--level 1.0"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert partners.main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("experiments.partners: ")
    assert text in shown.err
    assert shown.err.count("\n") == 1
