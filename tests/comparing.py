"""A game beside the reference's table: the same actions, and everything compared after each."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from canasta_env import Game
from tests.reference import Table, TooHardError, lookahead, write

GAMES = [
    *(("classic", players) for players in (2, 3, 4, 6)),
    ("russian", 4),
    *(("standard", players) for players in (2, 3, 4)),
    *(("latvian", players) for players in (2, 3, 4, 6)),
    *(("hungarian", players) for players in (2, 4)),
    *(("hand_and_foot", players) for players in (2, 3, 4)),
    *(("czech", players) for players in (2, 3, 4, 5, 6)),
    *(("mini", players) for players in (2, 4)),
    ("tiny", 2),
]
"""Every preset with every number of players."""

Cards = Counter[str]
PLAIN = ("scores", "deal", "dealer", "phase", "red_threes", "pile", "frozen", "stock", "melded")
SEATS = ("seat_melded", "foot_played", "concealed_canastas", "owed")
TURN = ("drew", "added", "acted", "must_go_out", "staged")
PLACES = ("stock", "stock_next", "stock_end", "pile", "discards", "cut_places")
"""Cards that were drawn or taken stay behind in these arrays; what counts is in the position."""
FROM_HAND = ("take", "meld", "add", "extend", "discard")


@dataclass
class Memory:
    """What everybody could remember: discards in order and cards known to be held, by seat."""

    discards: dict[int, list[str]] = field(default_factory=dict)
    known: dict[int, Cards] = field(default_factory=dict)

    def note(self, seat: int, text: str, before: Table, after: Table) -> None:
        """Take in one action of `seat` that led from one table to the other."""
        word, *named = text.split()
        if text == "accept" and before.stock[0] != "3r":
            self.known[seat] = self.known.get(seat, Counter()) + Counter(before.stock[:1])
        if word not in FROM_HAND:
            return
        if word == "discard":
            self.discards.setdefault(seat, []).extend(named)
        used = cards_used(text, before)
        if before.feet[seat] is not None and after.feet[seat] is None:
            self.known[seat] = Counter()  # the hand has run out, and nobody saw the foot
            return
        # from the pile alone a card can come here: what was played was held before
        came = Counter(after.hands[seat]) - (Counter(before.hands[seat]) - used)
        came -= Counter(before.stock[: len(before.stock) - len(after.stock)])  # nobody saw these
        self.known[seat] = (self.known.get(seat, Counter()) - used) + came

    def written(self) -> dict[str, Any]:
        known = {seat: sorted(held.elements()) for seat, held in self.known.items()}
        return {
            "discards": self.discards,
            "known": {seat: row for seat, row in known.items() if row},
        }


def cards_used(text: str, before: Table) -> Counter[str]:
    """The cards that left the hand with an action that is made with some of it."""
    named = text.split()[1:]
    if "to" in named:
        return Counter(named[:1])
    if "with" in named:
        return Counter(named[-1:])
    if text == "discard 3r":  # it lay on the table
        return Counter()
    if named[:1] == ["into"]:
        return Counter(named[1:]) - Counter(before.pile[-1:])
    return Counter() if named == ["extend"] else Counter(named)


def by_number(rows: Any) -> dict[int, list[str]]:
    """Rows of cards by seat, sorted; rows without a card left out."""
    return {int(seat): sorted(row.split()) for seat, row in rows.items() if row}


def plain_turn(position: dict[str, Any]) -> dict[str, Any]:
    keys = position["turn_state"]
    plain = {key: keys[key] for key in TURN if key in keys}
    plain["before"] = sorted(keys["before"].split())
    plain["pending"] = sorted((keys.get("pending") or "").split())
    plain["top"], plain["asked"] = keys.get("top"), keys.get("asked")
    if position["phase"] == "answer":
        plain["asker"] = keys["asker"]
    return plain


def plain_melds(position: dict[str, Any], begun: list[int]) -> dict[int, list[Any]]:
    """Melds by side, as sorted cards, with whether they were begun in this turn."""
    turn, sides = position["turn"], len(position["scores"])
    return {
        int(side): sorted(
            (sorted(row.split()), int(side) == turn % sides and i in begun)
            for i, row in enumerate(rows)
        )
        for side, rows in position["melds"].items()
    }


def plain(position: dict[str, Any]) -> dict[str, Any]:
    """A whole position in a form in which equal states are equal, whoever wrote it."""
    found = {key: position[key] for key in (*PLAIN, *SEATS) if key in position}
    found["hands"] = by_number(position["hands"])
    found["feet"] = by_number(position.get("feet", {}))
    under_way = position["phase"] in ("meld", "answer")
    found["melds"] = plain_melds(position, position["turn_state"]["begun"] if under_way else [])
    if under_way:
        found["turn_state"] = plain_turn(position)
    if position["phase"] == "over":
        found["deal_scores"] = position["deal_scores"]
    else:
        found["turn"] = position["turn"]
    return found


def same_state(game: Game, table: Table, memory: Memory | None = None) -> None:
    """All that the reference knows of a state, and what was public in the row that led there."""
    position = game.to_position()
    mine, theirs = plain(position), plain(write(table))
    shared = mine.keys() & theirs.keys()
    assert shared >= {"hands", "melds", "pile", "stock", "scores", "feet"}
    for key in sorted(shared):
        if key == "turn_state" and "staged" not in theirs[key]:
            mine[key].pop("staged")
        assert mine[key] == theirs[key], (key, mine[key], theirs[key])
    if memory is not None:
        discards = {seat: row.split() for seat, row in position["discards"].items()}
        remembered = {"discards": discards, "known": by_number(position["known"])}
        assert remembered == memory.written()


def same_actions(game: Game, table: Table) -> list[str]:
    """The legal actions, which must be the same."""
    mine, theirs = sorted(str(action) for action in game.legal()), table.legal()
    assert mine == sorted(theirs), game.to_position()
    return theirs


def bytes_of(game: Game, name: str) -> bytes:
    return np.asarray(game.record[name]).tobytes()


def reads_back(game: Game) -> None:
    """The position, as JSON too, is the same game: record, mask, and what each seat sees."""
    position = game.to_position()
    other = Game.from_position(json.loads(json.dumps(position)))
    assert other.to_position() == position
    for name in game.record.dtype.names:
        if name not in PLACES:
            assert bytes_of(other, name) == bytes_of(game, name), name
    assert (other.mask() == game.mask()).all()
    for seat in range(game.players):
        assert other.view(seat).tobytes() == game.view(seat).tobytes()


def choose(legal: list[str], rng: random.Random) -> str:
    """A random action, few of them discards and most takes that are possible."""
    takes = [text for text in legal if text.startswith("take")]
    if takes and rng.random() < 0.7:
        return rng.choice(takes)
    going_on = [text for text in legal if not text.startswith(("discard", "pass"))]
    return rng.choice(going_on if going_on and rng.random() < 0.7 else legal)


@dataclass
class Tally:
    """How much was compared, so that a test can say that it compared something."""

    positions: int = 0
    actions: int = 0
    ends: int = 0
    later_turns: int = 0
    phases: Counter[str] = field(default_factory=Counter)


def play_beside(
    game: Game, table: Table, rng: random.Random, actions: int, tally: Tally, limit: int = 2000
) -> None:
    """Play the same random actions in both, to the end or to where the reference gives up."""
    memory, turns = Memory(), int(game.record.turns)
    tally.positions += 1
    try:
        with lookahead.limited(limit):
            for _ in range(actions):
                legal = same_actions(game, table)
                reads_back(game)
                tally.phases[game.phase] += 1
                if table.over:
                    break
                text, seat, before = choose(legal, rng), table.turn, table.copy()
                table.play(text)
                game.play(text)
                tally.actions += 1
                memory.note(seat, text, before, table)
                same_state(game, table, memory)
    except TooHardError:
        pass
    tally.ends += table.over
    tally.later_turns += int(game.record.turns) > turns
    if table.over:
        assert game.deal_scores == table.deal_scores
        assert [sum(sheet.values()) for sheet in game.breakdown()] == table.deal_scores
