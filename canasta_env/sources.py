"""The source a compiled kernel depends on, as a hash.

numba's cache on disk knows a function by its own file alone: when a constant or a callee in another
file changes, the stale code is loaded without a word. So kernels are filed under a hash of their
module *and of all that it imports*, directly or not. The walk reads the text of import statements,
takes too much rather than too little, and stays inside ``canasta_env`` and the packages that lie
beside the kernel's own.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

_FROM = re.compile(r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n;]+)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n;]+)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_HOME = Path(__file__).resolve().parent.parent
_INSTALLED = ("site-packages", "dist-packages")


def module_home(file: Path, module: str) -> tuple[Path, str]:
    """The folder that imports start from, and the dotted name of ``file`` seen from there.

    ``module`` is the name that Python gave; a script has ``__main__``, and is named by its file.
    """
    file = file.resolve()
    parts = [file.stem] if module == "__main__" else module.split(".")
    home = file.parent
    for part in reversed(parts[:-1] if file.stem != "__init__" else parts):
        if home.name != part:  # an unusual loader: treat the file as a script
            return file.parent, file.stem
        home = home.parent
    return home, ".".join(parts)


def source_hash(file: Path, module: str) -> str:
    """The sha256, in hex, of a module and of all that it imports. OSError if it can't be read."""
    home, name = module_home(file, module)
    return _closure_hash(home, name, file.resolve())


def source_files(file: Path, module: str) -> dict[str, Path]:
    """The files behind :func:`source_hash`, by the dotted names of their modules."""
    home, name = module_home(file, module)
    return _closure(home, name, file.resolve())


@cache
def _closure_hash(home: Path, name: str, file: Path) -> str:
    digest = hashlib.sha256()
    for module, path in sorted(_closure(home, name, file).items()):
        text = _text(path).encode()
        digest.update(f"{module} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _closure(home: Path, name: str, file: Path) -> dict[str, Path]:
    found = {name: file}
    waiting = [name]
    top = name.partition(".")[0]
    while waiting:
        module = waiting.pop()
        for imported, path in _imports(home, top, module, found[module]):
            if imported not in found:
                found[imported] = path
                waiting.append(imported)
    return found


@cache
def _imports(home: Path, own: str, module: str, path: Path) -> list[tuple[str, Path]]:
    """What one module imports: of ``from p import n``, ``p.n`` if that is a module, else ``p``."""
    text = _COMMENT.sub("", _text(path)).replace("\\\n", " ")
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found = []
    for match in _IMPORT.finditer(text):
        for part in match[1].split(","):
            found += _resolve(home, own, part.split(" as ")[0].strip())
    for match in _FROM.finditer(text):
        source = _absolute(match[1], package)
        for part in match[2].strip("(), \t\n").split(","):
            name = f"{source}.{part.split(' as ')[0].strip()}"
            found += _resolve(home, own, name) or _resolve(home, own, source)
    return found


def _absolute(name: str, package: str) -> str:
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - dots + 1])
    return f"{base}.{name[dots:]}".strip(".")


@cache
def _resolve(home: Path, own: str, name: str) -> list[tuple[str, Path]]:
    top = name.partition(".")[0]
    homes = [_HOME] if top == "canasta_env" else []
    # numpy and torch lie beside an installed package, so of those only the package is followed
    if home.name not in _INSTALLED or top == own:
        homes.append(home)
    for folder in homes:
        base = folder.joinpath(*name.split("."))
        for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if name and path.is_file():
                return [(name, path)]
    return []


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
