"""Postings: double entry, so that money is moved and never made.

Every movement names all accounts that it touches, and what comes to some leaves others.
"""

from shared.contracts.wallet import Posting

HOUSE_WIN = "house/win"
"""What the house wins and pays from.  It may be overdrawn: that is an unlucky day, not a mistake."""


HOUSE_ROUNDING = "house/rounding"
"""What chips had to round up (FL-5.9): paid, and neither won nor lost."""

HOUSE_PROMO = "house/promo"
"""What the house has given away to be staked, less what it took back."""


def cash_account(player: str) -> str:
    """Return the name of the money that a player can use: `player/ann/cash`."""
    return f"player/{player}/cash"


def promo_account(player: str) -> str:
    """Return the name of promotional money, which can be staked where tokens are wagers and not withdrawn: `player/ann/promo`."""
    return f"player/{player}/promo"


def owed_account(player: str) -> str:
    """Return the name of what a player owes, as a balance below zero: `player/ann/owed`.

    A correction is never refused for want of money: what an account does not hold is owed, and paid from the next money that
    comes in or is given back.
    """
    return f"player/{player}/owed"


def accounts_of(player: str) -> tuple[str, str, str]:
    """Return the names of all accounts of a player."""
    return cash_account(player), promo_account(player), owed_account(player)


def escrow_account(round: str) -> str:
    """Return the name of what is set aside in a round: `round/T7.20261130-000123/escrow`."""
    return f"round/{round}/escrow"


def outside_account(operator: str) -> str:
    """Return the name of what came in from outside through an operator: overdrawn by as much as players brought."""
    return f"outside/{operator}"


def may_be_overdrawn(account: str) -> bool:
    """Return whether an account may stand below zero: the house, the outside and debts may, players and escrow never."""
    return account.startswith(("house/", "outside/")) or account.endswith("/owed")


def ends_with_nothing(account: str) -> bool:
    """Return whether an account is gone once nothing lies in it: a round's escrow, a debt, and promotional money."""
    return account.endswith(("/escrow", "/owed", "/promo"))


def given_back(player: str, minor: int, *, held_minor: int, owed_minor: int) -> dict[str, int]:
    """Return how a player's accounts move by a correction, or by money that comes in; `minor` is negative for what is taken.

    >>> given_back("ann", -500, held_minor=200, owed_minor=0)
    {'player/ann/cash': -200, 'player/ann/owed': -300}
    >>> given_back("ann", 500, held_minor=0, owed_minor=300)
    {'player/ann/cash': 200, 'player/ann/owed': 300}
    """
    owed = min(minor, owed_minor) if minor > 0 else min(minor + held_minor, 0)
    return {cash_account(player): minor - owed, owed_account(player): owed}


def movement(legs: dict[str, int]) -> tuple[Posting, ...]:
    """Return the postings of a movement, in the order of `legs`, leaving out what does not move.

    >>> movement({"player/ann/cash": -500, "round/r/escrow": 500, "house/win": 0})
    (Posting(account='player/ann/cash', minor=-500), Posting(account='round/r/escrow', minor=500))
    """
    assert sum(legs.values()) == 0, "a movement must conserve money"
    return tuple(Posting(account=account, minor=minor) for account, minor in legs.items() if minor)


def transfer(minor: int, *, source: str, target: str) -> tuple[Posting, ...]:
    """Return the postings that move an amount from one account to another."""
    return movement({source: -minor, target: minor})
