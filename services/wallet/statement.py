"""The statement: everything that moved a player's accounts, in the words of whoever is concerned.

A player has a bucket for each kind of money: what can be used, what the house has given towards wagers, what is owed.  Each
bucket of each currency has a running balance of its own.  Whatever has a currency and postings is shown, whichever event it is;
what a book takes over from the book before is no movement, and must be what that book came to.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from services.wallet.domain.promo import promo_part
from services.wallet.domain.state import Stake
from shared.contracts.accounts import Posting
from shared.contracts.cage import REDEEMED, AccountOpened
from shared.contracts.stakes import StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.subjects import stream_day
from shared.contracts.wallet import BookClosed, CarriedForward, CarriedStake
from shared.kernel.entry import Entry

CASH, PROMO = "cash", "promo"
WORDS = {
    "Deposited": "deposit",
    "Withdrawn": "withdrawal",
    "AdjustmentMade": "adjustment",
    "StakeReserved": "stake set aside",
    "StakeReleased": "stake released",
    "StakesSettled": "settled",
    "StakesCorrected": "corrected",
}
"""What players call a movement; one that is not here is called by its event's own words."""

Bucket = tuple[str, str]
"""A currency, and which of the player's accounts in it."""
PromoStakes = Mapping[tuple[str, str], Stake]
"""The stakes of a book that held promotional money, by round and wager."""


class StatementRow(Struct, frozen=True, kw_only=True):
    """One movement of a player's account.  `minor` is what came to the bucket, negative for what left it.

    `balance_minor` is what lies in it then, below zero for what is owed.
    """

    at_ms: int
    day: str
    what: str
    round: str = ""
    wager: str = ""
    currency: str
    bucket: str = CASH
    minor: int
    balance_minor: int
    stream: str
    revision: int


class Move(Struct, frozen=True):
    """What an event does to one bucket, and the wager that it does it for, if it is one wager's."""

    bucket: str
    minor: int
    wager: str = ""


def statement(entries: Iterable[Entry[Any, Any]], player: str) -> Iterator[StatementRow]:
    """Yield the rows of a player's statement from the ledger's entries, one book or several in the order of their days.

    Each wager of a settlement or a correction has a row for each bucket that its stake came from, also where nothing came back.
    Where the house bears a part of a correction, or something is owed, each bucket has one row.  The first book begins with what
    was brought forward into it.
    """
    account = Statement(player)
    for entry in entries:
        yield from account.hear(entry)


class Statement:
    """A player's statement that is made entry by entry, for whoever need not hold all of them."""

    def __init__(self, player: str) -> None:
        self._player = player
        self._balances: dict[Bucket, int] = {}
        self._promo_stakes: dict[tuple[str, str], Stake] = {}
        self._first_day = ""

    def hear(self, entry: Entry[Any, Any]) -> Iterator[StatementRow]:
        """Yield the rows of the next entry."""
        day = stream_day(entry.stream)
        self._first_day = self._first_day or day
        balances = self._balances
        for decision in entry.decisions:
            for event in decision.events:
                self._remember(event)
                for what, currency, move in self._told(event, first=day == self._first_day):
                    bucket = (currency, move.bucket)
                    balances[bucket] = balances.get(bucket, 0) + move.minor
                    yield StatementRow(
                        at_ms=entry.at_ms,
                        day=day,
                        what=what,
                        round=getattr(event, "round", ""),
                        wager=move.wager,
                        currency=currency,
                        bucket=move.bucket,
                        minor=move.minor,
                        balance_minor=balances[bucket],
                        stream=entry.stream,
                        revision=entry.revision,
                    )

    def _told(self, event: Any, *, first: bool) -> Iterator[tuple[str, str, Move]]:
        """Yield what an event does to the player's buckets, with a word for it and the currency."""
        match event:
            case CarriedForward():
                for row in event.accounts:
                    bucket = _bucket(row.account, self._player)
                    if bucket and first:
                        yield "brought forward", row.currency, Move(bucket, row.minor)
                    elif bucket:
                        known = self._balances.get((row.currency, bucket), 0)
                        assert known == row.minor, "what is carried forward must be what the book before came to"
            case AccountOpened() if event.player == self._player:
                yield "account opened", event.currency, Move(CASH, 0)
            case _:
                for move in _moves(event, self._player, self._promo_stakes):
                    yield what_of(event), event.currency, move

    def _remember(self, event: Any) -> None:
        """Note which of the player's stakes held promotional money: what comes back is parted as they were, for as long as their book."""
        match event:
            case StakeReserved():
                self._stake(event)
            case CarriedForward():
                for stake in event.stakes:
                    self._stake(stake)
            case BookClosed():
                self._promo_stakes.clear()
            case _:
                pass

    def _stake(self, stake: StakeReserved | CarriedStake) -> None:
        if stake.player == self._player and stake.promo_minor:
            kept = Stake(stake.round, stake.player, stake.currency, stake.minor, stake.promo_minor)
            self._promo_stakes[stake.round, stake.wager] = kept


def what_of(event: Any) -> str:
    """Return what a movement is called: `promo granted` for an event named `PromoGranted`."""
    if getattr(event, "reason", "") == REDEEMED:
        return "promo redeemed"
    name = type(event).__name__
    return WORDS.get(name) or " ".join(re.findall(r"[A-Z][a-z0-9]*", name)).lower()


def _moves(event: Any, player: str, promo_stakes: PromoStakes) -> list[Move]:
    moved = _by_bucket(getattr(event, "postings", ()), player)
    if isinstance(event, StakesSettled | StakesCorrected):
        mine = [line for line in event.lines if line.player == player]
        lines = [move for line in mine for move in _parted(line, promo_stakes.get((event.round, line.wager)))]
        if _standing(lines) == {bucket: minor for bucket, minor in moved.items() if minor}:
            return lines
        # Of a correction the house may bear a part, which it has back from a later one.
        due = sum(line.minor for line in lines)
        assert isinstance(event, StakesCorrected) or sum(moved.values()) == due, "the lines of an event must be its postings"
    wager = getattr(event, "wager", "")
    return [Move(bucket, minor, wager) for bucket, minor in moved.items()]


def _parted(line: Any, stake: Stake | None) -> Iterator[Move]:
    """Yield what a line does to each bucket that its wager's stake came from; `stake` is None if all of it was cash."""
    before: int = getattr(line, "settled_minor", 0)
    came = line.returned_minor - before
    promo = promo_part(stake, line.returned_minor) - promo_part(stake, before) if stake else 0
    if stake is None or stake.promo_minor < stake.minor:
        yield Move(CASH, came - promo, line.wager)
    if stake is not None:
        yield Move(PROMO, promo, line.wager)


def _standing(moves: Iterable[Move]) -> dict[str, int]:
    """Return what comes to each bucket to which anything comes."""
    found: dict[str, int] = {}
    for move in moves:
        found[move.bucket] = found.get(move.bucket, 0) + move.minor
    return {bucket: minor for bucket, minor in found.items() if minor}


def _by_bucket(postings: Iterable[Posting], player: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for posting in postings:
        bucket = _bucket(posting.account, player)
        if bucket:
            found[bucket] = found.get(bucket, 0) + posting.minor
    return found


def _bucket(account: str, player: str) -> str:
    """Return which of the player's buckets an account is, nothing for somebody else's.

    >>> _bucket("player/ann/promo", "ann"), _bucket("house/win", "ann")
    ('promo', '')
    """
    kind, _, rest = account.partition("/")
    name, _, bucket = rest.partition("/")
    return bucket if kind == "player" and name == player else ""
