"""The talk with the person: whose turn it is, what is typed, what is answered."""

from __future__ import annotations

import io
import shutil
import sys
import time
from collections.abc import Callable
from typing import Final

from agents import registry
from agents.base import Agent
from agents.checkpoint import CheckpointError
from agents.play import show
from agents.play.keeping import Keeper, NotSavedError
from agents.play.menu import Menu, Unclear
from agents.play.seating import Seating
from agents.play.table import Table
from agents.registry import UnknownAgentError
from agents.shipped import has_champion
from canasta_env.events import Event, Happening

__all__ = ["INTERRUPTED", "Session"]

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""
_PATIENCE: Final = 1.0
"""Seconds after which the person is told what some agents did, though others are still at it."""
_WIDEST: Final = 120
_HELP: Final = """\
Type the number of an action, or its text (meld K K K, discard 5). A text may be cut short as long
as one action alone fits: `d` draws, `disc 5` discards a five. Enter alone plays the only action.

  ? ACTION      why an action is not possible now, for example: ? take K K
  hint [AGENT]  what an agent would do in your place
  table, hand   the whole table; your side and your hand
  actions       the numbered actions again
  history       all that you saw in this deal
  score         the scores so far
  save [FILE]   write the game down
  quit          stop; it says how to go on later

Cards: 4 to 10, J Q K A; 2 and JK are wild; 3r and 3b are the threes."""


class Left(Exception):
    """The person has left the game."""


