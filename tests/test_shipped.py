"""Shipped agents: found by rules and players, without what training needs; made by a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import checkpoint as checkpoints
from agents import registry, shipped
from agents.checkpoint import CheckpointError

ROOT = Path(__file__).resolve().parent.parent

WITHOUT_TRAINING = """
import sys
for name in ("torch", "safetensors", "rich", "tyro", "scipy", "tensorboard", "yaml"):
    sys.modules[name] = None  # importing it fails
import numpy as np
from agents import registry
from canasta_env.batch import Batch
batch = Batch("classic", 2, players=4, seed=1, autoreset="off")
agent = registry.make("champion@0.5", "classic", 4, seed=3)
while (rows := np.flatnonzero(~batch.over)).size:
    actions = np.zeros(2, np.int64)
    actions[rows] = agent.act(batch, rows)
    batch.step(actions)
print(agent.name, batch.terminated.any())

import io
from agents.play.__main__ import main
sys.stdin = io.StringIO("1\\n" * 1000)
print(main(["--opponents", "champion", "--seed", "1", "--deal"]))
"""


def test_the_champion_plays_without_what_training_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TRAINING], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("champion@0.5 True", "0"), done.stderr
    assert "champion 3: draw 1 card" in done.stdout


def test_every_shipped_agent_fits_this_version() -> None:
    """Its hashes are those of today's lists; it is small; its card says how it was trained."""
    from canasta_env.batch import Batch

    assert ("classic", 4) in shipped.shipped()
    for (rules, players), folder in shipped.shipped().items():
        batch = Batch(rules, 64, players=players, seed=2)
        agent = registry.make("champion", rules, players)
        actions = agent.act(batch, np.arange(64))
        assert batch.mask[np.arange(64), actions].all()
        assert sum(file.stat().st_size for file in folder.iterdir()) < 5_000_000
        assert not [file.name for file in folder.iterdir() if file.name.startswith("trainer")]
        assert "## The checkpoint" in (folder / "CARD.md").read_text(encoding="utf-8")


def test_where_there_is_no_champion_those_there_are_are_listed() -> None:
    with pytest.raises(CheckpointError, match=r"no champion for tiny with 2 players; .*classic wi"):
        registry.make("champion", "tiny", 2)
    assert not shipped.has_champion("tiny", 2)
    assert shipped.has_champion("classic", 4)


def test_none_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    with pytest.raises(CheckpointError, match="nothing yet"):
        registry.make("champion")


# --- the command --------------------------------------------------------------------------------

pytest.importorskip("rich")  # as the experiments need it

from experiments import ship as shipping  # noqa: E402
from experiments.match import main as match  # noqa: E402


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that was trained on another machine, as it were, with its training's state."""
    (folder,) = [f for key, f in shipped.shipped().items() if key == ("classic", 4)]
    saved = checkpoints.read(folder)
    settings = {"run": "/home/ann/runs/x", "opponents": ["/home/ann/runs/old/last@0.5", "basic"]}
    meta = {**saved.meta, "trainer": "ppo", "settings": settings, "counters": {"deals": 1234567}}
    parts = {"network": saved.arrays("network"), "trainer": {"adam": np.zeros(9)}}
    checkpoints.write(tmp_path / "x" / "last", meta, parts)
    return tmp_path / "x"


def results(tmp_path: Path, *arguments: str) -> Path:
    path = tmp_path / "match.json"
    assert match([*arguments, "--pairs", "8", "--json", str(path), "--force"]) == 0
    return path


def ship(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = shipping.main([str(argument) for argument in arguments])
    return status, capsys.readouterr().err


def test_a_run_is_shipped_with_its_card(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path, f"{run}/last/@0.5", "random", "greedy", "--seed", "4")
    assert ship(capsys, run, "--results", path, "--parent", tmp_path / "shipped") == (0, "")
    folder = tmp_path / "shipped" / "classic-4p"
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    meta = json.loads((folder / "checkpoint.json").read_text(encoding="utf-8"))
    assert meta["settings"] == {"opponents": ["last@0.5", "basic"]}
    assert list(meta["files"]) == ["network"]
    assert "deals 1,234,567" in card
    assert "`python -m experiments.match champion@0.5 random greedy --pairs 8 --seed 4`" in card
    summary = json.loads(path.read_text())["matches"][1]["summary"]["points"]
    assert f"| `greedy` | {summary['mean']:+.0f} [{summary['interval']['low']:+.0f}, " in card
    assert str(tmp_path) not in card


def test_what_people_wrote_in_the_card_stays(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ship(capsys, run, "--parent", tmp_path)[0] == 0
    card = tmp_path / "classic-4p" / "CARD.md"
    card.write_text(card.read_text().replace("Weaknesses: to be written.", "Weak with twos."))
    path = results(tmp_path, "champion", "random")
    folder = card.parent
    assert ship(capsys, folder, "--results", path, "--parent", tmp_path)[0] == 0
    assert "Weak with twos." in card.read_text()
    assert card.read_text().count("## The checkpoint") == 1
    assert "| `random` |" in card.read_text()


def test_results_of_others_are_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path, "greedy", "random")
    status, error = ship(capsys, run, "--results", path, "--parent", tmp_path)
    assert status == 2
    assert f"team A is 'greedy', not champion or {run}" in error
    path = results(tmp_path, "greedy", "random", "--rules", "russian")
    status, error = ship(capsys, run, "--results", path, "--parent", tmp_path)
    assert "was played with rules russian, not classic" in error
    assert not (tmp_path / "classic-4p").exists()


def test_what_is_too_large_or_of_another_version_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(shipping, "MOST_BYTES", 1000)
    status, error = ship(capsys, run, "--parent", tmp_path)
    assert status == 2
    assert "a shipped agent has fewer than 1,000" in error
    index = run / "last" / checkpoints.INDEX
    meta = json.loads(index.read_text())
    index.write_text(json.dumps({**meta, "observation_hash": "0" * 64}))
    assert "another observation" in ship(capsys, run, "--parent", tmp_path)[1]
    assert not (tmp_path / "classic-4p").exists()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/tmp/a/runs/x", "x"),
        ("basic+/tmp/a/x@0.5", "basic+x@0.5"),
        ("runs/x/last", "runs/x/last"),
        ("a/b at /c/d/ and 1/2", "a/b at d and 1/2"),
    ],
)
def test_only_the_last_part_of_absolute_paths_is_left(text: str, left: str) -> None:
    assert shipping.without_folders({"a": [text, 3]}) == {"a": [left, 3]}
