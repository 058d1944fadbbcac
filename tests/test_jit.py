"""The cache of compiled kernels: never stale, shared by processes, and no reason to fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from canasta_env.sources import source_files

REPOSITORY = Path(__file__).resolve().parent.parent

CONSTANTS = "STEP = 5\n"
CALLEE = """
from canasta_env.jit import kernel
from .constants import (
    STEP,  # the callee's file stays as it is when this changes
)

@kernel()
def add(x):
    return x + STEP
"""
CALLER = """
from numba import int64
from canasta_env.jit import kernel
from {package} import callee

add = callee.add

@kernel(int64(int64))
def run(x):
    return add(x)

@kernel(int64(int64))
def fibonacci(x):
    return x if x < 2 else fibonacci(x - 1) + fibonacci(x - 2)
"""
SHOW = "from {package}.caller import run; print(run(1), getattr(run, 'stats', None))"


def write_kernels(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "constants.py").write_text(CONSTANTS)
    (folder / "callee.py").write_text(CALLEE)
    package = "canasta_env.engine" if folder.parent.name == "canasta_env" else folder.name
    (folder / "caller.py").write_text(CALLER.format(package=package))


def python(code: str, path: Path, **variables: str) -> subprocess.Popen[str]:
    """Start Python on some code, with ``path`` before all other places to import from."""
    search = os.pathsep.join([str(path), str(REPOSITORY)])
    base = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**base, "PYTHONPATH": search, "CANASTA_CACHE_DIR": str(path / "cache"), **variables},
        cwd=path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A folder with the package ``user_kernels``, outside canasta_env."""
    write_kernels(tmp_path / "user_kernels")
    return tmp_path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a canasta_env of its own, whose engine is a toy."""
    package = tmp_path / "canasta_env"
    write_kernels(package / "engine")
    for name in (
        "__init__.py",
        "jit.py",
        "sources.py",
        "compile.py",
        "__main__.py",
        "registration.py",
    ):
        shutil.copy(REPOSITORY / "canasta_env" / name, package)
    return tmp_path


USER = SHOW.format(package="user_kernels")


def test_a_changed_constant_of_a_callee_is_seen(kernels: Path) -> None:
    out, err = finish(python(USER, kernels))
    assert out.startswith("6 ") and "cache_misses=Counter({(int64,) -> int64: 1})" in out
    assert "compiling user_kernels.caller" in err
    out, err = finish(python(USER, kernels))
    assert "cache_misses=Counter()" in out and err == ""
    (kernels / "user_kernels" / "constants.py").write_text("STEP = 6\n")
    out, _ = finish(python(USER, kernels))
    assert out.startswith("7 ")


def test_without_the_compiler_kernels_are_plain_functions(kernels: Path) -> None:
    out, err = finish(python(USER, kernels, NUMBA_DISABLE_JIT="1"))
    assert out == "6 None\n" and err == ""
    assert not (kernels / "cache").exists()


def test_two_processes_compile_once(copy: Path) -> None:
    code = "from canasta_env.compile import ensure_compiled; ensure_compiled();" + SHOW.format(
        package="canasta_env.engine"
    )
    both = [python(code, copy), python(code, copy)]
    outputs = [finish(process) for process in both]
    assert sum(out.count("int64: 1") for out, _ in outputs) == 2  # one miss, and one hit
    assert sorted("cache_misses=Counter()" in out for out, _ in outputs) == [False, True]
    assert any(
        "compiling the engine once" in err and "compiled the engine in" in err for _, err in outputs
    )
    out, err = finish(python(code, copy))
    assert "cache_misses=Counter()" in out and err == ""
    assert len(list((copy / "cache").glob("*/canasta_env.engine.*/compiled.ok"))) == 2


def test_nothing_is_imported_when_all_is_compiled(copy: Path) -> None:
    compile_all = "import sys; from canasta_env.__main__ import main; status = main(['compile']);"
    out, _ = finish(python(compile_all + "sys.exit(status)", copy))
    assert out.startswith("2 modules with kernels")
    out, _ = finish(python(compile_all + "print('canasta_env.engine' in sys.modules)", copy))
    assert out.endswith("False\n")


def test_a_folder_that_cannot_be_written_costs_a_line(kernels: Path) -> None:
    (kernels / "file").touch()
    out, err = finish(python(USER, kernels, CANASTA_CACHE_DIR=str(kernels / "file" / "cache")))
    assert out.startswith("6 ")
    assert err.count("compiling in memory") == 1 and "Traceback" not in err


def test_a_full_disk_and_torn_files_cost_a_compilation(kernels: Path) -> None:
    full_disk = """
