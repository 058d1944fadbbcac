"""Other environments beside ours: who takes part, the ratios, the tables and the file. The figures
are made up here.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments import bench
from experiments.peers import measure, report
from experiments.peers.measure import ENTRIES, Measured, Result
from experiments.peers.player import Entry, Player


class Counting(Player):
    """Decides ten times at a time; its ``failing``-th time raises."""

    def __init__(self, failing: int = 0) -> None:
        super().__init__()
        self.failing, self.times = failing, 0

    def _some(self) -> int:
        self.times += 1
        if self.times == self.failing:
            raise ValueError("a card is missing\nand so is this line")
        return 10


def not_there() -> Player:
    raise ModuleNotFoundError("No module named 'cards'")


def made_up(**speeds: list[float]) -> Result:
    """Environments of these names; all are compared with ``ours``."""
    measured = {
        name: Measured(Entry(name, "all", Counting, () if name == "ours" else ("ours",)), rounds)
        for name, rounds in speeds.items()
    }
    return Result(measured, ["cards: not installed"], "core 0 alone")


def printed(result: Result) -> str:
    console = Console(width=200)
    with console.capture() as caught:
        for part in report.show(result):
            console.print(part)
    return caught.get()


def test_names_are_unique_and_those_of_the_aims_and_comparisons_exist() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)
    asked = {name for entry in ENTRIES for name in entry.against}
    asked |= {name for aim in report.AIMS for name in (aim.ours, *aim.peers)}
    assert asked <= set(names)


def test_all_play_as_many_rounds() -> None:
    result = measure.measure([Entry("one", "", Counting), Entry("two", "", Counting)], 0.01)
    assert list(result.measured) == ["one", "two"] and not result.missing
    for one in result.measured.values():
        assert len(one.rounds) == measure.ROUNDS and min(one.rounds) > 0


def test_a_speed_is_decisions_over_the_time_they_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))  # a second passes at every look
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))
    # looks: before, the end set (0 + 1 + 3), three times still before it, once behind it, after
    assert measure._speed(Counting(), 3.0) == 20 / 5


def test_what_is_not_there_or_fails_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        Entry("none", "", not_there),
        Entry("at once", "", partial(Counting, 1)),
        Entry("ours", "", Counting),
    ]
    result = measure.measure(entries, 0.01)
    assert list(result.measured) == ["ours"]
    assert result.missing == [
        "none: not installed (No module named 'cards')",
        "at once: not measured (ValueError: a card is missing)",
    ]


def test_one_that_fails_later_stops_no_other() -> None:
    failing = Counting(failing=3)
    failing.play = lambda seconds: failing._some()  # type: ignore[method-assign]
    entries = [Entry("later", "", lambda: failing), Entry("ours", "", Counting)]
    result = measure.measure(entries, 0.01)
    assert failing.times == 3
    assert list(result.measured) == ["ours"] and len(result.missing) == 1


def test_ratios_are_medians_of_the_rounds() -> None:
    result = made_up(ours=[10.0, 40.0, 90.0], peer=[1.0, 2.0, 3.0])
    assert result.measured["ours"].speed == 40
    assert result.ratios("peer") == {"ours": 20.0}
    assert result.ratios("ours") == {}


def test_an_aim_is_held_against_the_fastest() -> None:
    result = made_up(ours=[100.0], slow=[5.0], fast=[10.0])
    assert report.Aim("", "ours", ("slow", "fast", "absent"), 20).reached(result) == 10
    assert report.Aim("", "ours", ("absent",), 20).reached(result) is None
    assert report.Aim("", "absent", ("slow",), 20).reached(result) is None


def test_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    aims = [report.Aim(name, "ours", (name,), 20) for name in ("slow", "fast", "absent")]
    monkeypatch.setattr(report, "AIMS", aims)
    lines = printed(made_up(ours=[10_000.0], slow=[400.0], fast=[1000.0])).splitlines()
    table = [line.split() for line in lines]
    assert ["ours", "all", "10,000"] in table
    assert ["slow", "all", "400", "ours", "25.0"] in table
    assert ["cards:", "not", "installed"] in table
    assert ["slow", "25.0", "20", "reached"] in table
    assert ["fast", "10.0", "20", "missed"] in table
    assert ["absent", "–", "20", "not", "measured"] in table


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = [Entry("ours", "all", Counting), Entry("none", "all", not_there, ("ours",))]
    monkeypatch.setattr(measure, "ENTRIES", entries)
    file = tmp_path / "peers.json"
    assert bench.main(["peers", "--seconds", "0.01", "--json", str(file)]) == 0
    assert "none: not installed (No module named 'cards')" in capsys.readouterr().out
    written: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert [one["name"] for one in written["environments"]] == ["ours"]
    assert len(written["environments"][0]["rounds"]) == measure.ROUNDS
    assert "numpy" in written["packages"]


@pytest.mark.parametrize("parts", [["presets"], ["peers"]])
def test_a_file_that_cannot_be_written_is_said_first(
    parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench.main([*parts, "--json", str(tmp_path / "no" / "file")])
    assert "--json" in capsys.readouterr().err.splitlines()[-1]
