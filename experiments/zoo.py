"""The zoo, a documented population for partner studies: ``python -m experiments.zoo``.

It lists the members (``--rules mini --players 4``: those that play this game). ``--names train``
prints the names of a role for use in a shell, ``--make`` trains the checkpoints that are missing,
``--check NAME ...`` fails if one of the names is held out from training.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table

from agents import registry
from canasta_env.bots import styles
from canasta_env.rules import Rules
from experiments.command import carry_out

__all__ = ["FILE", "ROLES", "Game", "Member", "Recipe", "Zoo", "ZooError", "load", "main", "page"]

FILE: Final = Path(__file__).with_name("zoo.toml")
ROLES: Final = ("train", "held_out")


class ZooError(ValueError):
    """A zoo that cannot be used, or not in this way; the text is one line."""


@dataclass(frozen=True)
class Game:
    """Rules, as a text, and a number of players."""

    rules: str
    players: int

    @classmethod
    def parse(cls, text: str) -> Game:
        """``classic-4p``; raises ValueError for rules or players that do not exist."""
        rules, _, players = text.rpartition("-")
        if not players.endswith("p") or not players[:-1].isdigit():
            raise ValueError(f"{text!r} is no game; write it as classic-4p")
        Rules.parse(rules).at(int(players[:-1]))
        return cls(str(Rules.parse(rules)), int(players[:-1]))

    def __str__(self) -> str:
        return f"{self.rules}-{self.players}p"


@dataclass(frozen=True)
class Member:
    """An agent of the zoo: its name, role and line; ``games`` it plays, all if empty; the name of
    the ``recipe`` that trains it, empty if nothing does.
    """

    name: str
    role: str
    what: str
    games: tuple[Game, ...] = ()
    recipe: str = ""

    def plays(self, game: Game) -> bool:
        return not self.games or game in self.games

    @property
    def is_made(self) -> bool:
        return not self.recipe or Path(self.name).exists()


@dataclass(frozen=True)
class Recipe:
    """How checkpoints are trained: by :mod:`train.seeds`, a run ``<run>-seed<seed>`` for each seed,
    with checkpoints kept each ``keep_every`` deals. Members are those at ``marks`` and the last.
    """

    name: str
    what: str
    game: Game
    trainer: str
    run: str
    train_seeds: tuple[int, ...]
    held_out_seeds: tuple[int, ...]
    deals: int
    keep_every: int
    marks: tuple[int, ...]
    settings: str

    @property
    def command(self) -> list[str]:
        """The arguments of ``python -m train.seeds``."""
        every = (*self.train_seeds, *self.held_out_seeds)
        return [
            *(self.trainer, "--seeds", *map(str, every), "--run", self.run, "--decks", "0", "--"),
            *("--rules", self.game.rules, "--players", str(self.game.players)),
            *("--deals", str(self.deals), "--keep-every", str(self.keep_every)),
            *self.settings.split(),
        ]

    def folder(self, seed: int) -> str:
        """The run of a seed."""
        return f"{self.run}-seed{seed}"

    def members(self) -> list[Member]:
        """The checkpoints of all seeds, each run's in the order of its deals."""
        found = []
        for role, group in zip(ROLES, (self.train_seeds, self.held_out_seeds), strict=True):
            for seed in group:
                ends = [(f"/at-{mark:08d}", f"{mark:,}") for mark in self.marks]
                for end, deals in [*ends, ("", f"{self.deals:,}")]:
                    what = f"{self.what}: seed {seed} after {deals} deals"
                    name = self.folder(seed) + end
                    found.append(Member(name, role, what, (self.game,), self.name))
        return found


