"""A shoe as a stranger checks it: one file that says everything that its log and its table's say, and nothing else.

The form is that of docs/shuffle.md; the verifiers in docs/verifiers read it, and share no code with the house.  Nothing is
worked out here: what is told is written down as it was told, so that a lie in the log is a lie in the file.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from feltlog.trouble import Trouble
from shared.contracts.cutting import CutRevealed, CutSealed
from shared.contracts.shoe import (
    BurnedShown,
    CardsBurned,
    CardsDrawn,
    CardsExposed,
    CardTurned,
    CuttingCardPlaced,
    Opening,
    OrderCommitted,
    ShoeCut,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
)

FORMAT = "feltlog shoe 1"


class Bounds(msgspec.Struct, frozen=True):
    """Where cut and cutting card may lie: lowest and highest number of cards."""

    cut: tuple[int, int]
    cutting_card: tuple[int, int]


class Given(msgspec.Struct, frozen=True):
    """What a player gave, as the shoe was cut by it; without a secret it was not told."""

    player: str
    seal: str
    secret: str


class Sealed(msgspec.Struct, frozen=True):
    """What a player sealed at the table."""

    player: str
    seal: str


class Told(msgspec.Struct, frozen=True):
    """What a player told at the table."""

    player: str
    secret: str


class AtTable(msgspec.Struct, frozen=True):
    """What the table's log says of the cut."""

    sealed: tuple[Sealed, ...]
    told: tuple[Told, ...]


class Card(msgspec.Struct, omit_defaults=True):
    """A card that left the shoe; without a face nobody has seen it."""

    index: int
    card: str = ""
    salt: str = ""
    path: tuple[str, ...] = ()


class Following(msgspec.Struct, frozen=True):
    """The shoe that replaced this one, and what it is committed to."""

    shoe: str
    root: str


class ExportedShoe(msgspec.Struct, kw_only=True):
    """A retired shoe."""

    format: str = FORMAT
    day: str
    shoe: str
    table: str
    decks: int
    without: tuple[str, ...]
    hole: str = ""
    device: str = "manual"
    cards: int
    root: str = ""
    bounds: Bounds
    table_log: AtTable
    contributions: tuple[Given, ...] = ()
    cut_at: int | None = None
    cards_behind: int | None = None
    burns: int = 0
    drawn: tuple[Card, ...] = ()
    left: int = 0
    reason: str = ""
    next: Following = Following("", "")
    seed: str = ""


def exported(day: str, shoe: str, events: Iterable[Any], at_table: Iterable[Any]) -> ExportedShoe:
    """Return a shoe from its own events and its table's; raise `Trouble` if its order is not open yet."""
    found: ExportedShoe | None = None
    cards: dict[int, Card] = {}
    for event in events:
        if isinstance(event, ShoeShuffled):
            found = _shuffled(day, event, _said(shoe, at_table))
            if event.device == "scanned":
                raise Trouble(
                    f"{shoe} stood under a scanner: nobody knew its order, so there is none to check. "
                    "`feltlog verify` holds each of its cards against what was committed to when it was scanned."
                )
        assert found is not None, "a shoe's stream begins with its shuffle"
        match event:
            case OrderCommitted():
                found.root = event.root
            case ShoeCut():
                found.cut_at = event.cards_in_front
                found.contributions = tuple(Given(each.player, each.seal, each.secret) for each in event.contributions)
            case CuttingCardPlaced():
                found.cards_behind = event.cards_behind
            case ShoePrepared() if found.device == "shuffling_device":
                # Nobody cut it, and no cutting card lay in it.
                found.cut_at = found.cards_behind = 0
            case CardsBurned() if event.reason == "shuffle":
                found.burns = event.count
            case CardsBurned():
                cards.update({index: Card(index) for index in range(event.first_index, event.first_index + event.count)})
            case CardsDrawn():
                cards.update({card.index: _card(card.index, card.opening) for card in event.cards})
            case CardsExposed():
                cards.update({opening.index: _card(opening.index, opening) for opening in event.openings})
            case CardTurned():
                cards[event.opening.index] = _card(event.opening.index, event.opening)
            case BurnedShown():
                # Those that were burned after the shuffle leave no trace of their own in the file: the seed shows them.
                cards.update({each.index: _card(each.index, each) for each in event.openings if each.index in cards})
            case ShoeRetired():
                found.seed, found.hole, found.left, found.reason = event.seed, event.hole, event.drawn, event.reason
                found.next = Following(event.next_shoe, event.next_root)
            case _:
                pass
    if found is None or not found.seed:
        raise Trouble(f"The order of {shoe} is not open yet: it is opened when the next shoe takes its place, or when its table closes.")
    found.drawn = tuple(cards.values())
    return found


def _shuffled(day: str, event: ShoeShuffled, said: AtTable) -> ExportedShoe:
    return ExportedShoe(
        day=day,
        shoe=event.shoe,
        table=event.table,
        decks=event.decks,
        without=event.without,
        device=event.device,
        cards=event.cards,
        bounds=Bounds(event.cut, event.cutting_card),
        table_log=said,
    )


def _said(shoe: str, at_table: Iterable[Any]) -> AtTable:
    events = [event for event in at_table if getattr(event, "shoe", "") == shoe]
    return AtTable(
        sealed=tuple(Sealed(event.player, event.seal) for event in events if isinstance(event, CutSealed)),
        told=tuple(Told(event.player, event.secret) for event in events if isinstance(event, CutRevealed)),
    )


def _card(index: int, opening: Opening | None) -> Card:
    return Card(index) if opening is None else Card(index, opening.card, opening.salt, opening.path)


def text_of(shoe: ExportedShoe) -> str:
    """Return the file."""
    return msgspec.json.format(msgspec.json.encode(shoe), indent=1).decode() + "\n"
