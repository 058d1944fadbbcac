"""A population of partners, and an agent trained with them: the third trainer.

    python -m train.population fcp --rules mini --deals 6000 --ego-deals 12000 --run runs/pop-mini

Who trains with itself alone learns to play with itself. Here two stages are done by one command:

1. **The population.** A run of self-play (train/ppo.py) for each of ``--seeds``. Its members are
   all checkpoints that the runs kept along the way, the untrained one, one in the middle and the
   last, if ``--keep-every`` says nothing else, so that there are partners of all strengths
   (fictitious co-play, ``fcp``: Strouse et al., arXiv 2110.08176). With ``mep`` they are trained
   one after another, and each is paid for playing unlike those before (train/diversity.py), too.
2. **The ego.** A run for each of ``--ego-seeds``, in which a member is the partner and draws its
   actions by probability. ``--opponents`` says who has the other side: the ego itself, a member
   in both seats, or an agent by name.

What stands after ``--`` are settings of train.ppo for all runs of both stages. The command can be
given again at any time: what is finished is skipped, what was broken off goes on. The folder keeps
what was asked for (population.json), and another population is not mixed into it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agents import checkpoint as checkpoints
from agents import registry
from canasta_env.rules import Rules
from train import runs, seeds
from train.held_out import keep_apart
from train.members import MEMBERS

__all__ = ["Population", "Settings", "main", "parser", "train_all"]

INDEX: Final = "population.json"
FORMAT: Final = "canasta population 1"
EGO: Final = "ego"
METHODS: Final = ("fcp", "mep")
_OURS: Final = (
    "--rules", "--players", "--deals", "--keep-every", "--members", "--in-play", "--pool",
    "--partners", "--snapshot-every", "--held-out", "--diversity", "--diversity-from", "--start",
)  # fmt: skip
"""Settings of train.ppo that this command gives itself."""


# --- what is asked for --------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What a population is: two with the same settings are the same.

    ``deals`` and ``ego_deals`` are of each run; ``share`` is that of the ego's games in which a
    member is its partner, ``turn`` the number of updates after which other members are in play;
    ``trainer`` are the settings of train.ppo for all runs.
    """

    method: str
    rules: str
    players: int
    seeds: tuple[int, ...]
    deals: int
    keep_every: int
    diversity: float
    ego_deals: int
    opponents: str
    share: float
    in_play: int
    turn: int
    held_out: tuple[str, ...]
    trainer: tuple[str, ...]

    def check(self) -> None:
        """Raises ``ValueError`` for what no population can be made with; one clear line."""
        own = [text for text in self.trainer if text.split("=")[0] in _OURS]
        if own:
            raise ValueError(f"{own[0]} is given by this command itself; leave it out after --")
        for name in ("deals", "ego_deals", "keep_every", "in_play", "turn"):
            if getattr(self, name) < 1:
                option = name.replace("_", "-")
                raise ValueError(f"--{option} {getattr(self, name)} is not possible; 1 or more")
        if not 0 < self.share <= 1:
            raise ValueError(f"--share {self.share:g} is not possible; above 0, 1 at most")
        if self.method == "mep" and self.diversity <= 0:
            raise ValueError(f"--diversity {self.diversity:g} makes no mep; above 0, or use fcp")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"--seeds {' '.join(map(str, self.seeds))}: one stands there twice")
        if Rules.parse(self.rules).sides_of(self.players) == self.players:
            raise ValueError(
                f"with {self.players} players everybody plays alone; no partners there"
            )
        if self.opponents not in (EGO, MEMBERS):
            registry.make(self.opponents, self.rules, self.players)

    def differences(self, others: dict[str, Any]) -> list[str]:
        """The options in which saved settings differ from these."""
        ours = json.loads(json.dumps(asdict(self)))
        named = {"trainer": "the settings after --", "method": "the method"}
        return [
            named.get(f.name, "--" + f.name.replace("_", "-"))
            for f in fields(self)
            if ours[f.name] != others.get(f.name)
        ]


