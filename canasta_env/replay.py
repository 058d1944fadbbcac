"""Looking at a record: ``python -m canasta_env replay FILE``.

Without options every turn is told and each deal's end is shown. ``--turn`` shows the table where a
turn begins, ``--step`` before every action; ``--seat`` as one seat saw it, else all hands lie open.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from canasta_env.events import Happening, events
from canasta_env.game import Game
from canasta_env.record import Record, RecordError, load_record
from canasta_env.render.ansi import draw

__all__ = ["main", "picture"]

INTERRUPTED: Final = 130
_RULE: Final = "-" * 72


def picture(game: Game, seat: int | None = None) -> str:
    """The table as ``seat`` sees it; without one as the seat to act does, with all hands open."""
    looks = game.turn if seat is None else seat
    lines = [draw(game.view(looks)[0], str(game.rules))]
    if seat is None:
        others = (other for other in range(game.players) if other != looks)
        lines += [draw(game.view(other)[0]).splitlines()[-1] for other in others]
    return "\n".join(lines)


def _turn(game: Game) -> int:
    """The number of the turn, from 1, as the picture has it."""
    return int(game.record.turns) + 1


def _check(record: Record, deal: int | None, turn: int | None, seat: int | None) -> None:
    """Refuse a deal or a seat that the record does not have, and a turn that none has."""
    game = record.game
    last = game.deal
    first = last - len(game.deals) + 1
    if deal is not None and not first <= deal <= last:
        raise ValueError(f"--deal {deal}: the record has the deals {first} to {last}")
    if seat is not None and not 0 <= seat < game.players:
        raise ValueError(f"--seat {seat}: the seats are 0 to {game.players - 1}")
    if turn is not None and turn < 1:
        raise ValueError(f"--turn {turn}: turns are numbered from 1")


def _states(record: Record, deal: int | None) -> Iterator[tuple[Game, int | None]]:
    """The states of one deal, or of all, with the action that follows."""
    for game, action in record.game.replay():
        if deal is None or game.deal == deal:
            yield game, action


def _show_turn(record: Record, deal: int | None, turn: int, seat: int | None) -> None:
    """Show the table where a turn begins; of several deals the first."""
    deal = record.game.deal - len(record.game.deals) + 1 if deal is None else deal
    last = 0
    for game, _ in _states(record, deal):
        last = _turn(game)
        if last == turn:
            print(picture(game, seat))
            return
    raise ValueError(f"--turn {turn}: deal {deal} has the turns 1 to {last}")


def _step(record: Record, deal: int | None, turn: int | None, seat: int | None) -> None:
    """Show the table before every action and at the end of the deal."""
    shown = False
    for game, action in _states(record, deal):
        shown = shown or turn is None or _turn(game) >= turn
        if not shown:
            continue
        print(picture(game, seat))
        if action is not None:
            print(f"\nplayer_{game.turn}: {game.table.texts[action]}")
        print(_RULE)
        if sys.stdin.isatty() and sys.stdout.isatty():
            input("Enter: the next step ")
    if not shown:
        raise ValueError(f"--turn {turn}: no deal that was asked for has so many turns")


def _tell(record: Record, deal: int | None, seat: int | None) -> None:
    """Tell what was played, and show the table at the end of each deal."""
    print(f"{record.game.rules}, written by version {record.version}")
    for number, name in enumerate(record.names):
        print(f"player_{number}: {name}")
    told = None if seat is None else _told_by_deal(record, seat)
    turns: list[str] = []
    number = 0
    for game, action in _states(record, deal):
        if action is not None and told is None:
            if number != _turn(game):
                number = _turn(game)
                turns.append(f"{number:4} player_{game.turn}:")
            turns[-1] += f" {_said(game, action)},"
        if action is None:
            print(f"\ndeal {game.deal}")
            lines = [line.rstrip(",") for line in turns] if told is None else told[game.deal]
            print("\n".join([*lines, "", picture(game, seat)]))
            turns, number = [], 0


def _said(game: Game, action: int) -> str:
    """An action in the row of its turn; a partner's answer with who gave it."""
    text = game.table.texts[action]
    return f"player_{game.turn} says {text}" if game.phase == "answer" else text


def _told_by_deal(record: Record, seat: int) -> dict[int, list[str]]:
    """What a seat saw, by the number of the deal."""
    told: dict[int, list[str]] = {}
    number = 0
    for event in events(record, seat):
        if event.what is Happening.DEAL:
            number = event.numbers[0]
        told.setdefault(number, []).append(f"  {event}")
    return told


def main(
    file: Path,
    deal: int | None = None,
    turn: int | None = None,
    seat: int | None = None,
    step: bool = False,
) -> int:
    """``python -m canasta_env replay``; exit status 2 if there is nothing to show."""
    try:
        record = load_record(file)
        _check(record, deal, turn, seat)
        if step:
            _step(record, deal, turn, seat)
        elif turn is not None:
            _show_turn(record, deal, turn, seat)
        else:
            _tell(record, deal, seat)
    except (RecordError, OSError, ValueError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        where = f"{file}: " if isinstance(error, RecordError | OSError) else ""
        print(f"canasta_env replay: {where}{reason}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, EOFError):
        print()
        return INTERRUPTED
    return 0
