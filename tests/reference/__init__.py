"""A second, independent reading of rules.md, in plain Python: slow, literal, searched by force.

`Table.from_position`, `deal`, `table.legal()` and `table.play(text)` speak the notation; `recount`
scores the cards that lie at the end of a deal.
"""

from .scoring import SideCards, recount
from .table import Table

__all__ = ["SideCards", "Table", "recount"]
