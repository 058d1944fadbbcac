"""Which module may import which, from experiments down to canasta_env, and inside that."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

PACKAGES = ("canasta_env", "agents", "train", "experiments")
"""From the bottom up: each may import itself and those before it."""

LAYERS = (
    {"sources", "jit", "cards"},
    {"rules"},
    {"engine"},
    {"actions", "action", "notation", "positions", "observation", "symmetry", "bots", "kernels"}
    | {"entries", "signatures", "suited_kernels", "compile"},
    {"batch", "channels", "game", "record", "events", "suited_batch"},
    {"render"},
    {"text", "data"},
    {"aec", "suited_aec", "canasta_v0", "rounds", "single", "vector", "registration"},
    {"rllib"},
    {"docs", "replay", "match"},
    {"__main__"},
)
"""The parts of canasta_env from the bottom up: each may import its own layer and those below. A
name stands for itself and what follows it after an underscore. The package's own file is left out,
since its names load on first use."""

ENVIRONMENT_NEEDS = {"numpy", "numba", "llvmlite", "filelock", "gymnasium", "pettingzoo"}
"""What canasta_env may import besides the standard library."""
DRAWING = {"pygame"}
"""What only canasta_env.render may import, and only where it draws."""
FRAMEWORKS = {"canasta_env.rllib": {"ray"}}
"""What else a module may import that nobody meets but who asks for it by its name."""
DATA = {"pyarrow", "torch", "minari"}
"""What only canasta_env.data may import, and only where it reads, writes or loads."""
NEURAL = (
    "agents.network",
    "agents.neural",
    "agents.rank_network",
    "agents.symmetric_network",
    "canasta_env.data.torch_loader",
)
"""The modules below train that may import torch."""


def modules(package: str) -> list[tuple[str, Path]]:
    found = []
    for file in sorted((REPOSITORY / package).rglob("*.py")):
        parts = file.relative_to(REPOSITORY).with_suffix("").parts
        found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), file))
    return found


def imports(module: str, file: Path) -> Iterator[tuple[int, str]]:
    """The line and the full name of everything that a module imports, inside functions too."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                home = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*home, base]).strip(".")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def layer(module: str) -> int | None:
    part = module.split(".")[1]
    names = {part, part.split("_")[0]}
    return next((level for level, known in enumerate(LAYERS) if names & known), None)


def all_imports() -> list[tuple[str, str, str]]:
    """Triples: the importing module, what it imports, and ``file:line`` for the message."""
    return [
        (module, name, f"{file.relative_to(REPOSITORY)}:{line}")
        for package in PACKAGES
        for module, file in modules(package)
        for line, name in imports(module, file)
    ]


EDGES = all_imports()


def test_packages_import_downwards() -> None:
    wrong = [
        f"{where}: {module} imports {name}"
        for module, name, where in EDGES
        if name.split(".")[0] in PACKAGES
        and PACKAGES.index(name.split(".")[0]) > PACKAGES.index(module.split(".")[0])
    ]
    assert not wrong, "\n".join(wrong)


def test_every_part_of_the_environment_has_a_layer() -> None:
    names = [name for name, _ in modules("canasta_env") if "." in name]
    assert not [name for name in names if layer(name) is None], "give it a place in LAYERS"


def test_the_environment_imports_downwards() -> None:
    wrong = []
    for module, name, where in EDGES:
        if not (module.startswith("canasta_env.") and name.startswith("canasta_env.")):
            continue
        own, other = layer(module), layer(name)
        if own is not None and other is not None and other > own:
            wrong.append(f"{where}: {module} imports {name}, a layer above")
    assert not wrong, "\n".join(wrong)


def test_the_environment_needs_few_packages() -> None:
    wrong = []
    for module, name, where in EDGES:
        top = name.split(".")[0]
        extra = DRAWING if module.startswith("canasta_env.render") else set()
        extra = DATA if module.startswith("canasta_env.data") else extra
        extra = FRAMEWORKS.get(module, extra)
        known = {"canasta_env", *sys.stdlib_module_names, *ENVIRONMENT_NEEDS, *extra}
        if module.split(".")[0] == "canasta_env" and top not in known:
            wrong.append(f"{where}: {module} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_frameworks_are_met_by_name_only() -> None:
    wrong = [
        f"{where}: {module} imports {name}"
        for module, name, where in EDGES
        if name.startswith(tuple(FRAMEWORKS)) and module.split(".")[0] in ("canasta_env", "agents")
    ]
    assert not wrong, "\n".join(wrong)


def test_torch_stays_in_the_neural_agents_and_above() -> None:
    wrong = [
        f"{where}: {module} imports {name}"
        for module, name, where in EDGES
        if name.split(".")[0] == "torch"
        and module.split(".")[0] in ("canasta_env", "agents")
        and not module.startswith(NEURAL)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["Game", "Batch", "Rules"])
def test_a_game_loads_no_framework(name: str) -> None:
    heavy = ["torch", "pettingzoo", "gymnasium", "pygame"]
    code = f"""
import sys, canasta_env
canasta_env.{name}
print([module for module in {heavy} if module in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
