"""The picture of a rack: where each card of a round lies in the discard rack, so that a dealer can back a hand up.

Whoever lifts cards off the top meets the last row first.
"""

from collections.abc import Sequence

from rich.table import Table

from feltlog.layout import Layout
from feltlog.screen import drawn, plain_table
from feltlog.wording import Card
from services.table.domain.pick_up import Racked

WHY = {
    "face_up": "nobody's: it lay face up in the shoe",
    "exposed": "nobody's: it was exposed",
    "unused": "nobody's: it was exposed, and no hand took it",
    "overdraw": "burned: the dealer drew too much",
    "game_error": "burned for a game error",
}


def rack_table(racked: Sequence[Racked], layout: Layout, *, letters: bool) -> Table:
    """Return a round's cards in the rack, the top one first, with whose they were."""
    table = plain_table()
    for heading in ("from below", "card", "whose", "shoe", "place in the shoe"):
        table.add_column(heading, no_wrap=True)
    for each in reversed(racked):
        face = drawn((Card(each.card),), letters=letters) if each.card else "unseen"
        table.add_row(str(each.position), face, whose(each, layout), each.shoe, str(each.index))
    return table


def whose(racked: Racked, layout: Layout) -> str:
    """Return whose card this was, or why it was nobody's."""
    return WHY[racked.why] if racked.why is not None else layout.owner(racked.box, racked.hand)


def as_json(racked: Racked) -> dict[str, object]:
    """Return a card in the rack for machines."""
    return {
        "position": racked.position,
        "card": racked.card,
        "box": racked.box,
        "hand": racked.hand,
        "why": racked.why,
        "shoe": racked.shoe,
        "index": racked.index,
    }
