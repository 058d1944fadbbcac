"""What all runs share: checkpoints kept along the way, a process killed at any moment, a disk that
is full.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

pytest.importorskip("torch")

from agents import checkpoint as checkpoints
from agents import registry
from canasta_env.batch import Batch
from train import ppo, runs

SMALL = [
    *("--rules", "mini", "--players", "2", "--num-games", "64", "--rollout", "16"),
    *("--minibatch", "256", "--network", "mlp", "--hidden", "8", "--threads", "1"),
    *("--eval-every", "0", "--save-every", "2", "--keep-every", "200"),
]
WHOLE = [*SMALL, "--deals", "700"]
KEPT = [f"at-{deals:08d}" for deals in (0, 200, 400, 600)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    ppo.main([*WHOLE, "--run", str(folder)])
    return folder


def hashes(path: Path) -> dict[str, str]:
    """The hashes of a checkpoint's arrays, by part."""
    return {part: of["sha256"] for part, of in checkpoints.read(path).meta["files"].items()}


def assert_same_runs(one: Path, other: Path) -> None:
    """Both came to the same end on the same way, bit for bit: weights, optimizer, random numbers,
    games.
    """
    assert hashes(one / "last") == hashes(other / "last")
    assert set(hashes(one / "last")) == {"network", "trainer"}
    for name in KEPT:
        assert hashes(one / name) == hashes(other / name)


# --- two processes at once ----------------------------------------------------------------------


