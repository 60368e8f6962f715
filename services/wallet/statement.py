"""The statement: everything that moved a player's accounts, in the words of whoever is concerned.

A player has a bucket for each kind of money: what can be used, what the house has given towards wagers, what is owed.  Each
bucket of each currency has a running balance of its own.  Whatever has a currency and postings is shown, whichever event it is;
what a book takes over from the book before is no movement, and must be what that book came to.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from shared.contracts.accounts import HOUSE_PROMO, Posting
from shared.contracts.cage import AccountOpened
from shared.contracts.stakes import StakesCorrected, StakesSettled
from shared.contracts.subjects import stream_day
from shared.contracts.wallet import CarriedForward
from shared.kernel.entry import Entry

CASH = "cash"
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

    Each wager of a settlement or a correction has its row, where all of it went one way; else each bucket has one.  The first
    book begins with what was brought forward into it.
    """
    balances: dict[Bucket, int] = {}
    days: set[str] = set()
    for entry in entries:
        day = stream_day(entry.stream)
        days.add(day)
        for decision in entry.decisions:
            for event in decision.events:
                for what, currency, move in _told(event, player, balances, first=len(days) == 1):
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


def what_of(event: Any) -> str:
    """Return what a movement is called: `promo granted` for an event named `PromoGranted`."""
    name = type(event).__name__
    return WORDS.get(name) or " ".join(re.findall(r"[A-Z][a-z0-9]*", name)).lower()


def _told(event: Any, player: str, balances: dict[Bucket, int], *, first: bool) -> Iterator[tuple[str, str, Move]]:
    """Yield what an event does to the player's buckets, with a word for it and the currency."""
    match event:
        case CarriedForward():
            for row in event.accounts:
                bucket = _bucket(row.account, player)
                if bucket and first:
                    yield "brought forward", row.currency, Move(bucket, row.minor)
                elif bucket:
                    known = balances.get((row.currency, bucket), 0)
                    assert known == row.minor, "what is carried forward must be what the book before came to"
        case AccountOpened() if event.player == player:
            yield "account opened", event.currency, Move(CASH, 0)
        case _:
            for move in _moves(event, player):
                yield what_of(event), event.currency, move


def _moves(event: Any, player: str) -> list[Move]:
    moved = _by_bucket(getattr(event, "postings", ()), player)
    if isinstance(event, StakesSettled | StakesCorrected):
        lines = [Move(CASH, line.returned_minor - _before(line), line.wager) for line in event.lines if line.player == player]
        if sum(line.minor for line in lines) == moved.get(CASH, 0) and not moved.keys() - {CASH}:
            return lines
        spared = sum(moved.values()) - sum(line.minor for line in lines)
        assert 0 <= spared <= _borne(event.postings), "the lines of an event must be its postings"
    wager = getattr(event, "wager", "")
    return [Move(bucket, minor, wager) for bucket, minor in moved.items()]


def _borne(postings: Iterable[Posting]) -> int:
    """Return what the house bears of a correction: promotional money that was gone is nobody's debt."""
    return -sum(posting.minor for posting in postings if posting.account == HOUSE_PROMO)


def _before(line: Any) -> int:
    """Return what a line's wager had given back before it."""
    settled: int = getattr(line, "settled_minor", 0)
    return settled


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