@dataclass(frozen=True)
class Population:
    """Its folder, and what it is."""

    folder: Path
    settings: Settings

    def stages(self) -> list[seeds.Plan]:
        """The runs of the population as plans, each of which needs those before: one for all runs,
        or one for each if they are to be unlike those before.
        """
        asked = self.settings
        if asked.method == "fcp":
            return [self._plan("member", asked.seeds, ())]
        plans = []
        for place, seed in enumerate(asked.seeds):
            before = [str(self.run("member", other)) for other in asked.seeds[:place]]
            unlike = ("--diversity-from", *before) if before else ()
            plans += [self._plan("member", [seed], ("--diversity", str(asked.diversity), *unlike))]
        return plans

    def run(self, kind: str, seed: int) -> Path:
        """The folder of a run: of a ``member`` or an ``ego``."""
        return self.folder / f"{kind}-seed{seed}"

    def members(self) -> list[checkpoints.Checkpoint]:
        """The checkpoints that the runs kept; the runs are finished."""
        return [one for s in self.settings.seeds for one in runs.kept(self.run("member", s))]

    def egos(self, ego_seeds: Sequence[int]) -> seeds.Plan:
        """The runs with the members as partners; the population is finished."""
        asked = self.settings
        names = [f"{one.folder}@1" for one in self.members()]
        pool = {EGO: (), MEMBERS: ("--pool", f"{MEMBERS}=1.0")}
        more = [
            *("--members", *names, "--in-play", str(asked.in_play)),
            *("--snapshot-every", str(asked.turn)),
            *("--partners", f"{MEMBERS}={asked.share}"),
            *pool.get(asked.opponents, ("--pool", f"{asked.opponents}=1.0")),
            *(("--held-out", *asked.held_out) if asked.held_out else ()),
        ]
        return self._plan(EGO, ego_seeds, more, asked.ego_deals)

    def _plan(
        self, kind: str, of: Sequence[int], more: Sequence[str], deals: int = 0
    ) -> seeds.Plan:
        """The runs of some seeds, with ``more`` settings; those of a member if ``deals`` is 0."""
        asked = self.settings
        keep = () if deals else ("--keep-every", str(asked.keep_every))
        given = [
            *("--rules", asked.rules, "--players", str(asked.players)),
            *("--deals", str(deals or asked.deals), *keep, *more, *asked.trainer),
        ]
        return seeds.plan("ppo", of, str(self.folder / kind), given)


# --- what is there already ----------------------------------------------------------------------


def check_folder(population: Population) -> None:
    """Compares what is asked for with what stands in the folder, if anything does.

    Raises:
        ValueError: the folder holds something else; one clear line.
    """
    folder, index = population.folder, population.folder / INDEX
    if not index.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ValueError(f"{folder}: exists and is no population; give another --run")
        return
    changed = population.settings.differences(_read(index).get("settings", {}))
    if changed:
        raise ValueError(
            f"{folder}: was begun with other settings ({', '.join(changed)}); give those, or "
            "another --run"
        )


def claim(population: Population) -> None:
    """Writes what is asked for into a folder that is new."""
    index = population.folder / INDEX
    if not index.is_file():
        _write(index, {"format": FORMAT, "settings": asdict(population.settings)})


def settle(population: Population) -> None:
    """Notes the members with the hashes of their networks once they are finished, or compares them
    with those that were noted.

    Raises:
        ValueError: a member is not the one that it was; egos have trained with that one.
    """
    index = population.folder / INDEX
    state = _read(index)
    found = {
        str(one.folder): one.meta["files"]["network"]["sha256"] for one in population.members()
    }
    known = state.get("members", found)
    changed = [path for path in {**known, **found} if known.get(path) != found.get(path)]
    if changed:
        raise ValueError(
            f"{changed[0]}: not the network that it was when the population was finished; put it "
            "back, or give another --run"
        )
    if "members" not in state:
        _write(index, {**state, "members": found})


def _read(index: Path) -> dict[str, Any]:
    try:
        state = json.loads(index.read_text(encoding="utf-8"))
        if state["format"] == FORMAT:
            return dict(state)
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{index}: not the index of a population; give another --run")


