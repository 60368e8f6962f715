"""A day's book, added up: balances, the trial balance, and what was moved for each wager."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from feltlog.reconciling.place import Difference, Place, differs, places
from feltlog.reconciling.postings import may_be_below, of, said_otherwise, spared, summed
from shared.contracts.accounts import cash_account, escrow_account, kind_of, owed_account, promo_account
from shared.contracts.cage import AccountOpened, AdjustmentMade, Deposited
from shared.contracts.stakes import RoundBooked, StakeReleased, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.subjects import stream_day
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward
from shared.kernel.entry import Entry, Stored
from shared.kernel.identity import digest

Account = tuple[str, str]
"""A currency and an account's name."""
Key = tuple[str, str]
"""A round and a wager."""


@dataclass
class Moved:
    """What the ledger did for one wager, as its events say."""

    reserved: tuple[Place, Any] | None = None
    promo_minor: int = 0
    """How much of its stake is promotional money, as it was posted."""
    answered: Place | None = None
    """Where it said something of the wager without moving money: refused it, or let it go."""
    released: Place | None = None
    settled: tuple[Place, Any] | None = None

    @property
    def place(self) -> Place | None:
        """Where the ledger said the first of it."""
        said = (self.reserved and self.reserved[0], self.answered, self.released, self.settled and self.settled[0])
        return next((place for place in said if place is not None), None)

    @property
    def lies_there(self) -> bool:
        """Whether its stake is set aside now."""
        return self.reserved is not None and self.released is None and self.settled is None


