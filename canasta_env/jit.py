"""The decorator of all kernels: numba, with a cache on disk that never goes stale.

``@kernel(signature)`` compiles at once, that is at import; ``@kernel()`` compiles for the types of
each call, as helpers of other kernels do. Both release the GIL, don't check bounds and divide as
numpy does. With ``NUMBA_DISABLE_JIT=1`` the decorator returns the plain function.

The compiled code lies in ``$CANASTA_CACHE_DIR``, or else in the user's cache folder, as ``<versions
and processor>/<module>-<hash>/``, where the hash covers the module and all that it imports
(:mod:`canasta_env.sources`). numba's own ``NUMBA_CACHE_DIR`` and its other settings stay untouched,
and kernels of other packages, the user's included, get the same treatment from the same decorator.
Where the folder cannot be written, kernels compile in memory, and one line on stderr says so.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, Final, TypeVar

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import numpy.typing as npt
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typeinfer import register_dispatcher

from canasta_env.sources import module_home, source_hash

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: Final = {"nogil": True, "boundscheck": False, "error_model": "numpy"}
STAMP: Final = "compiled.ok"
"""Stands in a module's folder once all its kernels have been compiled and stored."""
LOCK_TIMEOUT: Final = 900.0
"""Seconds, more than a compilation takes, after which the holder of the lock is thought to hang."""

_saves_failed: set[str] = set()
"""Modules of which some kernel could not be stored, so that they get no stamp."""
_warned = threading.Event()


class _Notice:
    """The line on stderr that says why an import takes so long: shown when something compiles."""

    subject = ""
    """What is being compiled; left empty, it is the module of the first kernel to miss the
    cache."""
    shown = False

    def show(self, module: str) -> None:
        if not self.shown:
            self.shown = True
            say(f"compiling {self.subject or module + ' (kept for later runs)'} ...")


notice = _Notice()


def say(line: str) -> None:
    """Tell the user something on stderr, in one line."""
    print(f"canasta_env: {line}", file=sys.stderr, flush=True)


def kernel(signature: Any = None, *, home: str = "", **options: Any) -> Callable[[F], F]:
    """Compile a function with numba, cached under the hash of its source and of what it imports.

    ``signature`` is a numba signature, or a list of them; without one (``@kernel()``, or just
    ``@kernel``, which a type checker can't follow) the function compiles for the types of its
    calls. ``home`` names the module that the code is filed under, where that is not the function's
    own: one function can so be compiled for several modules. ``options`` are numba's own and
    override :data:`OPTIONS`. Globals are frozen when a kernel is compiled and must come from the
    source of the modules that are imported, not from files or the environment.
    """
    if inspect.isfunction(signature):
        compiled: Any = _compiled(signature, [], options, home)
        return compiled  # type: ignore[no-any-return]
    signatures = signature if isinstance(signature, list) else [signature]
    wanted = [one for one in signatures if one is not None]
    return lambda function: _compiled(function, wanted, options, home)


def helper(function: F) -> F:
    """Compile a function that only kernels call: its code lies in their cache, not in its own.

    Numba would compile it anew for each constant that a caller names; here a constant is a number
    as any other. Where the function becomes a part of its caller the compiler sees it anyway.
    """
    compiled: Any = numba.njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        for_types = compiled.get_call_template

        def for_numbers(arguments: Any, named: dict[str, Any]) -> Any:
            plain = numba.types.unliteral
            return for_types(
                tuple(map(plain, arguments)), {name: plain(kind) for name, kind in named.items()}
            )

        compiled.get_call_template = for_numbers
    return compiled  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Like :func:`helper`, for a function with one caller: it becomes a part of it before anything
    is compiled. A helper is optimised with all that it calls, and again in every caller, so a
    layer less above a large function saves seconds.
    """
    compiled: F = numba.njit(inline="always", **OPTIONS)(function)
    return compiled


def rebound(function: Any, **names: Any) -> Any:
    """The plain function of a kernel with other meanings of some of the names it uses, to be
    compiled once more for records of another layout."""
    source = getattr(function, "py_func", function)
    scope = {**source.__globals__, **names}
    other = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
    other.__doc__ = source.__doc__
    return other


def records(dtype: npt.DTypeLike, readonly: bool = False) -> Any:
    """The type, for signatures, of a contiguous array of one dimension with elements ``dtype``."""
    return numba.types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C", readonly=readonly)


def _compiled(
    function: Callable[..., Any], signatures: list[Any], options: dict[str, Any], home: str
) -> Any:
    dispatcher = numba.njit(**{**OPTIONS, **options})(function)
    if config.DISABLE_JIT:
        return dispatcher
    file = inspect.getfile(sys.modules[home] if home else function)
    folder = kernel_folder(Path(file), home or function.__module__)
    if folder is not None:
        # what dispatcher.enable_caching() does, with our cache in the place of numba's
        dispatcher._cache = _cache_class(folder)(function)
        dispatcher._cache.noticed = bool(signatures)
        dispatcher._cache.home = home
    for signature in signatures:
        _compile(dispatcher, signature, folder)
    if signatures:
        dispatcher.disable_compile()
    return dispatcher


def _compile(dispatcher: Any, signature: Any, folder: Path | None) -> None:
    complete = folder is None or (folder / STAMP).exists()
    guard = contextlib.nullcontext() if complete else locked()
    # registered by name, as numba.jit does, so that a recursive kernel finds itself
    with guard, register_dispatcher(dispatcher):
        dispatcher.compile(signature)


def is_complete(file: Path, module: str) -> bool:
    """Whether all kernels of a module lie in the cache."""
    folder = kernel_folder(file, module)
    return folder is not None and (folder / STAMP).exists()


def mark_complete(file: Path, module: str) -> None:
    """Stamp a module whose kernels have all been compiled, unless one could not be stored."""
    folder = kernel_folder(file, module)
    if folder is None or str(folder) in _saves_failed:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STAMP).touch()
    except OSError as error:
        _warn(error)


def cache_root() -> Path:
    """The folder of all compiled code: ``$CANASTA_CACHE_DIR``, or one where caches belong."""
    if given := os.environ.get("CANASTA_CACHE_DIR"):
        return Path(given).absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local"
        return Path(local) / "canasta_env" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "canasta_env"
    return Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "canasta_env"


def _home() -> Path:
    """The user's home. Who has none, as a bare user id in a container, gets a folder that is not
    there and can't be made: then kernels compile in memory, and the usual line says so."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


