"""What the table service says and hears: a stream for each table and day, a stream for each round.

The table's stream says which rounds there were and how each ended, so that a whole missing round is seen.  The round's
stream is the unit of dispute: wagers, cards, decisions and settlement in the order in which they happened.
Amounts are minor units of the round's currency.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.asking import CameOut, CutAwaited, CutOffered, CutRefused, CutStaff, ExtendReveal, RefuseCut, RevealExtended
from shared.contracts.burns import CardsNote, CardsOrder, CardsOrdered
from shared.contracts.procedure import ProcedureCommand, ProcedureEvent, StepDone
from shared.contracts.refusals import Reason, sentence
from shared.contracts.restrictions import Held, InForce, InForceNoted, InForceTold, NoteInForce, Restricted, Restriction
from shared.contracts.rulings import AnyRuling, ReadAnew
from shared.contracts.staff import Job
from shared.kernel.messages import ACCEPTED, PENDING, Answer, Command, Event
from shared.kernel.profile import Device, Profile

Kind = Literal["main", "split", "double", "insurance", "super_sevens", "perfect_pairs"]
SideBet = Literal["super_sevens", "perfect_pairs"]
SIDE_BETS: tuple[SideBet, ...] = ("super_sevens", "perfect_pairs")
"""The kinds of wagers that are settled on a box's own first cards (FL-SB)."""
Result = Literal["blackjack", "win", "push", "lose", "bust", "even_money", "dead", "void"]
Face = Literal["up", "down"]
HandEnd = Literal["blackjack", "stood", "bust", "twenty_one", "doubled", "split_aces", "timed_out", "even_money", "dead"]
Astray = Literal["face_up", "exposed", "overdraw", "game_error", "unused"]
"""Why a card left the shoe, or the felt, that was nobody's."""

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


