"""What a table remembers of its gaming day: the felt, the shoes, the rounds and what is still unanswered."""

from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from services.table.domain import approval, ordering, procedure, restrictions
from services.table.domain.approval import NONE, Proposals
from services.table.domain.coming import Coming
from services.table.domain.coming import evolve as evolve_coming
from services.table.domain.ordering import Orders
from services.table.domain.procedure import Procedure
from services.table.domain.restrictions import Restrictions
from shared.contracts.asking import CameOut
from shared.contracts.burns import BurnNoted, CardsOrdered
from shared.contracts.cutting import CutEvent
from shared.contracts.procedure import CardsReplaced, ProcedureEvent
from shared.contracts.restrictions import GivenBox, InForceTold
from shared.contracts.rulings import RulingApproved, RulingDeclined, RulingProposed, RulingWithdrawn
from shared.contracts.table import (
    BookingNoted,
    BookNoted,
    CardTold,
    CorrectionCalled,
    CorrectionNoted,
    DayClosed,
    DayEnded,
    FaceAwaited,
    RetirementNoted,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    ShoeSetAside,
    TableClosed,
    TableClosing,
    TableEvent,
    TableOpened,
)


class Correcting(Struct, frozen=True):
    """A correction under way.  Its round and the ledger answer in either order."""

    round: str
    correction: str
    number: int = 0
    """In its round, once that has answered."""
    booked: int = 0
    """The last correction of the round that the ledger has answered for meanwhile."""


class Table(Struct, frozen=True):
    """A table and its gaming day."""

    opened: TableOpened | None = None
    phase: Literal["open", "closing", "closed"] = "closed"
    ended: DayEnded | None = None
    day_closed: bool = False
    book: bool = False
    """Whether the day's ledger is known to be open."""
    shoes: int = 0
    """Shoes called on this day."""
    coming: Coming | None = None
    """The shoe that comes next."""
    mounted: ShoeMounted | None = None
    aside: tuple[str, ...] = ()
    """Shoes that are played out and stay closed until the next one is committed."""
    retiring: tuple[str, ...] = ()
    rounds: int = 0
    """Rounds called on this day."""
    round: str = ""
    """The latest round."""
    running: bool = False
    unbooked: tuple[str, ...] = ()
    """Rounds that the ledger has not answered for, the running one among them."""
    next_from_ms: int = 0
    """Before this no further round is called by the clock."""
    came_out: CameOut | None = None
    """Where the cutting card came out in the latest round, if it did."""
    seats: tuple[tuple[int, str], ...] = ()
    """Who sat where in it; who decides for a box comes first."""
    orders: Orders = Orders()
    """What was ordered about the cards."""
    ruled: Restrictions = Restrictions()
    given_told: tuple[GivenBox, ...] = ()
    """Boxes given up that the latest round knows of: a box is given up between rounds (FL-5.8)."""
    correcting: tuple[Correcting, ...] = ()
    """Corrections that their rounds or the ledger have not answered for."""
    proposals: Proposals = NONE
    """Rulings about rounds that are over."""
    procedure: Procedure = procedure.NONE
    """What staff have done with the cards before they were in the shoe."""
    nameless: FaceAwaited | None = None
    """A card that a scanner could not read and somebody is to say."""

    @property
    def idle(self) -> bool:
        """Whether nothing of this table is unanswered: no round, no booking, no shoe, no correction, no burn."""
        shoes = self.coming or self.mounted or self.aside or self.retiring
        return not (self.running or self.unbooked or shoes or self.correcting) and self.orders.answered

    @property
    def in_shoe(self) -> bool:
        """Whether the cards are in a shoe, or on their way into one that was called."""
        return self.coming is not None or self.mounted is not None

    @property
    def plays_on(self) -> bool:
        """Whether further rounds may follow today."""
        return self.phase == "open" and self.ended is None


