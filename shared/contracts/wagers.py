"""Wagers: what players put at risk in a round, what the ledger says to it, and what each wager gives back.

A wager counts once its stake is set aside.  Each stands in one line of the round's settlement, ever; what is put right later is
said as a difference.  Amounts are minor units of the round's currency.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.refusals import Reason, sentence
from shared.kernel.messages import ACCEPTED, PENDING, Answer, Command, Event

Kind = Literal["main", "split", "double", "insurance", "super_sevens", "perfect_pairs"]
SideBet = Literal["super_sevens", "perfect_pairs"]
SIDE_BETS: tuple[SideBet, ...] = ("super_sevens", "perfect_pairs")
"""The kinds of wagers that are settled on a box's own first cards (FL-SB)."""


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


class TimeOutReserve(Command, frozen=True, kw_only=True, tag="table.TimeOutReserve.v1"):
    """The wallet has not answered for a wager in time (a double, a split, an insurance)."""

    wager: str


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
    promotional: bool = False
    """Promotional money may be staked here, before any other (FL-5.1)."""

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


class SettlementLine(Struct, frozen=True, gc=False, kw_only=True):
    """What one wager gives back: 0 if lost, the stake if pushed, stake plus winnings if won."""

    wager: str
    player: str
    box: int
    hand: int
    kind: Kind
    stake_minor: int
    returned_minor: int
    rounding_minor: int | UnsetType = UNSET
    """How much of that chips had to round up (FL-5.9); left out where it is nothing."""


class WagersSettled(Event, frozen=True, kw_only=True, tag="table.WagersSettled.v1"):
    """Wagers are decided and implemented; each wager stands in one line of the round, ever."""

    currency: str
    lines: tuple[SettlementLine, ...]


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
    settled_rounding_minor: int | UnsetType = UNSET
    """How much of what it gave back until now chips had to round up; left out where it is nothing."""
    rounding_minor: int | UnsetType = UNSET
    """How much of what it gives back chips had to round up; left out where it is nothing."""


class WagersCorrected(Event, frozen=True, kw_only=True, tag="table.WagersCorrected.v1"):
    """Settled wagers are settled anew; only what differs from the last time is named."""

    number: int
    """Counts the corrections of the round's money from 1."""
    currency: str
    lines: tuple[CorrectedLine, ...]


WagerCommand = PlaceWager | PlaceSideBet | AcceptWager | RefuseWager | CloseBetting | LapseWagers | TimeOutReserve
WagerEvent = (
    WagerPlaced | WagerAccepted | WagerRefused | WagerLapsed | CommandRefused | BettingClosed | CallersSet | WagersSettled | WagersCorrected
)
