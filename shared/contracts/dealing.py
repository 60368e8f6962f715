"""Dealing: what a round asks of its shoe, and where each card comes to rest until it is picked up.

The table calls and the shoe gives, one call at a time.  A card is named by its shoe and its index there; its face stands beside
it only if it lies open, so that nobody can read from the log what nobody could see on the felt.
"""

from typing import Literal

from msgspec import Struct

from shared.kernel.messages import Command, Event
from shared.kernel.profile import Device

Face = Literal["up", "down"]
Astray = Literal["face_up", "exposed", "overdraw", "game_error", "unused"]
"""Why a card left the shoe, or the felt, that was nobody's."""


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


class PeekCalled(Event, frozen=True, kw_only=True, tag="table.PeekCalled.v1"):
    """The shoe is asked to look at the hole card under the ace."""

    shoe: str
    index: int


class PeekTaken(Event, frozen=True, kw_only=True, tag="table.PeekTaken.v1"):
    """What the look at the hole card said."""

    blackjack: bool


class TurnCalled(Event, frozen=True, kw_only=True, tag="table.TurnCalled.v1"):
    """The hole card is to be turned."""

    shoe: str
    index: int


class HoleCardTurned(Event, frozen=True, kw_only=True, tag="table.HoleCardTurned.v1"):
    """The hole card is open."""

    card: str
    shoe: str
    index: int


class CardsPickedUp(Event, frozen=True, kw_only=True, tag="table.CardsPickedUp.v1"):
    """The cards left the layout for the discard rack, hand after hand, so that each can be laid out again (ON-6.6, LV-3.7)."""

    hands: tuple[tuple[int, int], ...]
    """Box and hand in the order in which they were picked up; box 0 is the dealer's, whose cards end up beneath."""


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


DealingCommand = DealCards | DealCard | NoteCuttingCard | ChangeShoe | TakePeek | TurnHole | TakeExposure
DealingEvent = (
    CardsCalled
    | CardDealt
    | HoleCardDealt
    | FaceDownCardDealt
    | ExposureCalled
    | HandExposed
    | CuttingCardReached
    | ReshuffleCalled
    | ShoeChanged
    | PeekCalled
    | PeekTaken
    | TurnCalled
    | HoleCardTurned
    | CardsPickedUp
    | CardsForfeited
    | CardDiscarded
    | CardExposed
    | BoxMissed
    | CardsCorrected
)
