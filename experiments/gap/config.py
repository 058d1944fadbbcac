"""What the study is made of, from a file in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from canasta_env.rules import Rules
from experiments.block import Setup

__all__ = ["PLAYERS", "Arm", "Study", "read"]

PLAYERS = 4
"""Two pairs: with two or three players nobody has a partner."""


@dataclass(frozen=True)
class Arm:
    """A way of training: its ``name``, its settings as :mod:`train.ppo` takes them, the seeds that
    are partners of one another, and ``more`` seeds that are opponents only.
    """

    name: str
    training: tuple[str, ...]
    seeds: tuple[int, ...]
    more: tuple[int, ...] = ()

    def run(self, folder: Path, rules: str) -> str:
        """The runs' common name, without ``-seed1``."""
        return str(folder / f"{rules}-{self.name.replace(' ', '-')}")

    def agents(self, folder: Path, rules: str) -> list[str]:
        """The agents' names, by seed."""
        return [f"{self.run(folder, rules)}-seed{seed}" for seed in self.seeds]


@dataclass(frozen=True)
class Study:
    """All of it.

    ``opponents`` are agents by name, or an arm and a seed of its own (``mlp 0.01/11``).
    ``differences`` are pairs of names of arms, ``pictures`` the arms whose matrices are drawn.
    """

    rules: str
    seeds: tuple[int, ...]
    pairs: int
    opponents: tuple[str, ...]
    symmetry_deals: int
    seed: int
    level: float
    training: tuple[str, ...]
    arms: tuple[Arm, ...]
    differences: tuple[tuple[str, str], ...] = ()
    pictures: tuple[str, ...] = ()

    @property
    def setup(self) -> Setup:
        """What :mod:`experiments.block` plays."""
        rules = Rules.parse(self.rules)
        return Setup(str(rules), rules.at(PLAYERS), PLAYERS, self.pairs, self.seed)

    def references(self, folder: Path) -> list[str]:
        """The teams that all partners meet, as :func:`experiments.crossplay.crossplay` takes
        them."""
        named = {arm.name: arm for arm in self.arms}
        found = []
        for opponent in self.opponents:
            arm, _, seed = opponent.rpartition("/")
            run = f"{named[arm].run(folder, self.rules)}-seed{seed}" if arm in named else opponent
            found.append(run)
        return found


def read(path: Path) -> Study:
    """The study of a file.

    Raises:
        ValueError: it is no TOML, or something is missing, unknown or not possible; the text names
            it.
        OSError: it cannot be read.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{path}: {fault}") from None
    try:
        return _study(found)
    except (ValueError, TypeError) as fault:
        raise ValueError(f"{path}: {fault}") from None


def _study(found: dict[str, Any]) -> Study:
    wanted = {field.name: field for field in fields(Study)}
    unknown = [name for name in found if name not in wanted]
    if unknown:
        raise ValueError(f"{unknown[0]}: is none of {', '.join(wanted)}")
    missing = [n for n, field in wanted.items() if field.default is MISSING and n not in found]
    if missing:
        raise ValueError(f"{missing[0]}: is missing")
    seeds = _numbers("seeds", found["seeds"])
    opponents = tuple(map(str, found["opponents"]))
    arms = tuple(_arm(name, table, seeds, opponents) for name, table in found["arms"].items())
    study = Study(
        rules=str(Rules.parse(found["rules"])),
        seeds=seeds,
        pairs=_number("pairs", found["pairs"], 2),
        opponents=opponents,
        symmetry_deals=_number("symmetry_deals", found["symmetry_deals"], 2),
        seed=_number("seed", found["seed"], 0),
        level=float(found["level"]),
        training=tuple(map(str, found["training"])),
        arms=arms,
        differences=tuple(_difference(one, arms) for one in found.get("differences", [])),
        pictures=_known("pictures", found.get("pictures", []), arms),
    )
    if len(seeds) < 2:
        raise ValueError(f"seeds: {len(seeds)} is no population; two at the least")
    if not 0.0 < study.level < 1.0:
        raise ValueError(f"level: {study.level} is not between 0 and 1")
    return study


def _number(name: str, value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}: {value!r} is no whole number from {least} on")
    return value


def _numbers(name: str, values: object) -> tuple[int, ...]:
    if not isinstance(values, list):
        raise ValueError(f"{name}: {values!r} is no list of whole numbers")
    found = tuple(_number(name, value, 0) for value in values)
    if len(set(found)) < len(found):
        raise ValueError(f"{name}: one stands there twice")
    return found


def _arm(name: str, table: Any, seeds: tuple[int, ...], opponents: tuple[str, ...]) -> Arm:
    """An arm, with the seeds that only opponents need."""
    if not isinstance(table, dict) or list(table) != ["training"]:
        raise ValueError(f"arms: {name} has its settings as training = [...] and nothing else")
    more = []
    for opponent in opponents:
        arm, _, seed = opponent.rpartition("/")
        if arm == name:
            if not seed.isdigit() or int(seed) in seeds:
                raise ValueError(
                    f"opponents: {opponent}: the seed must be a number and none of the partners'"
                )
            more.append(int(seed))
    return Arm(name, tuple(map(str, table["training"])), seeds, tuple(more))


def _difference(table: Any, arms: tuple[Arm, ...]) -> tuple[str, str]:
    named = table.get("arms") if isinstance(table, dict) else None
    if not isinstance(named, list) or len(named) != 2:
        raise ValueError("differences: each has arms = [one, other] and nothing else")
    first, second = _known("differences", named, arms)
    return first, second


def _known(what: str, named: Any, arms: tuple[Arm, ...]) -> tuple[str, ...]:
    known = [arm.name for arm in arms]
    unknown = [name for name in named if name not in known]
    if unknown:
        raise ValueError(f"{what}: {unknown[0]} is none of the arms {', '.join(known)}")
    return tuple(named)