@dataclass
class Book:
    """The book of a gaming day; `before` are the balances of the day before, if that book was added up and is closed."""

    day: str
    before: Mapping[Account, int] | None = None
    unclosed: str = ""
    """The day before, if its book was added up and is not closed."""
    balances: dict[Account, int] = field(default_factory=lambda: defaultdict(int))
    currencies: set[str] = field(default_factory=set)
    wagers: dict[Key, Moved] = field(default_factory=lambda: defaultdict(Moved))
    corrected: dict[tuple[str, int], tuple[Place, StakesCorrected]] = field(default_factory=dict)
    booked: dict[str, tuple[Place, RoundBooked]] = field(default_factory=dict)
    touched: dict[str, Place] = field(default_factory=dict)
    """Where money of a round was last moved."""
    worked_off: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """How far the book has heard each log of the tables."""
    lent: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """What the house bears in a player's place, of a round's corrections."""
    movements: int = 0
    closed: bool = False
    digest: str = ""
    """Of its balances, as the book says at its end."""
    end: Place | None = None
    follows: str = ""
    """The digest of the last entry of the book before, if that is known."""
    ends_with: str = ""
    operators: dict[Account, str] = field(default_factory=dict)
    """Through whom each player's money comes and goes, by currency."""
    differences: list[Difference] = field(default_factory=list)

    def hear(self, stored: Stored, entry: Entry[Any, Any]) -> None:
        """Add up an entry."""
        for place, event in places(stored, entry):
            self.end = place
            self._event(place, event)
        for log, heard in entry.position.items():
            self.worked_off[log] = max(heard, self.worked_off.get(log, (0, 0, 0)))

    def has_heard(self, place: Place) -> bool:
        """Return whether the book has worked off an event of the tables' log: what follows from it must stand here."""
        return self.closed or self.worked_off.get(place.log, (0, 0, 0)) >= place.heard_at

    def trial_balance(self) -> dict[Account, int]:
        """Return what lies in each kind of account, by currency."""
        return _trial_of(self.balances)

    def held_for(self, round: str) -> dict[str, int]:
        """Return what lies in a round's escrow, by currency."""
        account = escrow_account(round)
        return {currency: minor for currency in sorted(self.currencies) if (minor := self.balances.get((currency, account), 0))}

    def standing(self) -> dict[Account, int]:
        """Return every account in which something lies."""
        return {account: minor for account, minor in self.balances.items() if minor}

    def _event(self, place: Place, event: Any) -> None:
        match event:
            case CarriedForward():
                for row in event.accounts:
                    self._post(row.currency, row.account, row.minor)
                    if row.operator and row.account.startswith("player/"):
                        self.operators[row.currency, row.account.split("/")[1]] = row.operator
                for stake in event.stakes:
                    self._post(stake.currency, escrow_account(stake.round), stake.minor)
                    self.wagers[stake.round, stake.wager].reserved = (place, stake)
                    self.wagers[stake.round, stake.wager].promo_minor = of(stake, "promo_minor")
            case BookOpened():
                self._totals(place, "what was carried forward")
                if event.balances not in (UNSET, "", self._digest()):
                    self._differ(place, "carried_differs", "the book is opened with another digest of its balances than they have")
                if self.before is None and self.unclosed:
                    self._differ(place, "not_closed", f"the book is open, and that of {self.unclosed} before it was never closed")
                if self.before is not None and self.before != self.standing():
                    self._differ(place, "carried_differs", f"the book does not begin as the day before ended: {self._first_other()}")
            case BookClosed():
                self.closed = True
                self.digest = event.balances or ""
                self._totals(place, "the closed book")
                if event.day != stream_day(place.stream):
                    self._differ(place, "closed_otherwise", f"the book is closed as that of {event.day}")
                for what in self._closed_otherwise(event):
                    self._differ(place, "closed_otherwise", f"the book is closed with {what}")
            case RoundBooked():
                self._book(place, event)
            case AccountOpened():
                self.operators[event.currency, event.player] = event.operator
            case _ if getattr(event, "postings", ()):
                self._move(place, event)
            case _ if getattr(event, "wager", "") and getattr(event, "round", ""):
                self.wagers[event.round, event.wager].answered = place
            case _:
                pass

    def _move(self, place: Place, event: Any) -> None:
        self.movements += 1
        moved = summed(event.postings)
        total = sum(moved.values())
        if total:
            self._differ(place, "unbalanced", f"the postings come to {total} and not to nothing", event)
        operator = self.operators.get((event.currency, getattr(event, "player", "")), "")
        for why in [*said_otherwise(event, moved, lent=self.lent, operator=operator), *self._debts(event, moved)]:
            self._differ(place, "says_other", why, event)
        if isinstance(event, StakesCorrected):
            for player, minor in spared(event, moved).items():
                self.lent[event.round, player] += minor
        for name, minor in moved.items():
            left = self._post(event.currency, name, minor)
            if left < 0 and minor < 0 and not may_be_below(name):
                self._differ(place, "overdrawn", f"{name} falls to {left}", event)
        round_ = getattr(event, "round", "")
        if round_:
            self.touched[round_] = place
        self._wager(place, event, moved)

    def _debts(self, event: Any, moved: Mapping[str, int]) -> Iterator[str]:
        """Yield where a debt is made that the account could pay, or is not paid first."""
        for player in sorted({name.split("/")[1] for name in moved if name.startswith("player/")}):
            cash, owed = cash_account(player), owed_account(player)
            came = moved.get(cash, 0) + moved.get(owed, 0)
            debt, held = -self.balances.get((event.currency, owed), 0), self.balances.get((event.currency, cash), 0)
            if not isinstance(event, Deposited | AdjustmentMade | StakesCorrected):
                due = 0
            else:
                due = min(debt, came) if came > 0 else min(held + came, 0)
            if moved.get(owed, 0) != due:
                yield f"{moved.get(owed, 0)} came to {owed}, and {due} must"

    def _post(self, currency: str, account: str, minor: int) -> int:
        """Move an account, and return what lies in it then."""
        self.currencies.add(currency)
        left = self.balances[currency, account] + minor
        self.balances[currency, account] = left
        if not left and account.startswith("round/"):
            del self.balances[currency, account]
        return left

    def _wager(self, place: Place, event: Any, moved: Mapping[str, int]) -> None:
        for player, due in self._promo_due(event).items():
            came = moved.get(promo_account(player), 0)
            if came != due:
                self._differ(place, "promo_differs", f"{came} of promotional money came to {player}, and {due} must come", event)
        match event:
            case StakeReserved():
                known = self.wagers[event.round, event.wager]
                if known.reserved or known.settled:
                    self._differ(place, "set_aside_twice", f"the stake of wager {event.wager} is set aside a second time", event)
                known.reserved = known.reserved or (place, event)
                known.promo_minor = -moved.get(promo_account(event.player), 0)
            case StakeReleased():
                known = self.wagers[event.round, event.wager]
                if not known.lies_there:
                    self._differ(place, "released_twice", f"the stake of wager {event.wager} is given back and was not set aside", event)
                known.released = known.released or place
            case StakesSettled():
                for line in event.lines:
                    known = self.wagers[event.round, line.wager]
                    if not known.lies_there:
                        what = f"wager {line.wager} is settled and its stake was not set aside"
                        self.differences.append(differs(place, "settled_twice", what, round=event.round, wager=line.wager))
                    known.settled = known.settled or (place, line)
            case StakesCorrected():
                if (event.round, event.number) in self.corrected:
                    self._differ(place, "corrected_twice", f"correction {event.number} of {event.round} is booked a second time", event)
                self.corrected.setdefault((event.round, event.number), (place, event))
            case _:
                pass

    def _promo_due(self, event: Any) -> dict[str, int]:
        """Return how much promotional money must come to each player: of a wager the part that its stake was, rounded down (FL-5.1)."""
        due: dict[str, int] = defaultdict(int)
        match event:
            case StakeReleased():
                due[event.player] = self.wagers[event.round, event.wager].promo_minor
            case StakesSettled():
                for line in event.lines:
                    promo = self.wagers[event.round, line.wager].promo_minor
                    due[line.player] += line.returned_minor * promo // line.stake_minor if promo and line.stake_minor else 0
            case StakesCorrected():
                for each in event.lines:
                    known = self.wagers[event.round, each.wager]
                    stake = known.reserved[1].minor if known.reserved else 0
                    if known.promo_minor and stake:
                        parts = [minor * known.promo_minor // stake for minor in (each.returned_minor, each.settled_minor)]
                        due[each.player] += parts[0] - parts[1]
                for player, minor in due.items():
                    # Posted already: what the account held before is what it holds and what left it.
                    came = summed(event.postings).get(promo_account(player), 0)
                    due[player] = max(minor, came - self.balances.get((event.currency, promo_account(player)), 0))
            case _:
                return {}
        for name in summed(event.postings):
            if name.startswith("player/") and name.endswith("/promo"):
                due[name.split("/")[1]] += 0
        return due

    def _book(self, place: Place, event: RoundBooked) -> None:
        if event.round in self.booked:
            self._differ(place, "booked_twice", f"{event.round} is booked a second time", event)
        self.booked.setdefault(event.round, (place, event))
        for currency, minor in self.held_for(event.round).items():
            self._differ(place, "escrow_left", f"{event.round} is booked with {minor} {currency} in its escrow", event)

    def _closed_otherwise(self, event: BookClosed) -> Iterator[str]:
        """Yield what a book says at its end and does not come to; one that was closed before that was said says nothing."""
        if event.trial is not UNSET:
            told = {(row.currency, row.kind): row.minor for row in event.trial}
            if told != _trial_of(self.standing()):
                yield "another trial balance than its movements come to"
        if event.movements not in (UNSET, self.movements):
            yield f"{event.movements} movements, and there are {self.movements}"
        if event.balances not in (UNSET, self._digest()):
            yield "another digest of its balances than they have"

    def _digest(self) -> str:
        lines = "".join(f"{currency} {account} {minor}\n" for (currency, account), minor in sorted(self.standing().items()))
        return digest(lines.encode())

    def _totals(self, place: Place, what: str) -> None:
        totals: dict[str, int] = defaultdict(int)
        for (currency, _), minor in self.balances.items():
            totals[currency] += minor
        for currency, total in sorted(totals.items()):
            if total:
                self._differ(place, "total", f"{what} in {currency} comes to {total} and not to nothing")

    def _first_other(self) -> str:
        before, now = self.before or {}, self.standing()
        currency, account = min(key for key in before.keys() | now.keys() if before.get(key, 0) != now.get(key, 0))
        return f"{account} held {before.get((currency, account), 0)} {currency}, and begins with {now.get((currency, account), 0)}"

    def _differ(self, place: Place, code: str, message: str, event: Any = None) -> None:
        found = differs(place, code, message, round=getattr(event, "round", ""), wager=getattr(event, "wager", ""))
        self.differences.append(found)


def _trial_of(balances: Mapping[Account, int]) -> dict[Account, int]:
    found: dict[Account, int] = defaultdict(int)
    for (currency, account), minor in balances.items():
        found[currency, kind_of(account)] += minor
    return dict(sorted(found.items()))
