"""A seat's experience in Minari is what the Parquet rows say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
minari = pytest.importorskip("minari")

from canasta_env.data import minari_export  # noqa: E402
from canasta_env.data.reader import DataError, DataSet  # noqa: E402
from experiments.data import plan as plans  # noqa: E402
from tests.datasets import plan, write  # noqa: E402

NAME = "canasta/tests-v0"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataSet:
    """A data set in whose row groups deals go on; Minari's own are elsewhere."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.setattr(plans, "GROUP", 100)
    return write(tmp_path / "data", plan(units=6))


def test_the_dataset_is_the_seats_rows(data: DataSet) -> None:
    minari_export.export(data, NAME, 1)
    loaded, rows = minari.load_dataset(NAME), data.read()
    assert loaded.total_episodes == data.deals
    for episode, deal in zip(loaded.iterate_episodes(), range(data.deals), strict=True):
        mine = (rows["deal"] == deal) & (rows["seat"] == 1)
        np.testing.assert_array_equal(
            episode.observations[:-1], rows["observation"][mine] * data.scale
        )
        np.testing.assert_array_equal(episode.actions, rows["action"][mine])
        np.testing.assert_array_equal(episode.rewards.astype(np.float32), rows["reward"][mine])
        np.testing.assert_array_equal(episode.terminations, rows["last"][mine])
        np.testing.assert_array_equal(episode.infos["action_mask"][:-1], rows["mask"][mine])
        assert not episode.truncations.any()
        assert not episode.observations[-1].any()


def test_only_the_deals_of_an_agent(data: DataSet) -> None:
    rows = data.read(("deal", "seat", "agent"))
    mine = rows["deal"][(rows["seat"] == 0) & (rows["agent"] == 1)]
    assert len(list(minari_export.episodes(data, 0, "greedy"))) == len(np.unique(mine)) == 6


def test_the_environment_can_be_made_again(data: DataSet) -> None:
    made = minari_export.export(data, NAME, 0)
    environment = made.recover_environment()
    assert environment.observation_space == made.observation_space
    assert environment.action_space == made.action_space
    observation, info = environment.reset(seed=1)
    assert observation in made.observation_space
    assert info["seat"] == 0


def test_the_command(data: DataSet, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(data.folder), NAME, "--seat", "0", "--agent", "basic"]
    assert minari_export.main(arguments) == 0
    assert f"{NAME}: 6 episodes" in capsys.readouterr().out
    assert minari_export.main(arguments) == 2
    assert "Minari has this dataset" in capsys.readouterr().err


def test_errors(data: DataSet) -> None:
    with pytest.raises(DataError, match="there is no seat 2; seats are 0 to 1"):
        minari_export.export(data, NAME, 2)
    with pytest.raises(DataError, match="'expert' did not play"):
        minari_export.export(data, NAME, 0, "expert")
