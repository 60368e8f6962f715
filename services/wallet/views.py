"""What may be seen of the ledger: a player's balance, and the statement of everything that moved it."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from services.wallet.domain.posting import cash_account, owed_account
from services.wallet.domain.state import Ledger
from shared.contracts.cage import AdjustmentReason, BlockReason
from shared.contracts.staff import Job
from shared.contracts.subjects import stream_day
from shared.contracts.wallet import (
    AccountOpened,
    AdjustmentMade,
    CarriedForward,
    Deposited,
    Posting,
    StakeReleased,
    StakeReserved,
    StakesCorrected,
    StakesSettled,
    Withdrawn,
)
from shared.kernel.entry import Entry

What = Literal[
    "account opened",
    "brought forward",
    "deposit",
    "withdrawal",
    "stake set aside",
    "stake released",
    "settled",
    "corrected",
    "adjustment",
    "owed",
]


class Amount(Struct, frozen=True, kw_only=True):
    """What a player has in one currency, in minor units: what he can use, and what is set aside for his wagers."""

    currency: str
    operator: str
    available_minor: int
    set_aside_minor: int
    owed_minor: int = 0
    """What the player owes after a correction; it is paid from the next money that comes in."""


class Balance(Struct, frozen=True, kw_only=True):
    """What a player has."""

    player: str
    amounts: tuple[Amount, ...]
    day: str = ""
    """Of the book that says so."""
    revision: int = 0
    """The entry of that book after which it is so."""
    blocked: bool = False
    """Whether the player may place no stakes."""
    blocks: tuple[BlockReason, ...] = ()
    """Why, as far as the asker is told."""


class OpenAdjustment(Struct, frozen=True, kw_only=True):
    """An adjustment that waits for a second person."""

    adjustment: str
    player: str
    currency: str
    minor: int
    reason: AdjustmentReason
    by: str
    job: Job
    round: str = ""
    note: str = ""


class StatementRow(Struct, frozen=True, kw_only=True):
    """One movement of a player's account.  `minor` is what came to the account, negative for what left it."""

    at_ms: int
    day: str
    what: What
    round: str = ""
    wager: str = ""
    currency: str
    minor: int
    balance_minor: int


def balance(ledger: Ledger, player: str, *, revision: int = 0, reasons: bool = False) -> Balance:
    """Return what `player` has after the entry `revision`, a line for each currency, none if he has no account.

    With `reasons` it says why the player is blocked.  That is for staff: one of the reasons is a suspicion.
    """
    set_aside: dict[str, int] = {}
    for stake in ledger.stakes.values():
        if stake.player == player:
            set_aside[stake.currency] = set_aside.get(stake.currency, 0) + stake.minor
    held = ((currency, ledger.account(player, currency)) for currency in sorted(ledger.accounts))
    return Balance(
        player=player,
        amounts=tuple(
            Amount(
                currency=currency,
                operator=account.operator,
                available_minor=account.minor,
                set_aside_minor=set_aside.get(currency, 0),
                owed_minor=ledger.owed(player, currency),
            )
            for currency, account in held
            if account is not None
        ),
        day=ledger.day,
        revision=revision,
        blocked=player in ledger.blocks,
        blocks=ledger.blocks.get(player, ()) if reasons else (),
    )


def open_adjustments(ledger: Ledger) -> list[OpenAdjustment]:
    """Return the adjustments that wait for a second person, in the order in which they were proposed."""
    names = OpenAdjustment.__struct_fields__
    waiting = sorted(ledger.adjustments.open.values(), key=lambda each: int(each.adjustment.rpartition("-")[2]))
    return [OpenAdjustment(**{name: getattr(each, name) for name in names}) for each in waiting]


def statement(entries: Iterable[Entry[Any, Any]], player: str) -> Iterator[StatementRow]:
    """Yield the rows of a player's statement from the ledger's entries, one book or several in the order of their days.

    Each wager of a settlement or a correction has its row; what a player lacks for a correction, or pays of it, has one of its
    own.  The first book begins with what was brought forward into it; what a later one
    takes over is no movement, and must be what the book before came to.
    """
    balances: dict[str, int] = {}
    for entry in entries:
        day = stream_day(entry.stream)
        for decision in entry.decisions:
            for event in decision.events:
                for move in _moves(event, player, balances):
                    balances[move.currency] = balances.get(move.currency, 0) + move.minor
                    yield StatementRow(
                        at_ms=entry.at_ms,
                        day=day,
                        what=move.what,
                        round=move.round,
                        wager=move.wager,
                        currency=move.currency,
                        minor=move.minor,
                        balance_minor=balances[move.currency],
                    )


class _Move(Struct, frozen=True):
    what: What
    currency: str
    minor: int
    round: str = ""
    wager: str = ""


def _moves(event: Any, player: str, balances: dict[str, int]) -> list[_Move]:
    """Return how one event moves the player's account."""
    account = cash_account(player)
    match event:
        case CarriedForward():
            mine = [row for row in event.accounts if row.account == account]
            for row in mine:
                assert balances.get(row.currency, row.minor) == row.minor, "what is carried forward must be what the book before came to"
            return [_Move("brought forward", row.currency, row.minor) for row in mine if row.currency not in balances]
        case AccountOpened() if event.player == player:
            return [_Move("account opened", event.currency, 0)]
        case Deposited() if event.player == player:
            return [_Move("deposit", event.currency, _minor(event.postings, account))]
        case Withdrawn() if event.player == player:
            return [_Move("withdrawal", event.currency, _minor(event.postings, account))]
        case StakeReserved() if event.player == player:
            return [_Move("stake set aside", event.currency, _minor(event.postings, account), event.round, event.wager)]
        case StakeReleased() if event.player == player:
            return [_Move("stake released", event.currency, _minor(event.postings, account), event.round, event.wager)]
        case StakesSettled():
            moves = [
                _Move("settled", event.currency, line.returned_minor, event.round, line.wager)
                for line in event.lines
                if line.player == player
            ]
            assert sum(move.minor for move in moves) == _minor(event.postings, account), "the lines of a settlement must be its postings"
            return moves
        case StakesCorrected():
            moves = [
                _Move("corrected", event.currency, line.returned_minor - line.settled_minor, event.round, line.wager)
                for line in event.lines
                if line.player == player
            ]
            owed = -_minor(event.postings, owed_account(player))
            moves += [_Move("owed", event.currency, owed, event.round)] if owed else []
            assert sum(move.minor for move in moves) == _minor(event.postings, account), "the lines of a correction must be its postings"
            return moves
        case AdjustmentMade() if event.player == player:
            owed = -_minor(event.postings, owed_account(player))
            moves = [_Move("adjustment", event.currency, event.minor, event.round)]
            moves += [_Move("owed", event.currency, owed, event.round)] if owed else []
            assert sum(move.minor for move in moves) == _minor(event.postings, account), "an adjustment must be its postings"
            return moves
        case _:
            return []


def _minor(postings: Iterable[Posting], account: str) -> int:
    return sum(posting.minor for posting in postings if posting.account == account)
