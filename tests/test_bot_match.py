"""The match between rule bots that the wheel offers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from canasta_env import match
from canasta_env.__main__ import main
from canasta_env.rules import Rules
from experiments import leads
from experiments.play import Setup, line_up
from experiments.play import play as play_lab


def test_a_bot_against_itself_is_even() -> None:
    found = match.play(("greedy", "greedy"), "mini", players=2, decks=50)
    assert found.shape == (50, 2)
    # greedy draws no lots: both tables of a deck are the same deal, seen from the two sides
    np.testing.assert_allclose(found.sum(axis=1), 0)


def test_sides_and_order() -> None:
    """Turning the bots round turns the leads round, and each table is another one."""
    one = match.play(("basic", "random"), "mini", players=2, decks=40, seed=3)
    two = match.play(("random", "basic"), "mini", players=2, decks=40, seed=3)
    assert one.mean() > 100 > -100 > two.mean()
    assert (one[:, 0] != one[:, 1]).any()
    assert match.play(("basic", "greedy"), "classic", players=3, decks=2).shape == (2, 3)


def test_it_agrees_with_the_laboratory() -> None:
    rules = Rules.parse("classic")
    setup = Setup("classic", rules.at(4), 4, 150)
    lab = leads.differences(play_lab(setup, line_up("expert", "greedy", setup)).scores).mean(axis=1)
    ours = match.play(("expert", "greedy"), decks=150).mean(axis=1)
    error = np.hypot(lab.std(), ours.std()) / np.sqrt(150)
    assert abs(lab.mean() - ours.mean()) < 4 * error


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["match", "basic", "greedy", "--rules", "mini", "--players", "2", "--decks", "20"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("basic against greedy: ")
    assert shown.endswith("% of 40 deals won\n")
    assert main(arguments) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["basic", "gredy"], "gredy"),
        (["basic", "greedy", "--players", "9"], "players: 9 cannot play classic"),
        (["basic", "greedy", "--decks", "0"], "n=0"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("canasta_env match: ")
    assert text in error
    assert error.count("\n") == 1


def test_the_example_of_the_page_runs() -> None:
    page = Path(__file__).resolve().parent.parent / "docs" / "bots.md"
    (code,) = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text(encoding="utf-8"))
    scope: dict[str, Any] = {}
    exec(compile(code, "bots.md", "exec"), scope)
    _, infos = scope["envs"].reset(seed=1)
    for _ in range(5):
        infos = scope["envs"].step(infos["action_mask"].argmax(axis=1))[-1]
