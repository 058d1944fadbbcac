"""Exact truth about small games, and the estimators of big ones checked against it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from math import comb
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import chisquare

from agents import registry
from canasta_env import Game, Rules
from experiments import play, solve, stats
from experiments.exact.cfr import CfrPlus, own_path
from experiments.exact.deals import DEALER, TooLargeError, all_deals
from experiments.exact.policies import strategy_of, tables
from experiments.exact.strategy import best_response, exploitability, join, uniform, value
from experiments.exact.tree import Tree, grow

SMALLEST = "tiny(copies=3)"
"""Eight cards: some hundred histories, few enough to be walked through by slow checks."""


@pytest.fixture(scope="module")
def tree() -> Tree:
    return grow(Rules.parse(SMALLEST))


@pytest.fixture(scope="module")
def tiny() -> Tree:
    return grow(Rules.parse("tiny(deuces=1)"))


def game_of(tree: Tree, deal: int, actions: list[int]) -> Game:
    """The game of a history."""
    game = Game(tree.rules, players=2, deck=tree.deals.decks[deal].tolist(), dealer=DEALER)
    for action in actions:
        game.play(action)
    return game


def histories(tree: Tree) -> list[tuple[int, int, Game]]:
    """Level, place and game of every history."""
    found, before = [], [(deal, []) for deal in range(len(tree.deals.decks))]
    for depth, level in enumerate(tree.levels):
        if depth:
            moves = zip(level.parent, tree.action[level.move].tolist(), strict=True)
            before = [(before[p][0], [*before[p][1], action]) for p, action in moves]
        found += [(depth, at, game_of(tree, *one)) for at, one in enumerate(before)]
    return found


def some_strategy(tree: Tree, seed: int) -> Any:
    """A random strategy."""
    weights = np.random.default_rng(seed).random(len(tree.action)) ** 3
    return weights / np.add.reduceat(weights, tree.first[:-1])[tree.owner]


def test_the_deals_are_all_orders_of_the_deck() -> None:
    rules = Rules.parse(SMALLEST)
    found = all_deals(rules, 1000)
    cards = [kind for kind, count in enumerate(rules.card_counts(2)) for _ in range(count)]
    orders = set(permutations(cards))
    grouped: Counter[Any] = Counter(
        (*sorted(deck[0:6:2]), *sorted(deck[1:6:2]), *deck[6:]) for deck in orders
    )
    decks = [(*deck[0:6:2], *deck[1:6:2], *deck[6:]) for deck in found.decks.tolist()]
    assert len(decks) == len(grouped) == 54
    for deck, chance in zip(decks, found.chance, strict=True):
        assert chance == pytest.approx(grouped[tuple(deck)] / len(orders))


def test_information_states_are_what_a_seat_has_seen(tree: Tree) -> None:
    """Two histories are in one state exactly if the seat's stream of events is the same."""
    streams = defaultdict(set)
    for depth, at, game in histories(tree):
        level = tree.levels[depth]
        info = int(level.info[at])
        assert game.over == (info < 0)
        if game.over:
            first, second = game.deal_scores
            assert level.payoff[at] == first - second
            continue
        assert tree.seat[info] == game.turn and level.payoff[at] == 0
        moves = slice(tree.first[info], tree.first[info + 1])
        assert tree.action[moves].tolist() == np.flatnonzero(game.mask()).tolist()
        streams[game.turn, *map(str, game.events(game.turn))].add(info)
    assert all(len(infos) == 1 for infos in streams.values())
    assert len(streams) == len(tree.seat) == 280


def expected(game: Game) -> float:
    """What random play is worth, by walking through it."""
    if game.over:
        return float(game.deal_scores[0] - game.deal_scores[1])
    values = []
    for action in game.legal():
        following = game.copy()
        following.play(action)
        values.append(expected(following))
    return sum(values) / len(values)


def test_the_value_of_random_play(tree: Tree) -> None:
    games = (game_of(tree, deal, []) for deal in range(len(tree.deals.decks)))
    worth = sum(c * expected(game) for c, game in zip(tree.deals.chance, games, strict=True))
    assert value(tree, uniform(tree)) == pytest.approx(worth, abs=1e-12)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_best_response_is_worth_what_it_says_and_no_change_is_better(
    tree: Tree, seat: int
) -> None:
    strategy = some_strategy(tree, 1)
    best, answer = best_response(tree, strategy, seat)
    sign = 1 - 2 * seat
    mine = tree.seat[tree.owner] == seat
    assert np.array_equal(answer[~mine], strategy[~mine]) and set(answer[mine]) == {0.0, 1.0}
    assert sign * value(tree, answer) == pytest.approx(best)
    for info in np.flatnonzero(tree.seat == seat):
        for move in range(tree.first[info], tree.first[info + 1]):
            other = answer.copy()
            other[tree.first[info] : tree.first[info + 1]] = 0
            other[move] = 1
            assert sign * value(tree, other) <= best + 1e-9