@dataclass(frozen=True)
class Zoo:
    """All members, those that recipes train included, and the recipes."""

    members: tuple[Member, ...]
    recipes: tuple[Recipe, ...]

    def find(self, role: str | None = None, game: Game | None = None) -> list[Member]:
        """The members of a role that play a game, made or not; None: of any.

        Raises:
            ZooError: there is no such role.
        """
        if role is not None and role not in ROLES:
            raise ZooError(f"{role!r} is no role; the roles are {', '.join(ROLES)}")
        return [
            member
            for member in self.members
            if role in (None, member.role) and (game is None or member.plays(game))
        ]

    def names(self, role: str, game: Game, *, made: bool = False) -> list[str]:
        """The names of a role's members that play a game, all of them or those that are ``made``.

        Raises:
            ZooError: there is no such role, or a checkpoint was not trained yet.
        """
        found = self.find(role, game)
        missing = [member for member in found if not member.is_made]
        if missing and not made:
            raise ZooError(
                f"{missing[0].name} is not there yet; python -m experiments.zoo --make "
                f"{missing[0].recipe} trains it, --made leaves it out"
            )
        return [member.name for member in found if member.is_made]

    def check_training(self, names: Sequence[str]) -> None:
        """Raises ZooError if training with these agents or teams would meet one that is held out:
        a member, drawn at a temperature or with other weights too, or any checkpoint of its run.
        """
        for name in names:
            for agent in name.split("+"):
                held_out = self._held_out(agent)
                if held_out:
                    raise ZooError(
                        f"{name}: {held_out} is held out from training in this zoo; "
                        "take members of the role train"
                    )

    def _held_out(self, agent: str) -> str:
        """What of the zoo's held-out part an agent is; empty if nothing."""
        path, _ = registry.split(agent)
        base = path.partition("(")[0] if styles.is_name(path) else path
        for member in self.find("held_out"):
            if not member.recipe and base == member.name:
                return member.name
        for recipe in self.recipes:
            for run in map(recipe.folder, recipe.held_out_seeds):
                if Path(base).resolve().is_relative_to(Path(run).resolve()):
                    return run
        return ""


# --- reading ------------------------------------------------------------------------------------


