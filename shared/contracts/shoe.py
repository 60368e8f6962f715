"""What the shoe service says and hears: one stream for each shoe, from the shuffle to the opening of its order.

The order is a secret until the shoe is retired.  It is worked out from a seed that lies sealed in the first entry; a
Merkle root over salted cards stands beside it before anybody has a say in the cut.  The card that leaves the shoe at an
index lies at the place `index + cut` of that order, from the front again behind its end.  A card that leaves it face up
carries its opening, the salt and path that prove it against the root; a card face down carries its index alone.
"""

from typing import Literal

from msgspec import Struct

from shared.contracts.asking import CutStaff
from shared.contracts.burns import BurnReason
from shared.contracts.cutting import Contribution
from shared.contracts.dealing import DownHand, Face
from shared.contracts.table import RetirementReason
from shared.kernel.messages import Command, Event
from shared.kernel.profile import Device

CALL_CARDS_MAX = 64
"""Cards of one call, and openings of one disclosure, at most."""


class Opening(Struct, frozen=True, gc=False, kw_only=True):
    """The card that left the shoe at `index`, and the proof that it lay there: salt and sibling hashes from the leaf up, in hexadecimal.

    Where in the committed order that is, follows from the cut.
    """

    index: int
    card: str
    salt: str
    path: tuple[str, ...]


