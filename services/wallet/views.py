"""What may be seen of the ledger: a player's balance, and how far the rows are that are kept of it."""

from typing import Literal

from msgspec import Struct

from services.wallet.domain.state import Ledger


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


def balance(ledger: Ledger, player: str) -> Balance:
    """Return what `player` has, a line for each currency, none if he has no account."""
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
    )
