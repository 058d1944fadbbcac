"""Who listens: the exchange is another history, and agents hear in it what they listen to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents import registry
from canasta_env import Batch, Game, Rules
from canasta_env.engine.state import copy_records
from canasta_env.kernels import as_bytes
from experiments.signals.exchange import NOBODY, Buried, Trail, exchange, kind_of_pair
from experiments.signals.listening import ListeningProbe, listening, of_name
from experiments.stats import mean_interval

CLASSIC = Rules.parse("classic")
MINI = ListeningProbe(Rules.parse("mini"), deals=40, every=2, seed=5)


class Played:
    """A deal in which all only draw and throw, with the deck's place of each card thrown."""

    def __init__(self, deck: list[int], throws: list[int]) -> None:
        self.game = Game("classic", deck=deck, dealer=3)
        self.batch = Batch("classic", 1, players=4, autoreset="off", observe=False)
        self.trail = Trail(self.batch)
        for kind in throws:
            self.game.play("draw")
            self.look()
            self.trail.thrown(self.batch, np.zeros(1, np.int64))
            self.game.play(int(self.batch.packed[0].at_discard) + kind - (kind > 1))
        self.look()

    def look(self) -> None:
        """Shows the game to the batch."""
        as_bytes(self.batch.games)[0] = np.frombuffer(self.game.record.tobytes(), np.uint8)
        self.batch.refresh()


def some_throws(deck: list[int], turns: int, rng: Any) -> list[int]:
    """Kinds that the seats can throw, one after the other: naturals of their hands."""
    game, found = Game("classic", deck=deck, dealer=3), []
    for _ in range(turns):
        game.play("draw")
        held = np.flatnonzero(game.record.hands[game.turn])
        found.append(int(rng.choice(held[held >= 4])))
        game.play(int(game.table.pack(4)[0].at_discard) + found[-1] - 1)
    return found


def hands_of_places(deck: list[int], turns: int) -> list[int]:
    """To which seat the card at each place of the deck comes, NOBODY for the upcard."""
    dealt = [place % 4 for place in range(44)] + [NOBODY]
    return dealt + [turn % 4 for turn in range(turns)]


def a_deck(seed: int) -> list[int]:
    """A deck with neither wild cards nor red threes among its first eighty cards, so that nothing
    is replaced or covered."""
    deck = Game("classic", seed=seed).deck.tolist()
    return sorted(deck, key=lambda kind: kind < 4)


@pytest.mark.parametrize("seed", range(4))
def test_an_exchange_is_the_history_with_the_two_cards_dealt_the_other_way_round(
    seed: int,
) -> None:
    rng, deck, turns = np.random.default_rng(seed), a_deck(seed), 14
    throws = some_throws(deck, turns, rng)
    played = Played(deck, throws)
    buried = played.trail.buried(played.batch, 0)
    owners = hands_of_places(deck, turns)
    tried = 0
    for pair in rng.permutation(buried.pairs())[:12]:
        seats, kinds = buried.seat[pair].tolist(), buried.kind[pair].tolist()
        dealt, thrown = list(deck), list(throws)
        places = [
            next(p for p, to in enumerate(owners) if to == seat and deck[p] == kind)
            for seat, kind in zip(seats, kinds, strict=True)
        ]
        dealt[places[0]], dealt[places[1]] = kinds[1], kinds[0]
        for card, kind in zip(buried.index[pair].tolist(), reversed(kinds), strict=True):
            if card >= 0:
                thrown[card] = kind
        other = Played(dealt, thrown).game
        games = copy_records(played.batch.games)
        exchange(games[0], buried, pair)
        different = [n for n in games.dtype.names if (games[0][n] != other.record[n]).any()]
        # what was drawn lies in the stock too, behind its next card
        assert set(different) <= {"stock"}
        tried += 1
    assert tried == 12


def test_an_exchange_with_itself_changes_nothing() -> None:
    deck = a_deck(7)
    played = Played(deck, some_throws(deck, 12, np.random.default_rng(7)))
    before = played.batch.games.tobytes()
    buried = played.trail.buried(played.batch, 0)
    exchange(played.batch.games[0], buried, np.array([3, 3]))
    assert played.batch.games.tobytes() == before
    exchange(played.batch.games[0], buried, buried.pairs()[0])
    assert played.batch.games.tobytes() != before
    exchange(played.batch.games[0], played.trail.buried(played.batch, 0), buried.pairs()[0])
    assert played.batch.games.tobytes() == before


