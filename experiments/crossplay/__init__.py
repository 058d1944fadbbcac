"""Cross-play: agents as partners of one another, M[a, b | c, d].

    from experiments.crossplay import crossplay, summarise
    tensor = crossplay(setup, ["runs/x-seed1", "runs/x-seed2", "runs/x-seed3"], ["basic"])
    print(summarise(tensor).gap)

Playing (:mod:`experiments.crossplay.run`, :mod:`~experiments.crossplay.tensor`):

    crossplay(setup, agents, references=("basic",), *, pairs=None, file=None, processes=1,
              progress=None) -> Tensor
    Tensor: agents (n,), references (r,), units float64 (n, n, r, units);
            means() (n, n, r), matrix() (n, n), part(agents) -> Tensor
    group_pairs(agents, groups) -> bool (n, n): the pairs inside groups (arms), for ``pairs``
    pairs_with(agents, ego, partners) -> bool (n, n): those of one agent with its partners
    read(path) -> Tensor: what is in a file

What it says (:mod:`experiments.crossplay.summary`):

    summarise(tensor, *, level=0.95) -> Summary: self_play, cross_play, interaction, gap (Estimates)
    Estimate: mean; interval, for seeds and decks not yet seen; decks, for these very agents;
              seeds_share, the part of the variance that more decks would not take away
    difference(first, second, statistic="interaction", *, level=0.95) -> Estimate: of two arms
    between(tensor, first, second, *, level=0.95) -> Between: partners from two arms
    pairs_of(tensor, *, level=0.95) -> list[Pair]: interaction and seat effect of each two agents
    interactions(tensor) -> (n, n)
    worst_partners(tensor, *, level=0.95) -> list[Worst]
    swap(tensor, ego, partners, *, level=0.95) -> list[Swap]: partners of one agent on equal decks

A picture: :func:`experiments.crossplay.picture.draw`. The command: ``python -m
experiments.crossplay``.
"""

from experiments.crossplay.run import crossplay
from experiments.crossplay.store import read
from experiments.crossplay.summary import (
    between,
    difference,
    interactions,
    pairs_of,
    summarise,
    swap,
    worst_partners,
)
from experiments.crossplay.tensor import Tensor, group_pairs, pairs_with

__all__ = [
    "Tensor",
    "between",
    "crossplay",
    "difference",
    "group_pairs",
    "interactions",
    "pairs_of",
    "pairs_with",
    "read",
    "summarise",
    "swap",
    "worst_partners",
]
