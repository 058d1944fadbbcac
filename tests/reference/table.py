"""One deal at the table: whose turn it is, what is legal, and what an action does."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from . import cards, melds, scoring, takes, turn
from .cards import RED_THREE
from .lookahead import legal_steps, may_ask
from .melds import Meld
from .position import Cards, by_seat, read_rules
from .rules import Rules, minimum
from .scoring import SideCards
from .turn import Facts, Result, Turn


class Table:
    """A position with its seats; `play` moves it on. Built by `from_position` or `deal`."""

    def __init__(self, rules: Rules) -> None:
        seats, sides = rules.players, rules.sides
        self.rules = rules
        self.scores = [0] * sides
        self.number = 1
        self.dealer = seats - 1
        self.turn = 0
        self.phase = "draw"
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.feet: list[list[str] | None] = [None] * seats
        self.side_melds: list[tuple[Meld, ...]] = [() for _ in range(sides)]
        self.red_threes = [0] * sides
        self.pile: list[str] = []
        self.frozen = False
        self.stock: list[str] = []
        self.absent: list[str] = []
        self.melded = [False] * sides
        self.seat_melded = [False] * seats
        self.foot_played = [False] * seats
        self.owed = [0] * seats
        self.concealed_canastas = [0] * sides
        self.state: Turn | None = None  # in the phases meld and answer
        self.asker = 0
        self.out: int | None = None
        self.out_concealed = False
        self.deal_scores: list[int] | None = None
        self.cached: list[str] | None = None

    # --- looking ---------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def side(self, seat: int) -> int:
        return seat % self.rules.sides

    def hand(self, seat: int) -> list[str]:
        return sorted(self.hands[seat])

    def melds(self, side: int) -> list[list[str]]:
        return [list(meld.cards) for meld in self.side_melds[side]]

    def partner(self, seat: int) -> int:
        """The next seat of the side."""
        return (seat + self.rules.sides) % self.rules.players

    def copy(self) -> "Table":
        other = Table.__new__(Table)
        for name, value in self.__dict__.items():
            if isinstance(value, list):
                value = [list(item) if isinstance(item, list) else item for item in value]
            other.__dict__[name] = value
        return other

    def scores_breakdown(self) -> dict[int, dict[str, int]]:
        """The lines of the score sheet by side, as the cards lie."""
        return {
            side: scoring.breakdown(self.rules, self.side_cards(side))
            for side in range(self.rules.sides)
        }

    def side_cards(self, side: int) -> SideCards:
        seats = [seat for seat in range(self.rules.players) if self.side(seat) == side]
        feet = [self.feet[seat] for seat in seats]
        out = self.out in seats
        return SideCards(
            melds=tuple(meld.cards for meld in self.side_melds[side]),
            hands=tuple(tuple(self.hands[seat]) for seat in seats),
            feet=tuple(tuple(foot) for foot in feet if foot is not None),
            red_threes=self.red_threes[side],
            went_out=out,
            concealed=out and self.out_concealed,
            concealed_canastas=self.concealed_canastas[side],
        )

    # --- legal actions -----------------------------------------------------------------------

    def legal(self) -> list[str]:
        """The texts of the legal actions, sorted; none when the deal is over."""
        if self.cached is None:
            find: dict[str, Callable[[], list[str]]] = {
                "offer": self.legal_offer,
                "draw": self.legal_draw,
                "meld": self.legal_meld,
                "answer": lambda: ["no", "yes"],
                "over": list,
            }
            self.cached = sorted(find[self.phase]())
        return list(self.cached)

    def legal_offer(self) -> list[str]:
        """czech, The offer; to refuse needs another card to draw."""
        return ["accept", "refuse"] if len(self.stock) > 1 else ["accept"]

    def legal_draw(self) -> list[str]:
        state, pile = self.begin(), tuple(self.pile)
        found = list(takes.legal_takes(state, pile, self.frozen))
        if self.stock:
            return ["draw", *found]
        forced = takes.must_take(state, pile, self.frozen) and found
        return found if forced else ["pass", *found]

    def legal_meld(self) -> list[str]:
        assert self.state is not None
        found = list(legal_steps(self.state))
        return [*found, "ask"] if may_ask(self.state) else found

    def facts(self, seat: int) -> Facts:
        side = self.side(seat)
        partners = [
            other
            for other in range(self.rules.players)
            if other != seat and self.side(other) == side
        ]
        return Facts(
            rules=self.rules,
            minimum=minimum(self.rules, self.scores[side], self.number),
            seat_melded=self.seat_melded[seat],
            foot_waiting=self.feet[seat] is not None,
            partner_played=all(self.foot_played[other] for other in partners),
            partnership=bool(partners),
        )

    def begin(self) -> Turn:
        """The turn of the seat before its draw."""
        side = self.side(self.turn)
        return Turn(
            facts=self.facts(self.turn),
            hand=cards.sort(self.hands[self.turn]),
            melds=self.side_melds[side],
            melded=self.melded[side],
            red_threes=self.red_threes[side],
        )

    # --- playing -----------------------------------------------------------------------------

    def play(self, text: str) -> None:
        if text not in self.legal():
            raise ValueError(f"not legal: {text} (legal: {', '.join(self.legal())})")
        self.cached = None
        if self.phase == "offer":
            self.play_offer(text)
        elif self.phase == "draw":
            self.play_draw(text)
        elif self.phase == "answer":
            self.play_answer(text)
        elif text == "ask":
            self.asker, self.turn, self.phase = self.turn, self.partner(self.turn), "answer"
        else:
            self.play_meld(text)

    def play_offer(self, text: str) -> None:
        if text == "accept":
            self.draw("offer")
            return
        card = self.stock.pop(0)
        self.pile.append(card)
        self.frozen = card in self.rules.start_freezers
        self.draw("stock")

    def play_draw(self, text: str) -> None:
        if text == "pass":  # End of the stock: a pass ends the deal
            self.finish()
        elif text == "draw":
            self.draw("stock")
        else:
            self.take(text)

    def play_answer(self, text: str) -> None:
        assert self.state is not None
        self.state = replace(self.state, asked=text)
        self.turn, self.phase = self.asker, "meld"

    def play_meld(self, text: str) -> None:
        assert self.state is not None
        result = legal_steps(self.state)[text]
        last = ""
        if text.startswith("discard "):
            last = text.removeprefix("discard ")
            self.pile.append(last)
            self.freeze(last)
        self.settle(result, last)

    def freeze(self, card: str) -> None:
        """Rows "discarding a wild", "a black three in the pile", "… red three"."""
        if cards.is_wild(card):
            self.frozen = self.frozen or self.rules.wild_freezes
        if card == cards.BLACK_THREE:
            self.frozen = self.frozen or self.rules.black_three_freezes
        if card == RED_THREE:
            self.frozen = True

    def from_stock(self, side: int, size: int) -> list[str]:
        """Cards from the stock; a red three is laid out and replaced while there is stock."""
        brought: list[str] = []
        while len(brought) < size and self.stock:
            card = self.stock.pop(0)
            if card == RED_THREE:
                self.red_threes[side] += 1
            else:
                brought.append(card)
        return brought

    def pay_owed(self, seat: int) -> list[str]:
        """czech: dealt red threes are replaced right after the seat's first buy."""
        owed, self.owed[seat] = self.owed[seat], 0
        return self.from_stock(self.side(seat), owed)

    def draw(self, drew: str) -> None:
        seat = self.turn
        brought = self.from_stock(self.side(seat), self.rules.draw)
        if not brought:  # End of the stock: nothing but red threes, and the stock is empty
            self.finish()
            return
        self.hands[seat] += [*brought, *self.pay_owed(seat)]
        state = self.begin()
        self.state = replace(state, drew=drew, before=state.hand)
        self.phase = "meld"

    def take(self, text: str) -> None:
        pile = tuple(self.pile)
        state = self.begin()
        action = takes.legal_takes(state, pile, self.frozen)[text]
        after = takes.take(state, action, pile, self.frozen)
        self.pile = list(takes.split(state, pile)[0])
        self.frozen = False
        self.red_threes[self.side(self.turn)] = after.red_threes
        brought = self.pay_owed(self.turn)
        after = replace(
            after,
            hand=cards.sort([*after.hand, *brought]),
            before=cards.sort([*after.before, *brought]),
            red_threes=self.red_threes[self.side(self.turn)],
        )
        result = turn.judge(after)
        assert result is not None
        self.settle(result, "")

    # --- what an action leads to ---------------------------------------------------------------

    def settle(self, result: Result, last: str) -> None:
        """Put the turn's cards on the table, then go on, take the foot or end the turn."""
        seat, state = self.turn, result.turn
        side = self.side(seat)
        self.state, self.phase = state, "meld"
        self.hands[seat] = list(state.hand)
        self.side_melds[side] = state.melds
        self.red_threes[side] = state.red_threes
        self.melded[side] = state.melded
        if result.end == "foot":
            self.take_foot(seat)
            self.state = replace(
                state,
                facts=self.facts(seat),
                hand=cards.sort(self.hands[seat]),
                red_threes=self.red_threes[side],
            )
        elif result.end:
            self.end_turn(state, result.end, last)

    def take_foot(self, seat: int) -> None:
        """Foot: red threes in it are laid out and replaced, while there is stock."""
        foot = self.feet[seat] or []
        self.feet[seat] = None
        red = foot.count(RED_THREE)
        self.red_threes[self.side(seat)] += red
        self.hands[seat] += [card for card in foot if card != RED_THREE]
        self.hands[seat] += self.from_stock(self.side(seat), red)

    def end_turn(self, state: Turn, end: str, last: str) -> None:
        seat, side = self.turn, self.side(self.turn)
        self.count_concealed_canastas(state)
        if end == "out":
            self.melded[side] = True  # also under a waived minimum
            self.out, self.out_concealed = seat, turn.concealed(state, last)
            self.finish()
            return
        self.seat_melded[seat] = self.seat_melded[seat] or turn.any_laid(state)
        self.forget_begun(side)
        if self.rules.foot and self.feet[seat] is None:
            self.foot_played[seat] = True
        if self.feet[seat] is not None and not self.hands[seat]:
            self.take_foot(seat)
        self.state = None
        self.turn, self.phase = (seat + 1) % self.rules.players, "draw"
        if self.rules.empty_stock == "ends" and not self.stock:
            self.finish()  # hungarian: after the turn of the player who drew the last card

    def count_concealed_canastas(self, state: Turn) -> None:
        if self.rules.concealed_canasta_bonus:
            own = state.before + ((state.top,) if state.top else ())
            found = scoring.concealed_canastas(self.rules, state.melds, own)
            self.concealed_canastas[self.side(self.turn)] += found

    def forget_begun(self, side: int) -> None:
        table = [replace(meld, begun=False) for meld in self.side_melds[side]]
        self.side_melds[side] = tuple(sorted(table))

    def finish(self) -> None:
        for side in range(self.rules.sides):
            self.forget_begun(side)
        self.state, self.phase = None, "over"
        sides = [self.side_cards(side) for side in range(self.rules.sides)]
        self.deal_scores = scoring.recount(self.rules, sides)

    # --- positions -----------------------------------------------------------------------------

    @classmethod
    def from_position(cls, given: Mapping[str, Any]) -> "Table":
        """The position of a mapping (notation.md, Positions)."""
        rules = read_rules(given)
        table = cls(rules)
        placed = Cards(rules, given)
        table.read_cards(placed)
        table.read_state(given)
        if table.phase in ("meld", "answer"):
            table.read_turn(given, placed)
        return table

    def read_cards(self, placed: Cards) -> None:
        for seat in range(self.rules.players):
            self.hands[seat] = placed.hand(seat)
            self.feet[seat] = placed.foot(seat)
        for side, rows in enumerate(placed.melds):
            self.side_melds[side] = tuple(sorted(melds.read(row, False) for row in rows))
        self.red_threes, self.pile = placed.red_threes, placed.pile
        self.stock, self.absent = placed.stock, placed.left_out

    def read_state(self, given: Mapping[str, Any]) -> None:
        self.phase = str(given.get("phase", "draw"))
        self.turn = int(given.get("turn", 0))
        self.dealer = int(given.get("dealer", (self.turn - 1) % self.rules.players))
        self.number = int(given.get("deal", 1))
        frozen = given.get("frozen")
        says = any(card in self.rules.start_freezers for card in self.pile)
        self.frozen = says if frozen is None else bool(frozen)
        for name in ("scores", "seat_melded", "foot_played", "owed", "concealed_canastas"):
            row = getattr(self, name)
            for at, value in by_seat(given.get(name)).items():
                row[at] = type(row[at])(value)
        self.melded = [bool(rows) for rows in self.side_melds]
        for side, flag in by_seat(given.get("melded")).items():
            self.melded[side] = bool(flag)
        if self.over:
            self.deal_scores = list(given["deal_scores"])

    def read_turn(self, given: Mapping[str, Any], placed: Cards) -> None:
        """`turn_state`, of the seat that asked in the phase `answer`."""
        keys = dict(given.get("turn_state") or {})
        seat = self.turn
        if self.phase == "answer":
            default = (self.turn - self.rules.sides) % self.rules.players
            seat = self.asker = int(keys.get("asker", default))
        begun = {int(at) for at in keys.get("begun") or []}
        side = self.side(seat)
        rows = [melds.read(row, at in begun) for at, row in enumerate(placed.melds[side])]
        self.side_melds[side] = tuple(sorted(rows))
        if by_seat(given.get("melded")).get(side) is None:
            self.melded[side] = any(not row.begun for row in rows)
        asked = keys.get("asked")
        state = self.read_keys(seat, keys, placed)
        self.state = replace(state, asked=asked if asked in ("yes", "no") else "")
        self.melded[side] = self.state.melded

    def read_keys(self, seat: int, keys: dict[str, Any], placed: Cards) -> Turn:
        here, self.turn = self.turn, seat
        state = self.begin()
        self.turn = here
        before, top = keys.get("before"), keys.get("top")
        state = replace(
            state,
            drew=keys.get("drew") or "stock",
            before=state.hand if before is None else cards.sort(placed.parse(before)),
            top="" if top in (None, "none") else str(top),
            pending=tuple(placed.pending),
            added=bool(keys.get("added", False)),
            must_go_out=bool(keys.get("must_go_out", False)),
        )
        acted = keys.get("acted")
        state = replace(
            state,
            acted=turn.any_laid(state) if acted is None else bool(acted),
            whole_pile=takes.came_whole(state),
        )
        return turn.see_minimum(state)
