"""What a round says and hears: a stream of its own for each, from the first wager to the last settlement.

It is the unit of dispute: wagers, cards, decisions and settlement stand in it in the order in which they happened.  What is said
of each lies in a module of its own (`wagers`, `dealing`, `decisions`, `rulings`); here are the round's beginning and end, and
the language as a whole.  Amounts are minor units of the round's currency.
"""

from typing import Literal

from msgspec import Struct

from shared.contracts.asking import CameOut
from shared.contracts.cutting import CutCommand
from shared.contracts.dealing import (
    CorrectedCard,
    DealingCommand,
    DealingEvent,
)
from shared.contracts.decisions import (
    DecisionCommand,
    DecisionEvent,
    DeclineInsurance,
    Double,
    ExposeHand,
    Hit,
    Insure,
    Split,
    Stand,
    TakeEvenMoney,
)
from shared.contracts.restrictions import InForce, InForceNoted, NoteInForce
from shared.contracts.rulings import (
    Agreed,
    ReadAnew,
    RulingCommand,
    RulingEvent,
)
from shared.contracts.table import TableSettings
from shared.contracts.wagers import (
    PlaceSideBet,
    PlaceWager,
    WagerCommand,
    WagerEvent,
)
from shared.kernel.messages import Command, Event
from shared.kernel.profile import Profile

Result = Literal["blackjack", "win", "push", "lose", "bust", "even_money", "dead", "void"]


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


class VoidRound(Command, frozen=True, kw_only=True, tag="table.VoidRound.v1"):
    """Cancel the round and give all stakes back, as the house itself; of people two must agree (`ProposeRuling`)."""

    reason: str


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


class CorrectionRefused(Event, frozen=True, kw_only=True, tag="table.CorrectionRefused.v1"):
    """A correction of the round cannot be: written down, because its table waits for it."""

    correction: str
    code: str
    message: str


RoundCommand = OpenRound | WagerCommand | DealingCommand | DecisionCommand | VoidRound | RulingCommand | NoteInForce | CorrectRound
RoundEvent = (
    RoundOpened
    | WagerEvent
    | DealingEvent
    | DecisionEvent
    | HandsDecided
    | RoundSettled
    | RoundVoided
    | RulingEvent
    | InForceNoted
    | RoundCorrected
    | CorrectionRefused
)
PlayerCommand = PlaceWager | PlaceSideBet | ExposeHand | Hit | Stand | Double | Split | Insure | DeclineInsurance | TakeEvenMoney
"""What a player may ask of a round."""
PlayerRequest = PlayerCommand | CutCommand
"""What a player may ask of a table."""
