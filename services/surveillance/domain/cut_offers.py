"""Cut offers: whether those were asked to cut whom the book asks, in its order, and whether the cut is whose it is.

The table's stream says who sat where and where the cutting card came out; whom the book asks is worked out here a second
time (ON-5.2 to ON-5.5, FL-4.2, FL-4.3, LV-3.3, decision 20).
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.facts import Amiss, clause
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.heard import Heard
from shared.contracts.asking import CameOut, CutOffered, CutRefused
from shared.contracts.burns import BurnNoted, ReshuffleOrdered
from shared.contracts.cutting import CutCalled, CutRevealed, CutSealed, OrderNoted
from shared.contracts.procedure import CardsReplaced
from shared.contracts.table import RoundRecorded, ShoeCalled, ShoeMounted, TableOpened


@dataclass
class TableCut:
    """What a table's log tells of the cut that comes next."""

    opened: TableOpened | None = None
    played: bool = False
    """Whether a shoe was in use since the table opened."""
    ordered: bool = False
    """Whether a reshuffle was ordered since the last one."""
    came_out: CameOut | None = None
    seats: tuple[tuple[int, str], ...] = ()
    said: dict[str, str] = field(default_factory=dict)
    """Who sealed something or refused, in that order."""
    told: set[str] = field(default_factory=set)
    """Who told a secret."""
    offered: CutOffered | None = None
    committed: bool = False
    """Whether this very decision committed the shoe: then nobody had time to answer."""


@dataclass
class CutOffers:
    """The cuts at every table, day by day."""

    tables: dict[str, TableCut] = field(default_factory=dict)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a table's stream; return what does not fit."""
        table = self.tables.setdefault(heard.stream, TableCut())
        found = []
        for fact in heard.facts():
            if fact.place[1] == 0:
                table.committed = False
            found += [heard.where.broken(rule, said) for rule, said in take(table, fact.event)]
        return found

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.tables = {stream: table for stream, table in self.tables.items() if f".{day}." not in stream}


def take(table: TableCut, event: Any) -> Amiss:
    """Let an event change what is known; return what is wrong with it."""
    match event:
        case TableOpened():
            table.opened, table.played, table.seats, table.came_out = event, False, (), None
        case RoundRecorded():
            table.came_out, table.seats = event.came_out, event.seats
        case BurnNoted(cutting_card_out=True):
            table.came_out = CameOut(on="no_hand")
        case ReshuffleOrdered():
            table.ordered = True
        case CardsReplaced():
            table.came_out = None
        case ShoeMounted():
            table.played, table.ordered = True, False
        case ShoeCalled():
            table.said, table.told, table.offered = {}, set(), None
        case OrderNoted():
            table.committed = True
        case CutSealed():
            table.said[event.player] = "sealed"
        case CutRefused():
            table.said[event.player] = "refused"
        case CutRevealed():
            table.told.add(event.player)
        case CutOffered():
            table.offered = event
            return [] if table.opened is None else offer(table, table.opened, event)
        case CutCalled() if table.opened is not None:
            return call(table, table.opened, event)
        case _:
            pass
    return []


def offer(table: TableCut, opened: TableOpened, event: CutOffered) -> Amiss:
    """Everybody is asked once, from the right player on, and said what is written down."""
    why = clause(opened.profile, "ON-5.3", "LV-3.3")
    if opened.profile.shoe.cut_offer != "players":
        return [(why, f"players were asked to cut {event.shoe}, and this table asks nobody")]
    first, box = _first(table)
    found: Amiss = []
    if (event.first, event.box) != (first, box):
        found.append((why, f"{event.shoe} is offered because of {event.first} {event.box}, and it is {first} {box}"))
    order = _order(table.seats, box if first == "box" else 0) if first != "start" else []
    silent = "no_time" if table.committed else "silent"
    due = [(player, table.said.get(player, silent)) for player in dict.fromkeys((*order, *table.said))]
    told = [(each.player, each.said) for each in event.asked]
    if told != due:
        found.append((why, f"{due} were to be asked to cut {event.shoe}, written down is {told}"))
    return found


def call(table: TableCut, opened: TableOpened, event: CutCalled) -> Amiss:
    """The cut is that of whoever was asked first and told a secret; else of staff (ON-5.5, FL-4.3, LV-3.3)."""
    offers, book = opened.profile.shoe.cut_offer, opened.profile.book
    why = clause(opened.profile, "ON-5.5", "LV-3.3")
    if offers == "unrecorded":
        due: tuple[str, str | None] = ("", None)
    elif offers == "dealer":
        due = ("", "dealer")
    elif table.offered is None:
        return [(clause(opened.profile, "ON-5.2", "LV-3.3"), f"{event.shoe} was cut, and nobody had been asked to")]
    else:
        cutter = next((each.player for each in table.offered.asked if each.player in table.told), "")
        staff = opened.settings.supervisor if book == "FL" else "dealer"
        due = (cutter, None if cutter else staff)
    if (event.cutter, event.staff) == due:
        return []
    return [(why, f"the cut of {event.shoe} is that of {due[0] or due[1]}, written down is {event.cutter or event.staff}")]


def _first(table: TableCut) -> tuple[str, int]:
    if not table.played:
        return "start", 0
    if table.came_out is not None:
        return table.came_out.on, table.came_out.box
    return ("ordered" if table.ordered else "replaced"), 0


def _order(seats: tuple[tuple[int, str], ...], start: int) -> list[str]:
    """Return the players clockwise from a box or the next one that is not empty; from the last one if none is named."""
    last = max((box for box, _ in seats), default=0)
    start = start or last
    return [player for box, player in sorted(seats, key=lambda seat: (seat[0] < start, seat[0]))]
