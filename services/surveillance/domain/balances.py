"""Balances: whether the ledger's movements move what they say, and make no money.

Every movement sums to zero and goes between the accounts that its event names; no player's account falls below zero; a
booked round has nothing left in escrow; and a day begins with the balances with which the day before ended.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from services.surveillance.domain.dues import Account, Book, Standing, bear, moves_as_told, summed
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard
from services.surveillance.domain.nights import nights
from shared.contracts.accounts import (
    cash_account,
    escrow_account,
    kind_of,
)
from shared.contracts.cage import AccountOpened, AdjustmentMade, Deposited, Withdrawn
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.stakes import RoundBooked, StakeReleased, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward, CarriedStake
from shared.kernel.identity import digest


@dataclass
class Balances:
    """The books of the days that are heard, by gaming day."""

    books: dict[str, Book] = field(default_factory=dict)
    movements: int = 0

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of the ledger; return what does not add up."""
        book = self.books.setdefault(heard.day, Book())
        return [heard.where.found(code, message) for fact in heard.facts() for code, message in self._event(heard, book, fact.event)]

    def left(self) -> list[Finding]:
        """Return where a day does not begin with what the day before ended with."""
        found = []
        for day_before, before, book, where in nights(self.books):
            if _going_on(before) != book.began:
                found.append(where.found(Code.DAY_CHAIN_BROKEN, f"the book does not begin with what stood in that of {day_before}"))
            if book.night.from_days - {day_before}:
                found.append(where.found(Code.DAY_CHAIN_BROKEN, f"the book follows that of {day_before}, and says that it carries another"))
        return found

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.books.pop(day, None)

    def _event(self, heard: Heard, book: Book, event: Any) -> list[tuple[Code, str]]:
        book.night.hear(event, heard.where)
        match event:
            case CarriedForward():
                for row in event.accounts:
                    book.minor[row.currency, row.account] += row.minor
                    if row.operator:
                        book.operators[row.currency, row.account] = row.operator
                for stake in event.stakes:
                    book.minor[stake.currency, escrow_account(stake.round)] += stake.minor
                    self._lay(book, stake)
            case AccountOpened():
                book.operators[event.currency, cash_account(event.player)] = event.operator
            case BookOpened():
                book.began = _going_on(book)
                return [
                    *((Code.UNBALANCED, f"what was carried forward in {money} does not sum to zero") for money in _unbalanced(book.minor)),
                    *_other_digest(book, event, "is opened"),
                ]
            case RoundBooked():
                held = {money for (money, name), minor in book.minor.items() if name == escrow_account(event.round) and minor}
                return [(Code.ESCROW_LEFT, f"{event.round} is booked with {money} left in its escrow") for money in sorted(held)]
            case BookClosed():
                return [
                    *((Code.UNBALANCED, f"the book is closed, and {money} does not sum to zero") for money in _unbalanced(book.minor)),
                    *_other_digest(book, event, "is closed"),
                    *_other_trial(book, event),
                ]
            case Deposited() | Withdrawn() | AdjustmentMade() | PromoGranted() | PromoCancelled():
                return self._move(book, event)
            case StakeReserved():
                found = self._move(book, event)
                self._lay(book, event)
                return found
            case StakeReleased() | StakesSettled():
                for wager in [event.wager] if isinstance(event, StakeReleased) else [line.wager for line in event.lines]:
                    book.lying.pop((event.round, wager), None)
                return self._move(book, event)
            case StakesCorrected():
                return self._move(book, event)
            case _:
                pass
        return []

    def _lay(self, book: Book, stake: StakeReserved | CarriedStake) -> None:
        promo = stake.promo_minor or 0
        book.lying[stake.round, stake.wager] = (stake.player, stake.currency, stake.minor, promo)
        if promo:
            book.promo[stake.round, stake.wager] = (promo, stake.minor)

    def _move(self, book: Book, event: Any) -> list[tuple[Code, str]]:
        self.movements += 1
        book.movements += bool(event.postings)
        found = []
        moved = summed(event.postings)
        if sum(moved.values()):
            found.append((Code.UNBALANCED, f"{type(event).__name__} does not sum to zero"))
        if not moves_as_told(event, moved, book):
            found.append((Code.UNBALANCED, f"{type(event).__name__} does not move what it says"))
        if isinstance(event, StakesCorrected):
            bear(event, moved, book)
        for name, minor in moved.items():
            account = (event.currency, name)
            book.minor[account] += minor
            if book.minor[account] < 0 and minor < 0 and name.startswith(("player/", "round/")) and not name.endswith("/owed"):
                found.append((Code.UNBALANCED, f"{name} falls to {book.minor[account]}"))
            if name.endswith("/owed") and book.minor[account] > 0:
                found.append((Code.UNBALANCED, f"{name} is paid more than was owed"))
            if not book.minor[account] and name.endswith(("/escrow", "/owed", "/promo")):
                del book.minor[account]
        return found


def _going_on(book: Book) -> Standing:
    return _standing(book.minor), dict(book.operators), dict(book.lying)


def _standing(minor: dict[Account, int]) -> dict[Account, int]:
    return {account: amount for account, amount in minor.items() if amount}


def _other_digest(book: Book, event: BookOpened | BookClosed, what: str) -> list[tuple[Code, str]]:
    """The digest of the balances is theirs: a line for each account in which something lies, sorted."""
    lines = "".join(f"{money} {name} {minor}\n" for (money, name), minor in sorted(_standing(book.minor).items()))
    said = event.balances
    return [] if said in (UNSET, digest(lines.encode())) else [(Code.UNBALANCED, f"the book {what} with a digest of other balances")]


def _other_trial(book: Book, event: BookClosed) -> list[tuple[Code, str]]:
    """The trial balance and the count are what the movements come to."""
    if event.trial is UNSET:
        return []
    sums: dict[Account, int] = defaultdict(int)
    for (money, name), minor in _standing(book.minor).items():
        sums[money, kind_of(name)] += minor
    told = [(row.currency, row.kind, row.minor) for row in event.trial]
    due = [(money, kind, minor) for (money, kind), minor in sorted(sums.items())]
    found = [] if told == due else [(Code.UNBALANCED, "the trial balance is not what the movements come to")]
    if event.movements != book.movements:
        found.append((Code.UNBALANCED, f"the book is closed with {event.movements} movements, and has {book.movements}"))
    return found


def _unbalanced(minor: dict[Account, int]) -> list[str]:
    totals: dict[str, int] = defaultdict(int)
    for (money, _), amount in minor.items():
        totals[money] += amount
    return sorted(money for money, amount in totals.items() if amount)