class DrawnCard(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A card that left the shoe; without an opening it lies face down."""

    index: int
    opening: Opening | None = None


class SealedSeed(Struct, frozen=True, gc=False, kw_only=True):
    """The seed of an order, sealed with the key `key_id`; the shoe's id is bound to it.

    A hole card that is left out of the order lies sealed behind the seed.
    """

    key_id: str
    nonce: str
    sealed: str


class SealedCard(Struct, frozen=True, gc=False, kw_only=True):
    """The face of a scanned card and its salt, sealed with the key `key_id`; shoe and index are bound to it."""

    key_id: str
    nonce: str
    sealed: str


class ScannedBefore(Struct, frozen=True, gc=False, kw_only=True):
    """What came before the cards of a scanned shoe: how far its scanner was heard, and the shoe before it as far as it is open.

    A card that nobody has seen is empty in `cards`.
    """

    scanner: str = ""
    n: int = 0
    shoe: str = ""
    cards: tuple[str, ...] = ()


class ShuffleShoe(Command, frozen=True, kw_only=True, tag="shoe.ShuffleShoe.v1"):
    """Shuffle, and commit to the order; discards that a round waits for are cut as well.  The vault fills in seed, root and cards."""

    shoe: str
    table: str
    decks: int
    without: tuple[str, ...] = ()
    """Cards that are not in it: those on the layout when discards are shuffled inside a round (decision 20)."""
    without_hole: tuple[str, int] | None = None
    """A card face down on the layout, by shoe and index: not in it either, and known to the vault alone."""
    burns: int
    cut: tuple[int, int]
    cutting_card: tuple[int, int]
    round: str = ""
    """The round that waits for the shuffled discards, if it is not a whole shoe."""
    device: Device = "manual"
    seed: SealedSeed | None = None
    root: str = ""
    cards: int = 0
    before: ScannedBefore | None = None
    """Of a scanned shoe, which has neither seed nor root: what came before."""


class CutShoe(Command, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.CutShoe.v1"):
    """Cut, place the cutting card, and burn: where, follows from the root and the contributions."""

    contributions: tuple[Contribution, ...]
    cutter: str = ""
    staff: CutStaff | None = None
    """Whose cut it is: a player's, or one of staff's."""


class DrawCards(Command, frozen=True, kw_only=True, tag="shoe.DrawCards.v1"):
    """Give the next cards for a call; the vault fills in openings and whether the shoe is exhausted."""

    round: str
    call_no: int
    faces: tuple[Face, ...]
    openings: tuple[Opening | None, ...] = ()


class ScanCard(Command, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.ScanCard.v1"):
    """Take what a scanner saw leave the shoe, its number `n`; the vault fills in the last three fields.

    The card itself is known to the vault alone: here stands what it is committed to, and the openings of those that come to
    lie face up by it.
    """

    scanner: str
    n: int
    saw: Literal["card", "unread", "cutting_card", "empty"] = "card"
    commitment: str = ""
    sealed: SealedCard | None = None
    openings: tuple[Opening, ...] = ()


class CancelCall(Command, frozen=True, kw_only=True, tag="shoe.CancelCall.v1"):
    """Give a round no further card: it is void."""

    round: str


class PeekHole(Command, frozen=True, kw_only=True, tag="shoe.PeekHole.v1"):
    """Look at the hole card under an ace; the vault fills in whether it makes a blackjack."""

    round: str
    index: int
    blackjack: bool | None = None


class TurnCard(Command, frozen=True, kw_only=True, tag="shoe.TurnCard.v1"):
    """Open a card that lies face down; the vault fills in its opening."""

    round: str
    index: int
    opening: Opening | None = None


class ExposeCards(Command, frozen=True, kw_only=True, tag="shoe.ExposeCards.v1"):
    """Open cards of boxes that lie face down, or of those the blackjacks; the vault fills in the openings (FL-3.5)."""

    round: str
    hands: tuple[DownHand, ...]
    blackjacks_only: bool
    openings: tuple[Opening, ...] = ()


class BurnCards(Command, frozen=True, kw_only=True, tag="shoe.BurnCards.v1"):
    """Burn the next cards, between two calls; `number` counts what its table has called for."""

    number: int
    cards: int
    reason: BurnReason


class ShowBurned(Command, frozen=True, kw_only=True, tag="shoe.ShowBurned.v1"):
    """Open burned cards that nobody has seen; the vault fills in the openings."""

    number: int
    openings: tuple[Opening, ...] = ()


class ReadCard(Command, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.ReadCard.v1"):
    """Take a person's word for a card that the scanner could not read; the vault fills in all but the first two fields.

    `looked` is the turn or exposure that waited for the card.
    """

    index: int
    card: str
    commitment: str = ""
    sealed: SealedCard | None = None
    openings: tuple[Opening, ...] = ()
    looked: TurnCard | ExposeCards | None = None


class RetireShoe(Command, frozen=True, kw_only=True, tag="shoe.RetireShoe.v1"):
    """Take the shoe out of use and open its order; the vault fills in the seed.

    `hole` is the face of the card that `without_hole` named, filled in likewise.
    """

    reason: RetirementReason
    next_shoe: str = ""
    next_root: str = ""
    """What the shoe that replaces this one is committed to."""
    seed: str = ""
    hole: str = ""
    openings: tuple[Opening, ...] = ()
    """Of a scanned shoe: the cards that were scanned and are not open yet."""


class ShoeShuffled(Event, frozen=True, kw_only=True, tag="shoe.ShoeShuffled.v1"):
    """The cards were put in an order that nobody knows: the documented shuffle of the sealed seed.

    `cut`, `cutting_card` and `burns` are what was called for: where cut and cutting card may lie, and what is burned.
    """

    shoe: str
    table: str
    semantics: int
    decks: int
    without: tuple[str, ...]
    without_hole: tuple[str, int] | None = None
    cards: int
    burns: int
    cut: tuple[int, int]
    cutting_card: tuple[int, int]
    round: str = ""
    device: Device = "manual"
    seed: SealedSeed | None = None
    """Of a scanned shoe nobody knows the order, and there is none."""
    before: ScannedBefore | None = None
    """Of a scanned shoe: what came before."""


class OrderCommitted(Event, frozen=True, kw_only=True, tag="shoe.OrderCommitted.v1"):
    """The root over all salted cards in the shuffled order, before it is cut: nothing can be changed any more."""

    shoe: str
    table: str
    root: str
    round: str = ""


class ShoeCut(Event, frozen=True, kw_only=True, tag="shoe.ShoeCut.v1"):
    """The first `cards_in_front` cards went to the back (ON-5.6).

    `contributions` are those of the players, one that was not told by its seal alone; `by` says whether any was told, else who cut.
    """

    cards_in_front: int
    contributions: tuple[Contribution, ...] = ()
    by: Literal["players", "dealer", "game_supervisor", "casino_supervisor"]
    cutter: str = ""
    """The player whose cut it is (ON-5.3, FL-4.2)."""
    staff: CutStaff | None = None
    """Who cut where no player did; neither is written down where nobody is asked."""


class CuttingCardPlaced(Event, frozen=True, kw_only=True, tag="shoe.CuttingCardPlaced.v1"):
    """The marker lies in front of the last `cards_behind` cards."""

    cards_behind: int


class CardsBurned(Event, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.CardsBurned.v1"):
    """Cards went unseen to the discard rack."""

    first_index: int
    count: int
    reason: Literal["shuffle", "new_dealer", "game_error", "house"]
    number: int = 0
    """Which of its table's calls it follows from; 0 for the burn after a shuffle."""
    table: str = ""
    cutting_card_out: bool = False
    """Whether nothing is left in front of the cutting card, after a burn that the table called for."""


class BurnRefused(Event, frozen=True, kw_only=True, tag="shoe.BurnRefused.v1"):
    """The shoe holds fewer cards than were to be burned: written down, because its table waits for it."""

    number: int
    table: str
    code: str
    message: str


class BurnedShown(Event, frozen=True, kw_only=True, tag="shoe.BurnedShown.v1"):
    """Burned cards are open, each with its proof (ON-6.2, LV-3.5)."""

    number: int
    table: str
    openings: tuple[Opening, ...]


class ShoePrepared(Event, frozen=True, kw_only=True, tag="shoe.ShoePrepared.v1"):
    """The shoe can be used: by its table, or by the round that waits for it."""

    shoe: str
    table: str
    round: str = ""
    root: str
    cards: int


class CardsDrawn(Event, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.CardsDrawn.v1"):
    """Cards left the shoe for a call, in order; fewer than called if it is exhausted."""

    round: str
    call_no: int
    cards: tuple[DrawnCard, ...]
    exhausted: bool
    cutting_card_out: bool
    marker: int = -1
    """Index of the first card behind the cutting card, once that is out."""


class CardScanned(Event, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.CardScanned.v1"):
    """A card left a scanned shoe: which, is sealed and committed to, and told when it lies face up.

    The commitment is the root of a tree of one leaf.  Without one the scanner could not read the card.
    """

    index: int
    scanner: str
    n: int
    commitment: str = ""
    sealed: SealedCard | None = None


class CuttingCardScanned(Event, frozen=True, kw_only=True, tag="shoe.CuttingCardScanned.v1"):
    """The cutting card came out in front of the card `index`."""

    index: int
    scanner: str
    n: int


class CuttingCardDrawn(Event, frozen=True, kw_only=True, tag="shoe.CuttingCardDrawn.v1"):
    """The cutting card came out of a scanned shoe behind a card of this round."""

    round: str


class ShoeEmptied(Event, frozen=True, kw_only=True, tag="shoe.ShoeEmptied.v1"):
    """The scanner says that no card is left in its shoe, after so many."""

    scanned: int
    scanner: str
    n: int


class CardsAwaited(Event, frozen=True, kw_only=True, tag="shoe.CardsAwaited.v1"):
    """A round has called for cards; each of them goes on to it as soon as it is scanned."""

    round: str
    call_no: int
    faces: tuple[Face, ...]


class BurnAwaited(Event, frozen=True, kw_only=True, tag="shoe.BurnAwaited.v1"):
    """The next cards that leave a scanned shoe are burned, because its table has called for that."""

    number: int
    cards: int
    reason: BurnReason


class CallCancelled(Event, frozen=True, kw_only=True, tag="shoe.CallCancelled.v1"):
    """Nobody waits any more for the cards of a call."""

    round: str
    call_no: int


class CardDrawn(Event, frozen=True, kw_only=True, tag="shoe.CardDrawn.v1"):
    """One card of a call was met by one that was scanned."""

    round: str
    call_no: int
    card: DrawnCard


class FaceMissing(Event, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.FaceMissing.v1"):
    """A card that the scanner could not read is to lie open: a person must say what it is.

    `look` is the turn, look or exposure that waits for it; without one a call for a face-up card does.
    """

    shoe: str
    table: str
    round: str
    index: int
    look: PeekHole | TurnCard | ExposeCards | None = None

    @property
    def may_be_told(self) -> bool:
        """Whether anybody may say what the card is: not while only few may know it, or nobody (LV-3.8, FL-3.5)."""
        return not isinstance(self.look, PeekHole) and not (isinstance(self.look, ExposeCards) and self.look.blackjacks_only)


class CardRead(Event, frozen=True, kw_only=True, tag="shoe.CardRead.v1"):
    """A card that the scanner could not read is what a person says that it is, and committed to from here on."""

    index: int
    commitment: str
    sealed: SealedCard


class CardsOpened(Event, frozen=True, kw_only=True, tag="shoe.CardsOpened.v1"):
    """The cards of a scanned shoe that nobody had seen are open, because it is out of use: burned ones, and those of void rounds."""

    openings: tuple[Opening, ...]


Doubt = Literal["impossible_card", "card_too_many", "missing_cards", "new_deck_order", "former_order", "second_cutting_card"]
"""What may be wrong with the cards in a scanned shoe."""


class CompositionDoubted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="shoe.CompositionDoubted.v1"):
    """The cards that are open cannot all be right, or did not come in an order that a shuffle leaves; somebody must look."""

    shoe: str
    table: str
    doubt: Doubt
    cards: tuple[str, ...] = ()
    """Those that show it, in the order in which they left the shoe; of missing ones, those that are."""
    index: int | None = None
    """Where the first of them left the shoe."""


class HolePeeked(Event, frozen=True, kw_only=True, tag="shoe.HolePeeked.v1"):
    """Whether the hole card under an ace makes a blackjack; its face is checked against this when it is turned."""

    round: str
    index: int
    blackjack: bool


class CardTurned(Event, frozen=True, kw_only=True, tag="shoe.CardTurned.v1"):
    """A card that lay face down is open."""

    round: str
    opening: Opening


class CardsExposed(Event, frozen=True, kw_only=True, tag="shoe.CardsExposed.v1"):
    """Cards of boxes are open that lay face down; `closed` are those that still do, and who may look at them."""

    round: str
    openings: tuple[Opening, ...]
    closed: tuple[DownHand, ...] = ()


class OwnHand(Struct, frozen=True, gc=False, kw_only=True):
    """What a player is told who looks at the own cards: a hand that lies face down for everybody else."""

    round: str
    box: int
    hand: int
    cards: tuple[Opening, ...]


class ShoeRetired(Event, frozen=True, kw_only=True, tag="shoe.ShoeRetired.v1"):
    """The shoe is out of use; from the seed everybody can work out the whole order and compare."""

    shoe: str
    table: str
    reason: RetirementReason
    next_shoe: str = ""
    next_root: str = ""
    seed: str
    drawn: int
    hole: str = ""
    """The card that `without_hole` named when the shoe was shuffled."""


ShoeCommand = (
    ShuffleShoe
    | CutShoe
    | DrawCards
    | PeekHole
    | TurnCard
    | ExposeCards
    | ScanCard
    | CancelCall
    | ReadCard
    | BurnCards
    | ShowBurned
    | RetireShoe
)
ShoeEvent = (
    ShoeShuffled
    | OrderCommitted
    | ShoeCut
    | CuttingCardPlaced
    | CardsBurned
    | BurnRefused
    | BurnedShown
    | ShoePrepared
    | CardsDrawn
    | HolePeeked
    | CardTurned
    | CardsExposed
    | CardScanned
    | CuttingCardScanned
    | CuttingCardDrawn
    | ShoeEmptied
    | CardsAwaited
    | BurnAwaited
    | CallCancelled
    | CardDrawn
    | FaceMissing
    | CardRead
    | CardsOpened
    | CompositionDoubted
    | ShoeRetired
)
