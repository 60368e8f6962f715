"""The course of a decision about a scanned shoe: the events that follow so far, and the shoe after them.

Whatever opens a card is held against the decks at once, so a doubt follows beside the event that shows it.
"""

from services.shoe.domain import composition
from services.shoe.domain.scanned_state import Look, PutAway, Scanned, evolve
from shared.contracts.refusals import Reason, refused
from shared.contracts.shoe import (
    BurnedShown,
    CardDrawn,
    CardsExposed,
    CardsOpened,
    CardTurned,
    CompositionDoubted,
    FaceMissing,
    Opening,
    ShoeEvent,
)
from shared.kernel import decider
from shared.kernel.commitment import verify


class Course(decider.Course[Scanned | PutAway, ShoeEvent]):
    """Events that follow from one command, and the shoe after them."""

    __slots__ = ("state",)

    def __init__(self, shoe: Scanned) -> None:
        self.state = shoe

    def add(self, event: ShoeEvent) -> None:
        """Let `event` follow, and what the cards that it opens make doubtful."""
        self.append(event)
        self.state = evolve(self.shoe, event)
        if isinstance(self.state, Scanned) and (opened := _opened_by(event)):
            made = self.shoe.loaded
            former = () if made.before is None else made.before.cards
            for doubted in composition.of_opened(self.shoe.faces, opened, decks=made.decks, without=made.without, former=former):
                self.doubt(doubted)

    def doubt(self, doubted: composition.Doubted) -> None:
        """Let a doubt follow; of an order one is enough."""
        shoe = self.shoe
        if doubted.doubt in shoe.doubted and doubted.doubt not in ("impossible_card", "card_too_many"):
            return
        made = shoe.loaded
        self.add(CompositionDoubted(shoe=made.shoe, table=made.table, doubt=doubted.doubt, cards=doubted.cards, index=doubted.index))

    @property
    def shoe(self) -> Scanned:
        """The shoe so far."""
        assert isinstance(self.state, Scanned), "nothing follows in a shoe that is put away"
        return self.state


def prove(opening: Opening, shoe: Scanned) -> None:
    """Break an assertion if a card is not the one that was committed to when it was scanned."""
    hidden = shoe.hidden.get(opening.index)
    assert hidden is not None, f"card {opening.index} is hidden"
    assert verify(hidden.commitment, 1, shoe.loaded.shoe, opening, place=0), f"nothing proves that card {opening.index} was scanned as that"


def face_missing(shoe: Scanned, round: str, index: int, look: Look | None) -> FaceMissing:
    """Return that somebody is to say what a card is that nobody could read and all must see."""
    return FaceMissing(shoe=shoe.loaded.shoe, table=shoe.loaded.table, round=round, index=index, look=look)


def _opened_by(event: ShoeEvent) -> tuple[int, ...]:
    match event:
        case CardDrawn():
            return () if event.card.opening is None else (event.card.index,)
        case CardTurned():
            return (event.opening.index,)
        case CardsExposed() | CardsOpened() | BurnedShown():
            return tuple(opening.index for opening in event.openings)
        case _:
            return ()


def require(in_order: bool, what: str) -> None:
    """Raise `Refused` for what comes out of order."""
    if not in_order:
        raise refused(Reason.OUT_OF_ORDER, what)
