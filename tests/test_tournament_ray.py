"""A tournament over a Ray cluster of two nodes has the rows of one on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments import tournament
from tests.tournaments import ODD, everything, statuses

cluster_utils = pytest.importorskip(
    "ray.cluster_utils", reason="Ray is not installed: pip install -e '.[ray]'"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a cluster of two nodes, each with one processor."""
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


def test_the_rows_are_the_same(address: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    arguments = ["random", "greedy", f"{ODD}Lots", "--pairs", "20", "--block", "5"]
    assert tournament.main([str(here), *arguments]) == 0
    assert tournament.main([str(there), *arguments, "--ray", address]) == 0
    assert everything(here) == everything(there)


def test_bad_agents_fail_there_too(address: str, tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    for agent in (f"{ODD}Dies", f"{ODD}Sleeps"):
        arguments = [str(path), "random", agent, "--pairs", "2", "--limit", "0.5"]
        assert tournament.main([*arguments, "--ray", address]) == 0
    found = statuses(path)
    assert "the process that played it ended (WorkerCrashedError), twice" in found
    assert any(status.startswith(f"{ODD}Sleeps took longer than 0.5 s") for status in found)


def test_no_such_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.sqlite"
    assert tournament.main([str(path), "random", "greedy", "--ray", "nonsense"]) == 2
    error = capsys.readouterr().err
    assert "--ray nonsense" in error
    assert error.count("\n") == 1
