"""Scanned cards: whether every card of a scanned shoe is the one that was committed to, is told in the end, and can be there.

No root covers such a shoe.  So each card is held against its own commitment, the scanner's numbers against each other, and
what is open in the end against the decks; none of it asks the shoe's own watch.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.shoe import (
    BurnedShown,
    CardDrawn,
    CardRead,
    CardsBurned,
    CardScanned,
    CardsExposed,
    CardsOpened,
    CardTurned,
    CuttingCardScanned,
    Opening,
    ShoeEmptied,
    ShoeRetired,
    ShoeShuffled,
)
from shared.kernel.commitment import verify


@dataclass
class Scanned:
    """What a shoe's log has said of its cards."""

    shuffled: ShoeShuffled
    commitments: dict[int, str] = field(default_factory=dict)
    faces: dict[int, str] = field(default_factory=dict)
    heard: tuple[str, int] | None = None
    """The scanner and its last number in this shoe."""
    met: int = 0
    """The card that is burned or dealt next."""

    def hear(self, event: Any) -> list[str]:
        """Return what is wrong with what an event says of cards."""
        match event:
            case CardScanned():
                self.commitments[event.index] = event.commitment
                return self._number(event.scanner, event.n)
            case CuttingCardScanned() | ShoeEmptied():
                return self._number(event.scanner, event.n)
            case CardRead():
                before, self.commitments[event.index] = self.commitments.get(event.index), event.commitment
                return [] if before == "" else [f"card {event.index} was said by a person although its scanner had read it"]
            case CardsBurned():
                return self._leaves(event.first_index, event.count)
            case CardDrawn():
                opened = self._opened([event.card.opening] if event.card.opening else [], event.card.index)
                return [*self._leaves(event.card.index, 1), *opened]
            case CardTurned():
                return self._opened([event.opening], event.opening.index)
            case CardsExposed() | CardsOpened() | BurnedShown():
                return self._opened(list(event.openings), None)
            case _:
                return []

    def ended(self, event: ShoeRetired) -> list[str]:
        """Return what cannot be of a shoe that is out of use: cards that were read and never told, or too many of one kind."""
        made = self.shuffled
        untold = sorted(index for index, commitment in self.commitments.items() if commitment and index not in self.faces)
        wrong = [f"cards {untold} of {event.shoe} were scanned and never told"] if untold else []
        if event.drawn != len(self.commitments):
            wrong.append(f"{event.shoe} says that {event.drawn} cards left it; {len(self.commitments)} were scanned")
        for card, count in sorted(Counter(self.faces.values()).items()):
            there = made.decks - made.without.count(card)
            if count > there:
                wrong.append(f"{card} left {event.shoe} {count} times, and lies in its decks {there} times")
        return wrong

    def _number(self, scanner: str, n: int) -> list[str]:
        before, self.heard = self.heard, (scanner, n)
        if before is None or before == (scanner, n - 1):
            return []
        return [f"number {n} of scanner {scanner} follows number {before[1]} of {before[0]}"]

    def _leaves(self, first: int, count: int) -> list[str]:
        """Return what is wrong with the cards that are burned or dealt: each was scanned, and comes in its turn."""
        expected, self.met = self.met, first + count
        unscanned = [index for index in range(first, first + count) if index not in self.commitments]
        wrong = [f"cards {unscanned} were burned or dealt and never scanned"] if unscanned else []
        return wrong if first == expected else [*wrong, f"card {first} was burned or dealt where card {expected} came next"]

    def _opened(self, openings: list[Opening], drawn: int | None) -> list[str]:
        wrong = []
        for opening in openings:
            name, commitment = self.shuffled.shoe, self.commitments.get(opening.index, "")
            if not verify(commitment, 1, name, opening, place=0):
                wrong.append(f"nothing proves that card {opening.index} of {name} is {opening.card}")
            if drawn not in (None, opening.index):
                wrong.append(f"card {drawn} carries the proof of card {opening.index}")
            self.faces[opening.index] = opening.card
        return wrong
