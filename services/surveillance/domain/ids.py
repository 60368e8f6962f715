"""Ids: whether what a person asked of the ledger was decided once, whichever day's book it came into.

A stream tells a repeated id by itself; over a night nothing but the answers that are carried along keeps a slip from being paid
again, or a voucher from being taken again.
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard
from services.surveillance.domain.nights import Night, nights
from shared.contracts.wallet import CarriedForward
from shared.kernel.entry import Decision
from shared.kernel.folded import fingerprint
from shared.kernel.messages import ACCEPTED, Answer

Answered = dict[str, tuple[str, Answer]]
"""What was asked under an id, as its fingerprint, and the answer."""


@dataclass
class Book:
    """What one day's book says of ids."""

    asked: Answered = field(default_factory=dict)
    carried: Answered = field(default_factory=dict)
    """Those of the day before."""
    night: Night = field(default_factory=Night)


@dataclass
class Ids:
    """The books of the days that are heard, by gaming day."""

    books: dict[str, Book] = field(default_factory=dict)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of the ledger; return what was decided in another book before."""
        book = self.books.setdefault(heard.day, Book())
        found = []
        for decision in heard.entry.decisions:
            if decision.actor.role != "house":
                others = [day for day, other in self.books.items() if day != heard.day and decision.id in other.asked]
                if others or decision.id in book.carried:
                    what = f"{decision.id} was decided in the book of {min(others, default='the day before')} as well"
                    found.append(heard.where.found(Code.REPEATED_ID, what))
                book.asked[decision.id] = (decision.asked or fingerprint(decision.command, decision.actor), answer_of(decision))
            for event in decision.events:
                book.night.hear(event, heard.where)
                if isinstance(event, CarriedForward):
                    book.carried |= {row.id: (row.fingerprint, row.answer) for row in event.ids}
        return found

    def left(self) -> list[Finding]:
        """Return where a day does not begin with the answers that the day before gave."""
        return [
            where.found(Code.DAY_CHAIN_BROKEN, f"the book does not begin with the answers that were given on {day_before}")
            for day_before, before, book, where in nights(self.books)
            if before.asked != book.carried
        ]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.books.pop(day, None)


def answer_of(decision: Decision[Any, Any]) -> Answer:
    """Return what the asker of a decision was told: what its events say, or that it is done."""
    told = [said[1] for event in decision.events if (said := event.answer()) is not None and said[0] in ("", decision.id)]
    return told[-1] if told else ACCEPTED
