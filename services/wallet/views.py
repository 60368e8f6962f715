"""What may be seen of the ledger: a player's balance, and how far the rows are that are kept of it."""

from typing import Literal

from msgspec import Struct

from services.wallet.domain.state import Ledger
from shared.contracts.cage import AdjustmentReason, BlockReason
from shared.contracts.staff import Job


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


RowsState = Literal["starting", "follows", "waits", "stopped"]


class Standing(Struct, frozen=True, kw_only=True):
    """How far the rows are.  `behind`: entries of the logs that are not in them, None if nobody can tell now.

    They wait for a database that is away, and stop where waiting mends nothing; `why` says it in a sentence.
    """

    database: str
    state: RowsState
    behind: int | None
    why: str = ""
    stream: str = ""
    revision: int = 0


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