def payoffs_by_last_moves(tree: Tree) -> Any:
    """(moves + 1, moves + 1): what the ends of deals add to the value, by the last move of seat 0
    and of seat 1 before each; the last place stands for none.
    """
    moves = len(tree.action)
    found = np.zeros((moves + 1, moves + 1))
    chance, last = tree.deals.chance, np.full((2, len(tree.deals.chance)), moves)
    for depth, level in enumerate(tree.levels):
        if depth:
            chance, last = chance[level.parent], last[:, level.parent]
            mover = tree.seat[tree.owner][level.move]
            last[mover, np.arange(len(mover))] = level.move
        np.add.at(found, (last[0], last[1]), chance * level.payoff)
    return found


def plan_of(tree: Tree, seat: int) -> Any:
    """(infos + 1, moves + 1): times how often a seat makes each of its moves it is 0, and 1 in the
    last row.
    """
    found = np.zeros((len(tree.seat) + 1, len(tree.action) + 1))
    found[-1, -1] = 1
    for info, path in enumerate(own_path(tree)):
        if tree.seat[info] == seat:
            found[info, tree.first[info] : tree.first[info + 1]] = 1
            found[info, [-1, *path[path >= 0]][-1]] = -1
    return found


def value_by_linear_program(tree: Tree) -> float:
    """The value for seat 0, by the sequence form (Koller, Megiddo, von Stengel 1996)."""
    mine, other = plan_of(tree, 0), plan_of(tree, 1)
    root = np.zeros(len(mine))
    root[-1] = 1
    found = linprog(
        np.concatenate([np.zeros(mine.shape[1]), -root]),
        A_ub=np.concatenate([-payoffs_by_last_moves(tree).T, other.T], axis=1),
        b_ub=np.zeros(mine.shape[1]),
        A_eq=np.concatenate([mine, np.zeros((len(mine), len(mine)))], axis=1),
        b_eq=root,
        bounds=[(0, None)] * mine.shape[1] + [(None, None)] * len(mine),
    )
    assert found.status == 0
    return float(-found.fun)


def test_cfr_comes_to_the_value_of_the_linear_program(tree: Tree) -> None:
    search = CfrPlus(tree)
    search.run(100)
    early = exploitability(tree, search.average())
    search.run(400)
    found = search.average()
    assert 0 <= exploitability(tree, found) < min(early, 0.01)
    exact = value_by_linear_program(tree)
    assert -best_response(tree, found, 1)[0] <= exact + 1e-9
    assert exact <= best_response(tree, found, 0)[0] + 1e-9


def test_a_larger_game_is_solved_too(tiny: Tree) -> None:
    search = CfrPlus(tiny)
    search.run(60)
    assert 0 < exploitability(tiny, search.average()) < 0.2
    assert exploitability(tiny, uniform(tiny)) > 5


class Informed:
    """An agent that gives probabilities: of the first legal action 3 in 4, the rest alike."""

    name = "informed"

    def policy(self, batch: Any, rows: Any) -> Any:
        legal = batch.mask[rows].astype(float)
        count = legal.sum(1, keepdims=True)
        found = legal * np.where(count > 1, 0.25 / np.maximum(count - 1, 1), 1.0)
        first = batch.mask[rows].argmax(1)
        found[rows, first] = np.where(count[:, 0] > 1, 0.75, 1.0)
        return found


def test_strategies_of_agents(tree: Tree) -> None:
    agents = {name: registry.make(name, SMALLEST, 2) for name in ("random", "greedy", "basic")}
    assert np.array_equal(strategy_of(tree, agents["random"]), uniform(tree))
    assert set(strategy_of(tree, agents["greedy"], asks=4)) == {0.0, 1.0}
    for strategy in (strategy_of(tree, agents["basic"]), strategy_of(tree, Informed())):
        np.testing.assert_allclose(np.add.reduceat(strategy, tree.first[:-1]), 1)
    informed = strategy_of(tree, Informed())
    several = np.diff(tree.first) > 1
    assert set(informed[tree.first[:-1][several]]) == {0.75}
    random = SimpleNamespace(act=registry.make("random", SMALLEST, 2).act)
    assert np.abs(strategy_of(tree, random, asks=400) - uniform(tree)).max() < 0.15


