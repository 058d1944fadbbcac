"""A second, independent reading of rules.md, in plain Python: slow, literal, searched by force.

`Table.from_position`, `deal`, `table.legal()` and `table.play(text)` speak the notation; `recount`
scores the cards that lie at the end of a deal; `write` gives a table as a whole position.
"""

from .dealing import deal, next_dealer, totals, winners
from .lookahead import TooHardError
from .scoring import SideCards, recount
from .table import Table
from .writing import write

__all__ = [
    "SideCards",
    "Table",
    "TooHardError",
    "deal",
    "next_dealer",
    "recount",
    "totals",
    "winners",
    "write",
]