def load(path: Path = FILE) -> Zoo:
    """Reads and checks a zoo.

    Raises:
        ZooError: the file is no TOML, has a key that is not known, lacks one, or names what does
            not exist; one line that says where.
        OSError: it cannot be read.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ZooError(f"{path}: {error}") from None
    unknown = [key for key in found if key not in ("member", "recipe")]
    if unknown:
        raise ZooError(f"{path}: {unknown[0]} is not known; write [[member]] and [[recipe]]")
    plain = tuple(_read(path, Member, entry) for entry in found.get("member", []))
    recipes = tuple(_read(path, Recipe, entry) for entry in found.get("recipe", []))
    members = (*plain, *(member for recipe in recipes for member in recipe.members()))
    names = [member.name for member in members] + [f"recipe {one.name}" for one in recipes]
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ZooError(f"{path}: {twice[0]} is there twice")
    return Zoo(members, recipes)


def _read(path: Path, kind: Any, entry: dict[str, Any]) -> Any:
    """A member or a recipe."""
    where = f"{path}: {kind.__name__.lower()} {entry.get('name', '?')}"
    known = [field.name for field in fields(kind) if (kind, field.name) != (Member, "recipe")]
    unknown = [key for key in entry if key not in known]
    if unknown:
        raise ZooError(f"{where}: {unknown[0]} is not known; there are {', '.join(known)}")
    missing = [key for key in known if key not in entry and key != "games"]
    if missing:
        raise ZooError(f"{where}: {missing[0]} is missing")
    try:
        made = kind(**{key: _value(key, value) for key, value in entry.items()})
        _check(made)
    except (ValueError, TypeError, AttributeError) as error:
        raise ZooError(f"{where}: {error}") from None
    return made


def _value(key: str, value: Any) -> Any:
    """A value of the file as its field takes it."""
    if key == "game":
        return Game.parse(value)
    if key == "games":
        return tuple(map(Game.parse, value))
    return tuple(value) if isinstance(value, list) else value


def _check(made: Member | Recipe) -> None:
    """Raises ValueError for what is not possible."""
    if isinstance(made, Member):
        if made.role not in ROLES:
            raise ValueError(f"role {made.role!r} is none of {', '.join(ROLES)}")
        for game in made.games or (Game("classic", 4),):
            registry.make(made.name, game.rules, game.players)
        return
    both = set(made.train_seeds) & set(made.held_out_seeds)
    if both:
        raise ValueError(f"seed {min(both)} is trained with and held out")
    wrong = [mark for mark in made.marks if mark % made.keep_every or not 0 <= mark < made.deals]
    if wrong:
        raise ValueError(
            f"mark {wrong[0]} is no multiple of keep_every {made.keep_every} below {made.deals}"
        )


# --- showing ------------------------------------------------------------------------------------


def page(zoo: Zoo) -> str:
    """The tables of docs/zoo.md: members that nothing trains, recipes, and their commands."""
    lines = ["| agent | role | games | what |", "| --- | --- | --- | --- |"]
    for one in zoo.members:
        if not one.recipe:
            lines.append(f"| `{one.name}` | {one.role} | {_games(one)} | {one.what} |")
    lines += ["", "| recipe | game | what | seeds, train | held out | checkpoints after deals |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    for recipe in zoo.recipes:
        lists = (recipe.train_seeds, recipe.held_out_seeds, (*recipe.marks, recipe.deals))
        cells = " | ".join(", ".join(f"{n:,}" for n in numbers) for numbers in lists)
        lines.append(f"| `{recipe.name}` | {recipe.game} | {recipe.what} | {cells} |")
    lines += ["", "```"]
    lines += [f"python -m train.seeds {' '.join(recipe.command)}" for recipe in zoo.recipes]
    return "\n".join([*lines, "```"])


def _games(member: Member) -> str:
    return ", ".join(map(str, member.games)) or "all"


def _show(zoo: Zoo, game: Game, console: Console) -> None:
    """A table of the members that nothing trains, and one of the recipes."""
    table = Table(title=f"The zoo for {game}", title_justify="left", box=box.SIMPLE)
    for head in ("agent", "role", "what"):
        table.add_column(head, overflow="fold", min_width=8)
    members = zoo.find(game=game)
    for one in members:
        if not one.recipe:
            table.add_row(one.name, one.role, one.what)
    console.print(table)
    for recipe in zoo.recipes:
        theirs = [one for one in members if one.recipe == recipe.name]
        there = sum(one.is_made for one in theirs)
        for one in theirs:
            console.print(f"{one.name}  {one.role}{'' if one.is_made else ', not there'}")
        if there < len(theirs):
            console.print(f"--make {recipe.name} trains what is not there")


def _make(zoo: Zoo, name: str, console: Console) -> None:
    """Trains what is missing of a recipe; raises ValueError with one clear line."""
    from train import seeds  # loads torch, which nothing else here needs

    known = {recipe.name: recipe for recipe in zoo.recipes}
    if name not in known:
        raise ZooError(f"{name!r} is no recipe; the recipes are {', '.join(known)}")
    command = known[name].command
    cut = command.index("--")
    seeds.run(seeds.parser().parse_args(command[:cut]), command[cut + 1 :], console)
    missing = [one.name for one in zoo.members if one.recipe == name and not one.is_made]
    if missing:
        raise ZooError(f"{missing[0]} was not kept; remove the run, and make it again")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.zoo", description=__doc__)
    parse.add_argument("--file", type=Path, default=FILE, help="another zoo")
    parse.add_argument("--rules", default="classic", help="of the members that are wanted")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--made", action="store_true", help="--names without what is not there")
    what = parse.add_mutually_exclusive_group()
    what.add_argument("--names", choices=ROLES, help="print the names of a role")
    what.add_argument("--make", metavar="RECIPE", help="train what is missing of a recipe")
    what.add_argument("--check", nargs="+", metavar="AGENT", help="may training meet these?")
    what.add_argument("--page", action="store_true", help="print the tables of docs/zoo.md")
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Does what is asked for; raises ValueError or OSError with one clear line."""
    zoo = load(options.file)
    game = Game.parse(f"{Rules.parse(options.rules)}-{options.players}p")
    if options.names:
        print(" ".join(zoo.names(options.names, game, made=options.made)))
    elif options.make:
        _make(zoo, options.make, console)
    elif options.check:
        zoo.check_training(options.check)
    elif options.page:
        print(page(zoo))
    else:
        _show(zoo, game, console)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    told = "interrupted; the same command goes on"
    return carry_out("experiments.zoo", partial(run, options, Console()), told)


if __name__ == "__main__":
    sys.exit(main())
