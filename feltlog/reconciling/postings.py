"""Postings, held against what their event says: to whom money must come, from whom, and what the house may bear of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from shared.contracts.accounts import HOUSE_PROMO, HOUSE_ROUNDING, HOUSE_WIN, Posting, escrow_account
from shared.contracts.cage import AdjustmentMade, Deposited, Withdrawn
from shared.contracts.stakes import StakeReleased, StakeReserved, StakesCorrected, StakesSettled


def said_otherwise(event: Any, moved: Mapping[str, int]) -> Iterator[str]:
    """Yield where the postings of an event do not move what the event says; one that is not known here says nothing else."""
    match event:
        case Deposited(player=player, minor=minor):
            yield from _apart(moved, {player: minor}, {}, rest=("outside/",))
        case Withdrawn(player=player, minor=minor):
            yield from _apart(moved, {player: -minor}, {}, rest=("outside/",))
        case AdjustmentMade(player=player, minor=minor):
            yield from _apart(moved, {player: minor}, {}, rest=(HOUSE_WIN,))
        case StakeReserved(player=player, round=round_, minor=minor):
            yield from _apart(moved, {player: -minor}, {escrow_account(round_): minor}, rest=())
        case StakeReleased(player=player, round=round_, minor=minor):
            yield from _apart(moved, {player: minor}, {escrow_account(round_): -minor}, rest=())
        case StakesSettled(round=round_, lines=lines):
            returned: dict[str, int] = defaultdict(int)
            for line in lines:
                returned[line.player] += line.returned_minor
            others = {escrow_account(round_): -sum(line.stake_minor for line in lines), HOUSE_ROUNDING: -rounding(lines)}
            yield from _apart(moved, returned, others, rest=("house/",))
        case StakesCorrected(lines=corrected):
            net: dict[str, int] = defaultdict(int)
            for each in corrected:
                net[each.player] += each.returned_minor - each.settled_minor
            borne = -min(moved.get(HOUSE_PROMO, 0), 0)
            yield from _apart(moved, net, {HOUSE_ROUNDING: -rounding(corrected)}, rest=("house/",), borne=borne)
        case _:
            return


def _apart(
    moved: Mapping[str, int], players: Mapping[str, int], others: Mapping[str, int], *, rest: tuple[str, ...], borne: int = 0
) -> Iterator[str]:
    """Yield what moved otherwise than it must.  `borne`: what the house may bear of what players have to give back."""
    came: dict[str, int] = defaultdict(int)
    for account, minor in moved.items():
        kind, name = account.partition("/")[::2]
        if kind == "player":
            came[name.partition("/")[0]] += minor
        elif account not in others and not account.startswith(rest):
            yield f"{minor} came to {account}, of which the event says nothing"
    short = {player: came[player] - minor for player, minor in players.items() if came[player] != minor}
    if short and not (min(short.values()) > 0 and sum(short.values()) == borne):
        player = min(short)
        yield f"{came[player]} came to {player}, and the event says {players[player]}"
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