def test_what_may_be_exchanged() -> None:
    """Naturals below the top, of other seats and other kinds, that nobody was known to hold."""
    batch = Batch(CLASSIC, 24, players=4, seed=3, autoreset="off", observe=False)
    agent, trail = registry.make("basic", "classic", 4, 1), Trail(batch)
    first = int(batch.packed[0].at_discard)
    thrown: list[list[tuple[int, int, Any]]] = [[] for _ in range(batch.n)]
    seen = taken = 0
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        for row in rows[::3].tolist():
            buried, game = trail.buried(batch, row), batch.games[row]
            taken += int(game.pile_size) > 1 and int(game.discard_count) > int(game.pile_size)
            assert buried.kind.tolist() == [
                k for k in game.pile[: max(game.pile_size - 1, 0)] if k >= 4
            ]
            for pair in buried.pairs():
                check_pair(buried, pair, thrown[row])
                seen += 1
        actions = batch.mask.argmax(1)
        actions[rows] = agent.act(batch, rows)
        for row in rows[actions[rows] >= first].tolist():
            kind, seat = int(batch.packed[0].rank[actions[row]]), int(batch.seat[row])
            thrown[row].append((seat, kind, batch.games.known[row, seat].copy()))
        trail.thrown(batch, rows[actions[rows] >= first])
        batch.step(actions)
    assert seen > 500 and taken > 20


def check_pair(buried: Buried, pair: Any, thrown: list[tuple[int, int, Any]]) -> None:
    one, other = pair
    assert buried.kind[one] != buried.kind[other]
    assert buried.seat[one] != buried.seat[other]
    for card, new in ((one, other), (other, one)):
        if buried.seat[card] == NOBODY:
            assert buried.index[card] == -1
            continue
        seat, kind, known = thrown[buried.index[card]]
        assert (seat, kind) == (buried.seat[card], buried.kind[card])
        assert known[kind] == 0 and known[buried.kind[new]] == 0


def test_kinds_of_pairs() -> None:
    assert kind_of_pair(0, (2, NOBODY), 2) == "partner"
    assert kind_of_pair(0, (NOBODY, 3), 2) == "opponent"
    assert kind_of_pair(0, (1, 2), 2) == kind_of_pair(0, (2, 3), 2) == "partner and opponent"
    assert kind_of_pair(0, (1, 3), 2) == "two opponents"
    assert kind_of_pair(0, (0, 1), 2) is None
    assert kind_of_pair(0, (0, NOBODY), 2) is None
    assert kind_of_pair(0, (2, 4), 2) is None  # two partners of a side of three


def test_rule_bots_listen_to_those_they_look_at() -> None:
    """greedy remembers nothing; basic looks at what its neighbours threw, never its partner."""
    assert not any(sums.of["changed"].any() for sums in of_name("greedy", MINI).values())
    found = of_name("basic", MINI)
    assert list(found) == ["partner", "opponent", "partner and opponent", "two opponents"]
    assert not found["partner"].of["changed"].any()
    assert found["partner"].of["again"].any()  # its lots alone would change some
    for name in ("opponent", "partner and opponent", "two opponents"):
        assert mean_interval(found[name].units("changed")).low > 0.0


class Listener:
    """Likes its first legal action the more, the higher the kinds that a seat threw; remembers what
    it knew each time that it was asked."""

    def __init__(self, by: int) -> None:
        self.by = by
        self.heard: list[Any] = []

    def policy(self, batch: Any, rows: Any) -> Any:
        thrown = batch.games.discarded[rows, (batch.seat[rows] + self.by) % 4].astype(float)
        self.heard.append(likes(thrown))
        policy = batch.mask[rows] / (batch.mask[rows].sum(1, keepdims=True) - 1)
        policy *= 1.0 - self.heard[-1][:, None]
        policy[np.arange(len(rows)), batch.mask[rows].argmax(1)] = self.heard[-1]
        return policy

    def act(self, batch: Any, rows: Any) -> Any:
        return registry.make("greedy", "mini", 4).act(batch, rows)


def likes(thrown: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-0.02 * thrown @ np.arange(thrown.shape[1])))


@pytest.mark.parametrize(("by", "heard"), [(1, "opponent"), (2, "partner")])
def test_what_a_listener_hears(by: int, heard: str) -> None:
    """Its divergence is known from the two chances with which it likes its first action."""
    agent = Listener(by)
    found = listening(Listener(by), agent, MINI)
    deaf = "partner" if heard == "opponent" else "opponent"
    assert not found[deaf].of["nats"].any()
    assert found[heard].of["nats"].sum() > 0.01
    p, q = (np.concatenate(agent.heard[i::2]) for i in range(2))
    expected = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    total = sum(sums.of["nats"].sum() for sums in found.values())
    assert total == pytest.approx(expected.sum())
    assert sum(sums.cases.sum() for sums in found.values()) == len(p)


def test_without_recall_nobody_listens() -> None:
    probe = ListeningProbe(CLASSIC, deals=6, every=6, recall=False)
    for name in ("expert", "champion@1"):
        for sums in of_name(name, probe).values():
            assert not sums.of["changed"].any()
            assert not sums.of.get("nats", np.zeros(1)).any()
    with_recall = of_name("champion@1", ListeningProbe(CLASSIC, deals=6, every=6))
    assert sum(sums.of["nats"].sum() for sums in with_recall.values()) > 0.05


def test_what_cannot_be_exchanged_is_refused() -> None:
    for rules, players, text in (
        ("mini", 2, "players: 2 is not possible"),
        ("hand_and_foot", 4, "a part of the pile can stay"),
    ):
        with pytest.raises(ValueError, match=text):
            of_name("greedy", ListeningProbe(Rules.parse(rules), players))