_SETTINGS: Final = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "CPU_NAME", "CPU_FEATURES")
"""What numba reads from ``NUMBA_*`` variables and bakes into the code, not into its cache's key."""


@functools.cache
def _platform_key() -> str:
    """Names all that changes machine code but the source: versions, processor, settings."""
    parts = [
        sys.implementation.cache_tag,
        platform.system(),
        platform.machine(),
        llvmlite.__version__,
        np.__version__,
        llvmlite.binding.get_host_cpu_name(),
        llvmlite.binding.get_host_cpu_features().flatten(),
        *(getattr(config, name, None) for name in _SETTINGS),
    ]
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()
    return f"{sys.implementation.cache_tag}-numba-{numba.__version__}-{digest[:12]}"


def platform_folder() -> Path:
    """The part of the cache that this machine, with these versions, reads and writes."""
    return cache_root() / _platform_key()


def kernel_folder(file: Path, module: str) -> Path | None:
    """Where the kernels of one module lie; None if they have no file (typed at a prompt)."""
    try:
        digest = source_hash(file, module)
    except (OSError, UnicodeError):
        return None
    return platform_folder() / f"{module_home(file, module)[1]}-{digest[:16]}"


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Hold the lock that one process at a time compiles under; without it, if there can be none.

    A library does the locking (filelock: fcntl or msvcrt) since a plain lock file outlives a killed
    process. numba's own lock comes first: it's held while numba stores what it compiled, and the
    two must never be taken crosswise.
    """
    # imported here since a warm start needs no lock
    from filelock import FileLock, Timeout

    with global_compiler_lock, contextlib.ExitStack() as stack:
        try:
            platform_folder().mkdir(parents=True, exist_ok=True)
            path = str(platform_folder() / "compile.lock")
            stack.enter_context(FileLock(path, timeout=LOCK_TIMEOUT, is_singleton=True))
        except (OSError, NotImplementedError, Timeout) as error:
            _warn(error)
        yield


def _warn(error: Exception) -> None:
    if not _warned.is_set():
        _warned.set()
        say(
            f"compiling in memory, since {cache_root()} can't be used ({error});"
            " set CANASTA_CACHE_DIR to a folder that can be written"
        )


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one function, which falls back to compiling where the disk fails."""

    home = ""
    """The module that the code is filed under, where that is not the function's own."""
    noticed = False
    """Whether a miss is worth a notice: helpers compile as part of the kernels that call them."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        loaded = None
        # a torn file raises anything at all; what is then compiled replaces it
        with contextlib.suppress(Exception):
            loaded = super().load_overload(sig, target_context)
        if loaded is None and self.noticed:
            notice.show(self.home or self._py_func.__module__)
        return loaded

    def _save(self, sig: Any, data: Any) -> None:
        try:
            self._cache_file._load_index()
        except OSError:
            raise
        except Exception:  # a torn index raises anything, too; what it named is compiled again
            Path(self._cache_file._index_path).unlink(missing_ok=True)
        super().save_overload(sig, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            # numba reads, changes and writes an index: two processes would lose or swap entries
            with locked():
                self._save(sig, data)
        except OSError as error:
            _saves_failed.add(self.cache_path)
            _warn(error)


@functools.cache
def _cache_class(folder: Path) -> type[_Cache]:
    """A cache whose functions lie in ``folder``: numba asks a class for the place."""

    class Locator(_CacheLocator):  # type: ignore[misc]
        def __init__(self, file: str, line: int) -> None:
            self._py_file = file  # numba reads it for its warnings
            self._line = line

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Locator:
            return cls(py_file, py_func.__code__.co_firstlineno)

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return str(self._line)

    class Place(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class PlacedCache(_Cache):
        _impl_class = Place

        def __init__(self, function: Any) -> None:
            with _no_other_locators():
                super().__init__(function)

    return PlacedCache


@contextlib.contextmanager
def _no_other_locators() -> Iterator[None]:
    """Set aside the locators that the user may have named for numba's own caches."""
    named = getattr(config, "CACHE_LOCATOR_CLASSES", "")
    if not named:
        yield
        return
    config.CACHE_LOCATOR_CLASSES = ""
    try:
        yield
    finally:
        config.CACHE_LOCATOR_CLASSES = named
