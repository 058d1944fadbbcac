"""What people install: the source archive, the wheel that is built from it, and play in an
environment that holds nothing else.

The environment's folder is elsewhere, and so is the current folder: nothing of this checkout can be
imported by mistake. Where a folder must not be written root's power to write all the same is laid
down.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from canasta_env.jit import cache_root

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = {
    file.relative_to(ROOT).as_posix()
    for pattern in ("*.py", "presets/*.toml", "py.typed")
    for file in (ROOT / "canasta_env").rglob(pattern)
}
PLAY = """
import gymnasium, numpy, canasta_env
from canasta_env import Game, Rules, canasta_v0

print(canasta_env.__file__)
game = Game("classic", seed=1)
while not game.over:
    game.play(game.legal()[0])
print("game", game.deal_scores)

env = canasta_v0.env()
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else int(observation["action_mask"].argmax()))
print("aec", env.agents)

envs = gymnasium.make_vec("canasta_env:Canasta-v0", num_envs=4, opponents="greedy")
observations, infos = envs.reset(seed=1)
for _ in range(50):
    step = envs.step(infos["action_mask"].argmax(axis=1))
    infos = step[-1]
print("vector", step[0].shape[0])
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(folder, with_pip=True)
    here = folder / "bin" / "python"
    (wheel,) = dist.glob("*.whl")
    constraints = str(ROOT / "constraints.txt")
    command = [here, "-m", "pip", "install", "-qq", "-c", constraints, wheel]
    subprocess.run(command, check=True, env=plain_environment())
    return here


def plain_environment(**changes: str) -> dict[str, str]:
    """The variables of this process, but for those that name what can be imported, and with the
    cache of this checkout: the installed sources are the same, so what they need lies in it."""
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME"}
    plain = {name: value for name, value in os.environ.items() if name not in hidden}
    return plain | {"CANASTA_CACHE_DIR": str(cache_root())} | changes


def call(
    python: Path, *arguments: str, cwd: Path, powerless: bool = False, **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed environment's Python; ``powerless``: read-only folders are so for root."""
    command = [str(python), *arguments]
    if powerless and os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root can write everywhere, and there is no setpriv")
        lay_down = ("--bounding-set=-dac_override", "--inh-caps=-dac_override")
        command = ["setpriv", *lay_down, *command]
    return subprocess.run(
        command, cwd=cwd, env=plain_environment(**changes), capture_output=True, text=True
    )


@pytest.fixture
def read_only(python: Path) -> Iterator[Path]:
    """The installed package, which nobody can write to."""
    (package,) = (python.parent.parent / "lib").glob("python*/site-packages/canasta_env")
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield package
    for folder in folders:
        folder.chmod(0o755)


def test_the_wheel_holds_the_environment_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = {name for name in names if ".dist-info/" in name}
    assert names - info == PACKAGE
    ends = {name.partition(".dist-info/")[2] for name in info}
    assert {"METADATA", "RECORD", "entry_points.txt", "licenses/LICENSE"} <= ends


def test_the_source_archive_is_enough_to_build(dist: Path) -> None:
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= PACKAGE | {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"}
    assert not [name for name in names if name.startswith(("agents", "train", "runs", ".git/"))]


def test_the_environment_plays(python: Path, tmp_path: Path) -> None:
    done = call(python, "-c", PLAY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    place, *lines = done.stdout.splitlines()
    assert Path(place).is_relative_to(python.parent.parent)
    assert [line.split()[0] for line in lines] == ["game", "aec", "vector"]


def test_bots_play_a_match(python: Path, tmp_path: Path) -> None:
    arguments = ["match", "basic", "greedy", "--rules", "mini", "--players", "2", "--decks", "50"]
    done = call(python, "-m", "canasta_env", *arguments, cwd=tmp_path)
    assert done.stdout.startswith("basic against greedy: +"), done.stderr
    assert "of 100 deals won" in done.stdout
    same = subprocess.run(
        [python.parent / "canasta-env", *arguments], cwd=tmp_path, env=plain_environment(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert same.stdout == done.stdout


def test_all_presets_came_along(python: Path, tmp_path: Path) -> None:
    done = call(python, "-m", "canasta_env", "rules", cwd=tmp_path)
    presets = {file.stem for file in (ROOT / "canasta_env" / "presets").glob("*.toml")}
    assert presets <= set(done.stdout.split()), done.stderr


@pytest.mark.parametrize(
    ("module", "extra"),
    [("reader", "data"), ("torch_loader", "torch"), ("minari_export", "minari")],
)
def test_what_an_extra_needs_is_asked_for(
    module: str, extra: str, python: Path, tmp_path: Path
) -> None:
    """The modules of data sets import without pyarrow and Minari; torch is torch's own."""
    done = call(python, "-c", f"import canasta_env.data.{module}", cwd=tmp_path)
    if extra == "torch":
        assert "No module named 'torch'" in done.stderr
    else:
        assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("read_only")
def test_an_installation_that_cannot_be_written(python: Path, tmp_path: Path) -> None:
    done = call(python, "-c", PLAY, cwd=tmp_path, powerless=True)
    assert done.returncode == 0, done.stderr
    assert "vector 4" in done.stdout


@pytest.mark.usefixtures("read_only")
def test_a_cache_that_cannot_be_written_costs_a_line(python: Path, tmp_path: Path) -> None:
    """Everything is compiled for the one process, which takes a minute or more."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o555)
    code = "import canasta_env; print(canasta_env.Game(seed=1).legal()[0])"
    done = call(python, "-c", code, cwd=tmp_path, powerless=True, CANASTA_CACHE_DIR=str(cache))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["draw"]
    said = [line for line in done.stderr.splitlines() if "can't be used" in line]
    assert len(said) == 1
    assert "set CANASTA_CACHE_DIR to a folder that can be written" in said[0]
    assert not list(cache.iterdir())


def test_a_cache_that_is_named_needs_no_home(python: Path, tmp_path: Path) -> None:
    done = call(python, "-c", PLAY, cwd=tmp_path, HOME="/nonexistent")
    assert done.returncode == 0, done.stderr
    assert "vector 4" in done.stdout
