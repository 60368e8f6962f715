"""Dues: what every movement of the ledger must move, worked out from what its event says and what the book holds.

A second reading of the rules that the ledger decides by: what is owed is paid first, promotional money is staked first and comes
back in proportion (FL-5.1), what chips round up is beside what the house wins (FL-5.9).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.nights import Night
from shared.contracts.accounts import (
    HOUSE_PROMO,
    HOUSE_ROUNDING,
    HOUSE_WIN,
    Posting,
    accounts_of,
    cash_account,
    escrow_account,
    outside_account,
    owed_account,
    promo_account,
)
from shared.contracts.cage import REDEEMED, AdjustmentMade, Deposited, Withdrawn
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.stakes import CorrectedStake, SettledStake, StakeReleased, StakeReserved, StakesCorrected, StakesSettled

Account = tuple[str, str]
"""A currency and an account's name."""
Lying = tuple[str, str, int, int]
"""Of a stake that is set aside: player, currency, all of it, and how much is promotional money."""
Standing = tuple[dict[Account, int], dict[Account, str], dict[tuple[str, str], Lying]]
"""What goes on to the next day: balances, whose the accounts are, and what is set aside."""


@dataclass
class Book:
    """One day's ledger: what lies in each account."""

    minor: dict[Account, int] = field(default_factory=lambda: defaultdict(int))
    promo: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """Of each wager, by round, that was staked with promotional money: how much of that, and the whole stake."""
    borne: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """What the house bears of each round's corrections in a player's place: promotional money that was gone."""
    operators: dict[Account, str] = field(default_factory=dict)
    """Whose each player's account is."""
    lying: dict[tuple[str, str], Lying] = field(default_factory=dict)
    """What is set aside, by round and wager."""
    movements: int = 0
    began: Standing | None = None
    """What stood in it when it was opened."""
    night: Night = field(default_factory=Night)


def moves_as_told(event: Any, moved: dict[str, int], book: Book) -> bool:
    """Return whether the postings of an event move what it says, and nothing else."""
    match event:
        case Deposited(player=player, minor=minor):
            return _only(moved, _with_debt({player: minor}, event.currency, book), rest=_outside(player, event.currency, book))
        case StakesCorrected(lines=lines):
            return moved == _corrected(event.round, lines, event.currency, book)
        case AdjustmentMade(player=player, minor=minor) if event.reason == REDEEMED:
            return moved == _standing_legs({promo_account(player): -minor, **_with_debt({player: minor}, event.currency, book)})
        case AdjustmentMade(player=player, minor=minor):
            return _only(moved, _with_debt({player: minor}, event.currency, book), rest=HOUSE_WIN)
        case Withdrawn(player=player, minor=minor):
            return _only(moved, {cash_account(player): -minor}, rest=_outside(player, event.currency, book))
        case StakeReserved(player=player, round=round_, minor=minor):
            promo = event.promo_minor or 0
            held = book.minor.get((event.currency, promo_account(player)), 0)
            legs = {cash_account(player): promo - minor, promo_account(player): -promo, escrow_account(round_): minor}
            # Promotional money goes first: either all of the stake is, or all that there is of it.
            return moved == _standing_legs(legs) and promo in (0, min(held, minor))
        case StakeReleased(player=player, round=round_, minor=minor):
            promo = book.promo.get((round_, event.wager), (0, 1))[0]
            legs = {cash_account(player): minor - promo, promo_account(player): promo, escrow_account(round_): -minor}
            return moved == _standing_legs(legs)
        case StakesSettled(round=round_, lines=lines):
            return moved == _settled(round_, lines, book)
        case PromoGranted(player=player, minor=minor):
            return moved == {promo_account(player): minor, HOUSE_PROMO: -minor}
        case PromoCancelled(player=player, minor=minor):
            return moved == {promo_account(player): -minor, HOUSE_PROMO: minor}
        case _:
            return True


