"""Bots in other processes, in any language, by the line protocol of docs/line-protocol.md.

``process:COMMAND`` names one wherever agents are named, with options in front if need be:
``process(seconds=5, fallback=first):python3 bot.py``. The command is split as a shell would split
it, but no shell runs it. One process serves all games that the agent plays, one decision after the
other, so this is for hundreds of games at once, not for thousands.
"""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final, Literal

import numpy as np

from agents.base import Rows
from canasta_env.actions import ActionError
from canasta_env.events_live import LiveEvents
from canasta_env.game import Game
from canasta_env.positions.write import write_position
from canasta_env.rules import Rules, RulesError
from canasta_env.rules_read import parse_call
from canasta_env.text import protocol

__all__ = ["BotError", "BotProcess", "ProcessAgent"]

Fallback = Literal["error", "first", "random"]

_NAME: Final = re.compile(r"(process(?:\([^()]*\))?):(.+)", re.DOTALL)
_FALLBACKS: Final = ("error", "first", "random")
_PATIENCE: Final = 3.0
"""How many times longer than for an answer one waits for a bot to start."""
_FAREWELL: Final = 0.5
"""Seconds that a bot has to end by itself."""
_COMMENT: Final = "#"


class BotError(ValueError):
    """A bot that cannot be started, dies, is too slow or plays what is not legal; one line."""


