"""Learning curves: what is played, what is kept, and what the page says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from agents.neural import make_network, network_arrays  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from canasta_env.rules import Rules  # noqa: E402
from experiments import leads  # noqa: E402
from experiments.block import Setup  # noqa: E402
from experiments.curves import __main__ as curves  # noqa: E402
from experiments.curves import arms  # noqa: E402
from experiments.curves.ladder import climb  # noqa: E402
from experiments.curves.plots import Panel, draw  # noqa: E402
from experiments.play import line_up, play  # noqa: E402
from experiments.report import pages  # noqa: E402

MARKS = (0, 100, 200)


def write_checkpoint(folder: Path, seed: int, deals: int, seconds: float, rules: str) -> None:
    """An untrained network that says it was trained."""
    batch = Batch(rules, 1, players=2)
    identity = checkpoints.identity(batch)
    torch.manual_seed(1000 * seed + deals)
    network = make_network("mlp", (8,), identity, batch.scale)
    meta = {
        **identity,
        "trainer": "ppo",
        "network": {"kind": "mlp", "hidden": [8]},
        "counters": {"deals": deals, "seconds": seconds},
        "settings": {"seed": seed, "deals": MARKS[-1]},
    }
    checkpoints.write(folder, meta, {"network": network_arrays(network)})


def write_run(path: Path, seed: int, speed: float = 1.0, rules: str = "mini") -> str:
    """A run whose last checkpoint is past all marks; an hour for 100 deals, at speed 1."""
    for mark in MARKS[:-1]:
        write_checkpoint(path / f"at-{mark:08d}", seed, mark + 3, 36 * mark / speed, rules)
    write_checkpoint(path / "last", seed, MARKS[-1] + 5, 36 * MARKS[-1] / speed, rules)
    return str(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    return [write_run(folder / f"x-seed{seed}", seed, speed=seed) for seed in (1, 2)]


def setup(units: int = 24) -> Setup:
    return Setup("mini", Rules.parse("mini").at(2), 2, units)


# --- playing ------------------------------------------------------------------------------------


def test_a_ladder_at_once_is_the_duplicate_match_against_each(written: list[str]) -> None:
    """Card for card: the scores of experiments.play, one opponent after another."""
    name = f"{written[0]}/last"
    found = climb(setup(), registry.make(name, "mini", 2), ["greedy", "basic", "random"])
    assert list(found) == ["greedy", "basic", "random"]
    for opponent, standing in found.items():
        scores = play(setup(), line_up(name, opponent, setup())).scores
        lead = leads.differences(scores).mean(axis=1)
        assert standing.points == lead.mean()
        assert standing.error == pytest.approx(lead.std(ddof=1) / np.sqrt(24))
        assert standing.won == leads.wins(scores).mean()
        assert standing.pairs == 24


# --- arms ---------------------------------------------------------------------------------------


def test_an_arm_has_the_marks_of_all_its_runs(written: list[str], tmp_path: Path) -> None:
    third = Path(write_run(tmp_path / "third", 3))
    (third / "at-00000100/checkpoint.json").unlink()
    arm = arms.read_arm("x", [*written, str(third)])
    assert arm.marks == [0, 200]
    assert [run.steps[-1].deals for run in arm.runs] == [205, 205, 205]
    np.testing.assert_allclose(arm.hours()[:, -1], [2.0, 1.0, 2.0])


def test_deals_and_hours_of_the_run_before_are_added(written: list[str]) -> None:
    arm = arms.read_arm("y", [written[0]], before=[written[1]])
    assert arm.marks == [200, 300, 400]  # of 205 deals 200 were asked for
    np.testing.assert_allclose(arm.hours()[0], [1.0, 2.0, 3.0])


def test_points_between_checkpoints(written: list[str]) -> None:
    """Seed 2 is twice as fast: after an hour it is at its end, seed 1 halfway."""
    curve = arms.Curve(arms.read_arm("x", written), np.array([[0, 10, 40], [0, 20, 60]]))
    found = arms.at_hours(curve, [0.5, 1.0, 1.5])
    assert found[0].tolist() == [5, 20] and found[1].tolist() == [10, 60]
    assert found[2] is None  # seed 2 had ended
    assert arms.at_deals(curve, [150])[0].tolist() == [25, 40]


def test_runs_that_cannot_be_an_arm(written: list[str], tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "single/last", 1, 200, 10, "mini")
    for paths, before, text in (
        ([str(tmp_path / "single")], [], "single: no checkpoints along the way; .*--keep-every"),
        ([str(tmp_path / "none")], [], "none: no checkpoints along the way"),
        (written, ["a", "b", "c"], "3 runs given"),
    ):
        with pytest.raises(ValueError, match=text):
            arms.read_arm("x", paths, before)


# --- the command --------------------------------------------------------------------------------


def command(written: list[str], folder: Path) -> list[str]:
    return [
        *("--arm", "x", *written, "--arm", "y", written[0]),
        *("--against", "random", "greedy", "--pairs", "8"),
        *("--results", str(folder / "results.json"), "--page", str(folder / "page.md")),
    ]


def test_the_command_plays_draws_and_writes(
    written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.md").write_text("# Curves\n\nWhat was learnt.\n")
    arguments = command(written, tmp_path)
    assert curves.main(arguments) == 0
    text = (tmp_path / "page.md").read_text()
    assert text.startswith("# Curves\n\nWhat was learnt.\n\n<!-- curves ladder: begin -->")
    assert "python -m experiments.curves --arm x" in text
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    assert len(results) == 6 * 2  # the run of both arms is played once
    points = [
        one["standing"]["points"]
        for path in written
        for one in results
        if one["opponent"] == "random"
        and one["network"] == checkpoints.read(path).meta["files"]["network"]["sha256"][:16]
    ]
    mean, shown = np.mean(points), ", ".join(f"{value:+.0f}" for value in points)
    assert f"| 200 | {mean:+.0f} ± " in text and f"({shown})" in text
    for unit in ("deals", "hours"):
        root = ElementTree.parse(tmp_path / f"page/ladder-{unit}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert f"page/ladder-{unit}.svg" in text

    def never(*_: Any) -> None:
        raise AssertionError("played again")

    monkeypatch.setattr(curves, "climb", never)
    assert curves.main(arguments) == 0
    assert (tmp_path / "page.md").read_text() == text


def test_what_was_played_before_a_stop_is_kept(
    written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def stopped(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return climb(*given)

    monkeypatch.setattr(curves, "climb", stopped)
    assert curves.main(command(written, tmp_path)) == 130
    assert not (tmp_path / "page.md").exists()
    assert curves.main(command(written, tmp_path)) == 0
    assert len(calls) == 3 + 4


def test_refusals_are_one_line(
    written: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_run(tmp_path / "tiny", 1, rules="tiny")
    (tmp_path / "other.json").write_text("{}")
    page_of = ["--page", str(tmp_path / "p.md"), "--results", str(tmp_path / "r.json")]
    for arguments, text in (
        ([], "name an arm"),
        (["--arm", "x"], "name its runs"),
        (["--arm", "x", *written, "--after", "z", "runs/a"], "z: one --arm of this name"),
        (["--arm", "x", *written, other], "made for other rules"),
        (["--arm", "x", *written, "--against", "basik"], "did you mean basic"),
        (
            ["--arm", "x", *written, "--against", "basic", "--results", f"{tmp_path}/other.json"],
            "not a file of learning curves",
        ),
    ):
        assert curves.main([*page_of, *arguments]) == 2
        told = capsys.readouterr().err
        assert told.startswith("experiments.curves: ") and text in told and told.count("\n") == 1


def test_a_section_is_written_in_place(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("before\n<!-- curves a: begin -->\nold\n<!-- curves a: end -->\nafter\n")
    pages.insert(file, "a", "new", "curves", "Learning curves")
    pages.insert(file, "b", "more", "curves", "Learning curves")
    text = file.read_text()
    assert "old" not in text and text.startswith("before\n") and "\nafter\n" in text
    assert text.index("new") < text.index("after") < text.index("more")
    file.write_text("<!-- curves a: begin -->\n")
    with pytest.raises(pages.PageError, match="one of the marks"):
        pages.insert(file, "a", "new", "curves", "Learning curves")


def test_a_plot_has_a_line_for_every_run_and_its_mean(written: list[str]) -> None:
    both = arms.Curve(arms.read_arm("x", written), np.array([[0, 10, 40], [0, 20, 60]]))
    alone = arms.Curve(arms.read_arm("y", written[:1]), np.array([[0, 10, 40]]))
    for by_hours in (False, True):
        text = draw("plot", [Panel("basic", [both, alone], 9.0)], by_hours=by_hours)
        kinds = [node.get("class") for node in ElementTree.fromstring(text).iter()]
        assert [kinds.count(kind) for kind in ("run0", "band0", "run1", "band1")] == [2, 1, 0, 0]
        assert kinds.count("arm0") == kinds.count("arm1") == 2  # one of them in the legend
        assert "against basic" in text
        assert ("hours of training" if by_hours else "thousands of deals") in text
