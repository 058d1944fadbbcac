"""The counts of rows of actions in tests/perft, by the engine and by the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import perft
from tests.perft import FEW, Start
from tests.perft.__main__ import main
from tests.reference import Table

STARTS = list(perft.starts())
COUNTS = perft.read()
SHORT = 500
"""States that a count of the normal run visits."""
every_start = pytest.mark.parametrize("start", STARTS, ids=str)


def compare(start: Start, nodes: int) -> None:
    """The deepest count of the file that visits no more states."""
    counts = COUNTS[str(start)]
    depth = perft.within(counts, nodes)
    assert perft.perft(start.game(), depth) == counts[depth - 1]


def test_the_file_has_every_start() -> None:
    assert list(COUNTS) == [str(start) for start in STARTS]
    assert all(counts[0] > 0 and len(counts) > 1 for counts in COUNTS.values())


@every_start
def test_the_engine_counts_what_the_file_has(start: Start) -> None:
    compare(start, SHORT)


@pytest.mark.long
@every_start
def test_the_engine_counts_deeply_what_the_file_has(start: Start) -> None:
    compare(start, 10**9)


@every_start
def test_the_reference_counts_what_the_file_has(start: Start) -> None:
    counts = perft.count(Table.from_position(start.game().to_position()), FEW)
    deep = min(len(counts), len(COUNTS[str(start)]))
    assert counts[:deep] == COUNTS[str(start)][:deep]


def test_a_difference_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = Start("classic", 2, 1, 0, 0)
    right = [2, 22, 72]
    path = tmp_path / "counts.txt"
    monkeypatch.setattr(perft, "PATH", path)
    monkeypatch.setattr(perft, "NODES", 24)
    monkeypatch.setattr(perft, "starts", lambda: [start])
    monkeypatch.setattr("sys.argv", ["perft", "--write"])
    assert main() == 0 and perft.read() == {str(start): right}
    monkeypatch.setattr("sys.argv", ["perft"])
    assert main() == 0
    path.write_text(f"{start}: 2 23 72\n", encoding="utf-8")
    assert main() == 1
    assert "1 starts counted, 1 of them differ" in capsys.readouterr().out
