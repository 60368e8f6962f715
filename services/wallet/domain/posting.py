"""Postings: double entry, so that money is moved and never made.

Every movement names all accounts that it touches, and what comes to some leaves others.
"""

from shared.contracts.accounts import Posting, cash_account, owed_account
from shared.contracts.refusals import Reason, refused
from shared.kernel.money import MINOR_MAX

TOO_MUCH = "the account would hold more than this house can write down"


def may_be_overdrawn(account: str) -> bool:
    """Return whether an account may stand below zero: players and escrow never.

    The outside and debts stand there by their nature, and the house on an unlucky day, which is no mistake.
    """
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


def check_holds(minor: int) -> None:
    """Raise `Refused` for more than an account can hold, in minor units."""
    if minor > MINOR_MAX:
        raise refused(Reason.BAD_REQUEST, TOO_MUCH)


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