class Session:
    """A person's game.

    Args:
        table: the game and the agents of all seats but the person's.
        seating: who sits where.
        keeper: what writes the game down.
        whole: whether the match is played to its end, or only this deal.
    """

    def __init__(self, table: Table, seating: Seating, keeper: Keeper, *, whole: bool) -> None:
        self.table, self.seating, self.keeper = table, seating, keeper
        self.game = table.game
        self.whole = whole
        self._told = 0
        self._advisers: dict[str, Agent] = {}
        self._menu: Menu | None = None
        self._colours = show.colours_wanted()
        self._commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: self._say(_HELP),
            "?": self._explain,
            "hint": self._hint,
            "table": lambda _: self._say(show.table(self.game, self.seating)),
            "hand": lambda _: self._say(show.own(self.game, self.seating)),
            "actions": lambda _: self._list(),
            "history": lambda _: self._show(self._deal_events()),
            "score": lambda _: self._say(show.scores(self.game, self.seating)),
            "save": self._save,
            "quit": self._quit,
            "q": self._quit,
        }

    def run(self) -> int:
        """Plays until the end, or until the person leaves; the exit status."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        status = 0
        try:
            self._welcome()
            self._play()
        except Left:
            self._say()
        except KeyboardInterrupt:
            self._say()
            status = INTERRUPTED
        except ValueError as error:  # of an agent, as when it chooses what is not legal
            print(f"agents.play: {error}", file=sys.stderr)
            status = 2
        finally:
            self._say(self.keeper.farewell(finished=self._finished))
        return status

    # -- the course of the game ------------------------------------------------------------------

    def _welcome(self) -> None:
        names = (self.seating.called(seat) for seat in range(self.game.players))
        self._say(f"{self.game.rules}, seed {self.keeper.seed}: {', '.join(names)}. ? helps.")
        events = self._events()
        own = [i for i, event in enumerate(events) if event.seat == self.seating.person]
        if any(event.what is Happening.DISCARD for event in events):  # a game that goes on
            self._told = max(own, default=-1) + 1

    @property
    def _finished(self) -> bool:
        """Is all that was to be played over?"""
        return self.game.match_over if self.whole else self.game.over

    def _play(self) -> None:
        while True:
            while not self.game.over:
                self._turn()
            self._tell()
            self._say(f"\n{show.sheet(self.game, self.seating)}\n")
            if self._finished:
                self._say(show.winner(self.game, self.seating, whole=self.whole))
                return
            self._keep()
            while self._ask("Enter: the next deal> ", self._answer_between_deals):
                pass
            self.game.next_deal()

    def _keep(self) -> None:
        try:
            self.keeper.keep()
        except NotSavedError as reason:  # the game is worth more than its record
            self._say(str(reason))

    def _turn(self) -> None:
        """The agents' actions until the person is to act, and one action of the person."""
        since = time.monotonic()
        while self.table.is_agents_turn:
            seat = self.game.turn
            self.table.step()
            if self.game.turn != seat and time.monotonic() - since > _PATIENCE:
                self._tell()
                since = time.monotonic()
        if self.game.over:
            return
        self._tell()
        self._say()
        begins = self.game.phase in ("offer", "draw", "answer")
        if begins:
            self._keep()
        self._say((show.table if begins else show.own)(self.game, self.seating))
        self.game.play(self._decide())

    def _decide(self) -> int:
        """The action that the person chooses."""
        self._menu = menu = Menu(self.game)
        self._list()
        chosen: list[int] = []

        def answer(typed: str) -> None:
            if typed or len(menu.ids) == 1:
                chosen.append(menu.choose(typed or "1"))
            else:
                self._list()

        while not chosen:
            self._ask("you> ", answer)
        self._menu = None
        return chosen[0]

    def _answer_between_deals(self, typed: str) -> None:
        if typed:
            raise Unclear("the deal is over; Enter deals the next one, ? helps")

    # -- what is typed ---------------------------------------------------------------------------

    def _ask(self, prompt: str, answer: Callable[[str], None]) -> bool:
        """Reads a line and does what it says: a command, or else ``answer``. False after an answer
        to an empty line.
        """
        typed = self._read(prompt)
        word, _, rest = typed.partition(" ")
        if typed.startswith("?"):
            word, rest = "?", typed[1:]
        try:
            if word.lower() in self._commands:
                self._commands[word.lower()](rest.strip())
            else:
                answer(typed)
        except (Unclear, NotSavedError, UnknownAgentError, CheckpointError) as reason:
            self._say(str(reason))
        return bool(typed)

    def _read(self, prompt: str) -> str:
        """A line that the person types; raises Left at the end of the input."""
        try:
            line = input(prompt)
        except EOFError:
            raise Left from None
        if not sys.stdin.isatty():  # nobody has seen it yet
            print(line)
        return line.strip()

    def completions(self) -> list[str]:
        """What the person may type now."""
        actions = self._menu.texts if self._menu else []
        return [*actions, *self._commands]

    # -- what is answered ------------------------------------------------------------------------

    def _say(self, text: str = "") -> None:
        print(show.painted(text) if self._colours else text, flush=True)

    def _show(self, events: list[Event]) -> None:
        self._say(show.told(events, self.seating, _width()))

    def _list(self) -> None:
        if self._menu:
            self._say("\n".join(self._menu.lines(_width())))

    def _events(self) -> list[Event]:
        return self.game.events(self.seating.person)

    def _deal_events(self) -> list[Event]:
        """All events of this deal."""
        events = self._events()
        starts = [i for i, event in enumerate(events) if event.what is Happening.DEAL]
        return events[starts[-1] :]

    def _tell(self) -> None:
        """What the person saw since it was last told."""
        events = self._events()
        if events[self._told :]:
            self._show(events[self._told :])
        self._told = len(events)

    def _explain(self, text: str) -> None:
        if not text:
            self._say(_HELP)
        elif self._menu:
            self._say(self.seating.named(self._menu.why(text)))
        else:
            raise Unclear("the deal is over")

    def _hint(self, name: str) -> None:
        if not self._menu:
            raise Unclear("there is nothing to decide")
        game = self.game
        known = has_champion(game.rules, game.players)
        name = name or (registry.CHAMPION if known else "basic")
        if name not in self._advisers:
            self._advisers[name] = registry.make(name, str(game.rules), game.players)
        chosen = self.table.ask(self._advisers[name])
        self._say(f"{name} would: {game.table.texts[chosen]}")

    def _save(self, name: str) -> None:
        self._say(self.keeper.save(name))

    def _quit(self, _: str) -> None:
        raise Left


def _width() -> int:
    """How wide the lines may be."""
    return min(shutil.get_terminal_size().columns, _WIDEST)
