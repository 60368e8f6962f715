"""What a scanned shoe remembers: which cards left it, which of them are still hidden, and who waits for the next one.

The system never knew the order, so nothing here says what comes.  A card has an index as soon as it left the shoe; it is
hidden until it lies face up, is turned, or the shoe is put away.
"""

from collections.abc import Iterable

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.burns import BurnReason
from shared.contracts.dealing import DownHand, Face
from shared.contracts.shoe import (
    BurnAwaited,
    BurnedShown,
    BurnRefused,
    CallCancelled,
    CardDrawn,
    CardRead,
    CardsAwaited,
    CardsBurned,
    CardScanned,
    CardsDrawn,
    CardsExposed,
    CardsOpened,
    CardTurned,
    CompositionDoubted,
    CuttingCardDrawn,
    CuttingCardScanned,
    Doubt,
    ExposeCards,
    FaceMissing,
    HolePeeked,
    Opening,
    PeekHole,
    ScannedBefore,
    SealedCard,
    ShoeEmptied,
    ShoeEvent,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
    TurnCard,
)

UNREAD = ""
"""The commitment of a card that could not be read."""


class Hidden(Struct, frozen=True):
    """A card that left the shoe and is not open: what it is committed to, and its face and salt under seal."""

    commitment: str
    sealed: SealedCard | None


class Call(Struct, frozen=True):
    """A round waits for cards; `faces` are those still to come."""

    round: str
    call_no: int
    faces: tuple[Face, ...]


class Burning(Struct, frozen=True):
    """The next cards are to be burned, as the table called for."""

    number: int
    cards: int
    reason: BurnReason


class Scanned(Struct, frozen=True, kw_only=True):
    """A shoe under a scanner."""

    loaded: ShoeShuffled
    scanner: str
    n: int
    """How far the scanner was heard, in this shoe or before it."""
    fresh: bool = True
    """Whether nothing of this shoe was heard: its scanner may be another one than the last shoe's."""
    prepared: bool = False
    """Whether it is burned: cards may be called."""
    scanned: int = 0
    """The index of the next card."""
    met: int = 0
    """The index of the next card that meets a call: all before it are burned or drawn."""
    hidden: Map[int, Hidden] = Map()
    faces: tuple[str, ...] = ()
    """The cards that are open, by index."""
    call: Call | None = None
    calls: dict[str, int] = {}
    """The last call of each round, in the order of the rounds."""
    drew: str = ""
    """The round that the last card went to."""
    cutting_card: int | None = None
    """The card in front of which the cutting card came out."""
    emptied: bool = False
    """Whether the scanner says that nothing is left."""
    gives_no_more: bool = False
    """Whether a round was told so: what is scanned next belongs to the shoe that follows."""
    down: dict[int, str] = {}
    """The round of each card that lies face down, by index."""
    peeked: dict[int, bool] = {}
    closed: tuple[DownHand, ...] = ()
    """Hands that lie face down and that their players may look at."""
    missing: FaceMissing | None = None
    """The card that a person must say, and what waits for it."""
    doubted: frozenset[Doubt] = frozenset()
    asked: int = 0
    """The last burn or disclosure that its table called for and got."""
    burning: Burning | None = None
    burned: tuple[int, ...] = ()
    """Indices of the burned cards that nobody was shown."""

    @property
    def is_empty(self) -> bool:
        """Whether no further card can leave it."""
        return self.emptied or self.scanned >= self.loaded.cards


class PutAway(Struct, frozen=True, kw_only=True):
    """A scanned shoe out of use."""

    loaded: ShoeShuffled
    scanner: str
    n: int
    faces: tuple[str, ...]


def came_before(shoes: Iterable[Scanned | PutAway]) -> ScannedBefore:
    """Return what came before the next scanned shoe of a table, of which these are there, in the order in which they were loaded."""
    last = next(reversed(list(shoes)), None)
    return ScannedBefore() if last is None else ScannedBefore(scanner=last.scanner, n=last.n, shoe=last.loaded.shoe, cards=last.faces)


def loaded(event: ShoeShuffled) -> Scanned:
    """Return a shoe that was put under its scanner."""
    before = event.before or ScannedBefore()
    return Scanned(loaded=event, scanner=before.scanner, n=before.n)


