"""Cross-play: the command with its tables, and the picture."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("torch")

from experiments.crossplay import __main__ as command
from experiments.crossplay import read, summarise
from experiments.crossplay.picture import draw

SMALL = ("--rules", "mini", "--pairs", "6")
SVG = "{http://www.w3.org/2000/svg}"

# --- the command --------------------------------------------------------------------------------


def test_the_command_plays_shows_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, plot = tmp_path / "m.json", tmp_path / "m.svg"
    given = ["basic", "greedy", "closer", *SMALL, "--json", str(file), "--svg", str(plot)]
    assert command.main(given) == 0
    told = capsys.readouterr().out
    found = summarise(read(file))
    assert f"self-play {found.self_play.mean:+.0f}" in " ".join(told.split())
    for words in ("interaction", "Worst partners", "seats exchanged", f"wrote {plot}"):
        assert words in " ".join(told.split())
    assert [node.text for node in ElementTree.parse(plot).iter(f"{SVG}text")].count("closer") == 1
    text, drawn = file.read_bytes(), plot.read_bytes()
    assert command.main(given) == 0
    assert (file.read_bytes(), plot.read_bytes()) == (text, drawn)


def test_arms_are_summed_up_apart_and_together(capsys: pytest.CaptureFixture[str]) -> None:
    arms = ["--arm", "low", "basic", "greedy", "--arm", "high", "closer", "hoarder"]
    assert command.main([*arms, *SMALL]) == 0
    apart = capsys.readouterr().out
    assert "low self-play" in apart and "high cross-play" in apart
    assert "low less high" in apart and "low with high" not in apart
    assert command.main([*arms, *SMALL, "--between"]) == 0
    together = capsys.readouterr().out
    assert "low with high" in together
    line = next(line for line in apart.splitlines() if "low cross-play" in line)
    assert line.split() == next(
        other.split() for other in together.splitlines() if "low cross-play" in other
    )


def test_partners_of_one_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["basic", "random", "--partner-of", "basic", *SMALL]) == 0
    told = capsys.readouterr().out
    assert "Partners of basic" in told and "less the first" in told
    assert "Self-play" not in told


def test_refusals_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, told in (
        ([], "name two agents at least"),
        (["basic"], "name two agents at least"),
        (["--arm", "low", "basic"], "name two agents at least of --arm low"),
        (["--arm", "a", "basic", "greedy", "--arm", "a", "x", "y"], "an arm is named twice"),
        (["basic", "--arm", "a", "basic", "greedy"], "or else arms"),
        (["basic", "basik"], "did you mean basic"),
        (["basic", "greedy", "basic"], "basic is named twice"),
        (
            ["--arm", "a", "basic", "greedy", "--arm", "b", "closer", "basic"],
            "basic is named twice",
        ),
        (["basic", "greedy", "--level", "2"], "--level 2.0 is not between 0 and 1"),
        (["basic", "greedy", "--seed", "-1"], "--seed -1 is not possible"),
        (["basic", "greedy", "--pairs", "1"], "--pairs 1 says nothing"),
        (["basic", "greedy", "--svg", f"{tmp_path}/none/m.svg"], "there is no folder"),
        (["basic", "greedy", "--rules", "minni"], "minni"),
    ):
        assert command.main([*SMALL, *given]) == 2
        error = capsys.readouterr().err
        assert error.startswith("experiments.crossplay: ") and told in error
        assert error.count("\n") == 1


def test_ctrl_c_keeps_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "crossplay", stopped)
    assert command.main(["basic", "greedy", *SMALL, "--json", str(tmp_path / "m.json")]) == 130
    assert "the same command goes on" in capsys.readouterr().err


# --- the picture --------------------------------------------------------------------------------

POINTS = np.array([[10.0, -40.0, 30.0], [25.0, 20.0, np.nan], [-5.0, 0.0, 0.0]])


def boxes(text: str, kind: str) -> list[ElementTree.Element]:
    return [
        one for one in ElementTree.fromstring(text).iter(f"{SVG}rect") if one.get("class") == kind
    ]


def test_a_picture_has_every_value_and_marks_the_diagonal() -> None:
    text = draw("title", ["a", "b", "c"], POINTS)
    words = [node.text for node in ElementTree.fromstring(text).iter(f"{SVG}text")]
    for value in ("+10", "-40", "+30", "+25", "+20", "–", "-5", "title", "mean of self-play"):
        assert value in words
    assert len(boxes(text, "cell")) == 9 and len(boxes(text, "own")) == 3
    assert text == draw("title", ["a", "b", "c"], POINTS.copy())


def test_colours_are_about_the_mean_of_self_play() -> None:
    fills = [one.get("style") for one in boxes(draw("t", ["a", "b", "c"], POINTS), "cell")]
    assert fills[0] == "fill:#ffffff"  # 10, the mean of 10, 20 and 0
    assert fills[1] == "fill:#e68a3d"  # 50 below, the furthest
    blue, grey = fills[2], fills[5]
    assert blue is not None and blue < "fill:#ffffff" and grey == "fill:#eceef0"


def test_without_self_play_the_middle_is_the_mean_of_all() -> None:
    points = POINTS.copy()
    np.fill_diagonal(points, np.nan)
    words = draw("t", ["a", "b", "c"], points)
    assert ">mean<" in words and "self-play" not in words and ">+0<" in words


def test_groups_have_a_gap_and_long_names_numbers() -> None:
    names = ["runs/x-seed1", "runs/x-seed2", "runs/y-seed1"]
    text = draw("t", names, POINTS, [names[:2], names[2:]])
    lefts = [float(one.get("x", 0)) for one in boxes(text, "cell")[:3]]
    assert lefts[2] - lefts[1] > lefts[1] - lefts[0]
    words = [node.text for node in ElementTree.fromstring(text).iter(f"{SVG}text")]
    assert "3  runs/y-seed1" in words and "3" in words


def test_an_empty_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="no cell"):
        draw("t", ["a", "b"], np.full((2, 2), np.nan))
