"""What a table says and hears: a stream for each table and day, which says which rounds there were and how each ended.

So a whole missing round is seen.  What happens within a round stands in a stream of its own (`rounds`); what is said of the cut,
of rulings, restrictions and orders lies in modules beside this one.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.asking import CameOut, ExtendReveal
from shared.contracts.burns import CardsNote, CardsOrder, CardsOrdered
from shared.contracts.cutting import CallCut, CutCommand, CutEvent, NoteOrder
from shared.contracts.procedure import ProcedureCommand, ProcedureEvent, StepDone
from shared.contracts.restrictions import Held, InForce, InForceTold, Restricted, Restriction
from shared.contracts.rulings import Agreed, ReadAnew, RulingCommand, RulingEvent
from shared.contracts.staff import Job
from shared.contracts.wagers import CloseBetting
from shared.kernel.messages import ACCEPTED, PENDING, Answer, Command, Event
from shared.kernel.profile import Device, Profile

RetirementReason = Literal["replaced", "played_out", "table_closed", "day_ended"]
"""Why a shoe is retired: the next one takes its place, its own cards make the next one, or no round follows on this table or this day."""

SEMANTICS = 1
"""The number of the decisions' meaning, pinned by every opening event; a changed decision needs a new one."""


class TableSettings(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What the house chooses for one table, beside its profile."""

    operator: str
    currency: str
    boxes: int
    minimum_minor: int
    maximum_minor: int
    dealer: Literal["automatic", "staff"]
    """Rounds are called by the table itself, or by the dealer with `CallRound` and `CloseBetting`."""
    betting_window_ms: int
    decision_ms: int
    reserve_ms: int
    """How long a wager may wait for its wallet."""
    pause_ms: int
    """Between the end of a round and the next one."""
    reveal_ms: int = 3_000
    """How long secrets towards the cut are waited for, when somebody has sealed one."""
    offer_ms: int = 0
    """How long a shoe is offered to be cut that its table waits for, such as a day's first; 0 waits for nobody."""
    supervisor: Literal["game_supervisor", "casino_supervisor"] = "game_supervisor"
    """Who cuts under FL-4.3 when no player does."""


class OpenTable(Command, frozen=True, kw_only=True, tag="table.OpenTable.v1"):
    """Open a table for a gaming day.  Staff name the table and its profile; the service fills in the rest before deciding."""

    table: str
    profile_name: str
    settings: TableSettings
    day: str = ""
    day_ends_at_ms: int = 0
    profile: Profile | None = None
    follows: str = ""
    """Digest of the entry with which the day before was closed, where this table goes on from one."""
    held: tuple[Held, ...] = ()
    """Players who are held from the day before on (FL-5.11, FL-5.12)."""
    cards: tuple[StepDone, ...] | UnsetType = UNSET
    """Steps done on earlier days with the cards that still lie at this table; left out where there are none."""


class CloseTable(Command, frozen=True, kw_only=True, tag="table.CloseTable.v1"):
    """Close the table after the round that is being played."""


class CallRound(Command, frozen=True, kw_only=True, tag="table.CallRound.v1"):
    """Open the next round."""


class NoteBook(Command, frozen=True, kw_only=True, tag="table.NoteBook.v1"):
    """Take note that the ledger of this gaming day is open and knows this table."""


class NoteMissingFace(Command, frozen=True, kw_only=True, tag="table.NoteMissingFace.v1"):
    """A scanner could not read a card that is to lie open."""

    shoe: str
    index: int
    round: str


class TellCard(Command, frozen=True, kw_only=True, tag="table.TellCard.v1"):
    """A member of staff says what a card is that a scanner could not read."""

    shoe: str
    index: int
    card: str


class MountShoe(Command, frozen=True, kw_only=True, tag="table.MountShoe.v1"):
    """Take a prepared shoe into use."""

    shoe: str
    root: str
    cards: int


class RecordRound(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.RecordRound.v1"):
    """Write down how a round ended."""

    round: str
    outcome: Literal["settled", "void"]
    revision: int
    digest: str
    shoes: tuple[str, ...]
    cutting_card_out: bool
    places: tuple[tuple[str, int], ...] = ()
    """Players and their boxes, in the order in which the boxes were taken."""
    came_out: CameOut | None = None
    seats: tuple[tuple[int, str], ...] = ()
    """Boxes and their players, from the dealer's left; who decides for a box comes first."""


class NoteBooking(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.NoteBooking.v1"):
    """Take note that the ledger has booked a round to its end, or a correction of it."""

    round: str
    number: int = 0
    """Of the correction; 0 for the round itself."""


class NoteRetirement(Command, frozen=True, kw_only=True, tag="table.NoteRetirement.v1"):
    """Take note that a shoe was retired and its order opened."""

    shoe: str


class NoteCorrection(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.NoteCorrection.v1"):
    """Take note of what became of a correction, and that the round now ends with this entry."""

    round: str
    correction: str
    revision: int
    digest: str
    number: int = 0
    """Of the correction in its round; 0 if it was refused."""
    code: str = ""
    message: str = ""


class EndDay(Command, frozen=True, kw_only=True, tag="table.EndDay.v1"):
    """End the table's gaming day after the round that is being played; the service fills in the day that follows."""

    next_day: str = ""
    next_day_ends_at_ms: int = 0


class TableOpened(Event, frozen=True, kw_only=True, tag="table.TableOpened.v1"):
    """A table is open for a gaming day, under this profile and these settings."""

    table: str
    day: str
    day_ends_at_ms: int
    semantics: int
    profile: Profile
    settings: TableSettings
    follows: str = ""
    held: tuple[Held, ...] = ()
    """Players who are held from the day before on (FL-5.11, FL-5.12)."""
    cards: tuple[StepDone, ...] | UnsetType = UNSET
    """Steps done on earlier days with the cards that still lie at this table; left out where there are none."""


class ShoeCalled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.ShoeCalled.v1"):
    """The table needs a shoe of whole decks."""

    shoe: str
    table: str
    decks: int
    burns: int
    cut: tuple[int, int]
    """Where the cut may lie: lowest and highest number of cards in front of it."""
    cutting_card: tuple[int, int]
    """How many cards may lie behind the cutting card: lowest and highest."""
    device: Device = "manual"


class FaceAwaited(Event, frozen=True, kw_only=True, tag="table.FaceAwaited.v1"):
    """A round waits for somebody at the table to say what a card is that a scanner could not read."""

    shoe: str
    index: int
    round: str


class CardTold(Event, frozen=True, kw_only=True, tag="table.CardTold.v1"):
    """A person has said what a card is that a scanner could not read."""

    shoe: str
    index: int
    round: str
    card: str
    by: str
    job: Job


class ShoeSetAside(Event, frozen=True, kw_only=True, tag="table.ShoeSetAside.v1"):
    """A shoe is played out, and stays closed until the next one is committed."""

    shoe: str


class BookNoted(Event, frozen=True, kw_only=True, tag="table.BookNoted.v1"):
    """The ledger of the day is known to be open: rounds may be called."""


class ShoeMounted(Event, frozen=True, kw_only=True, tag="table.ShoeMounted.v1"):
    """A shoe is in use from here on."""

    shoe: str
    root: str
    cards: int


class RoundCalled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RoundCalled.v1"):
    """A round is to be opened; it carries all that the round's own stream needs to begin."""

    round: str
    number: int
    table: str
    day: str
    profile: Profile
    settings: TableSettings
    shoe: str
    root: str
    in_force: InForce | None = None
    """What staff have ruled, where the book lets them."""


class RoundRecorded(Event, frozen=True, kw_only=True, tag="table.RoundRecorded.v1"):
    """A round has ended; `digest` is that of its last entry."""

    round: str
    outcome: Literal["settled", "void"]
    revision: int
    digest: str
    next_from_ms: int = 0
    """Before this no further round is called by the clock."""
    places: tuple[tuple[str, int], ...] = ()
    """Players and their boxes, in the order in which the boxes were taken."""
    came_out: CameOut | None = None
    """Where the cutting card came out."""
    seats: tuple[tuple[int, str], ...] = ()
    """Boxes and their players, from the dealer's left; who decides for a box comes first."""


class ShoeRetirementCalled(Event, frozen=True, kw_only=True, tag="table.ShoeRetirementCalled.v1"):
    """A shoe is not used any more: its order can be opened, for the next one is committed or none follows."""

    shoe: str
    reason: RetirementReason
    next_shoe: str = ""
    next_root: str = ""


class BookingNoted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.BookingNoted.v1"):
    """The ledger has answered for a round, or for a correction of it."""

    round: str
    number: int = 0
    """Of the correction; 0 for the round itself."""


class CorrectionCalled(Event, frozen=True, kw_only=True, tag="table.CorrectionCalled.v1"):
    """Two persons have ruled that a round is to be corrected that is over; its table's day stays open until that is done and booked."""

    correction: str
    """The id of whoever asks, whose answer follows once the round has spoken."""
    round: str
    cards: tuple[ReadAnew, ...]
    """Those that were read wrong; none if the whole round is to be void."""
    agreed: Agreed

    def answer(self) -> tuple[str, Answer] | None:
        """The asker waits for the round."""
        return "", PENDING


class CorrectionNoted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CorrectionNoted.v1"):
    """A round was corrected, or cannot be; `digest` is that of its last entry now."""

    round: str
    correction: str
    revision: int
    digest: str
    number: int = 0
    """Of the correction in its round; 0 if it was refused."""
    code: str = ""
    message: str = ""

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer becomes what the round said."""
        return self.correction, Answer("refused", self.code, self.message) if self.code else ACCEPTED


class RetirementNoted(Event, frozen=True, kw_only=True, tag="table.RetirementNoted.v1"):
    """A shoe's order is open."""

    shoe: str


class TableClosing(Event, frozen=True, kw_only=True, tag="table.TableClosing.v1"):
    """No further round will be called on this table today."""


class TableClosed(Event, frozen=True, kw_only=True, tag="table.TableClosed.v1"):
    """The table is closed; nothing of it is unanswered."""


class DayEnded(Event, frozen=True, kw_only=True, tag="table.DayEnded.v1"):
    """The gaming day is over for this table; what is being played is played to its end."""

    next_day: str
    next_day_ends_at_ms: int


class DayClosed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.DayClosed.v1"):
    """The table's book of the day is closed.  `reopens` says whether the table goes on tomorrow."""

    table: str
    day: str
    next_day: str
    next_day_ends_at_ms: int
    rounds: int
    reopens: bool
    profile: Profile
    settings: TableSettings
    held: tuple[Held, ...] = ()
    """Players whom the restrictions of this day hold on the next one too."""
    cards: tuple[StepDone, ...] = ()
    """Steps done with the cards that lie at this table and stay there."""


TableCommand = (
    OpenTable
    | CloseTable
    | CallRound
    | NoteBook
    | NoteOrder
    | CutCommand
    | CallCut
    | ExtendReveal
    | NoteMissingFace
    | TellCard
    | MountShoe
    | RecordRound
    | NoteBooking
    | NoteCorrection
    | NoteRetirement
    | EndDay
    | RulingCommand
    | Restriction
    | CardsOrder
    | CardsNote
    | ProcedureCommand
)
TableEvent = (
    TableOpened
    | ShoeCalled
    | CutEvent
    | FaceAwaited
    | CardTold
    | ShoeSetAside
    | BookNoted
    | ShoeMounted
    | RoundCalled
    | RoundRecorded
    | ShoeRetirementCalled
    | BookingNoted
    | CorrectionCalled
    | CorrectionNoted
    | RetirementNoted
    | TableClosing
    | TableClosed
    | DayEnded
    | DayClosed
    | RulingEvent
    | Restricted
    | InForceTold
    | CardsOrdered
    | ProcedureEvent
)
StaffCommand = OpenTable | CloseTable | CallRound | CloseBetting | TellCard | RulingCommand | Restriction | CardsOrder | ProcedureCommand
"""What staff may ask of a table."""