def evolve(table: Table, event: TableEvent) -> Table:
    """Return the table after `event`."""
    match event:
        case RoundCalled():
            unbooked = (*table.unbooked, event.round)
            given_told = () if event.in_force is None else event.in_force.given
            table = replace(table, orders=ordering.after_call(table.orders))
            return replace(table, rounds=event.number, round=event.round, running=True, unbooked=unbooked, given_told=given_told)
        case RoundRecorded():
            ruled = restrictions.after_round(table.ruled, event.places)
            table = replace(table, came_out=event.came_out, seats=event.seats)
            return replace(table, running=False, next_from_ms=event.next_from_ms, ruled=ruled, nameless=None)
        case BookingNoted(number=0):
            return replace(table, unbooked=_without(table.unbooked, event.round))
        case BookingNoted():
            return _corrected(table, event.round, booked=event.number)
        case CorrectionCalled():
            return replace(table, correcting=(*table.correcting, Correcting(event.round, event.correction)))
        case CorrectionNoted(code=""):
            return _corrected(table, event.round, number=event.number)
        case CorrectionNoted():
            return replace(table, correcting=tuple(other for other in table.correcting if other.round != event.round))
        case TableOpened():
            held = (*table.ruled.held, *(each for each in event.held if each not in table.ruled.held))
            cards = table.procedure if event.cards is UNSET else replace(table.procedure, cards=event.cards)
            return replace(table, opened=event, phase="open", seats=(), ruled=replace(table.ruled, held=held), procedure=cards)
        case ShoeCalled():
            called = replace(table, shoes=table.shoes + 1, coming=evolve_coming(table.coming, event))
            return replace(called, procedure=procedure.after_call(table.procedure))
        case _ if isinstance(event, CutEvent):
            return replace(table, coming=evolve_coming(table.coming, event))
        case FaceAwaited():
            return replace(table, nameless=event)
        case CardTold():
            return replace(table, nameless=None)
        case BookNoted():
            return replace(table, book=True)
        case ShoeMounted():
            return replace(table, coming=None, mounted=event, orders=ordering.after_mount(table.orders))
        case ShoeSetAside():
            return replace(_put_down(table, event.shoe), aside=(*table.aside, event.shoe))
        case ShoeRetirementCalled():
            return replace(_put_down(table, event.shoe), retiring=(*table.retiring, event.shoe))
        case RetirementNoted():
            return replace(table, retiring=_without(table.retiring, event.shoe))
        case TableClosing():
            return replace(table, phase="closing")
        case TableClosed():
            return replace(table, phase="closed", procedure=procedure.after_closing(table.procedure))
        case DayEnded():
            return replace(table, ended=event)
        case DayClosed():
            return replace(table, day_closed=True)
        case InForceTold():
            return replace(table, given_told=event.in_force.given)
        case RulingProposed() | RulingApproved() | RulingDeclined() | RulingWithdrawn():
            return replace(table, proposals=approval.remembered(table.proposals, event))
        case BurnNoted(cutting_card_out=True):
            # It comes out on nobody's hand.
            return replace(table, orders=ordering.remember(table.orders, event), came_out=CameOut(on="no_hand"))
        case _ if isinstance(event, CardsOrdered):
            return replace(table, orders=ordering.remember(table.orders, event))
        case CardsReplaced():
            # Where the cutting card of other cards came out says nothing of these (ON-5.3, FL-4.2).
            return replace(table, procedure=procedure.remember(table.procedure, event), came_out=None)
        case _ if isinstance(event, ProcedureEvent):
            return replace(table, procedure=procedure.remember(table.procedure, event))
        case _:
            return replace(table, ruled=restrictions.remember(table.ruled, event))


def _corrected(table: Table, round_id: str, **answered: int) -> Table:
    """Return the table after an answer about a correction; what both have answered for is over."""
    moved = [replace(each, **answered) if each.round == round_id else each for each in table.correcting]
    return replace(table, correcting=tuple(each for each in moved if not 0 < each.number <= each.booked))


def _put_down(table: Table, shoe: str) -> Table:
    """Return the table without a shoe, wherever it stood."""
    is_mounted = table.mounted is not None and table.mounted.shoe == shoe
    return replace(
        table,
        mounted=None if is_mounted else table.mounted,
        coming=None if table.coming is not None and table.coming.shoe == shoe else table.coming,
        aside=_without(table.aside, shoe),
        ruled=restrictions.after_shoe(table.ruled) if is_mounted else table.ruled,
    )


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)
