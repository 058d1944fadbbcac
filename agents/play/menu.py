"""The legal actions as a numbered list, and what is typed to choose one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from canasta_env.actions import ActionError
from canasta_env.game import Game

__all__ = ["Menu", "Unclear"]

_VERBS: Final = (
    "accept", "refuse", "draw", "take", "pass", "meld", "add", "extend", "ask", "yes", "no",
    "discard",
)  # fmt: skip
_WILDS: Final = ("2", "JK")
_INDENT: Final = 11
_GAP: Final = "   "
_LONGEST: Final = 100
"""No text that is longer means an action."""
_FEW: Final = 12
"""More actions of one verb than this are shown only in part."""


class Unclear(ValueError):
    """What was typed chooses no action; the text is for the person."""


class Menu:
    """The legal actions of the seat to act, numbered from 1.

    They come by their verbs, in the order of a turn, those with fewer wild cards first.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.ids = sorted((game.table.id(action) for action in game.legal()), key=self._key)
        self.texts = [game.table.texts[i] for i in self.ids]
        self._words = {word.lower(): word for text in game.table.texts for word in text.split()}

    def _key(self, number: int) -> tuple[int, int, int]:
        verb, *cards = self._game.table.texts[number].split()
        return _VERBS.index(verb), sum(card in _WILDS for card in cards), number

    # -- showing -------------------------------------------------------------------------------

    def lines(self, width: int = 80) -> list[str]:
        """The list: a verb a paragraph, of many actions of one verb the first few."""
        lines = []
        for verb in _VERBS:
            found = [i for i, text in enumerate(self.texts) if text.split()[0] == verb]
            shown = found if len(found) <= _FEW + 2 else found[:_FEW]
            cells = [self._cell(i) for i in shown]
            if len(shown) < len(found):
                cells.append(f"and {len(found) - len(shown)} more: type {verb}")
            lines += _paragraph(verb, cells, width) if found else []
        return lines

    def _cell(self, i: int) -> str:
        """An action with its number, and without its verb where it names cards."""
        verb, _, cards = self.texts[i].partition(" ")
        return f"{i + 1}) {cards or verb}"

    # -- choosing ------------------------------------------------------------------------------

    def choose(self, typed: str) -> int:
        """The id of the action that a number or a text means; a text may leave out the end of the
        verb and whole words at its end, if one action alone is meant.

        Raises:
            Unclear: none is meant, or several, or it is not legal; the message says why.
        """
        if len(typed) > _LONGEST:
            raise Unclear(f"{len(typed)} characters mean no action; ? helps")
        if typed.isdecimal():
            if not 1 <= int(typed) <= len(self.ids):
                raise Unclear(f"there is no {typed}; the numbers are 1 to {len(self.ids)}")
            return self.ids[int(typed) - 1]
        text = self._spelled(typed)
        if text in self.texts:
            return self.ids[self.texts.index(text)]
        meant = self._meant(text)
        if len(meant) > 1:
            listed = _paragraph("which?", (f"{i + 1}) {self.texts[i]}" for i in meant), 80)
            raise Unclear("\n".join(listed))
        return self.ids[meant[0]] if meant else self._checked(text)

    def why(self, typed: str) -> str:
        """Whether an action is possible, and else why not, in words."""
        try:
            return f"{self._game.table.texts[self.choose(typed)]}: possible now"
        except Unclear as reason:
            return str(reason)

    def _spelled(self, typed: str) -> str:
        """What was typed, in the spelling of the notation; a verb that is cut short is completed
        where that can be done in one way only.
        """
        words = [self._words.get(word.lower(), word) for word in typed.split()]
        if words and words[0] not in _VERBS:
            for texts in (self.texts, self._game.table.texts):
                verbs = {text.split()[0] for text in texts if text.startswith(words[0].lower())}
                if len(verbs) == 1:
                    return " ".join([*verbs, *words[1:]])
        return " ".join(words)

    def _meant(self, text: str) -> list[int]:
        """The legal actions whose text begins with these words, the first perhaps cut short."""
        verb, *words = text.lower().split() or [""]
        found = []
        for i, legal in enumerate(self.texts):
            first, *rest = legal.lower().split()
            if verb and first.startswith(verb) and rest[: len(words)] == words:
                found.append(i)
        return found

    def _checked(self, text: str) -> int:
        """The id of an action whose cards were named in another order than the notation's."""
        try:
            number = self._game.table.id(text)
        except ActionError as fault:
            word, *cards = text.split()
            if word not in _VERBS:
                raise Unclear(f"{word!r} is neither an action nor a command; ? helps") from None
            if not cards:
                raise Unclear(f"{word}: nothing of the kind is possible now") from None
            raise Unclear(f"{fault}; ? helps") from None
        reason = self._game.why_not(number)
        if reason is not None:
            raise Unclear(f"{self._game.table.texts[number]}: not possible: {reason}")
        return number


def _paragraph(verb: str, cells: Iterable[str], width: int) -> list[str]:
    """The cells of a verb in lines of so many characters."""
    rows: list[str] = []
    for cell in cells:
        longer = f"{rows[-1]}{_GAP}{cell}" if rows else cell
        if rows and len(longer) <= width - _INDENT:
            rows[-1] = longer
        else:
            rows.append(cell)
    heads = [verb, *[""] * (len(rows) - 1)]
    return [f"  {head}".ljust(_INDENT) + row for head, row in zip(heads, rows, strict=True)]
