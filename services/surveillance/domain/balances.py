"""Balances: whether the ledger's movements move what they say, and make no money.

Every movement sums to zero and goes between the accounts that its event names; no player's account falls below zero; a
booked round has nothing left in escrow; and a day begins with the balances with which the day before ended.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.wallet import (
    AdjustmentMade,
    BookClosed,
    BookOpened,
    CarriedForward,
    Deposited,
    Posting,
    RoundBooked,
    StakeReleased,
    StakeReserved,
    StakesCorrected,
    StakesSettled,
    Withdrawn,
)

Account = tuple[str, str]
"""A currency and an account's name."""


@dataclass
class Book:
    """One day's ledger: what lies in each account."""

    minor: dict[Account, int] = field(default_factory=lambda: defaultdict(int))
    from_day: str = ""
    first: Where | None = None
    closed: bool = False


@dataclass
class Balances:
    """The books of the days that are heard, by gaming day."""

    books: dict[str, Book] = field(default_factory=dict)
    opening: dict[str, dict[Account, int]] = field(default_factory=dict)
    """What each day began with."""
    movements: int = 0

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of the ledger; return what does not add up."""
        book = self.books.setdefault(heard.day, Book())
        return [heard.where.found(code, message) for fact in heard.facts() for code, message in self._event(heard, book, fact.event)]

    def left(self) -> list[Finding]:
        """Return where a day does not begin with what the day before ended with."""
        found = []
        for day, book in self.books.items():
            before = self.books.get(book.from_day)
            if before is not None and before.closed and book.first is not None:
                carried = self.opening.get(day, {})
                if _standing(before.minor) != carried:
                    found.append(
                        book.first.found(Code.DAY_CHAIN_BROKEN, f"the book of {day} does not begin with the balances of {book.from_day}")
                    )
        return found

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.books.pop(day, None)
        self.opening.pop(day, None)

    def _event(self, heard: Heard, book: Book, event: Any) -> list[tuple[Code, str]]:
        match event:
            case CarriedForward():
                book.from_day, book.first = event.from_day, book.first or heard.where
                for row in event.accounts:
                    book.minor[row.currency, row.account] += row.minor
                for stake in event.stakes:
                    book.minor[stake.currency, f"round/{stake.round}/escrow"] += stake.minor
            case BookOpened():
                self.opening[heard.day] = _standing(book.minor)
                return [(Code.UNBALANCED, f"what was carried forward in {money} does not sum to zero") for money in _unbalanced(book.minor)]
            case RoundBooked():
                held = {money for (money, name), minor in book.minor.items() if name == f"round/{event.round}/escrow" and minor}
                return [(Code.ESCROW_LEFT, f"{event.round} is booked with {money} left in its escrow") for money in sorted(held)]
            case BookClosed():
                book.closed = True
                return [(Code.UNBALANCED, f"the book is closed, and {money} does not sum to zero") for money in _unbalanced(book.minor)]
            case Deposited() | Withdrawn() | AdjustmentMade() | StakeReserved() | StakeReleased() | StakesSettled() | StakesCorrected():
                return self._move(book, event)
            case _:
                pass
        return []

    def _move(self, book: Book, event: Any) -> list[tuple[Code, str]]:
        self.movements += 1
        found = []
        moved = _summed(event.postings)
        if sum(moved.values()):
            found.append((Code.UNBALANCED, f"{type(event).__name__} does not sum to zero"))
        if not _moves(event, moved, book):
            found.append((Code.UNBALANCED, f"{type(event).__name__} does not move what it says"))
        for name, minor in moved.items():
            account = (event.currency, name)
            book.minor[account] += minor
            if book.minor[account] < 0 and minor < 0 and name.endswith(("/cash", "/escrow")):
                found.append((Code.UNBALANCED, f"{name} falls to {book.minor[account]}"))
            if name.endswith("/owed") and book.minor[account] > 0:
                found.append((Code.UNBALANCED, f"{name} is paid more than was owed"))
            if not book.minor[account] and name.endswith(("/escrow", "/owed")):
                del book.minor[account]
        return found


def _moves(event: Any, moved: dict[str, int], book: Book) -> bool:
    """Return whether the postings of an event move what it says, and nothing else."""
    match event:
        case Deposited(player=player, minor=minor):
            return _only(moved, _with_debt({player: minor}, event.currency, book), rest="outside/")
        case StakesCorrected(lines=lines):
            net: dict[str, int] = defaultdict(int)
            for corrected in lines:
                net[corrected.player] += corrected.returned_minor - corrected.settled_minor
            return _only(moved, _with_debt(net, event.currency, book), rest="house/win")
        case AdjustmentMade(player=player, minor=minor):
            return _only(moved, _with_debt({player: minor}, event.currency, book), rest="house/win")
        case Withdrawn(player=player, minor=minor):
            return _only(moved, {f"player/{player}/cash": -minor}, rest="outside/")
        case StakeReserved(player=player, round=round_, minor=minor):
            return moved == _summed_pairs({f"player/{player}/cash": -minor, f"round/{round_}/escrow": minor})
        case StakeReleased(player=player, round=round_, minor=minor):
            return moved == _summed_pairs({f"player/{player}/cash": minor, f"round/{round_}/escrow": -minor})
        case StakesSettled(round=round_, lines=lines):
            due: dict[str, int] = defaultdict(int)
            for line in lines:
                due[f"round/{round_}/escrow"] -= line.stake_minor
                due[f"player/{line.player}/cash"] += line.returned_minor
            return _only(moved, due, rest="house/win")
        case _:
            return True


def _with_debt(net: dict[str, int], money: str, book: Book) -> dict[str, int]:
    """Return how accounts move: what a player owes is paid first, and what an account does not hold is owed."""
    due = {}
    for player, minor in net.items():
        held, debt = book.minor.get((money, f"player/{player}/cash"), 0), -book.minor.get((money, f"player/{player}/owed"), 0)
        to_debt = min(debt, minor) if minor > 0 else min(held + minor, 0)
        due[f"player/{player}/cash"], due[f"player/{player}/owed"] = minor - to_debt, to_debt
    return due


def _only(moved: dict[str, int], due: dict[str, int], *, rest: str) -> bool:
    """Return whether `due` moved, and otherwise only one account whose name begins with `rest`."""
    others = {name: minor for name, minor in moved.items() if name not in due}
    return (
        all(moved.get(name, 0) == minor for name, minor in due.items())
        and len(others) <= 1
        and all(name.startswith(rest) for name in others)
    )


def _summed(postings: tuple[Posting, ...]) -> dict[str, int]:
    total: dict[str, int] = defaultdict(int)
    for posting in postings:
        total[posting.account] += posting.minor
    return _summed_pairs(total)


def _summed_pairs(legs: dict[str, int]) -> dict[str, int]:
    return {name: minor for name, minor in legs.items() if minor}


def _standing(minor: dict[Account, int]) -> dict[Account, int]:
    return {account: amount for account, amount in minor.items() if amount}


def _unbalanced(minor: dict[Account, int]) -> list[str]:
    totals: dict[str, int] = defaultdict(int)
    for (money, _), amount in minor.items():
        totals[money] += amount
    return sorted(money for money, amount in totals.items() if amount)
