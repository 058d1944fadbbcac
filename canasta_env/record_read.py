"""Reading a record: every action is replayed, and all that is written compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from canasta_env.actions import ActionError, ActionTable
from canasta_env.cards import kind_token, parse_kind
from canasta_env.game import Game
from canasta_env.record_lines import Lines, Place, RecordError, Word
from canasta_env.record_write import (
    FINISHED,
    FIRST_LINE,
    STOPPED,
    digest,
    ended,
    sheet_heading,
    sheet_rows,
)
from canasta_env.rules import Rules, RulesError

__all__ = ["Reader"]

_KEYS: Final = ("rules", "players", "version", "actions", "seed", "stock")
_STOCKS: Final = ("shared", "seat_streams")
_MOST_POINTS: Final = 100_000_000
_DEAL: Final = re.compile(r"deal\b")
_END: Final = re.compile(rf"(?:{FINISHED}|{STOPPED})\b(?!:)")
_OTHER_SPACE: Final = re.compile(r"[^\S \t\n]")
_TURN: Final = re.compile(r"[0-9]+ *:")


class Reader:
    """Reads one record.

    Args:
        text: the text, its lines divided by ``\\n``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.game: Game | None = None

    def read(self) -> tuple[Game, tuple[str, ...], str]:
        """The game, the players' names and the version.

        Raises:
            RecordError: the text is no record, or not what the engine computes.
        """
        first = self.lines.peek()
        if first is None or first.text != FIRST_LINE:
            place = self.lines.end if first is None else first.place
            raise RecordError(place, f"this is not a record: its first line is {FIRST_LINE!r}")
        self.lines.take("the first line")
        self._check_spaces()
        header = self._header()
        self._read_rules(header)
        seats = range(self.players)
        names = tuple(self._name(header, seat) for seat in seats)
        known = {*_KEYS, *(f"seat {seat}" for seat in seats)}
        for key, value in header.items():
            if key not in known:
                value.fail(f"{key}: {self.rules.name} with {self.players} players has no such seat")
        game = self._deal(None)
        while (line := self.lines.peek()) is not None and _DEAL.match(line.text):
            game = self._deal(game)
        self._end(game)
        return game, names, self._value(header, "version").text

    def _check_spaces(self) -> None:
        """Refuse what is read as a space or a line's end and does not look like one."""
        found = _OTHER_SPACE.search(self.text)
        if found:
            before = self.text[: found.start()].split("\n")
            place = Place(len(before), len(before[-1]) + 1)
            raise RecordError(place, f"{found[0]!r} is not a character of a record")

    def _header(self) -> dict[str, Word]:
        """The header's values by key."""
        header: dict[str, Word] = {}
        while (line := self.lines.peek()) is not None and not _DEAL.match(line.text):
            key, value = line.key()
            if key.text not in _KEYS and not re.fullmatch(r"seat \d", key.text):
                key.fail(f"{key.text!r} is not a key; keys are {', '.join(_KEYS)} and seat 0, …")
            if key.text in header:
                key.fail(f"{key.text}: given twice")
            if not value.text or not value.text.isprintable():
                value.fail(f"{key.text}: {value.text!r} is not a value")
            header[key.text] = value
            self.lines.take("the header")
        return header

    def _value(self, header: dict[str, Word], key: str) -> Word:
        if key in header:
            return header[key]
        line = self.lines.peek()
        raise RecordError(self.lines.end if line is None else line.place, f"{key} is missing")

    def _name(self, header: dict[str, Word], seat: int) -> str:
        return self._value(header, f"seat {seat}").text

    def _read_rules(self, header: dict[str, Word]) -> None:
        """What a deal needs of the header."""
        rules, players = (self._value(header, key) for key in ("rules", "players"))
        self.rules = _checked(rules, lambda: Rules.parse(rules.text))
        self.players = players.number("players", 2, 6)
        _checked(players, lambda: self.rules.at(self.players))
        self.table = ActionTable(self.rules)
        hashed = self._value(header, "actions")
        if hashed.text != self.table.hash:
            hashed.fail(f"actions: {self.rules} has the table {self.table.hash}")
        self.seed = self._value(header, "seed").number("seed", 0, 2**63 - 1)
        stock = self._value(header, "stock")
        if stock.text not in _STOCKS:
            stock.fail(f"stock: {stock.text!r} is not possible; {' or '.join(_STOCKS)}")
        self.stock: Any = stock.text

    def _deal(self, before: Game | None) -> Game:
        """Read and replay one deal; ``before`` is the game after the deal before it."""
        line = self.lines.take("the first deal")
        if not _DEAL.match(line.text):
            line.fail(f"a deal is needed here, not {line.text!r}")
        if before is not None and (not before.over or before.match_over):
            line.fail("the match is over" if before.over else "the deal before is not over")
        number = line.part(4)
        dealer, scores = self._keyed("dealer"), self._keyed("scores")
        deck = self._deck()
        if before is None:
            game = self._first_deal(number, dealer, scores, deck)
        else:
            game = before
            totals = game.scores
            game.next_deal(deck)
            _compare(number, "deal", game.deal)
            _compare(dealer, "dealer", game.dealer)
            _compare_row(scores, "scores", totals)
        self._turns(game)
        if game.over:
            self._closing(game)
        return game

    def _keyed(self, wanted: str) -> Word:
        """The value of the next line, whose key is ``wanted``."""
        key, value = self.lines.take(wanted).key()
        if key.text != wanted:
            key.fail(f"{key.text!r} is not the key that is needed here: {wanted}")
        return value

    def _first_deal(self, number: Word, dealer: Word, scores: Word, deck: list[int]) -> Game:
        given = scores.words()
        sides = self.rules.sides_of(self.players)
        if len(given) != sides:
            scores.fail(f"scores: {len(given)} numbers; one a side needed: {sides}")
        return Game(
            self.rules,
            players=self.players,
            seed=self.seed,
            deck=deck,
            dealer=dealer.number("dealer", 0, self.players - 1),
            scores=[score.number("scores", -_MOST_POINTS, _MOST_POINTS) for score in given],
            deal=number.number("deal", 1, 30_000),
            stock=self.stock,
        )

    def _deck(self) -> list[int]:
        """The deck, whose cards must be those of the packs."""
        value = self._keyed("deck")
        words = value.words()
        for line in self.lines.take_while(lambda line: line.place.column > 1):
            words += line.words()
        suited = self.rules.sequences
        wanted = self.rules.card_counts(self.players)
        counts: Counter[int] = Counter()
        for word in words:
            kind = _card(word, suited)
            counts[kind] += 1
            if counts[kind] > wanted[kind]:
                word.fail(f"deck: {word.text} is there more than {wanted[kind]} times")
        for kind, needed in enumerate(wanted):
            if counts[kind] < needed:
                (words[-1] if words else value).fail(
                    f"deck: {kind_token(kind, suited=suited)} is there {counts[kind]} times; "
                    f"the deck has {needed}"
                )
        return [parse_kind(word.text, suited=suited) for word in words]

    def _turns(self, game: Game) -> None:
        """Replay the actions of a deal."""
        for line in self.lines.take_while(lambda line: _TURN.match(line.text)):
            seat, actions = line.key()
            if game.over:
                seat.fail("the deal is over")
            if seat.number("seat", 0, self.players - 1) != game.turn:
                seat.fail(f"it is the turn of seat {game.turn}, not {seat.text}")
            turn = game.turn
            for action in actions.split(","):
                if not game.over and game.turn != turn:
                    action.fail(f"{action.text}: it is the turn of seat {game.turn}, on a new line")
                _play(game, action)

    def _closing(self, game: Game) -> None:
        """Compare how the deal ended, and its score sheet."""
        how = self._keyed("ended")
        if how.text.split() != ended(game).split():
            how.fail(f"ended: the deal ended otherwise: {ended(game)}")
        label, columns = sheet_heading(game)
        heading = self.lines.take("the score sheet")
        if heading.text.split() != " ".join([label, *columns]).split():
            heading.fail(f"{heading.text!r}: the heading is {label}, {', '.join(columns)}")
        for name, values in sheet_rows(game).items():
            row = self.lines.take(f"the row {name!r} of the score sheet")
            if not row.text.startswith(name):
                row.fail(f"the row {name!r} of the score sheet is missing")
            _compare_row(row.part(len(name)), name, values)

    def _end(self, game: Game) -> None:
        """The last line, and the hash of the text before it."""
        line = self.lines.take("the last line" if game.over else "the rest of the deal")
        if not _END.match(line.text):
            line.fail(f"{line.text!r} is not understood; a deal or the end is needed here")
        word, *rest = line.words()
        wanted = FINISHED if game.over else STOPPED
        if word.text != wanted:
            over = "over" if game.over else "not over: actions are missing"
            word.fail(f"the deal is {over}; the last line is {wanted!r}")
        after = self.lines.peek()
        if after is not None:
            after.fail(f"nothing follows after {wanted!r}")
        if not rest and not self.text.endswith("\n"):
            raise RecordError(self.lines.end, "the record is cut short: its hash is missing")
        if rest:
            self._check_hash(rest)

    def _check_hash(self, rest: list[Word]) -> None:
        hashed, *more = rest
        if more:
            more[0].fail("nothing follows after the hash")
        start = sum(len(line) + 1 for line in self.text.split("\n")[: hashed.place.line - 1])
        if hashed.text != digest(self.text[: start + hashed.place.column - 1]):
            hashed.fail("the hash is another: the text has been changed or damaged")


def _checked(word: Word, read: Callable[[], Any]) -> Any:
    """What ``read`` returns; if it refuses the rules, the record is refused at ``word``."""
    try:
        return read()
    except (RulesError, TypeError, RecursionError) as fault:  # of a text that nobody would write
        word.fail(str(fault))


def _card(word: Word, suited: bool) -> int:
    try:
        return parse_kind(word.text, suited=suited)
    except ValueError as fault:
        word.fail(f"deck: {fault}")


def _play(game: Game, action: Word) -> None:
    """Play one action, which must be legal."""
    try:
        number = game.table.id(action.text)
    except ActionError as fault:
        action.fail(str(fault))
    reason = game.why_not(number)
    if reason is not None:
        action.fail(f"{action.text}: {reason}")
    game.play(number)


def _compare(word: Word, what: str, value: int) -> None:
    if word.number(what, -(2**40), 2**40) != value:
        word.fail(f"{what}: {word.text} is written; it is {value}")


def _compare_row(row: Word, what: str, values: list[int]) -> None:
    words = row.words()
    if len(words) != len(values):
        row.fail(f"{what}: {len(words)} numbers; one a side needed: {len(values)}")
    for word, value in zip(words, values, strict=True):
        _compare(word, what, value)