def _write(index: Path, state: dict[str, Any]) -> None:
    """Writes the state in one step."""
    index.parent.mkdir(parents=True, exist_ok=True)
    temporary = index.with_name(f".{index.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
        temporary.replace(index)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(plan: seeds.Plan) -> None:
    """Removes what a trainer left that was killed before its first checkpoint."""
    for run in plan.runs:
        if run.folder.is_dir() and not any(run.folder.rglob(checkpoints.INDEX)):
            shutil.rmtree(run.folder)


# --- both stages --------------------------------------------------------------------------------


def train_all(
    population: Population, ego_seeds: Sequence[int], jobs: int, console: Console
) -> None:
    """Trains what is missing of the population, then of the egos, ``jobs`` runs at a time.

    Raises:
        ValueError: settings that are not possible, a folder with others, an agent that is held out
            and met, or a trainer that ended too early; one clear line.
        KeyboardInterrupt: it was interrupted; the same call goes on.
    """
    asked = population.settings
    asked.check()
    opponents = () if asked.opponents in (EGO, MEMBERS) else (asked.opponents,)
    folders = [str(population.run("member", seed)) for seed in asked.seeds]
    keep_apart(asked.held_out, [*folders, *opponents])
    check_folder(population)
    stages = population.stages()  # tells what is wrong with the trainer's settings
    claim(population)
    for plan in stages:
        _complete(plan, jobs, console)
    settle(population)
    console.print(f"the population has {len(population.members())} members")
    egos = population.egos(ego_seeds)
    _complete(egos, jobs, console)
    console.print(f"done: the egos are {' '.join(str(run.folder) for run in egos.runs)}")


def _complete(plan: seeds.Plan, jobs: int, console: Console) -> None:
    sweep(plan)
    seeds.complete(plan, jobs, console)


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line up to ``--``."""
    parse = argparse.ArgumentParser(
        prog="python -m train.population", description=__doc__,
        epilog="What stands after -- are settings of train.ppo for all runs.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parse.add_argument("method", choices=METHODS, help="seeds alone, or members that are unlike")
    parse.add_argument("--run", default="", help="folder (default: runs/<method>-<rules>-4p)")
    parse.add_argument("--rules", default="classic")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parse.add_argument("--deals", type=int, default=60_000, help="of each run of the population")
    parse.add_argument(
        "--keep-every", type=int, default=0, help="deals between members of a run (default: half)"
    )
    parse.add_argument(
        "--diversity", type=float, default=0.05, help="weight of being unlike (mep; default: 0.05)"
    )
    parse.add_argument("--ego-seeds", type=int, nargs="+", default=[1])
    parse.add_argument("--ego-deals", type=int, default=120_000, help="of each ego")
    parse.add_argument(
        "--opponents", default=EGO, help="of the ego: ego, members, or an agent (default: ego)"
    )
    parse.add_argument(
        "--share", type=float, default=1.0, help="of its games that have a member as partner"
    )
    parse.add_argument("--in-play", type=int, default=4, help="members at a time (default: 4)")
    parse.add_argument(
        "--turn", type=int, default=10, help="updates until others are in play (default: 10)"
    )
    parse.add_argument(
        "--held-out", nargs="+", default=[], metavar="AGENT",
        help="agents that the ego is to be tested with; meeting one is an error",
    )  # fmt: skip
    parse.add_argument("--jobs", type=int, default=1, help="runs at a time; of mep's members one")
    return parse


def asked_for(options: argparse.Namespace, trainer: Sequence[str]) -> Population:
    """The population that a command line describes."""
    given: dict[str, Any] = {f.name: getattr(options, f.name, None) for f in fields(Settings)}
    given |= {"seeds": tuple(options.seeds), "held_out": tuple(options.held_out)}
    given |= {"trainer": tuple(trainer)}
    given["keep_every"] = options.keep_every or max(1, -(-options.deals // 2))
    given["diversity"] = options.diversity if options.method == "mep" else 0.0
    usual = f"runs/{options.method}-{options.rules}-{options.players}p"
    return Population(Path(options.run or usual), Settings(**given))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command; its status is 130 if it was interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    options = parser().parse_args(given[:cut])
    try:
        if options.jobs < 1:
            raise ValueError(f"--jobs {options.jobs} is not 1 or more")
        population = asked_for(options, given[cut + 1 :])
        train_all(population, options.ego_seeds, options.jobs, Console())
    except (ValueError, OSError) as error:
        sys.exit(f"train.population: {error}")
    except KeyboardInterrupt:
        print(f"go on with: python -m train.population {shlex.join(given)}")
        sys.exit(runs.INTERRUPTED)


if __name__ == "__main__":
    main()
