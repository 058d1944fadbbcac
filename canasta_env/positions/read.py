"""Reading a position: a mapping (notation.md, Positions) becomes a game that can be played on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from canasta_env.actions import ActionTable
from canasta_env.cards import parse_kind
from canasta_env.engine.state import Asked, Games, Phase
from canasta_env.positions.held import read_held
from canasta_env.positions.melds import place_melds, read_meld
from canasta_env.positions.reader import ASKED, DREW, ENDS, PHASES, Reader
from canasta_env.positions.values import (
    INT32,
    PositionError,
    by_index,
    known_keys,
    number,
    one_of,
    read_cards,
    switch,
)
from canasta_env.rules import Rules
from canasta_env.rules_fields import Upcard

__all__ = ["Position", "read_position"]

MOST_CARDS: Final = 300


class Position(NamedTuple):
    """A position that was read.

    Attributes:
        rules: the rules, as they were given.
        players: how many play.
        games: the game, as an array of one; counts that the engine keeps beside the cards are left
            to it.
        table: the actions of the rules.
    """

    rules: Rules
    players: int
    games: Games
    table: ActionTable


def read_position(mapping: Mapping[str, Any]) -> Position:
    """The game of a position; what the mapping leaves out takes its default.

    Raises:
        PositionError: a key, a value or a meld is wrong, or the cards are not the deck's.
        RulesError: the rules are wrong.
    """
    reader = Reader(mapping)
    _read_table(reader)
    _read_melds(reader)
    read_held(reader)
    _check_offer(reader)
    _read_turn(reader)
    _read_memory(reader)
    return Position(reader.rules, reader.players, reader.games, ActionTable(reader.rules))


def _read_table(reader: Reader) -> None:
    """Who plays, whose turn it is, the scores."""
    game, given, players = reader.game, reader.given, reader.players
    last = players - 1
    game.players, game.sides = players, reader.sides
    game.scores[: reader.sides] = reader.integers("scores", "side", -INT32, INT32)
    game.deal = number("deal", given.get("deal", 1), 1, 30_000)
    game.dealer = number("dealer", given.get("dealer", last), 0, last)
    game.turn = number("turn", given.get("turn", (int(game.dealer) + 1) % players), 0, last)
    game.phase = one_of("phase", given.get("phase", "draw"), PHASES)
    game.match_seed = number("match_seed", given.get("match_seed", 0), 0, 2**63 - 1)
    game.red_threes[: reader.sides] = reader.integers("red_threes", "side", 0, MOST_CARDS)
    game.owed[:players] = reader.integers("owed", "seat", 0, MOST_CARDS)
    most = reader.integers("concealed_canastas", "side", 0, 100)
    game.concealed_canastas[: reader.sides] = most
    game.seat_melded[:players] = reader.flags("seat_melded", "seat")
    game.foot_played[:players] = reader.flags("foot_played", "seat")
    game.deal_scores[: reader.sides] = reader.integers("deal_scores", "side", -INT32, INT32)
    if game.phase == Phase.OVER:  # a position has the scores before the deal, a game those after it
        game.scores[:] += game.deal_scores
    _check_phase(reader)


def _check_phase(reader: Reader) -> None:
    phase = Phase(int(reader.game.phase))
    if phase is Phase.OFFER and reader.rules.upcard is not Upcard.OFFER:
        raise PositionError(f"phase: {reader.rules.name} offers no card (upcard=offer)")
    partners = reader.sides < reader.players
    if phase is Phase.ANSWER and not (reader.rules.asking and partners):
        raise PositionError("phase: there is no partner who may be asked")
    if phase in (Phase.OFFER, Phase.DRAW) and reader.turn_state:
        raise PositionError(f"turn_state: a turn in the phase {PHASES[phase]} has done nothing yet")


def _check_offer(reader: Reader) -> None:
    """The offer comes before everything else: from the stock, and to start the pile with."""
    if reader.game.phase != Phase.OFFER:
        return
    if reader.game.stock_size == 0:
        raise PositionError("phase: no card can be offered, the stock is empty")
    if reader.game.pile_size > 0:
        raise PositionError("pile: while the first card is offered there is no pile")


def _read_melds(reader: Reader) -> None:
    """The melds of the sides, and which of them were begun this turn."""
    game, side_turn = reader.game, int(reader.game.turn) % reader.sides
    given = by_index("melds", reader.given.get("melds"), reader.sides, "side")
    begun: set[int] = set()
    for side in range(reader.sides):
        texts = given.get(side, [])
        if not isinstance(texts, list | tuple):
            raise PositionError(f"melds: side {side} has a list of melds, not {texts!r}")
        melds = [read_meld(f"melds: side {side}", text, reader.rules) for text in texts]
        here = _read_begun(reader, len(melds)) if side == side_turn else set()
        place_melds(game, side, melds, here, reader.rules)
        begun |= here
        reader.melds.append(melds)
        reader.supply.place(kind for meld in melds for kind in meld.cards)
    default = [
        len(melds) > (len(begun) if side == side_turn else 0)
        for side, melds in enumerate(reader.melds)
    ]
    melded = by_index("melded", reader.given.get("melded"), reader.sides, "side")
    for side in range(reader.sides):
        game.melded[side] = switch("melded", melded.get(side, default[side]))


def _read_begun(reader: Reader, count: int) -> set[int]:
    begun = reader.turn_state.get("begun", [])
    if not isinstance(begun, list | tuple):
        raise PositionError(f"begun: a list of places among the side's melds, not {begun!r}")
    places = [number("begun", place, 0, max(count - 1, 0)) for place in begun]
    if places and count == 0:
        raise PositionError("begun: the side has no melds")
    return set(places)


def _read_turn(reader: Reader) -> None:
    """What the turn under way has done so far."""
    game, given = reader.game, reader.turn_state
    phase = Phase(int(game.phase))
    game.top, game.asker = -1, -1
    if phase in (Phase.OFFER, Phase.DRAW):
        return
    game.drew = one_of("drew", given.get("drew", "stock"), DREW)
    if (top := given.get("top", "none")) != "none":
        game.top = _read_top(top, reader.suited)
    game.staged = number("staged", given.get("staged", _default_staged(reader)), 0, INT32)
    game.added = switch("added", given.get("added", False))
    began = bool(game.begun) or bool(game.begun_closed.any()) or bool(game.begun_sequences)
    game.acted = switch("acted", given.get("acted", began or bool(game.added)))
    game.must_go_out = switch("must_go_out", given.get("must_go_out", False))
    _read_question(reader, phase)
    actor = int(game.asker if phase is Phase.ANSWER else game.turn)
    game.before[:] = game.hands[actor]
    if "before" in given:
        game.before[:] = 0
        for kind in read_cards("before", given["before"], reader.suited):
            game.before[kind] += 1


def _read_top(given: object, suited: bool) -> int:
    try:
        return parse_kind(str(given), suited=suited)
    except ValueError as fault:
        raise PositionError(f"top: {fault}") from None


def _default_staged(reader: Reader) -> int:
    """Points of the begun melds, if the side has not melded."""
    side = int(reader.game.turn) % reader.sides
    if reader.game.melded[side]:
        return 0
    places = _read_begun(reader, len(reader.melds[side]))
    return sum(reader.melds[side][place].points(reader.rules) for place in places)


def _read_question(reader: Reader, phase: Phase) -> None:
    """The question "may I go out?" of this turn; YAML may bring yes and no as true and false."""
    game, given = reader.game, reader.turn_state
    default = "open" if phase is Phase.ANSWER else "none"
    asked = given.get("asked", default)
    if isinstance(asked, bool):
        asked = "yes" if asked else "no"
    game.asked = one_of("asked", asked, ASKED)
    if (phase is Phase.ANSWER) != (game.asked == Asked.OPEN):
        raise PositionError(f"asked: {asked!r} does not belong to the phase {PHASES[phase]}")
    before = (int(game.turn) - reader.sides) % reader.players
    fallback = before if phase is Phase.ANSWER else -1
    game.asker = number("asker", given.get("asker", fallback), -1, reader.players - 1)
    if phase is Phase.ANSWER and game.asker % reader.sides != game.turn % reader.sides:
        raise PositionError(f"asker: seat {game.asker} is no partner of seat {game.turn}")


def _read_memory(reader: Reader) -> None:
    """What everybody saw earlier in the deal, and how a finished deal ended."""
    game, given = reader.game, reader.given
    rows = reader.seats("discards")
    suited = reader.suited
    left = {s: read_cards("discards", cards, suited) for s, cards in rows.items()}
    seat = int(game.dealer)
    while any(left.values()):  # seats discard in turn, from the dealer's left
        seat = (seat + 1) % reader.players
        if left.get(seat):
            if game.discard_count == len(game.discards):
                raise PositionError("discards: more than a deal can have")
            game.discards[game.discard_count] = 64 * seat + left[seat].pop(0)
            game.discard_count += 1
    game.turns = number("turns", given.get("turns", int(game.discard_count)), 0, 30_000)
    _read_end(reader)


def _read_end(reader: Reader) -> None:
    game = reader.game
    game.out_seat = -1
    ended = known_keys("ended", reader.given.get("ended", {}), ("how", "seat"))
    if not ended:
        return
    if game.phase != Phase.OVER:
        raise PositionError("ended: the deal is not over")
    game.end = one_of("how", ended.get("how"), ENDS)
    game.out_seat = number("seat", ended.get("seat", -1), -1, reader.players - 1)