def unread(shoe: Scanned, index: int) -> bool:
    """Return whether nobody can say what a hidden card is."""
    return index in shoe.hidden and shoe.hidden[index].commitment == UNREAD


def evolve(shoe: Scanned, event: ShoeEvent) -> Scanned | PutAway:
    """Return a scanned shoe after `event`."""
    match event:
        case CardScanned():
            hidden = shoe.hidden.set(event.index, Hidden(event.commitment, event.sealed))
            heard = _heard(shoe, event)
            return replace(heard, scanned=event.index + 1, hidden=hidden, faces=(*shoe.faces, ""))
        case CuttingCardScanned():
            return replace(_heard(shoe, event), cutting_card=event.index)
        case CuttingCardDrawn():
            return shoe
        case ShoeEmptied():
            # A device says it when the last card is gone, or is taken out: then another load may be called already.
            return replace(_heard(shoe, event), emptied=shoe.prepared and event.scanned > 0)
        case CardsBurned():
            burned = (*shoe.burned, *range(event.first_index, event.first_index + event.count))
            asked = max(shoe.asked, event.number)
            return replace(shoe, met=event.first_index + event.count, burned=burned, asked=asked, burning=None)
        case BurnAwaited():
            return replace(shoe, burning=Burning(event.number, event.cards, event.reason))
        case BurnRefused():
            return replace(shoe, burning=None, asked=event.number)
        case BurnedShown():
            opened = {opening.index for opening in event.openings}
            unseen = tuple(index for index in shoe.burned if index not in opened)
            return replace(_opened(shoe, event.openings), burned=unseen, asked=event.number)
        case ShoePrepared():
            return replace(shoe, prepared=True)
        case CardsAwaited():
            call = Call(event.round, event.call_no, event.faces)
            return replace(shoe, call=call, calls={**shoe.calls, event.round: event.call_no})
        case CallCancelled():
            return replace(shoe, call=None, missing=None)
        case CardDrawn():
            return _drawn(shoe, event)
        case CardsDrawn():
            return replace(shoe, call=None, gives_no_more=True)
        case HolePeeked():
            return replace(shoe, peeked={**shoe.peeked, event.index: event.blackjack})
        case FaceMissing():
            return replace(shoe, missing=event)
        case CardRead():
            hidden = shoe.hidden.set(event.index, Hidden(event.commitment, event.sealed))
            return replace(shoe, hidden=hidden, missing=None)
        case CardTurned():
            return _opened(shoe, (event.opening,))
        case CardsExposed():
            after = _opened(shoe, event.openings)
            still = tuple(hand for hand in shoe.closed if all(after.down.get(index) == event.round for index in hand.indices))
            return replace(after, closed=(*still, *event.closed))
        case CardsOpened():
            return _opened(shoe, event.openings)
        case CompositionDoubted():
            return replace(shoe, doubted=shoe.doubted | {event.doubt})
        case ShoeRetired():
            return PutAway(loaded=shoe.loaded, scanner=shoe.scanner, n=shoe.n, faces=shoe.faces)
        case _:
            raise AssertionError(f"{type(event).__name__} cannot happen to a shoe that is scanned")


def _heard(shoe: Scanned, event: CardScanned | CuttingCardScanned | ShoeEmptied) -> Scanned:
    return replace(shoe, scanner=event.scanner, n=event.n, fresh=False)


def _drawn(shoe: Scanned, event: CardDrawn) -> Scanned:
    assert shoe.call is not None, "a card is drawn for a call"
    faces = shoe.call.faces[1:]
    call = replace(shoe.call, faces=faces) if faces else None
    after = replace(shoe, call=call, met=event.card.index + 1, drew=event.round)
    if event.card.opening is not None:
        return _opened(after, (event.card.opening,))
    return replace(after, down={**shoe.down, event.card.index: event.round})


def _opened(shoe: Scanned, openings: tuple[Opening, ...]) -> Scanned:
    hidden, faces = shoe.hidden, list(shoe.faces)
    for opening in openings:
        hidden = hidden.delete(opening.index)
        faces[opening.index] = opening.card
    down = {index: round for index, round in shoe.down.items() if index in hidden}
    return replace(shoe, hidden=hidden, faces=tuple(faces), down=down)


Look = PeekHole | TurnCard | ExposeCards
"""What may be asked of cards that lie face down."""
