"""The account of an evening: what each player and each table came to, and which round is worth a second look.  Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from feltlog.ending import Ending, ending
from feltlog.reading import Page, told
from shared.contracts.decisions import DecisionTimedOut, EvenMoneyTaken, HandSplit
from shared.contracts.subjects import RoundName
from shared.contracts.wagers import WagerRefused

TELLABLE_MAX = 70
"""A round with more events than this is too long to be told at the end of a demonstration."""


class Played(Struct, frozen=True, kw_only=True):
    """A round of the evening."""

    name: RoundName
    pages: Sequence[Page]
    end: Ending


class Sum(Struct, frozen=True, kw_only=True):
    """What a player or a table came to in one currency."""

    who: str
    currency: str
    rounds: int
    staked_minor: int
    returned_minor: int


def played(rounds: dict[RoundName, list[Page]], since_ms: int) -> list[Played]:
    """Return the rounds since then in which somebody had a wager, in the order of their opening."""
    recent = [(name, pages) for name, pages in rounds.items() if pages[0].entry.at_ms >= since_ms]
    found = [Played(name=name, pages=pages, end=ending(each.event for each in told(pages))) for name, pages in recent]
    return [each for each in found if each.end.lines]


def sums_of_tables(rounds: Iterable[Played]) -> list[Sum]:
    """Return what each table came to, by its name."""
    return summed((each.name.table, each, each.end.staked_minor, each.end.returned_minor) for each in rounds)


def sums_of_players(rounds: Iterable[Played]) -> list[Sum]:
    """Return what each player came to, by name."""
    return summed((money.player, each, money.staked_minor, money.returned_minor) for each in rounds for money in each.end.players())


def summed(parts: Iterable[tuple[str, Played, int, int]]) -> list[Sum]:
    """Return the sums by who and currency."""
    sums: dict[tuple[str, str], Sum] = {}
    for who, round, staked_minor, returned_minor in parts:
        key = (who, round.end.currency)
        before = sums.get(key, Sum(who=who, currency=round.end.currency, rounds=0, staked_minor=0, returned_minor=0))
        sums[key] = Sum(
            who=who,
            currency=before.currency,
            rounds=before.rounds + 1,
            staked_minor=before.staked_minor + staked_minor,
            returned_minor=before.returned_minor + returned_minor,
        )
    return [sums[key] for key in sorted(sums)]


def interest(round: Played) -> int:
    """Return how much there is to see in a round: splits, doubles, insurance, clocks that ran out, refused wagers."""
    events = [each.event for each in told(round.pages)]
    if len(events) > TELLABLE_MAX:
        return 0
    kinds = {line.kind for line in round.end.lines}
    splits = sum(isinstance(event, HandSplit) for event in events)
    rare = sum(isinstance(event, DecisionTimedOut | EvenMoneyTaken | WagerRefused) for event in events)
    return 10 * len(kinds) + 5 * splits + 4 * rare + len({hand.result for hand in round.end.hands})


def most_interesting(rounds: Sequence[Played]) -> Played | None:
    """Return the round with the most to see, the earliest of several."""
    return max(rounds, key=interest, default=None)