from numba.core.caching import IndexDataCacheFile

def fail(*_):
    raise OSError(28, "the disk is full")

IndexDataCacheFile._save_data = fail
"""
    out, err = finish(python(full_disk + USER, kernels))
    assert out.startswith("6 ") and err.count("the disk is full") == 1
    finish(python(USER, kernels))
    stored = list((kernels / "cache").rglob("*.nbc"))
    assert stored
    for file in stored:
        file.write_bytes(file.read_bytes()[:100])
    out, err = finish(python(USER, kernels))
    assert out.startswith("6 ") and "Traceback" not in err
    out, _ = finish(python(USER, kernels))
    assert "cache_misses=Counter()" in out


def test_numba_is_left_as_it_was(kernels: Path) -> None:
    code = """
from numba.core import config
before = {name: getattr(config, name) for name in dir(config) if name.isupper()}
import user_kernels.caller
assert before == {name: getattr(config, name) for name in dir(config) if name.isupper()}
import numba
plain = numba.njit(cache=True)(user_kernels.constants_user)
print(plain._cache.cache_path, user_kernels.caller.run._cache.cache_path)
"""
    (kernels / "user_kernels" / "__init__.py").write_text("def constants_user(x): return x\n")
    mine = str(kernels / "numba")
    locators = "InTreeCacheLocator,UserProvidedCacheLocator"
    out, _ = finish(python(code, kernels, NUMBA_CACHE_DIR=mine))
    assert out.startswith(mine) and str(kernels / "cache") in out
    out, _ = finish(python(code, kernels, NUMBA_CACHE_LOCATOR_CLASSES=locators))
    assert "__pycache__" in out and str(kernels / "cache") in out


def test_old_versions_are_removed_and_nothing_else(copy: Path) -> None:
    (copy / "cache" / "my-own-files").mkdir(parents=True)
    code = "import canasta_env.compile as c; c.KEPT_VERSIONS = 2; c.ensure_compiled()"
    for step in range(3):
        (copy / "canasta_env" / "engine" / "constants.py").write_text(f"STEP = {step}\n")
        finish(python(code, copy))
    assert len(list((copy / "cache").glob("*/canasta_env.engine.caller-*"))) == 2
    finish(python("import canasta_env.compile as c; c.clear()", copy))
    assert [entry.name for entry in (copy / "cache").iterdir()] == ["my-own-files"]


def test_sources_follow_every_form_of_import(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "sub").mkdir(parents=True)
    for name in ("a", "b", "c", "d", "unused", "sub/__init__", "sub/e", "sub/f"):
        (package / f"{name}.py").touch()
    (package / "__init__.py").write_text("from package import unused\n")
    (package / "sub" / "e.py").write_text("from ..d import x\nfrom . import f\n")
    (package / "main.py").write_text(
        "import os, package.a as first\nfrom package import (b,\n  c as third)\n"
        "def later():\n    from package.sub.e import thing\n"
    )
    found = source_files(package / "main.py", "package.main")
    letters = {name.rpartition(".")[2] for name in found}
    assert letters == {"main", "a", "b", "c", "d", "e", "f"}
    assert source_files(package / "main.py", "__main__").keys() == {"main"}
