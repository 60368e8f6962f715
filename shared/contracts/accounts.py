"""Accounts: how the ledger names them, by whose they are and what lies in them; and what comes to one by a movement.

A name is a path: `player/ann/cash`, `round/T7.20261130-000123/escrow`, `house/win`, `outside/north`.  Each currency has accounts
of its own; it stands in the event, not in the name.
"""

from msgspec import Struct

HOUSE_WIN = "house/win"
"""What the house wins and pays from."""
HOUSE_ROUNDING = "house/rounding"
"""What chips had to round up (FL-5.9): paid, and neither won nor lost."""
HOUSE_PROMO = "house/promo"
"""What the house has given away to be staked, less what it took back."""


class Posting(Struct, frozen=True, gc=False, kw_only=True):
    """One leg of a movement: what comes to an account, negative for what leaves it."""

    account: str
    minor: int


def cash_account(player: str) -> str:
    """Return the account of the money that a player can use: `player/ann/cash`."""
    return f"player/{player}/cash"


def promo_account(player: str) -> str:
    """Return the account of promotional money, which can be staked where tokens are wagers and not withdrawn: `player/ann/promo`."""
    return f"player/{player}/promo"


def owed_account(player: str) -> str:
    """Return the account of what a player owes, as a balance below zero: `player/ann/owed`.

    A correction is never refused for want of money: what an account does not hold is owed, and paid from the next money that
    comes in or is given back.
    """
    return f"player/{player}/owed"


def escrow_account(round: str) -> str:
    """Return the account of what is set aside in a round: `round/T7.20261130-000123/escrow`."""
    return f"round/{round}/escrow"


def outside_account(operator: str) -> str:
    """Return the account of what came in from outside through an operator: overdrawn by as much as players brought."""
    return f"outside/{operator}"


def kind_of(account: str) -> str:
    """Return an account's kind, by which a trial balance adds up: its name without whose it is.

    >>> [kind_of(each) for each in ("player/ann/cash", "round/T7.20261130-000123/escrow", "house/win", "outside/north")]
    ['player/cash', 'round/escrow', 'house/win', 'outside']
    """
    whose, *rest = account.split("/")
    match whose:
        case "house":
            return account
        case "outside":
            return whose
        case _:
            return "/".join([whose, *rest[1:]])
