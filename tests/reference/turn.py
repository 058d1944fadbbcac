"""A turn under way, and what one action of the seat does to it (rules.md, A turn)."""

from dataclasses import dataclass, replace

from . import cards, melds
from .cards import BLACK_THREE, RED_THREE
from .melds import Meld
from .rules import Rules


@dataclass(frozen=True)
class Facts:
    """What does not change while the turn lasts (save that the foot is taken)."""

    rules: Rules
    minimum: int
    seat_melded: bool  # the seat has melded earlier in the deal
    foot_waiting: bool  # the seat has an untaken foot
    partner_played: bool  # the partner (if any) has ended a turn with his foot in hand
    partnership: bool


@dataclass(frozen=True)
class Turn:
    facts: Facts
    hand: tuple[str, ...]
    melds: tuple[Meld, ...]  # of the side
    melded: bool  # the side has reached its first minimum
    red_threes: int  # of the side
    drew: str = "stock"
    before: tuple[str, ...] = ()  # the hand before the draw, with what the stock brought
    top: str = ""
    pending: tuple[str, ...] = ()
    added: bool = False
    acted: bool = False
    asked: str = ""
    must_go_out: bool = False
    whole_pile: bool = False  # hungarian: the whole pile came in for one concealed going out

    @property
    def rules(self) -> Rules:
        return self.facts.rules

    @property
    def staging(self) -> bool:
        """Something is laid below the first minimum."""
        return not self.melded and any(meld.begun for meld in self.melds)

    def key(self) -> tuple[object, ...]:
        """All that further actions of this turn depend on."""
        red = self.red_threes if self.rules.discard_red_three else 0
        state = (self.hand, self.melds, self.melded, self.pending, self.added, red)
        return (*state, self.facts.foot_waiting)


@dataclass(frozen=True)
class Action:
    """An action with its text; `new` is the meld that it makes, `old` the one it extends."""

    text: str
    used: tuple[str, ...] = ()  # the cards from the hand
    old: Meld | None = None
    new: Meld | None = None


@dataclass(frozen=True)
class Result:
    """The turn after an action and whether that ended it.

    "" goes on, "stay" ended by a discard, "out" the seat went out, "foot" the foot comes
    into the hand and the turn goes on.
    """

    turn: Turn
    end: str = ""


def lay(turn: Turn, action: Action, own: bool = True) -> Turn:
    """Move the cards of a meld, an addition or a take; then see whether the minimum is reached."""
    table = list(turn.melds)
    added = turn.added
    if action.old is not None:
        table.remove(action.old)
        added = added or not action.old.begun
    assert action.new is not None
    table.append(action.new)
    turn = replace(
        turn,
        hand=cards.remove(turn.hand, action.used),
        melds=tuple(sorted(table)),
        added=added,
        acted=turn.acted or own,
    )
    return see_minimum(turn)


def see_minimum(turn: Turn) -> Turn:
    """Taking the pile: the rest comes into the hand when the minimum is reached."""
    melded = turn.melded
    if not melded and not turn.whole_pile:  # hungarian: pile cards do not count toward it
        melded = melds.reaches(turn.rules, turn.melds, turn.facts.minimum)
    turn = replace(turn, melded=melded)
    return bring_in(turn, turn.pending) if melded and turn.pending else turn


def bring_in(turn: Turn, pile: tuple[str, ...]) -> Turn:
    """Pile cards come into the hand; a red three among them is laid out, not replaced."""
    red = pile.count(RED_THREE)
    rest = [card for card in pile if card != RED_THREE]
    hand = cards.sort([*turn.hand, *rest])
    return replace(turn, hand=hand, red_threes=turn.red_threes + red, pending=())


def meld(turn: Turn, action: Action) -> Result | None:
    """A meld or an addition; None where the rules forbid it."""
    return judge(lay(turn, action))


def judge(turn: Turn) -> Result | None:
    """Has the hand run out? Judged after the rest of the pile has come."""
    if turn.hand:
        return Result(turn)
    if turn.pending:
        # The rest of the pile comes only with the minimum, and nothing is left to reach it.
        return None
    if turn.facts.foot_waiting:
        # Foot: melded away from the hand only once the first minimum is reached.
        return Result(turn, "foot") if turn.melded else None
    return Result(turn, "out") if may_go_out(turn, "") else None


def discard(turn: Turn, card: str) -> Result | None:
    """A discard from the hand, which ends the turn; None where the rules forbid it."""
    if turn.pending:
        return None
    after = replace(turn, hand=cards.remove(turn.hand, [card]))
    if after.hand or turn.facts.foot_waiting:
        return None if turn.staging else Result(after, "stay")
    return Result(after, "out") if may_go_out(after, card) else None


def discard_red_three(turn: Turn) -> Result | None:
    """czech: a laid-out red three of the side instead of a card from the hand."""
    if not turn.rules.discard_red_three or not turn.red_threes:
        return None
    if turn.pending or turn.staging:
        return None
    return Result(replace(turn, red_threes=turn.red_threes - 1), "stay")


def may_go_out(turn: Turn, last: str) -> bool:
    """Going out: the canastas, the foot, and the first minimum reached or waived."""
    if not melds.canastas_made(turn.rules, turn.melds):
        return False
    if turn.rules.foot and not turn.facts.partner_played:
        return False
    return turn.melded or (waived(turn) and concealed(turn, last))


def waived(turn: Turn) -> bool:
    """Row "concealed waives the first minimum"."""
    if turn.rules.waives == "stock":
        return turn.drew == "stock"
    return turn.rules.waives == "always"


def concealed(turn: Turn, last: str) -> bool:
    """Concealed going out, of a turn that goes out with this last discard (or none)."""
    if turn.facts.seat_melded or not any_laid(turn):
        return False
    if turn.rules.concealed_side_new and not side_is_new(turn):
        return False
    if turn.rules.concealed_own:
        own = any(made.begun and melds.is_canasta(turn.rules, made) for made in turn.melds)
        if not own or turn.added:
            return False
    if turn.rules.concealed_side_new and turn.drew == "pile" and last:
        return last in turn.before  # hungarian: only a kind that it held before the take
    return True


def any_laid(turn: Turn) -> bool:
    return turn.added or any(made.begun for made in turn.melds)


def side_is_new(turn: Turn) -> bool:
    """The side had not melded before this turn."""
    return all(made.begun for made in turn.melds)


def goal(turn: Turn) -> str:
    """How the turn has to end: "out", "stay" or "" for either."""
    black = any(made.begun and made.rank == BLACK_THREE for made in turn.melds)
    if turn.asked == "yes" or turn.must_go_out or black:
        return "out"
    return "stay" if turn.asked == "no" else ""
