"""Checkpoints: whole or absent, and every mismatch one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import checkpoint as checkpoints
from agents.checkpoint import CheckpointError

IDENTITY = {
    "rules": "classic",
    "players": 4,
    "actions": 3,
    "actions_hash": "a" * 64,
    "observation_size": 5,
    "observation_hash": "b" * 64,
}


def written(folder: Path, value: float = 1.0) -> Path:
    arrays = {"weights": np.full((2, 3), value, np.float32), "count": np.array(7)}
    checkpoints.write(folder, IDENTITY, {"network": arrays, "trainer": {"x": np.arange(3)}})
    return folder


def only(folder: Path, part: str) -> Path:
    (path,) = folder.glob(f"{part}-*.safetensors")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    saved = checkpoints.read(written(tmp_path / "run" / "last"))
    assert saved.meta["rules"] == "classic"
    np.testing.assert_array_equal(saved.arrays("network")["weights"], np.ones((2, 3), np.float32))
    assert saved.arrays("network")["count"].shape == ()
    assert saved.arrays("network")["count"] == 7
    assert checkpoints.read(tmp_path / "run").folder == tmp_path / "run" / "last"


def test_records_become_bytes(tmp_path: Path) -> None:
    records = np.zeros(4, [("a", "i2"), ("b", "?")]).view(np.recarray)
    records.a[:] = [1, 2, 3, 4]
    checkpoints.write(tmp_path, IDENTITY, {"trainer": {"games": records}})
    back = checkpoints.read(tmp_path).arrays("trainer")["games"].view(records.dtype)
    np.testing.assert_array_equal(back["a"], [1, 2, 3, 4])


def test_a_new_one_replaces_the_old_and_leaves_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / ".network-killed.safetensors.123").write_bytes(b"half")
    written(tmp_path, 2.0)
    assert checkpoints.read(tmp_path).arrays("network")["weights"][0, 0] == 2
    assert len(list(tmp_path.iterdir())) == 3


def test_a_writer_that_dies_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    replace = checkpoints._replace

    def dies(path: Path, data: bytes) -> None:
        if path.name == checkpoints.INDEX:
            raise KeyboardInterrupt
        replace(path, data)

    monkeypatch.setattr(checkpoints, "_replace", dies)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path, 2.0)
    assert checkpoints.read(tmp_path).arrays("network")["weights"][0, 0] == 1


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as refused:
        checkpoints.read(path).arrays("network")
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_missing(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nothing")
    assert "holds no checkpoint" in refusal(tmp_path)


def test_truncated_and_damaged(tmp_path: Path) -> None:
    path = only(written(tmp_path), "network")
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert f"truncated: {len(data) - 1} bytes, {len(data)} were written" in refusal(tmp_path)
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert "damaged" in refusal(tmp_path)
    path.unlink()
    assert "No such file" in refusal(tmp_path)


def test_index_truncated_or_of_another_format(tmp_path: Path) -> None:
    index = written(tmp_path) / checkpoints.INDEX
    meta = json.loads(index.read_text())
    index.write_text(index.read_text()[:40])
    assert "not readable as JSON" in refusal(tmp_path)
    index.write_text(json.dumps({**meta, "format": 2}))
    assert "format 2; this version reads format 1" in refusal(tmp_path)
    index.write_text("[]")
    assert "not the index" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("rules", "russian", "other rules: classic, not russian"),
        ("players", 2, "another number of players: 4, not 2"),
        (
            "actions_hash",
            "c" * 64,
            "another action table: aaaaaaaaaaaaaaaa…, not cccccccccccccccc…",
        ),
        ("observation_hash", "c" * 64, "another observation: bbbbbbbbbbbbbbbb…"),
        ("observation_size", 6, "another size of observation: 5, not 6"),
    ],
)
def test_mismatches(tmp_path: Path, key: str, value: Any, text: str) -> None:
    saved = checkpoints.read(written(tmp_path))
    checkpoints.check_identity(saved, IDENTITY)
    with pytest.raises(CheckpointError) as refused:
        checkpoints.check_identity(saved, {**IDENTITY, key: value})
    assert text in str(refused.value)


def test_a_part_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="holds no 'critic', only network, trainer"):
        checkpoints.read(written(tmp_path)).arrays("critic")