class ProcessAgent:
    """Plays by what a program answers.

    Args:
        command: the program and its arguments.
        rules, players: what is played.
        seed: for the bot's own lots, and for those of ``fallback="random"``.
        seconds: how long it may take over an answer; three times as long to start.
        tries: how many answers it has for a decision, until one is legal.
        fallback: what then happens: an ``error`` (:class:`BotError`), or the ``first`` legal
            action or a ``random`` one is played.
        log: a file into which all lines are written, ``>`` before what the bot is told and ``<``
            before what it answers; none if empty.

    Raises:
        BotError: the program cannot be started, or does not greet.
        ValueError: an argument is not possible.
    """

    def __init__(
        self,
        command: str,
        rules: str | Rules = "classic",
        players: int = 4,
        seed: int = 0,
        *,
        seconds: float = 10.0,
        tries: int = 3,
        fallback: Fallback = "error",
        log: str = "",
    ) -> None:
        if not isinstance(seconds, int | float) or not seconds > 0:
            raise ValueError(f"seconds={seconds!r} is not possible; a number above 0")
        if not isinstance(tries, int) or tries < 1:
            raise ValueError(f"tries={tries!r} is not possible; a whole number from 1 on")
        if fallback not in _FALLBACKS:
            raise ValueError(f"fallback={fallback!r} is not possible; one of {_FALLBACKS}")
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.players, self.tries, self.fallback = players, tries, fallback
        self._lots = np.random.default_rng(seed)
        self._games: dict[int, LiveEvents] = {}
        self._bot = BotProcess(command, seconds, log)
        self._bot.tell(protocol.greeting(self.rules, players, seed))
        try:
            self.name = protocol.ready(self._bot.hear("to start", seconds * _PATIENCE))
        except protocol.AnswerError as error:
            self.close()
            raise BotError(f"{command}: {error}") from None

    @classmethod
    def named(cls, name: str, rules: Any, players: int, seed: int) -> ProcessAgent:
        """The agent that ``process:COMMAND`` or ``process(seconds=5, …):COMMAND`` names.

        Raises:
            BotError: the name has another form, or as the agent itself.
        """
        found = _NAME.fullmatch(name)
        if found is None:
            raise BotError(f"{name!r} is not process:COMMAND or process(seconds=5, …):COMMAND")
        try:
            options = parse_call(found[1])[1]
            return cls(found[2], rules, players, seed, **options)
        except (RulesError, TypeError) as error:
            reason = str(error).replace("ProcessAgent.__init__() got an", "")
            raise BotError(f"{name}: {reason}; options are seconds, tries, fallback, log") from None

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``.

        Raises:
            BotError: the bot fails; the message says at which decision.
        """
        return np.array([self._decide(batch, int(row)) for row in rows], np.int64)

    def watch(self, batch: Any, rows: Rows, actions: Rows) -> None:
        """Take note that ``rows`` are about to play ``actions`` (an id for each row of the batch).

        Who plays an agent may call this before each step, for all rows of the agent's games; then
        the bot is told what happened between its decisions. Without it the bot is told at each
        decision how things stand.
        """
        for row in rows.tolist():
            live = self._games.get(row)
            if live is not None and _state(live.game.record) == _state(batch.games[row]):
                live.play(int(actions[row]))
                if live.game.over:
                    self._tell_end(row, live)

    def close(self) -> None:
        """End the program."""
        self._bot.close()

    def _tell_end(self, row: int, live: LiveEvents) -> None:
        """Tell the seats that the bot plays that their deal is over."""
        for seat in sorted(live.told):
            view, news = live.game.view(seat)[0], live.news(seat)
            self._bot.tell(protocol.end(row, view, live.game.rules, news))
        del self._games[row]

    def _decide(self, batch: Any, row: int) -> int:
        """Ask for an action until it is legal, or the fallback."""
        seat = int(batch.seat[row])
        live = self._live(batch, row)
        game, news = live.game, live.news(seat)
        legal = [str(action) for action in game.legal()]
        self._bot.pass_over()
        self._bot.tell(protocol.decision(row, game.view(seat)[0], self.rules, news, legal))
        what = f"to game {row}, turn {int(game.record.turns) + 1}, seat {seat}"
        for left in reversed(range(self.tries)):
            answer = self._bot.hear(what)
            action, reason = _read(answer, game)
            if not reason:
                return action
            if left:
                self._bot.tell(protocol.refusal(answer, reason, left))
        return self._fall_back(f"{what}: {answer}: {reason}", legal, game)

    def _fall_back(self, failure: str, legal: list[str], game: Game) -> int:
        if self.fallback == "error":
            raise BotError(f"{self.name}: no legal answer {failure}")
        lot = int(self._lots.integers(len(legal))) if self.fallback == "random" else 0
        print(f"{self.name}: {failure}; played: {legal[lot]}", file=sys.stderr)
        return game.table.id(legal[lot])

    def _live(self, batch: Any, row: int) -> LiveEvents:
        """The game of a row with what is to be told; begun anew where it was not watched."""
        live = self._games.get(row)
        if live is None or _state(live.game.record) != _state(batch.games[row]):
            recall = bool(getattr(batch, "recall", True))
            position = write_position(batch.games, row, self.rules)
            live = self._games[row] = LiveEvents(Game.from_position(position, recall=recall))
        return live


def _read(answer: str, game: Game) -> tuple[int, str]:
    """The action that an answer means, or why it means none that is legal."""
    try:
        text = protocol.play(answer)
        reason = game.why_not(text)
    except (protocol.AnswerError, ActionError) as error:
        return -1, str(error)
    return game.table.id(text), "" if reason is None else str(reason)


def _state(record: Any) -> tuple[Any, ...]:
    """What tells apart the states of a game that an agent may meet."""
    numbers = (record.match_seed, record.deal, record.turns, record.phase, record.turn)
    sizes = (record.stock_size, record.pile_size, record.pending, record.asked, record.staged)
    return (*map(int, (*numbers, *sizes)), record.hands.tobytes(), record.scores.tobytes())


class BotProcess:
    """A program to which lines are told and whose lines are heard.

    Args:
        command: the program and its arguments, split as a shell would.
        seconds: how long an answer may take.
        log: a file for all lines, or an empty text.

    Raises:
        BotError: it cannot be started.
        OSError: the log cannot be written.
    """

    def __init__(self, command: str, seconds: float, log: str = "") -> None:
        self.command, self.seconds = command, seconds
        self._log = Path(log).open("w", encoding="utf-8") if log else None  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                encoding="utf-8", errors="replace",
                start_new_session=True,  # Ctrl-C is for us; it hears of it by the end of its input
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise BotError(f"{command}: cannot be started: {error}") from None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        # pipes are small: a thread each, so that neither waits for the other to read
        for work, pipe, lines in (
            (_listen, self._process.stdout, self._lines),
            (_talk, self._process.stdin, self._told),
        ):
            threading.Thread(target=work, args=(pipe, lines), daemon=True).start()
        self._end = weakref.finalize(self, _end, self._process, self._told)

    def tell(self, lines: Iterable[str]) -> None:
        """Write some lines. Whether they arrive shows when an answer is awaited."""
        text = "".join(f"{line}\n" for line in lines)
        self._note(">", text)
        self._told.put(text)

    def pass_over(self) -> None:
        """Forget what was written unasked."""
        while not self._lines.empty():
            if self._lines.get() is None:
                self._lines.put(None)  # the end stays the end
                return

    def hear(self, what: str, seconds: float | None = None) -> str:
        """The next line that is neither empty nor a comment.

        Args:
            what: to what it answers, for the message.
            seconds: how long to wait, if not as long as always.

        Raises:
            BotError: the program has ended, or takes too long; then it is ended.
        """
        patience = self.seconds if seconds is None else seconds
        deadline = time.monotonic() + patience
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.close()
                raise BotError(f"{self.command}: no answer {what} in {patience:g} s") from None
            self._note("<", line or "")
            if line is None:
                raise BotError(f"{self.command}: {self._how_it_ended()}, no answer {what}")
            if line.strip() and not line.startswith(_COMMENT):
                return line.strip()

    def _note(self, mark: str, text: str) -> None:
        if self._log is not None:
            self._log.writelines(f"{mark} {line}\n" for line in text.splitlines())
            self._log.flush()

    def close(self) -> None:
        """End the program: by word, and if it does not listen by force."""
        self._end()
        if self._log is not None:
            self._log.close()
            self._log = None

    def _how_it_ended(self) -> str:
        try:
            return f"ended with exit status {self._process.wait(1.0)}"
        except subprocess.TimeoutExpired:
            return "closed its input or output"


def _listen(output: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Pass on what a program writes; None at the end."""
    with contextlib.suppress(OSError, ValueError):
        for line in output:
            lines.put(line)
    lines.put(None)


def _talk(inbox: IO[str], told: queue.SimpleQueue[str | None]) -> None:
    """Write what there is to tell, until None; a program that has ended is told nothing."""
    with contextlib.suppress(OSError, ValueError):
        while (text := told.get()) is not None:
            inbox.write(text)
            inbox.flush()
        inbox.close()


def _end(process: subprocess.Popen[str], told: queue.SimpleQueue[str | None]) -> None:
    told.put(f"{protocol.QUIT}\n")
    told.put(None)
    try:
        process.wait(_FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