def _settled(round_: str, lines: tuple[SettledStake, ...], book: Book) -> dict[str, int]:
    """Return what a settlement moves: each wager gives back in the proportion of its stake, and the house has the rest."""
    due: dict[str, int] = defaultdict(int)
    for line in lines:
        promo = _promo(book, round_, line.wager, line.returned_minor)
        due[escrow_account(round_)] -= line.stake_minor
        due[promo_account(line.player)] += promo
        due[cash_account(line.player)] += line.returned_minor - promo
        due[HOUSE_ROUNDING] -= line.rounding_minor or 0
        due[HOUSE_WIN] += line.stake_minor - line.returned_minor + (line.rounding_minor or 0)
    return _standing_legs(due)


def _corrected(round_: str, lines: tuple[CorrectedStake, ...], money: str, book: Book) -> dict[str, int]:
    """Return what a correction moves; promotional money that is gone is borne by the house and nobody's debt."""
    due: dict[str, int] = defaultdict(int)
    cash: dict[str, int] = defaultdict(int)
    promo: dict[str, int] = defaultdict(int)
    for line in lines:
        part = _promo(book, round_, line.wager, line.returned_minor) - _promo(book, round_, line.wager, line.settled_minor)
        promo[line.player] += part
        cash[line.player] += line.returned_minor - line.settled_minor - part
        rounding = (line.rounding_minor or 0) - (line.settled_rounding_minor or 0)
        due[HOUSE_ROUNDING] -= rounding
        due[HOUSE_WIN] += line.settled_minor - line.returned_minor + rounding
    for player, minor in promo.items():
        there = max(minor, -book.minor.get((money, promo_account(player)), 0))
        # What the house bore before is given back to it before the player has anything more.
        there -= max(min(minor, book.borne[round_, player]), 0)
        due[promo_account(player)] += there
        due[HOUSE_PROMO] += minor - there
    return _standing_legs({**due, **_with_debt(cash, money, book)})


def bear(event: StakesCorrected, moved: dict[str, int], book: Book) -> None:
    """Note what a correction moved for players beyond what its lines name: that the house bears, or has back."""
    for line in event.lines:
        book.borne[event.round, line.player] -= line.returned_minor - line.settled_minor
    for player in {line.player for line in event.lines}:
        book.borne[event.round, player] += sum(moved.get(account, 0) for account in accounts_of(player))


def _promo(book: Book, round_: str, wager: str, minor: int) -> int:
    """Return how much of what a wager gives back is promotional money, a part of a cent left out."""
    promo, stake = book.promo.get((round_, wager), (0, 1))
    return minor * promo // stake


def _with_debt(net: dict[str, int], money: str, book: Book) -> dict[str, int]:
    """Return how accounts move: what a player owes is paid first, and what an account does not hold is owed."""
    due = {}
    for player, minor in net.items():
        held, debt = book.minor.get((money, cash_account(player)), 0), -book.minor.get((money, owed_account(player)), 0)
        to_debt = min(debt, minor) if minor > 0 else min(held + minor, 0)
        due[cash_account(player)], due[owed_account(player)] = minor - to_debt, to_debt
    return due


def _outside(player: str, money: str, book: Book) -> str:
    """Return the account through which a player's money comes in and goes out: that of the operator whom the account is with."""
    return outside_account(book.operators.get((money, cash_account(player)), ""))


def _only(moved: dict[str, int], due: dict[str, int], *, rest: str) -> bool:
    """Return whether `due` moved, and otherwise only the account `rest`, or one below it where it ends with a slash."""
    others = {name: minor for name, minor in moved.items() if name not in due}
    return (
        all(moved.get(name, 0) == minor for name, minor in due.items())
        and len(others) <= 1
        and all(name == rest or (rest.endswith("/") and name.startswith(rest)) for name in others)
    )


def summed(postings: tuple[Posting, ...]) -> dict[str, int]:
    """Return what comes to each account, in minor units; nothing for one that nothing comes to."""
    total: dict[str, int] = defaultdict(int)
    for posting in postings:
        total[posting.account] += posting.minor
    return _standing_legs(total)


def _standing_legs(legs: dict[str, int]) -> dict[str, int]:
    return {name: minor for name, minor in legs.items() if minor}
