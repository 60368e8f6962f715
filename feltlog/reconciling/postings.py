"""Postings, held against what their event says: to whom money must come, from whom, and what the house may bear of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from shared.contracts.accounts import (
    HOUSE_PROMO,
    HOUSE_ROUNDING,
    HOUSE_WIN,
    Posting,
    accounts_of,
    escrow_account,
    outside_account,
    promo_account,
)
from shared.contracts.cage import REDEEMED, AdjustmentMade, Deposited, Withdrawn
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.stakes import CorrectedStake, StakeReleased, StakeReserved, StakesCorrected, StakesSettled


def said_otherwise(event: Any, moved: Mapping[str, int], *, lent: Mapping[tuple[str, str], int], operator: str = "") -> Iterator[str]:
    """Yield where the postings of an event do not move what the event says; one that is not known here says nothing else.

    `lent` is what the house bears in a player's place, of a round's corrections; `operator` is through whom the player's money
    comes and goes, empty if nobody knows.
    """
    match event:
        case Deposited(player=player, minor=minor):
            yield from _apart(moved, {player: minor}, {promo_account(player): 0}, rest=outside_account(operator))
        case Withdrawn(player=player, minor=minor):
            yield from _apart(moved, {player: -minor}, {promo_account(player): 0}, rest=outside_account(operator))
        case AdjustmentMade(player=player, minor=minor) if event.reason == REDEEMED:
            yield from _apart(moved, {player: 0}, {promo_account(player): -minor})
        case AdjustmentMade(player=player, minor=minor):
            yield from _apart(moved, {player: minor}, {promo_account(player): 0}, rest=HOUSE_WIN)
        case PromoGranted(player=player, minor=minor):
            yield from _apart(moved, {player: minor}, {promo_account(player): minor, HOUSE_PROMO: -minor})
        case PromoCancelled(player=player, minor=minor):
            yield from _apart(moved, {player: -minor}, {promo_account(player): -minor, HOUSE_PROMO: minor})
        case StakeReserved(player=player, round=round_, minor=minor):
            promo = of(event, "promo_minor")
            yield from _apart(moved, {player: -minor}, {promo_account(player): -promo, escrow_account(round_): minor})
        case StakeReleased(player=player, round=round_, minor=minor):
            yield from _apart(moved, {player: minor}, {escrow_account(round_): -minor})
        case StakesSettled(round=round_, lines=lines):
            returned: dict[str, int] = defaultdict(int)
            for line in lines:
                returned[line.player] += line.returned_minor
            others = {escrow_account(round_): -sum(line.stake_minor for line in lines), HOUSE_ROUNDING: -rounding(lines)}
            yield from _apart(moved, returned, others, rest=HOUSE_WIN)
        case StakesCorrected(round=round_, lines=corrected):
            due = named(corrected)
            # The house bears promotional money that is gone, and has back no more than it bore.
            for player, minor in spared(event, moved).items():
                due[player] += max(minor, -lent.get((round_, player), 0))
            others = {HOUSE_ROUNDING: -rounding(corrected), HOUSE_PROMO: -sum(spared(event, moved).values())}
            yield from _apart(moved, due, others, rest=HOUSE_WIN)
        case _:
            return


def named(lines: Iterable[CorrectedStake]) -> dict[str, int]:
    """Return by how much more each player's wagers give back than before, as a correction's lines say."""
    net: dict[str, int] = defaultdict(int)
    for each in lines:
        net[each.player] += each.returned_minor - each.settled_minor
    return net


def spared(event: StakesCorrected, moved: Mapping[str, int]) -> dict[str, int]:
    """Return how much more came to each player than a correction's lines say; below zero, how much less."""
    came = {player: sum(moved.get(account, 0) for account in accounts_of(player)) for player in named(event.lines)}
    return {player: came[player] - minor for player, minor in named(event.lines).items()}


def _apart(moved: Mapping[str, int], players: Mapping[str, int], others: Mapping[str, int], *, rest: str = "") -> Iterator[str]:
    """Yield what moved otherwise than it must.

    `rest` is the account that has the other side; one that ends in a slash is any below it.
    """
    came: dict[str, int] = defaultdict(int)
    for account, minor in moved.items():
        kind, name = account.partition("/")[::2]
        if kind == "player":
            came[name.partition("/")[0]] += minor
        elif account not in others and account != rest and not (rest.endswith("/") and account.startswith(rest)):
            yield f"{minor} came to {account}, of which the event says nothing"
    for player, minor in players.items():
        if came[player] != minor:
            yield f"{came[player]} came to {player}, and the event says {minor}"
    for player in sorted(came.keys() - players.keys()):
        if came[player]:
            yield f"{came[player]} came to {player}, of whom the event says nothing"
    for account, minor in others.items():
        if moved.get(account, 0) != minor:
            yield f"{moved.get(account, 0)} came to {account}, and the event says {minor}"


def of(line: Any, field: str) -> int:
    """Return an amount that a line may leave out."""
    return getattr(line, field, 0) or 0


def rounding(lines: Iterable[Any]) -> int:
    """Return how much of what some lines give back chips had to round up (FL-5.9), beyond what they had before."""
    return sum(of(line, "rounding_minor") - of(line, "settled_rounding_minor") for line in lines)


def summed(postings: Iterable[Posting]) -> dict[str, int]:
    """Return what came to each account."""
    total: dict[str, int] = defaultdict(int)
    for posting in postings:
        total[posting.account] += posting.minor
    return {account: minor for account, minor in total.items() if minor}


def may_be_below(account: str) -> bool:
    """Return whether an account may stand below zero.

    >>> may_be_below("house/win"), may_be_below("player/ann/owed"), may_be_below("player/ann/cash")
    (True, True, False)
    """
    return not account.startswith(("player/", "round/")) or account.endswith("/owed")