def test_the_match_runner_finds_the_exact_mean(tiny: Tree) -> None:
    """Over 3,000 pairs of deals; both teams begin equally often."""
    text = str(tiny.rules)
    setup = play.Setup(text, tiny.rules.at(2), 2, units=3000, seed=3, scores="zero")
    for teams in (("greedy", "random"), ("basic", "greedy")):
        found = play.play(setup, play.line_up(*teams, setup))
        ours = found.scores[:, [0, 1], [0, 1]] - found.scores[:, [0, 1], [1, 0]]
        interval = stats.summarise(ours.mean(1), level=0.99).interval
        first, second = (strategy_of(tiny, registry.make(n, text, 2), 64) for n in teams)
        exact = value(tiny, join(tiny, first, second)) - value(tiny, join(tiny, second, first))
        assert interval.low < exact / 2 < interval.high
        assert interval.high - interval.low < 4


def hidden(game: Game, seat: int) -> tuple[str, tuple[int, ...]]:
    """What a seat does not see: the other's hand and the order of the stock."""
    record = game.record
    stock = record.stock[record.stock_next[0] : record.stock_end[0]]
    return game.hand(1 - seat), tuple(stock.tolist())


def members(tree: Tree, info: int) -> list[tuple[float, Game]]:
    """All histories of an information state: the chance of the deal, and the game."""
    depth = int(tree.place[info, 0])
    found = []
    for start in np.flatnonzero(tree.levels[depth].info == info):
        at, actions = int(start), []
        for level in reversed(tree.levels[1 : depth + 1]):
            actions.append(int(tree.action[level.move[at]]))
            at = int(level.parent[at])
        found.append((float(tree.deals.chance[at]), game_of(tree, at, actions[::-1])))
    return found


def ways(played: Game, seat: int) -> int:
    """In how many ways the seat could choose the cards that it laid and discarded from its hand, if
    cards of a kind were told apart.
    """
    found = 1
    for game, action in played.replay():
        if action is not None and game.turn == seat:
            for kind, count in Counter(game.table.rows[action][2]).items():
                found *= comb(int(game.record.hands[seat, kind]), count)
    return found


def test_worlds_come_as_often_as_they_are_likely(tiny: Tree) -> None:
    """What determinize draws, against all histories of information states on every level: uniform
    over the orders of the cards, all of them different, past choices not weighed.
    """
    known = np.concatenate([level.info[level.info >= 0] for level in tiny.levels])
    sizes = np.bincount(known)
    chosen = [np.flatnonzero((tiny.place[:, 0] == d) & (sizes > 5))[:3] for d in range(11)]
    tested = 0
    for info in np.concatenate(chosen).tolist():
        chances: Counter[Any] = Counter()
        for chance, game in members(tiny, info):
            chances[hidden(game, game.turn)] += chance * ways(game, 1 - game.turn)
        if len(chances) == 1:
            continue
        tested += 1
        drawn = Counter(hidden(game.determinize(game.turn, i), game.turn) for i in range(600))
        assert set(drawn) <= set(chances)
        likely = np.array(list(chances.values()))
        seen = np.array([drawn[world] for world in chances])
        assert chisquare(seen, likely / likely.sum() * seen.sum()).pvalue > 1e-4
    assert tested == 8


def test_what_is_too_large_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TooLargeError, match="mini has more than 20,000 deals"):
        grow(Rules.preset("mini"))
    with pytest.raises(TooLargeError, match="has more than 100 histories"):
        grow(Rules.parse(SMALLEST), most=100)
    for arguments, message in (
        (["--rules", "czech"], "czech: only rules without foot, cut_bonus and sequences"),
        (["--rules", "russian"], "russian is not played by two"),
        (["--iterations", "0"], "--iterations: 0 is not possible; 1 or more"),
        (["nobody"], "no agent is called 'nobody'"),
    ):
        assert solve.main(arguments) == 2
        assert message in capsys.readouterr().err


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve.main(["--rules", SMALLEST, "--iterations", "50", "random", "greedy"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "54 deals, 704 histories, 280 information states" in shown
    assert "random" in shown and "equilibrium" in shown


def test_tables_stand_in_their_states(tree: Tree) -> None:
    seen = []
    for infos, batch in tables(tree, observe=False):
        assert np.array_equal(batch.seat, tree.seat[infos])
        legal = [tree.action[tree.first[i] : tree.first[i + 1]].tolist() for i in infos]
        assert legal == [np.flatnonzero(row).tolist() for row in batch.mask]
        seen += infos.tolist()
    assert seen == list(range(len(tree.seat)))