def test_a_run_that_is_being_trained_is_left_alone(
    undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "run"
    shutil.copytree(undisturbed, copy)
    before = hashes(copy / "last")
    more = ["--resume", str(copy), "--deals", "900"]
    with FileLock(copy / runs.LOCK), pytest.raises(SystemExit) as ended:
        ppo.main(more)
    assert str(ended.value.code) == (
        f"train.ppo: {copy}: another process is training this run; wait until it ends, or give "
        "another --run"
    )
    assert hashes(copy / "last") == before
    ppo.main(more)
    assert checkpoints.read(copy).meta["counters"]["deals"] >= 900


def test_a_checkpoint_that_was_overtaken_is_refused(undisturbed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(undisturbed, copy)
    more = ["--resume", str(copy), "--deals", "2000"]
    trainer, folder = ppo.start(runs.parse(ppo.Args, "ppo", ppo.FREE_ON_RESUME, more, None))
    ppo.main(["--resume", str(copy), "--deals", "900"])
    before = hashes(copy / "last")
    with pytest.raises(SystemExit, match="another process has trained it since it was read"):
        runs.carry_out(trainer, folder, "ppo")
    assert hashes(copy / "last") == before


# --- kept along the way -------------------------------------------------------------------------


def test_kept_checkpoints_lie_along_the_way(undisturbed: Path) -> None:
    found = runs.kept(undisturbed)
    assert [one.folder.name for one in found] == [*KEPT, "last"]
    deals = [one.meta["counters"]["deals"] for one in found]
    assert deals[0] == 0 and deals == sorted(deals)
    for mark, passed in zip((0, 200, 400, 600), deals, strict=False):
        assert mark <= passed < mark + 100
    networks = [one.arrays("network") for one in found]
    assert not any((a["scale"] != networks[0]["scale"]).any() for a in networks)
    assert len({hashes(one.folder)["network"] for one in found}) == len(found)


def test_a_kept_checkpoint_plays_and_is_small(undisturbed: Path) -> None:
    path = undisturbed / KEPT[1]
    assert set(hashes(path)) == {"network"}
    agent = registry.make(str(path), "mini", 2)
    batch = Batch("mini", 16, players=2, seed=3)
    rows = np.arange(16)
    actions = agent.act(batch, rows)
    assert batch.mask[rows, actions].all()

    def size(folder: Path) -> int:
        return sum(file.stat().st_size for file in folder.iterdir())

    assert size(path) < size(undisturbed / "last") / 3


def test_a_kept_checkpoint_does_not_go_on(undisturbed: Path) -> None:
    with pytest.raises(SystemExit, match=r"train.ppo: .*at-00000200: holds no 'trainer'"):
        ppo.main(["--resume", str(undisturbed / KEPT[1]), "--deals", "900"])


def test_nothing_is_kept_unless_asked(tmp_path: Path) -> None:
    ppo.main([*SMALL, "--keep-every", "0", "--deals", "50", "--run", str(tmp_path / "run")])
    assert [one.folder.name for one in runs.kept(tmp_path / "run")] == ["last"]


# --- kill -9 ------------------------------------------------------------------------------------

KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from train import ppo

ppo.Trainer(ppo.Args(rules="mini", players=2, threads=1))  # loads what children need
folder, seed, *whole = sys.argv[1:]
lots = random.Random(int(seed))
index = Path(folder, "last", "checkpoint.json")

def begin():
    arguments = ["--resume", folder] if index.exists() else [*whole, "--run", folder]
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        ppo.main(arguments)
        os._exit(0)
    return pid

killed = 0
for _ in range(3):
    before = index.stat().st_mtime_ns if index.exists() else 0
    pid = begin()
    while not index.exists() or index.stat().st_mtime_ns == before:  # it is training
        time.sleep(0.001)
        if os.waitpid(pid, os.WNOHANG)[0]:
            sys.exit(f"ended too early, after {killed} kills")
    time.sleep(lots.random() * 0.1)
    os.kill(pid, signal.SIGKILL)
    killed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
print("killed", killed)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(begin(), 0)[1]))
"""
"""Trains in children that are killed at random moments, and then in one that comes to the end."""


def python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forks, whose start is quick")
def test_killed_at_any_moment_it_comes_to_the_same_end(undisturbed: Path, tmp_path: Path) -> None:
    seed = str(np.random.SeedSequence().entropy % 2**32)
    ended = python(KILLED, str(tmp_path / "run"), seed, *WHOLE)
    assert ended.returncode == 0, f"seed {seed}: {ended.stderr}"
    assert int(ended.stdout.split()[1]) >= 2, ended.stdout
    assert_same_runs(undisturbed, tmp_path / "run")


# --- a full disk --------------------------------------------------------------------------------


def last_line(ended: pytest.ExceptionInfo[SystemExit]) -> str:
    text = str(ended.value.code)
    assert "\n" not in text
    return text


def test_a_full_disk_leaves_the_previous_checkpoint(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full from some moment on, then there is room again."""
    sync, saved = os.fsync, 0

    def full(descriptor: int) -> None:
        nonlocal saved
        saved += 1
        if saved > 40:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    folder = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(os, "fsync", full)
        ppo.main([*WHOLE, "--run", str(folder)])
    deals = checkpoints.read(folder).meta["counters"]["deals"]
    assert 0 < deals < 700
    assert last_line(ended) == (
        f"train.ppo: {folder}: no space left on device; the checkpoint of {deals} deals is whole: "
        f"make room and go on with --resume {folder}"
    )
    for part in ("network", "trainer"):
        checkpoints.read(folder).arrays(part)  # raises if one is damaged
    ppo.main(["--resume", str(folder)])
    assert_same_runs(undisturbed, folder)


def test_a_full_disk_before_the_first_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SystemExit) as ended:
        ppo.main([*WHOLE, "--run", str(tmp_path / "run")])
    assert "no checkpoint was written yet: make room, remove the folder" in last_line(ended)


LIMITED = """
import resource, sys
from train import ppo

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
ppo.main(sys.argv[1:])
"""
"""Trains where no file may have more than 4 KB: the thread that writes the events fails first."""


def test_events_that_cannot_be_written_end_the_run(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    folder = str(tmp_path / "run")
    ppo.main([*SMALL, "--deals", "50", "--run", folder])
    deals = checkpoints.read(folder).meta["counters"]["deals"]
    before = hashes(Path(folder))
    arguments = ["--resume", folder, "--deals", "100000", "--save-every", "100000"]
    ended = python(LIMITED, *arguments, "--keep-every", "0")
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        f"train.ppo: {folder}: file too large; the checkpoint of {deals}"
    )
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert hashes(Path(folder)) == before
