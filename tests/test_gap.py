"""The study of the gap between self-play and cross-play, at the smallest size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from experiments.crossplay import summarise
from experiments.crossplay.tensor import empty
from experiments.gap import __main__ as command
from experiments.gap.config import read
from experiments.gap.page import own_gaps
from train import ppo, seeds

FOLDER = Path(command.__file__).parent

SMALL = """
rules = "mini"
seeds = [1, 2, 3]
pairs = 6
opponents = ["greedy", "one/7"]
symmetry_deals = 4
seed = 0
level = 0.95
training = ["--num-games", "16", "--threads", "1", "--eval-every", "0", "--deals", "20"]
pictures = ["one"]
[arms.one]
training = ["--network", "mlp", "--hidden", "8"]
[arms."one apart"]
training = ["--network", "mlp", "--hidden", "8", "--other-play"]
[[differences]]
arms = ["one", "one apart"]
"""


def here(todo: seeds.Plan, jobs: int, console: Any) -> dict[int, int]:
    """Trains in this process, which spares the start of one for each seed."""
    for run in todo.runs:
        if not todo.is_done(run):
            ppo.main(todo.arguments(run))
    return {}


def test_the_page_comes_out_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From training to the drawings; then from the runs there are, where words beside the figures
    stay; then from nothing in another folder.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(seeds, "train", here)
    study = tmp_path / "small.toml"
    study.write_text(SMALL)

    def made(runs: str, page: str) -> dict[str, bytes]:
        arguments = [str(study), "--runs", runs, "--page", page, "--processes", "1"]
        assert command.main(arguments) == 0
        files = [Path(page), *sorted(Path(page).with_suffix("").iterdir())]
        return {file.name: file.read_bytes() for file in files}

    first = made("runs", "a/gap.md")
    assert list(first) == ["gap.md", "mini-gaps.svg", "mini-one.svg"]
    text = first["gap.md"].decode()
    assert "| one apart |" in text
    assert "| seed 3 |" in text
    assert "`one/7`" in text
    Path("a/gap.md").write_text("# A reading\n" + text.partition("\n")[2])
    capsys.readouterr()
    again = made("runs", "a/gap.md")
    assert "is done" in capsys.readouterr().out
    assert again["gap.md"].decode().startswith("# A reading\n")
    assert again["gap.md"].partition(b"\n")[2] == first["gap.md"].partition(b"\n")[2]
    assert made("other", "b/gap.md") == first


def test_the_seeds_own_gaps_have_the_arms_gap_as_mean() -> None:
    tensor = empty(["a", "b", "c", "d"], ["basic"], 50)
    rng = np.random.default_rng(1)
    tensor.units[:] = rng.normal(0, 100, tensor.units.shape)
    tensor.units[[0, 1, 2, 3], [0, 1, 2, 3]] += 40.0
    gaps = own_gaps(tensor)
    assert gaps.mean() == pytest.approx(summarise(tensor).gap.mean)
    points = tensor.matrix()
    others = [(points[0, i] + points[i, 0]) / 2 for i in (1, 2, 3)]
    assert gaps[0] == pytest.approx(points[0, 0] - np.mean(others))


@pytest.mark.parametrize("name", ["mini", "classic"])
def test_the_studies_read(name: str) -> None:
    study = read(FOLDER / f"{name}.toml")
    assert study.rules == name
    assert len(study.seeds) == {"mini": 10, "classic": 5}[name]
    assert set(study.pictures) <= {arm.name for arm in study.arms}
    runs = [run for arm in study.arms for run in arm.agents(Path("x"), name)]
    assert len(set(runs)) == len(runs)
    assert not set(study.references(Path("x"))) & set(runs)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("pairs = 6", ""), "pairs: is missing"),
        (("pairs = 6", "pairs = 1"), "pairs: 1 is no whole number from 2 on"),
        (("pairs = 6", "pears = 6"), "pears: is none of rules, seeds, pairs"),
        (("seeds = [1, 2, 3]", "seeds = [1]"), "seeds: 1 is no population"),
        (("seeds = [1, 2, 3]", "seeds = [1, 1]"), "seeds: one stands there twice"),
        (('"one/7"', '"one/2"'), "opponents: one/2: the seed must be a number and none of"),
        (('["one", "one apart"]', '["one", "two"]'), "differences: two is none of the arms one"),
        (('rules = "mini"', 'rules = "minimal"'), "minimal"),
        (("level = 0.95", "level = 95"), "level: 95.0 is not between 0 and 1"),
        (("[arms.one]", "[arms.one"), "small.toml: "),
    ],
)
def test_a_wrong_study_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], line: str
) -> None:
    study = tmp_path / "small.toml"
    study.write_text(SMALL.replace(*change))
    assert command.main([str(study), "--runs", str(tmp_path / "runs")]) == 2
    found = capsys.readouterr().err
    assert found.count("\n") == 1
    assert line in found
