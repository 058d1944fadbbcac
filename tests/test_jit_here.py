"""The cache of compiled kernels, its parts called in this process (test_jit.py: by other ones).

The compiler is switched on for the toy kernels here even where all others run uncompiled.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from numba.core import config

from canasta_env import compile as compiling
from canasta_env import jit, sources

TOY = """
from canasta_env.jit import helper, kernel
from {name} import constants

@helper
def plus(x):
    return x + constants.STEP

@kernel("int64(int64)")
def run(x):
    return plus(x)

@kernel(["int64(int64)", "float64(float64)"])
def both(x):
    return x + x

@kernel()
def typed_by_its_calls(x):
    return x + 1

@kernel
def without_brackets(x):
    return x + 2
"""
Toy = Callable[[str], ModuleType]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """Imports, or imports anew, a package of toy kernels; the cache is a folder of its own."""
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setenv("CANASTA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "_warned", threading.Event())
    monkeypatch.setattr(jit, "_saves_failed", set())
    monkeypatch.setattr(jit, "notice", jit._Notice())
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(name: str) -> ModuleType:
        folder = tmp_path / name
        if not folder.exists():
            folder.mkdir()
            (folder / "__init__.py").touch()
            (folder / "constants.py").write_text("STEP = 5\n")
            (folder / "kernels.py").write_text(TOY.format(name=name))
            importlib.invalidate_caches()
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
        return importlib.import_module(f"{name}.kernels")

    return load


def where(module: ModuleType) -> tuple[Path, str]:
    return Path(str(module.__file__)), module.__name__


def test_kernels_are_stored_and_found_again(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    first = toy("toy_stored")
    assert first.run(1) == 6 and first.both(2) == 4 and first.both(0.5) == 1.0
    assert first.typed_by_its_calls(1) == 2 and first.without_brackets(1) == 3
    assert "compiling toy_stored.kernels" in capsys.readouterr().err
    assert sum(first.run.stats.cache_misses.values()) == 1
    again = toy("toy_stored")
    assert again.run(1) == 6 and sum(again.run.stats.cache_hits.values()) == 1
    assert capsys.readouterr().err == ""
    with pytest.raises(TypeError):  # what it was compiled for, and nothing else
        first.run("a")


def test_a_module_is_complete_once_it_is_stamped(toy: Toy) -> None:
    module = toy("toy_stamped")
    assert not jit.is_complete(*where(module))
    jit.mark_complete(*where(module))
    assert jit.is_complete(*where(module))
    # with the stamp an import takes no lock
    assert toy("toy_stamped").run(2) == 7


@pytest.mark.parametrize("content", [b"", b"torn"])
@pytest.mark.parametrize("kind", ["nbc", "nbi"])
def test_a_torn_file_costs_a_compilation(toy: Toy, kind: str, content: bytes) -> None:
    folder = jit.kernel_folder(*where(toy("toy_torn")))
    assert folder is not None
    files = list(folder.glob(f"*.{kind}"))
    assert files
    for file in files:
        file.write_bytes(content)
    again = toy("toy_torn")
    assert again.run(1) == 6 and sum(again.run.stats.cache_misses.values()) == 1
    whole = toy("toy_torn")
    assert whole.run(1) == 6 and not whole.run.stats.cache_misses


def test_a_disk_that_fails_costs_a_line(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*given: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(jit.FunctionCache, "save_overload", full)
    module = toy("toy_full")
    assert module.run(1) == 6
    err = capsys.readouterr().err
    assert err.count("compiling in memory") == 1 and "no space left" in err
    # it gets no stamp, so that the next process tries again
    jit.mark_complete(*where(module))
    assert not jit.is_complete(*where(module))


def test_a_folder_that_cannot_be_made_costs_a_line(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CANASTA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    jit.mark_complete(Path(__file__), __name__)
    with jit.locked():
        pass
    assert capsys.readouterr().err.count("compiling in memory") == 1
    assert compiling._folders(jit.cache_root(), ".*") == []


def test_kernels_without_a_file_are_not_stored(toy: Toy) -> None:
    """Typed at a prompt, as it were."""
    toy("toy_prompt")
    space: dict[str, object] = {"__name__": "prompt"}
    exec("def double(x):\n    return 2 * x\n", space)
    double = jit.kernel("int64(int64)")(space["double"])  # type: ignore[arg-type]
    assert double(4) == 8  # type: ignore[operator]
    assert jit.kernel_folder(Path("<prompt>"), "prompt") is None


def test_locators_that_the_user_named_are_set_aside(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_LOCATOR_CLASSES", "Other", raising=False)
    assert toy("toy_named").run(1) == 6
    assert config.CACHE_LOCATOR_CLASSES == "Other"


def test_uncompiled_kernels_are_plain_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)

    def double(x: int) -> int:
        return 2 * x

    assert jit.kernel("int64(int64)")(double) is double and jit.helper(double)(2) == 4
    assert compiling.ensure_compiled() == 0.0


@pytest.mark.parametrize(
    ("platform", "variable", "end"),
    [
        ("win32", "LOCALAPPDATA", ("given", "canasta_env", "cache")),
        ("win32", "", ("AppData", "Local", "canasta_env", "cache")),
        ("darwin", "", ("Library", "Caches", "canasta_env")),
        ("linux", "XDG_CACHE_HOME", ("given", "canasta_env")),
        ("linux", "", (".cache", "canasta_env")),
    ],
)
def test_the_cache_lies_where_caches_belong(
    platform: str, variable: str, end: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CANASTA_CACHE_DIR", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    if variable:
        monkeypatch.setenv(variable, "given")
    assert jit.cache_root().parts[-len(end) :] == end


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare user id, as containers have them: nobody knows where its home is."""

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("CANASTA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert not jit.cache_root().exists()


# -- compiling all of a package ------------------------------------------------------------------


def test_all_kernels_of_a_package_are_compiled(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {name: where(toy(name))[0] for name in ("toy_one", "toy_two")}
    modules = {f"{name}.kernels": file for name, file in files.items()}
    modules["toy_none.kernels"] = files["toy_one"].with_name("missing.py")
    for module in [name for name in sys.modules if name.startswith("toy_")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(compiling, "kernel_modules", lambda package="", **_: modules)
    # the toys were compiled when their files were made: all that is lost is what is said about it
    jit.notice.shown = False
    compiling.clear()
    assert compiling.main(clear_first=True) == 1
    printed = capsys.readouterr()
    assert "2 modules with kernels in" in printed.out
    assert "not in the cache: toy_none.kernels" in printed.err
    assert "compiled the engine in" in printed.err
    del modules["toy_none.kernels"]
    assert compiling.ensure_compiled() >= 0 and compiling.main() == 0
    # somebody is at it already, in this process
    with compiling._running:
        assert compiling.ensure_compiled() == 0.0


def test_an_import_under_way_is_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleType("half")
    spec.__dict__["_initializing"] = True
    half = ModuleType("half_imported")
    half.__spec__ = spec  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "half_imported", half)
    assert not compiling._import("half_imported")
    assert not compiling._import("no_such_module_anywhere")


def test_the_modules_with_kernels() -> None:
    modules = compiling.kernel_modules()
    assert "canasta_env.kernels" in modules and "canasta_env.rules" not in modules
    assert all(file.is_file() for file in modules.values())


def test_old_versions_go_and_other_folders_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANASTA_CACHE_DIR", str(tmp_path))
    here = jit.platform_folder()
    for i in range(compiling.KEPT_VERSIONS + 2):
        (here / f"a.kernels-{i:016x}").mkdir(parents=True)
    (here / "not a version").mkdir()
    for i in range(compiling.KEPT_PLATFORMS + 2):
        (tmp_path / f"cpython-numba-0-{i:012x}").mkdir()
    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(compiling, "_age", lambda folder: -int(folder == here))
    compiling.clean()
    assert len(list(here.iterdir())) == compiling.KEPT_VERSIONS + 1
    assert len(list(tmp_path.iterdir())) == compiling.KEPT_PLATFORMS + 1
    compiling.clear()
    assert [folder.name for folder in tmp_path.iterdir()] == ["mine"]
    monkeypatch.undo()
    assert compiling._age(tmp_path / "gone") == 0.0 > compiling._age(tmp_path)


# -- what a kernel depends on --------------------------------------------------------------------


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_the_source_of_a_module_is_all_that_it_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pack/__init__.py": "from .one import a\n",
            "pack/one.py": "from . import two, three as drei\nimport pack.four as vier, os\n",
            "pack/two.py": "from ..pack.five import (\n    x,  # a comment\n    y,\n)\n",
            "pack/three.py": "from numpy import array\n",
            "pack/four.py": "import pack.one\nimport \\\n    pack.six\n",
            "pack/five.py": "",
            "pack/six.py": "",
            "pack/alone.py": "",
        },
    )
    found = sources.source_files(tmp_path / "pack" / "one.py", "pack.one")
    assert set(found) == {f"pack.{name}" for name in ("one", "two", "three", "four", "five", "six")}
    first = sources.source_hash(tmp_path / "pack" / "one.py", "pack.one")
    assert first != sources.source_hash(tmp_path / "pack" / "alone.py", "pack.alone")
    assert len(first) == 64


def test_a_module_has_a_home_and_a_name(tmp_path: Path) -> None:
    write(tmp_path, {"pack/sub/__init__.py": "", "pack/sub/one.py": "", "script.py": ""})
    one, package = tmp_path / "pack" / "sub" / "one.py", tmp_path / "pack" / "sub" / "__init__.py"
    home = tmp_path.resolve()
    assert sources.module_home(one, "pack.sub.one") == (home, "pack.sub.one")
    assert sources.module_home(package, "pack.sub") == (home, "pack.sub")
    assert sources.module_home(tmp_path / "script.py", "__main__") == (home, "script")
    # loaded under another name: a script like any other
    assert sources.module_home(one, "other.name.one") == (home / "pack" / "sub", "one")


def test_of_installed_packages_only_the_own_is_followed(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    write(
        installed,
        {
            "mine/__init__.py": "",
            "mine/one.py": "import theirs\nfrom mine import two\nimport canasta_env.cards\n",
            "mine/two.py": "",
            "theirs.py": "",
        },
    )
    found = sources.source_files(installed / "mine" / "one.py", "mine.one")
    assert {"mine.one", "mine.two", "canasta_env.cards"} <= set(found) and "theirs" not in found
