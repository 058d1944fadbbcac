"""Compiling all kernels at once, with a word to the user, and cleaning up after old ones."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from numba.core import config

from canasta_env import jit

KEPT_VERSIONS: Final = 8
"""Compiled versions kept of one module: branches and checkouts take turns on one machine."""
BOTS: Final = "canasta_env.bots"
"""The package whose kernels are compiled when a rule bot is first asked to play."""
ROUNDS: Final = "canasta_env.rounds"
"""That whose kernels are compiled when a learner first sits down among other players."""
LATER: Final = {BOTS: "the rule bots", ROUNDS: "the play of a learner's companions"}
"""What the kernels of each package that waits for its first use do."""
KEPT_PLATFORMS: Final = 4
"""Folders kept by versions of Python, numba and the like, and by processor."""

_PACKAGE = Path(__file__).resolve().parent
_HAS_KERNELS = re.compile(r"^\s*@(?:jit\.)?kernel\b|=\s*(?:jit\.)?kernel\(", re.MULTILINE)
_PLATFORM = r".+-numba-.+-[0-9a-f]{12}"  # only these are ours in a folder that the user named
_VERSION = r".+-[0-9a-f]{16}"
_running = threading.Lock()


def kernel_modules(package: str = "canasta_env", *, suited: bool = False) -> dict[str, Path]:
    """The modules of ``package`` that have kernels, with their files: those for rules without
    suits, or those for rules with them, which are named ``suited_…``. Those of :data:`LATER` are
    named only if they are asked for."""
    folder = _PACKAGE.joinpath(*package.split(".")[1:])
    modules = {}
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(_PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if file.name.startswith("suited_") != suited:
            continue
        if name.startswith(tuple(LATER)) and not package.startswith(tuple(LATER)):
            continue
        if _HAS_KERNELS.search(file.read_text(encoding="utf-8")):
            modules[name] = file
    return modules


def ensure_compiled(
    package: str = "canasta_env", what: str = "the engine", *, suited: bool = False
) -> float:
    """Compile whatever kernels of ``package`` the cache lacks, and tell stderr if that takes time.

    Returns the seconds it took. Costs a few milliseconds if all lie in the cache, and imports
    nothing then. A module that fails to import is passed over: its own import will say why. The
    kernels for rules with suits are left out, or with ``suited`` they alone are meant.
    """
    if config.DISABLE_JIT or not _running.acquire(blocking=False):
        return 0.0
    start = time.perf_counter()
    try:
        missing = {
            name: file
            for name, file in kernel_modules(package, suited=suited).items()
            if not jit.is_complete(file, name)
        }
        if missing:
            _compile(missing, f"{what} for rules with suits" if suited else what)
    finally:
        _running.release()
    return time.perf_counter() - start


def _compile(modules: dict[str, Path], what: str) -> None:
    start = time.perf_counter()
    jit.notice.subject = f"{what} once for this machine (about a minute)"
    jit.notice.shown = False
    for name, file in modules.items():
        if _import(name):
            jit.mark_complete(file, name)
    if jit.notice.shown:
        jit.say(f"compiled {what} in {time.perf_counter() - start:.0f} s")
        clean()
    jit.notice.subject = ""


def _import(name: str) -> bool:
    """Import a module and with it compile its kernels; whether they are all there."""
    try:
        spec = importlib.import_module(name).__spec__
    except Exception:
        return False
    # true while an import that led here is still under way
    return not getattr(spec, "_initializing", False)


def clean() -> None:
    """Remove all but the newest compiled versions from the cache. Errors are left for the next
    time."""
    _remove_old(_folders(jit.cache_root(), _PLATFORM), KEPT_PLATFORMS)
    versions = defaultdict(list)
    for folder in _folders(jit.platform_folder(), _VERSION):
        versions[folder.name.rpartition("-")[0]].append(folder)
    for folders in versions.values():
        _remove_old(folders, KEPT_VERSIONS)


def clear() -> None:
    """Remove all compiled code, of other versions and processors too."""
    _remove_old(_folders(jit.cache_root(), _PLATFORM), 0)


def _folders(parent: Path, pattern: str) -> list[Path]:
    try:
        return [entry for entry in parent.iterdir() if re.fullmatch(pattern, entry.name)]
    except OSError:
        return []


def _remove_old(folders: Iterable[Path], kept: int) -> None:
    for folder in sorted(folders, key=_age)[kept:]:
        shutil.rmtree(folder, ignore_errors=True)


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:
        return 0.0


def main(clear_first: bool = False) -> int:
    """``python -m canasta_env compile``: compile, and say where the code lies."""
    if clear_first:
        clear()
    seconds = 0.0
    names: dict[str, Path] = {}
    for suited in (False, True):
        for package, what in {"canasta_env": "the engine", **LATER}.items():
            seconds += ensure_compiled(package, what, suited=suited)
            names |= kernel_modules(package, suited=suited)
    failed = [name for name, file in names.items() if not jit.is_complete(file, name)]
    kept = len(names) - len(failed)
    print(f"{kept} modules with kernels in {jit.platform_folder()} ({seconds:.1f} s)")
    if failed:
        print(f"not in the cache: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0
