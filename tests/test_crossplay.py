"""Cross-play: what is played, that nothing else matters to a cell, and its file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from experiments import leads
from experiments.block import Setup
from experiments.crossplay import crossplay, group_pairs, pairs_with, read, store
from experiments.crossplay import run as running
from experiments.crossplay.cells import Cell, play
from experiments.crossplay.tensor import references_of
from experiments.play import line_up
from experiments.play import play as play_match
from experiments.tournament_plan import block_seed
from tests.crossplaying import setup, write_network

UNITS = np.arange(12)


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("nets")
    return [write_network(folder / f"x-seed{seed}", seed) for seed in (1, 2)]


def in_a_match(cell: Cell, of: Setup) -> np.ndarray:
    """The units of a cell, played by experiments.play on its own."""
    teams = "+".join(cell.partners), "+".join(cell.opponents)
    lineup = line_up(*teams, of, block_seed(of.seed, teams, 0))
    return leads.differences(play_match(of, lineup).scores).mean(axis=1)


# --- cells --------------------------------------------------------------------------------------


def test_cells_at_once_are_duplicate_matches(nets: list[str]) -> None:
    """Card for card, with networks, agents that draw lots, and four different agents."""
    one, other = nets
    cells = [
        Cell((one, other), ("basic", "basic")),
        Cell((other, one), ("basic", "basic")),
        Cell((one, one), (other, f"{one}@1")),
        Cell((f"{one}@1", "random"), ("greedy", "basic")),
    ]
    found = play(setup(), cells, 0, UNITS)
    for cell, units in zip(cells, found, strict=True):
        np.testing.assert_array_equal(units, in_a_match(cell, setup()))
    assert np.ptp(found, axis=1).all()


def test_lots_do_not_depend_on_what_is_played_beside(nets: list[str]) -> None:
    cells = [
        Cell(("random", f"{nets[0]}@1"), ("basic", "basic")),
        Cell((f"{nets[0]}@1", "random"), ("basic", "basic")),
        Cell(("basic", "basic"), ("random", "basic")),
    ]
    together = play(setup(), cells, 0, UNITS)
    for cell, units in zip(cells, together, strict=True):
        np.testing.assert_array_equal(play(setup(), [cell], 0, UNITS)[0], units)
    assert (together[0] != together[1]).any()


def test_another_block_draws_other_lots() -> None:
    cell = Cell(("random", "random"), ("basic", "basic"))
    first, second = (play(setup(), [cell], block, UNITS) for block in (0, 1))
    assert (first != second).any()


def test_a_tensor_has_the_partners_in_their_seats() -> None:
    tensor = crossplay(setup(), ["basic", "random"], ["greedy", "basic+expert"])
    assert tensor.units.shape == (2, 2, 2, 12)
    for first, second, team in [(0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1)]:
        cell = tensor.cell(first, second, team)
        assert cell.partners == (tensor.agents[first], tensor.agents[second])
        played = min(cell, cell.mirror)
        sign = 1 if played == cell else -1
        expected = sign * in_a_match(played, setup())
        np.testing.assert_array_equal(tensor.units[first, second, team], expected)


def test_all_teams_against_all_teams() -> None:
    """Two teams meet once: what one wins the other loses, agents that draw lots included."""
    tensor = crossplay(setup(8), ["basic", "random"], ["all"])
    teams = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert tensor.references == tuple(
        (tensor.agents[one], tensor.agents[two]) for one, two in teams
    )
    by_team = tensor.units.reshape(4, 4, 8)
    different = ~np.eye(4, dtype=bool)
    np.testing.assert_array_equal(by_team[different], -by_team.swapaxes(0, 1)[different])
    assert np.abs(by_team).sum() > 0


def test_names_of_references() -> None:
    assert references_of(["self", "b+c", "a"], ["a", "b"]) == (("a", "a"), ("b", "b"), ("b", "c"))
    assert len(references_of(["all", "self"], ["a", "b", "c"])) == 9
    with pytest.raises(ValueError, match=r"'a\+b\+c' names 3 agents"):
        references_of(["a+b+c"], ["a"])


def test_only_the_wanted_pairs_are_played() -> None:
    agents = ["basic", "greedy", "closer"]
    inside = group_pairs(agents, [["basic", "closer"], ["greedy"]])
    np.testing.assert_array_equal(inside, [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    around = pairs_with(agents, "greedy", ["basic", "closer"])
    np.testing.assert_array_equal(around, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    tensor = crossplay(setup(4), agents, pairs=around)
    np.testing.assert_array_equal(np.isfinite(tensor.matrix()), around)


def test_decks_do_not_depend_on_their_number() -> None:
    few, many = (crossplay(setup(units), ["greedy"], ["expert"]) for units in (4, 12))
    np.testing.assert_array_equal(few.units[0, 0, 0, :2], many.units[0, 0, 0, :2])


# --- the file -----------------------------------------------------------------------------------


def stop_after(jobs: int) -> Any:
    """A progress that breaks off, as Ctrl-C does."""

    def told(done: int, _: int) -> None:
        if done == jobs:
            raise KeyboardInterrupt

    return told


def test_a_tensor_that_was_broken_off_goes_on(
    nets: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_ROWS", 60)  # five cells a job
    agents, file = [*nets, "random"], tmp_path / "m.json"
    whole = crossplay(setup(6), agents, ["basic", "self"])
    with pytest.raises(KeyboardInterrupt):
        crossplay(setup(6), agents, ["basic", "self"], file=file, progress=stop_after(3))
    played = np.isfinite(read(file).units)
    assert 0 < played.mean() < 1
    counts: list[int] = []
    found = crossplay(
        setup(6), agents, ["basic", "self"], file=file, progress=lambda _, of: counts.append(of)
    )
    np.testing.assert_array_equal(found.units, whole.units)
    np.testing.assert_array_equal(read(file).units, whole.units)
    assert len(counts) == counts[0] < 8  # of 36 cells, which are 8 jobs
    text = file.read_bytes()
    again = tmp_path / "again.json"
    crossplay(setup(6), agents, ["basic", "self"], file=again)
    assert again.read_bytes() == text
    crossplay(setup(6), agents, ["basic", "self"], file=file, progress=stop_after(1))
    assert file.read_bytes() == text
    assert not list(tmp_path.glob(".*"))


def test_other_processes_play_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_ROWS", 60)
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file, processes in zip(files, (1, 2), strict=True):
        crossplay(setup(), ["closer", "random"], file=file, processes=processes)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_another_tensor_is_refused(nets: list[str], tmp_path: Path) -> None:
    file, folder = tmp_path / "m.json", tmp_path / "net"
    shutil.copytree(nets[0], folder)
    agents = [str(folder), "basic"]
    crossplay(setup(4), agents, file=file)
    text = file.read_bytes()
    for other, names, teams, told in (
        (setup(5), agents, ["basic"], "was begun with pairs 4, not 5; name another file"),
        (setup(4, seed=4), agents, ["basic"], "seed 3, not 4"),
        (setup(4), agents[::-1], ["basic"], "other partners, or in another order"),
        (setup(4), agents, ["basic+basic", "greedy"], "agent greedy nothing, not"),
        (setup(4), agents, ["self"], "other references"),
    ):
        with pytest.raises(store.StoreError, match=told):
            crossplay(other, names, teams, file=file)
    write_network(folder, 9)
    with pytest.raises(store.StoreError, match=r"agent .*net [0-9a-f]{12}, not [0-9a-f]{12}"):
        crossplay(setup(4), agents, file=file)
    assert file.read_bytes() == text


def test_a_network_that_is_replaced_meanwhile_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_ROWS", 8)  # a cell a job
    name = write_network(tmp_path / "net", 1)

    def train_on(*_: int) -> None:
        write_network(tmp_path / "net", 2)

    with pytest.raises(ValueError, match="net is not the agent that the tensor was begun with"):
        crossplay(setup(4), [name, "basic"], progress=train_on)


def test_refusals_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"format": "something else"}')
    two = Setup("mini", setup().rules, 2, 4)
    for arguments, told in (
        ((setup(), ["basic", "basik"]), "did you mean basic"),
        ((setup(), ["basic", "basic"]), "basic is named twice"),
        ((setup(), []), "needs an agent"),
        ((two, ["basic"]), "cross-play needs two sides of two partners"),
        ((Setup(**{**vars(setup()), "episode": "match"}), ["basic"]), "'match' is not possible"),
    ):
        with pytest.raises(ValueError, match=told):
            crossplay(*arguments)
    for path, told in (
        (file, "not a file of cross-play"),
        (tmp_path / "none/m.json", "there is no folder"),
    ):
        with pytest.raises(store.StoreError, match=told):
            crossplay(setup(), ["basic"], file=path)


def test_a_file_names_no_times_and_no_paths(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    crossplay(setup(3), ["basic", "greedy"], file=file)
    found = json.loads(file.read_text())
    assert str(tmp_path) not in file.read_text()
    assert found["settings"]["pairs"] == 3 and found["partners"] == ["basic", "greedy"]
    assert [place for *place, _ in found["cells"]] == [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