class Contribution(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What a player gave towards the cut: the seal, and the secret in it if it was told in time."""

    player: str
    seal: str
    secret: str = ""


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


class NoteOrder(Command, frozen=True, kw_only=True, tag="table.NoteOrder.v1"):
    """Take note that a shoe that was called is shuffled and committed."""

    shoe: str
    root: str


class SealCut(Command, frozen=True, kw_only=True, tag="table.SealCut.v1"):
    """Give something towards the cut of a shoe, sealed: the SHA-256 of label, shoe, player and 32 secret bytes.

    `root` is what the shoe is committed to: names of shoes come again each day.
    """

    shoe: str
    root: str
    seal: str


class RevealCut(Command, frozen=True, kw_only=True, tag="table.RevealCut.v1"):
    """Tell the secret of a seal, now that no further seal is taken."""

    shoe: str
    root: str
    secret: str


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


class CallCut(Command, frozen=True, kw_only=True, tag="table.CallCut.v1"):
    """Wait no longer for secrets: whoever has not told one has none in the cut."""

    shoe: str


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


class Agreed(Struct, frozen=True, gc=False, kw_only=True):
    """Who agreed on a ruling: whoever proposed it, whoever approved it, and the job of each as the house knows it."""

    by: str
    job: str
    approved_by: str
    approved_job: str
    reason: str


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


class OrderNoted(Event, frozen=True, kw_only=True, tag="table.OrderNoted.v1"):
    """The order of the shoe that comes next is committed: players may seal what they give towards its cut."""

    shoe: str
    root: str


class CutSealed(Event, frozen=True, kw_only=True, tag="table.CutSealed.v1"):
    """A player sealed a secret towards the cut."""

    shoe: str
    player: str
    seal: str


class SealingClosed(Event, frozen=True, kw_only=True, tag="table.SealingClosed.v1"):
    """No further seal is taken: secrets are told until then, and it is cut as soon as all are."""

    shoe: str
    reveal_until_ms: int


class CutRevealed(Event, frozen=True, kw_only=True, tag="table.CutRevealed.v1"):
    """A player told the secret of a seal."""

    shoe: str
    player: str
    secret: str


class CutCalled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CutCalled.v1"):
    """The shoe is to be cut by what was given, in the order of the players' names; a secret that was not told is missing by name."""

    shoe: str
    contributions: tuple[Contribution, ...]
    cutter: str = ""
    """Whose cut it is: of those who told a secret, the player who was asked first."""
    staff: CutStaff | None = None
    """Whose it is if no player cuts."""


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


class OpenRound(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.OpenRound.v1"):
    """Open a round."""

    round: str
    number: int
    table: str
    day: str
    profile: Profile
    settings: TableSettings
    shoe: str
    root: str
    in_force: InForce | None = None


class PlaceWager(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.PlaceWager.v1"):
    """Place a main wager on a box.  The command's id becomes the wager's; its actor is the player."""

    round: str
    box: int
    stake_minor: int
    seated: bool = False
    """Whether the player sits at this box and so decides for it (FL-5.5)."""
    for_dealer: bool = False
    """Whether the wager is meant for the dealer, as a gratuity; no table takes such a one (ON-3.6)."""


class PlaceSideBet(Command, frozen=True, kw_only=True, tag="table.PlaceSideBet.v1"):
    """Place a side bet beside one's own main wager.  The command's id becomes the wager's; its actor is the player."""

    round: str
    box: int
    kind: SideBet
    stake_minor: int
    for_dealer: bool | UnsetType = UNSET
    """Whether the wager is meant for the dealer; left out if it is not."""


class AcceptWager(Command, frozen=True, kw_only=True, tag="table.AcceptWager.v1"):
    """The ledger has set the stake aside."""

    wager: str


class RefuseWager(Command, frozen=True, kw_only=True, tag="table.RefuseWager.v1"):
    """The ledger refuses the stake."""

    wager: str
    code: str
    message: str


class CloseBetting(Command, frozen=True, kw_only=True, tag="table.CloseBetting.v1"):
    """No more bets: by the clock, or by the dealer, who names the round."""

    round: str = ""


class LapseWagers(Command, frozen=True, kw_only=True, tag="table.LapseWagers.v1"):
    """Give up the wagers whose wallet has not answered in time."""


class DownHand(Struct, frozen=True, gc=False, kw_only=True):
    """Cards of a box that lie face down, and who may look at them: its own players (FL-3.5, decision 25)."""

    box: int
    hand: int
    indices: tuple[int, ...]
    players: tuple[str, ...]


class DealtCard(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A card that left the shoe: its index in the shoe, and its face unless it lies face down."""

    index: int
    card: str = ""


class DealCards(Command, frozen=True, kw_only=True, tag="table.DealCards.v1"):
    """The shoe has given what was called, or less if it is exhausted."""

    call_no: int
    shoe: str
    cards: tuple[DealtCard, ...]
    exhausted: bool = False
    cutting_card_out: bool = False
    marker: int = -1
    """Index of the first card behind the cutting card, once that is out."""


class DealCard(Command, frozen=True, kw_only=True, tag="table.DealCard.v1"):
    """The shoe has given one card of what was called; the rest of it comes one by one."""

    call_no: int
    shoe: str
    dealt: DealtCard


class NoteCuttingCard(Command, frozen=True, kw_only=True, tag="table.NoteCuttingCard.v1"):
    """The cutting card came out of a scanned shoe behind a card of this round."""

    shoe: str


class ChangeShoe(Command, frozen=True, kw_only=True, tag="table.ChangeShoe.v1"):
    """Go on with the discards, shuffled."""

    shoe: str
    root: str
    cards: int


class TakePeek(Command, frozen=True, kw_only=True, tag="table.TakePeek.v1"):
    """The shoe says whether the hole card makes a blackjack."""

    blackjack: bool


class TurnHole(Command, frozen=True, kw_only=True, tag="table.TurnHole.v1"):
    """The shoe opens the hole card."""

    index: int
    card: str


class TakeExposure(Command, frozen=True, kw_only=True, tag="table.TakeExposure.v1"):
    """The shoe opens cards of boxes: all that were called, or of those the blackjacks."""

    shoe: str
    cards: tuple[DealtCard, ...]


class ExposeHand(Command, frozen=True, kw_only=True, tag="table.ExposeHand.v1"):
    """Turn up the first two cards of a hand, without which it gets no third (FL-3.5)."""

    round: str
    box: int
    hand: int


class Hit(Command, frozen=True, kw_only=True, tag="table.Hit.v1"):
    """Draw a card."""

    round: str
    box: int
    hand: int


class Stand(Command, frozen=True, kw_only=True, tag="table.Stand.v1"):
    """Draw no more."""

    round: str
    box: int
    hand: int


class Double(Command, frozen=True, kw_only=True, tag="table.Double.v1"):
    """Double the wager and take one card.  A missing stake means the full wager; the command's id becomes the wager's."""

    round: str
    box: int
    hand: int
    stake_minor: int | None = None


class Split(Command, frozen=True, kw_only=True, tag="table.Split.v1"):
    """Make two hands of a pair.  The command's id becomes the second wager's."""

    round: str
    box: int
    hand: int


class Insure(Command, frozen=True, kw_only=True, tag="table.Insure.v1"):
    """Insure a main wager against a dealer blackjack.  A missing stake means the largest allowed."""

    round: str
    box: int
    stake_minor: int | None = None


class DeclineInsurance(Command, frozen=True, kw_only=True, tag="table.DeclineInsurance.v1"):
    """Go without insurance."""

    round: str
    box: int


class TakeEvenMoney(Command, frozen=True, kw_only=True, tag="table.TakeEvenMoney.v1"):
    """Take one to one at once on a blackjack while insurance is open (ON-7.5)."""

    round: str
    box: int


class CloseInsurance(Command, frozen=True, kw_only=True, tag="table.CloseInsurance.v1"):
    """The insurance window's time is over."""


class TimeOutDecision(Command, frozen=True, kw_only=True, tag="table.TimeOutDecision.v1"):
    """The decision clock `number` has run out."""

    number: int


class CloseJoining(Command, frozen=True, kw_only=True, tag="table.CloseJoining.v1"):
    """The time is over in which others on the box may join a double or a split."""

    wager: str
    """The double or split that they were asked about."""


class TimeOutReserve(Command, frozen=True, kw_only=True, tag="table.TimeOutReserve.v1"):
    """The wallet has not answered for a wager in time (a double, a split, an insurance)."""

    wager: str


class ExtendClock(Command, frozen=True, kw_only=True, tag="table.ExtendClock.v1"):
    """Give the awaited player time again, because the house was away."""

    until_ms: int
    reason: Literal["outage"]


class VoidRound(Command, frozen=True, kw_only=True, tag="table.VoidRound.v1"):
    """Cancel the round and give all stakes back, as the house itself; of people two must agree (`ProposeRuling`)."""

    reason: str


class ProposeRuling(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.ProposeRuling.v1"):
    """Propose what is to be done about something that should not have happened."""

    round: str
    ruling: AnyRuling
    note: str = ""
    """What was seen, in a person's words."""


class ApproveRuling(Command, frozen=True, kw_only=True, tag="table.ApproveRuling.v1"):
    """Approve somebody else's proposal: only then it takes effect."""

    round: str
    proposal: int


class DeclineRuling(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.DeclineRuling.v1"):
    """Decline somebody else's proposal."""

    round: str
    proposal: int
    note: str = ""


class WithdrawRuling(Command, frozen=True, kw_only=True, tag="table.WithdrawRuling.v1"):
    """Take one's own proposal back."""

    round: str
    proposal: int


class CorrectRound(Command, frozen=True, kw_only=True, tag="table.CorrectRound.v1"):
    """Settle a round that is over anew: by the cards as they lie, or void if none is named."""

    correction: str
    cards: tuple[ReadAnew, ...]
    agreed: Agreed


class RoundOpened(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RoundOpened.v1"):
    """A round is open for wagers.  It carries everything that decides it."""

    round: str
    number: int
    table: str
    day: str
    semantics: int
    profile: Profile
    settings: TableSettings
    shoe: str
    root: str
    betting_until_ms: int
    in_force: InForce | None = None
    """What staff have ruled, where the book lets them."""


class WagerPlaced(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.WagerPlaced.v1"):
    """A player wants to put a stake at risk; it counts once the ledger has set it aside."""

    wager: str
    player: str
    box: int
    hand: int
    kind: Kind
    stake_minor: int
    currency: str
    reserve_by_ms: int
    seated: bool = False
    """The player sits at the box."""

    def answer(self) -> tuple[str, Answer] | None:
        """The asker waits for the wallet."""
        return "", PENDING


class WagerAccepted(Event, frozen=True, kw_only=True, tag="table.WagerAccepted.v1"):
    """A wager is in the round."""

    wager: str

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer becomes accepted."""
        return self.wager, ACCEPTED


class WagerRefused(Event, frozen=True, kw_only=True, tag="table.WagerRefused.v1"):
    """The ledger refused the stake: the wager is not in the round."""

    wager: str
    code: str
    message: str

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer becomes refused."""
        return self.wager, Answer("refused", self.code, self.message)


class WagerLapsed(Event, frozen=True, kw_only=True, tag="table.WagerLapsed.v1"):
    """The ledger did not answer in time: the wager is not in the round, and a stake set aside later is given back."""

    wager: str

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer becomes refused."""
        return self.wager, Answer("refused", Reason.WALLET_LATE.value, sentence(Reason.WALLET_LATE))


class CommandRefused(Event, frozen=True, kw_only=True, tag="table.CommandRefused.v1"):
    """A player's request for money at risk was refused; written down, because a dispute could turn on it."""

    code: str
    message: str
    player: str = ""

    def answer(self) -> tuple[str, Answer] | None:
        """The refusal is final."""
        return "", Answer("refused", self.code, self.message)


class BettingClosed(Event, frozen=True, kw_only=True, tag="table.BettingClosed.v1"):
    """No more bets (LV-2.1.3)."""


class CallersSet(Event, frozen=True, kw_only=True, tag="table.CallersSet.v1"):
    """Who decides for each box on which there are several wagers: theirs now lies nearest the dealer (FL-5.5 to FL-5.7)."""

    wagers: tuple[str, ...]


class RulingProposed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RulingProposed.v1"):
    """A member of staff proposes a ruling; it waits for a second person and changes nothing."""

    proposal: int
    """Counts the proposals of this stream."""
    ruling: AnyRuling
    by: str
    job: Job
    note: str = ""
    round: str = ""
    """The round that it is about, in a table's stream."""


class RulingApproved(Event, frozen=True, kw_only=True, tag="table.RulingApproved.v1"):
    """A second person agrees: what follows is what the ruling does."""

    proposal: int
    by: str
    job: Job


class RulingDeclined(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RulingDeclined.v1"):
    """A second person does not agree: the proposal came to nothing."""

    proposal: int
    by: str
    job: Job
    note: str = ""


class RulingWithdrawn(Event, frozen=True, kw_only=True, tag="table.RulingWithdrawn.v1"):
    """Whoever made a proposal takes it back."""

    proposal: int
    by: str
    job: Job


class CardsCalled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CardsCalled.v1"):
    """The table asks its shoe for cards; one call is outstanding at a time."""

    call_no: int
    shoe: str
    faces: tuple[Face, ...]
    astray: Astray | None = None
    """Why these cards are nobody's, if a ruling calls for them."""
    rest_ms: int = 0
    """How much is left of the clock that stands meanwhile."""


class CardDealt(Event, frozen=True, kw_only=True, tag="table.CardDealt.v1"):
    """A card came to rest face up at a hand; box 0 is the dealer's, whose hand is 1."""

    box: int
    hand: int
    card: str
    shoe: str
    index: int


class HoleCardDealt(Event, frozen=True, kw_only=True, tag="table.HoleCardDealt.v1"):
    """The dealer's second card lies face down."""

    shoe: str
    index: int


class FaceDownCardDealt(Event, frozen=True, kw_only=True, tag="table.FaceDownCardDealt.v1"):
    """A card came to rest face down at a box's hand (FL-3.5)."""

    box: int
    hand: int
    shoe: str
    index: int


class ExposureCalled(Event, frozen=True, kw_only=True, tag="table.ExposureCalled.v1"):
    """The shoe is asked to open cards of boxes that lie face down."""

    shoe: str
    hands: tuple[DownHand, ...]
    blackjacks_only: bool
    """After the deal only the blackjacks are turned up, and it is said who may look at the others."""
    left_ms: int = 0
    """What was left of the clock of the player who wants it."""


class HandExposed(Event, frozen=True, kw_only=True, tag="table.HandExposed.v1"):
    """Cards of a hand are open that lay face down."""

    box: int
    hand: int
    cards: tuple[str, ...]
    shoe: str
    indices: tuple[int, ...]


class CardsForfeited(Event, frozen=True, kw_only=True, tag="table.CardsForfeited.v1"):
    """So many of the next cards that leave the shoe are nobody's; of an overdraw, when the dealer must stand."""

    astray: Astray
    count: int


class CardDiscarded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CardDiscarded.v1"):
    """A card that is nobody's went to the discard rack; without a face it was never seen."""

    astray: Astray
    shoe: str
    index: int
    card: str = ""


class CardExposed(Event, frozen=True, kw_only=True, tag="table.CardExposed.v1"):
    """A card drawn in error lies open beside the hands: it is the next card, whoever draws (ON-11.3)."""

    card: str
    shoe: str
    index: int


class BoxMissed(Event, frozen=True, kw_only=True, tag="table.BoxMissed.v1"):
    """The dealer passes a box over in the deal (ON-11.6)."""

    box: int
    card: Literal[1, 2]


class ClockResumed(Event, frozen=True, kw_only=True, tag="table.ClockResumed.v1"):
    """The awaited people have the rest of their time, now that what a ruling called for has come."""

    until_ms: int


class CuttingCardReached(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CuttingCardReached.v1"):
    """The cutting card came out: this round is the shoe's last."""

    shoe: str
    marker: int = -1
    """Index of the first card behind it."""


class ReshuffleCalled(Event, frozen=True, kw_only=True, tag="table.ReshuffleCalled.v1"):
    """The shoe ran out inside the round: the discards are to be shuffled, all cards but those on the layout (ON-11.5).

    Before the first card of the round these are all cards: a whole shoe, which stays in use (FL-4.1, decision 21).
    """

    shoe: str
    """The exhausted shoe."""
    next_shoe: str
    table: str
    decks: int
    layout: tuple[str, ...]
    """The face-up cards on the layout."""
    hole: int | None = None
    """Index, in the exhausted shoe, of a card that lies face down on the layout."""
    burns: int
    device: Device = "manual"
    whole: bool = False


class ShoeChanged(Event, frozen=True, kw_only=True, tag="table.ShoeChanged.v1"):
    """The round goes on from the shuffled discards."""

    shoe: str
    root: str
    cards: int


class InsuranceOpened(Event, frozen=True, kw_only=True, tag="table.InsuranceOpened.v1"):
    """Insurance is offered under the dealer's ace."""

    until_ms: int


class InsuranceDeclined(Event, frozen=True, kw_only=True, tag="table.InsuranceDeclined.v1"):
    """A main wager goes without insurance."""

    wager: str


class EvenMoneyTaken(Event, frozen=True, kw_only=True, tag="table.EvenMoneyTaken.v1"):
    """A blackjack takes one to one and leaves the round."""

    wager: str


class InsuranceClosed(Event, frozen=True, kw_only=True, tag="table.InsuranceClosed.v1"):
    """Insurance is over; whoever did not answer has none."""


class PeekCalled(Event, frozen=True, kw_only=True, tag="table.PeekCalled.v1"):
    """The shoe is asked to look at the hole card under the ace."""

    shoe: str
    index: int


class PeekTaken(Event, frozen=True, kw_only=True, tag="table.PeekTaken.v1"):
    """What the look at the hole card said."""

    blackjack: bool


class DecisionAwaited(Event, frozen=True, kw_only=True, tag="table.DecisionAwaited.v1"):
    """It is this hand's turn; `number` counts the round's decisions."""

    number: int
    box: int
    hand: int
    player: str
    until_ms: int


class ClockExtended(Event, frozen=True, kw_only=True, tag="table.ClockExtended.v1"):
    """The awaited player has time until then, for this reason."""

    until_ms: int
    reason: Literal["outage"]


class DecisionTimedOut(Event, frozen=True, kw_only=True, tag="table.DecisionTimedOut.v1"):
    """The player said nothing in time; the house goes on without (LV-3.6)."""

    box: int
    hand: int


class HandHit(Event, frozen=True, kw_only=True, tag="table.HandHit.v1"):
    """A hand asked for a card."""

    box: int
    hand: int


class JoiningOpened(Event, frozen=True, kw_only=True, tag="table.JoiningOpened.v1"):
    """The others on the hand may join its double or split, each with the own wager's amount (decision 16)."""

    box: int
    hand: int
    kind: Kind
    wager: str
    """Of whoever decides for the box."""
    players: tuple[str, ...]
    """Who is asked, in the order in which their wagers lie."""
    until_ms: int


class JoiningDeclined(Event, frozen=True, kw_only=True, tag="table.JoiningDeclined.v1"):
    """A player does not join."""

    player: str


class JoiningClosed(Event, frozen=True, kw_only=True, tag="table.JoiningClosed.v1"):
    """Whoever has not answered does not join."""


class HandDoubled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.HandDoubled.v1"):
    """The double is paid for: the hand takes exactly one more card."""

    box: int
    hand: int
    wager: str
    joined: tuple[str, ...] = ()
    """The doubles of others on the hand."""


class HandSplit(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.HandSplit.v1"):
    """The split is paid for: `hand` keeps its first card, `hand` + 1 begins with the second, higher numbers move up."""

    box: int
    hand: int
    wager: str
    joined: tuple[str, ...] = ()
    """The wagers of others who go along to the new hand."""


class HandCompleted(Event, frozen=True, kw_only=True, tag="table.HandCompleted.v1"):
    """A hand takes no further part in decisions."""

    box: int
    hand: int
    how: HandEnd


class TurnCalled(Event, frozen=True, kw_only=True, tag="table.TurnCalled.v1"):
    """The hole card is to be turned."""

    shoe: str
    index: int


class HoleCardTurned(Event, frozen=True, kw_only=True, tag="table.HoleCardTurned.v1"):
    """The hole card is open."""

    card: str
    shoe: str
    index: int


class HandResult(Struct, frozen=True, gc=False, kw_only=True):
    """How a hand compares with the dealer's."""

    box: int
    hand: int
    cards: tuple[str, ...]
    total: int
    soft: bool
    result: Result


class HandsDecided(Event, frozen=True, kw_only=True, tag="table.HandsDecided.v1"):
    """The outcomes, before any money moves."""

    dealer_cards: tuple[str, ...]
    dealer_total: int
    hands: tuple[HandResult, ...]


class SettlementLine(Struct, frozen=True, gc=False, kw_only=True):
    """What one wager gives back: 0 if lost, the stake if pushed, stake plus winnings if won."""

    wager: str
    player: str
    box: int
    hand: int
    kind: Kind
    stake_minor: int
    returned_minor: int


class WagersSettled(Event, frozen=True, kw_only=True, tag="table.WagersSettled.v1"):
    """Wagers are decided and implemented; each wager stands in one line of the round, ever."""

    currency: str
    lines: tuple[SettlementLine, ...]


class CardsPickedUp(Event, frozen=True, kw_only=True, tag="table.CardsPickedUp.v1"):
    """The cards left the layout for the discard rack, hand after hand, so that each can be laid out again (ON-6.6, LV-3.7)."""

    hands: tuple[tuple[int, int], ...]
    """Box and hand in the order in which they were picked up; box 0 is the dealer's, whose cards end up beneath."""


class RoundSettled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RoundSettled.v1"):
    """The round is over and every wager in it is settled."""

    staked_minor: int
    returned_minor: int
    shoes: tuple[str, ...]
    """The shoes that this round took cards from, in order."""
    cutting_card_out: bool
    places: tuple[tuple[str, int], ...] = ()
    """Players and their boxes, in the order in which the boxes were taken, where somebody may be held by them (FL-5.10)."""
    came_out: CameOut | None = None
    """Where the cutting card came out."""
    seats: tuple[tuple[int, str], ...] = ()
    """Boxes and their players where these are asked to cut; who decides for a box comes first."""


class RoundVoided(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RoundVoided.v1"):
    """The round is cancelled; `WagersSettled` before it has given every stake back that was not settled early."""

    reason: str
    shoes: tuple[str, ...]
    cutting_card_out: bool
    shoe_failed: bool = False
    """The shoe or its device failed: no further round is dealt from it."""
    places: tuple[tuple[str, int], ...] = ()
    """As in `RoundSettled`, if cards were dealt."""
    came_out: CameOut | None = None
    seats: tuple[tuple[int, str], ...] = ()


class CorrectedCard(Struct, frozen=True, gc=False, kw_only=True):
    """A card that was read wrong: where it lies, what was read, and what it is."""

    shoe: str
    index: int
    box: int
    hand: int
    place: int
    """Within the hand, counted from 1."""
    read: str
    card: str


class CardsCorrected(Event, frozen=True, kw_only=True, tag="table.CardsCorrected.v1"):
    """Cards on the layout were read wrong; the round goes on with the right ones."""

    cards: tuple[CorrectedCard, ...]
    reopened: tuple[tuple[int, int], ...]
    """Box and hand of what had ended by itself on the wrong card, and is played on."""


class RoundCorrected(Event, frozen=True, kw_only=True, tag="table.RoundCorrected.v1"):
    """A round that was over is put right; `WagersCorrected` behind it says what that changes in money."""

    correction: str
    number: int
    outcome: Literal["settled", "void"]
    cards: tuple[CorrectedCard, ...]
    dealer_cards: tuple[str, ...]
    """Without those that the dealer had to take no more; they count as burned (ON-11.4)."""
    dealer_total: int
    hands: tuple[HandResult, ...]
    staked_minor: int
    returned_minor: int
    """Of all wagers, as they are settled now."""
    agreed: Agreed


class CorrectedLine(Struct, frozen=True, gc=False, kw_only=True):
    """A wager that gives back something else than it was settled with last; the difference is what is to be moved."""

    wager: str
    player: str
    box: int
    hand: int
    kind: Kind
    stake_minor: int
    settled_minor: int
    """What it gave back until now."""
    returned_minor: int
    """What it gives back."""


class WagersCorrected(Event, frozen=True, kw_only=True, tag="table.WagersCorrected.v1"):
    """Settled wagers are settled anew; only what differs from the last time is named."""

    number: int
    """Counts the corrections of the round's money from 1."""
    currency: str
    lines: tuple[CorrectedLine, ...]


class CorrectionRefused(Event, frozen=True, kw_only=True, tag="table.CorrectionRefused.v1"):
    """A correction of the round cannot be: written down, because its table waits for it."""

    correction: str
    code: str
    message: str


RoundCommand = (
    OpenRound
    | PlaceWager
    | PlaceSideBet
    | AcceptWager
    | RefuseWager
    | CloseBetting
    | LapseWagers
    | DealCards
    | DealCard
    | NoteCuttingCard
    | ChangeShoe
    | TakePeek
    | TurnHole
    | TakeExposure
    | ExposeHand
    | Hit
    | Stand
    | Double
    | Split
    | Insure
    | DeclineInsurance
    | TakeEvenMoney
    | CloseInsurance
    | TimeOutDecision
    | CloseJoining
    | TimeOutReserve
    | ExtendClock
    | VoidRound
    | ProposeRuling
    | ApproveRuling
    | DeclineRuling
    | WithdrawRuling
    | NoteInForce
    | CorrectRound
)
RulingEvent = RulingProposed | RulingApproved | RulingDeclined | RulingWithdrawn
RoundEvent = (
    RoundOpened
    | WagerPlaced
    | WagerAccepted
    | WagerRefused
    | WagerLapsed
    | CommandRefused
    | BettingClosed
    | CallersSet
    | CardsCalled
    | CardDealt
    | HoleCardDealt
    | FaceDownCardDealt
    | ExposureCalled
    | HandExposed
    | CuttingCardReached
    | ReshuffleCalled
    | ShoeChanged
    | InsuranceOpened
    | InsuranceDeclined
    | EvenMoneyTaken
    | InsuranceClosed
    | PeekCalled
    | PeekTaken
    | DecisionAwaited
    | ClockExtended
    | DecisionTimedOut
    | HandHit
    | JoiningOpened
    | JoiningDeclined
    | JoiningClosed
    | HandDoubled
    | HandSplit
    | HandCompleted
    | TurnCalled
    | HoleCardTurned
    | HandsDecided
    | WagersSettled
    | CardsPickedUp
    | RoundSettled
    | RoundVoided
    | RulingProposed
    | RulingApproved
    | RulingDeclined
    | RulingWithdrawn
    | CardsForfeited
    | CardDiscarded
    | CardExposed
    | BoxMissed
    | ClockResumed
    | InForceNoted
    | CardsCorrected
    | RoundCorrected
    | WagersCorrected
    | CorrectionRefused
)

CutCommand = SealCut | RevealCut | RefuseCut
"""What a player may say of the shoe that comes next, whatever round is played."""
RulingCommand = ProposeRuling | ApproveRuling | DeclineRuling | WithdrawRuling
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
CutEvent = OrderNoted | CutSealed | CutRefused | CutAwaited | CutOffered | SealingClosed | CutRevealed | RevealExtended | CutCalled
"""What happens to the shoe that comes next until it is cut."""
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


PlayerCommand = PlaceWager | PlaceSideBet | ExposeHand | Hit | Stand | Double | Split | Insure | DeclineInsurance | TakeEvenMoney
"""What a player may ask of a round."""
PlayerRequest = PlayerCommand | CutCommand
"""What a player may ask of a table."""
StaffCommand = OpenTable | CloseTable | CallRound | CloseBetting | TellCard | RulingCommand | Restriction | CardsOrder | ProcedureCommand
"""What staff may ask of a table."""
