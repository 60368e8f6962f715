"""Nights: which day's book a book goes on from.

Whoever closed a book said which day follows it.  What a book says of itself is held against that and decides nothing: else a book
that names nobody before it would begin with whatever it likes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from services.surveillance.domain.heard import Where
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward


@dataclass
class Night:
    """How a book began, and the day that it was closed for."""

    first: Where | None = None
    """Where it began."""
    opened: bool = False
    from_days: set[str] = field(default_factory=set)
    """The days from which it says that it carries."""
    next_day: str = ""
    """Empty as long as it is open."""

    def hear(self, event: Any, where: Where) -> None:
        """Take in an event of the book."""
        match event:
            case CarriedForward():
                self.first = self.first or where
                self.from_days.add(event.from_day)
            case BookOpened():
                self.first, self.opened = self.first or where, True
            case BookClosed():
                self.next_day = event.next_day
            case _:
                pass


class HasNights(Protocol):
    """What is known of a day's book."""

    night: Night


B = TypeVar("B", bound=HasNights)


def nights(books: Mapping[str, B]) -> Iterator[tuple[str, B, B, Where]]:
    """Yield, for each book that is open or was, and follows a closed one that was heard, the day before, both books, and where it began.

    Before a book is open, more of the other may still be carried forward.
    """
    for day, book in books.items():
        for day_before, before in books.items():
            if before.night.next_day == day and book.night.opened and book.night.first is not None:
                yield day_before, before, book, book.night.first
