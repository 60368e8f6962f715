"""Carrying forward: what the next day's book takes over from a closed one, in parts that fit an entry."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType

from services.wallet.domain import blocks
from services.wallet.domain.state import Ledger
from services.wallet.domain.trial import balances_digest
from shared.contracts.caps import AdjustmentCap
from shared.contracts.wallet import CarriedAccount, CarriedId, CarriedStake, CarryForward, OpenBook
from shared.kernel.folded import Recorded

Row = TypeVar("Row")

ROWS_MAX = 500
"""Rows in one part: with the longest names and sentences, command and event together stay below 512 KiB."""


def carried(ledger: Ledger, answers: Mapping[str, Recorded], follows: str) -> list[CarryForward]:
    """Return the parts of a closed book, in a fixed order; `follows` is the digest of the entry that closed it.

    `answers` are those of the closed book.  Only ids that were first used in it go along: an id is at hand for the day
    on which it was used and the day after.
    """
    assert ledger.closed, "a book must be closed before it is carried forward"
    accounts = [
        CarriedAccount(account=name, operator=account.operator, currency=currency, minor=account.minor)
        for currency, book in sorted(ledger.accounts.items())
        for name, account in sorted(book.items())
        if not name.endswith("/escrow")
    ]
    stakes = [
        CarriedStake(
            wager=wager,
            round=stake.round,
            player=stake.player,
            currency=stake.currency,
            minor=stake.minor,
            promo_minor=stake.promo_minor or UNSET,
        )
        for (_, wager), stake in sorted(ledger.stakes.items())
    ]
    ids = [
        CarriedId(id=id, fingerprint=recorded.fingerprint, answer=recorded.answer)
        for id, recorded in sorted(answers.items())
        if recorded.fingerprint and id not in ledger.older
    ]
    return [
        *(CarryForward(from_day=ledger.day, follows=follows, accounts=part) for part in _parts(accounts)),
        *(CarryForward(from_day=ledger.day, follows=follows, stakes=part) for part in _parts(stakes)),
        *(CarryForward(from_day=ledger.day, follows=follows, blocked=part) for part in _parts(blocks.carried(ledger.blocks))),
        *(CarryForward(from_day=ledger.day, follows=follows, ids=part) for part in _parts(ids)),
    ]


def beginning(
    ledger: Ledger, answers: Mapping[str, Recorded], follows: str, caps: tuple[AdjustmentCap, ...] | UnsetType = UNSET
) -> list[tuple[str, CarryForward | OpenBook]]:
    """Return the commands with which the next day's book begins, in order, each under a name that is the same at each attempt.

    `caps` say how much one adjustment may move in it.
    """
    parts = [(f"carry {number}", part) for number, part in enumerate(carried(ledger, answers, follows))]
    return [*parts, ("open", OpenBook(day=ledger.next_day, follows=follows, caps=caps, balances=balances_digest(ledger.accounts)))]


def _parts(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    for start in range(0, len(rows), ROWS_MAX):
        yield tuple(rows[start : start + ROWS_MAX])
