"""The list of rounds: one row for each, read off its log.  Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from feltlog.ending import ending
from feltlog.reading import Page, told
from feltlog.trouble import Trouble
from shared.contracts.rounds import RoundOpened
from shared.contracts.subjects import RoundName
from shared.contracts.wagers import WagerAccepted, WagerPlaced

SPANS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


class ListedRound(Struct, frozen=True, kw_only=True):
    """A round at a glance.  Amounts are minor units of `currency`."""

    round: str
    table: str
    day: str
    number: int
    opened_at_ms: int
    profile: str
    currency: str
    players: tuple[str, ...]
    """Whose wagers are or were in the round, by name."""
    staked_minor: int
    returned_minor: int
    outcome: str
    """`settled`, `void` or `awaiting`."""
    entries: int
    digest: str
    """Of the last entry: it stands for the whole chain before it."""


class Choice(Struct, frozen=True, kw_only=True):
    """Which rounds somebody wants to see."""

    table: str = ""
    player: str = ""
    since_ms: int = 0
    empty: bool = False
    """Also rounds in which nobody had a wager."""

    def takes(self, row: ListedRound) -> bool:
        """Return whether a round is among the chosen, empty or not."""
        return (
            (not self.table or row.table == self.table)
            and (not self.player or self.player in row.players)
            and row.opened_at_ms >= self.since_ms
        )


def listed(name: RoundName, pages: Sequence[Page]) -> ListedRound:
    """Return the row of a round, from at least one of its entries."""
    events = [each.event for each in told(pages)]
    opened = next((event for event in events if isinstance(event, RoundOpened)), None)
    accepted = {event.wager for event in events if isinstance(event, WagerAccepted)}
    wagers = [event for event in events if isinstance(event, WagerPlaced) and event.wager in accepted]
    end = ending(events)
    return ListedRound(
        round=name.id,
        table=name.table,
        day=name.day,
        number=name.number,
        opened_at_ms=pages[0].entry.at_ms,
        profile=opened.profile.name if opened else "",
        currency=end.currency,
        players=tuple(sorted({wager.player for wager in wagers})),
        staked_minor=end.staked_minor if end.outcome != "awaiting" else sum(wager.stake_minor for wager in wagers),
        returned_minor=end.returned_minor,
        outcome=end.outcome,
        entries=len(pages),
        digest=pages[-1].digest,
    )


def since_ms(text: str, zone: ZoneInfo, *, day_starts: str, now_ms: int) -> int:
    """Return the moment that a person means by `20261130` (the start of a gaming day), `2026-11-30T21:15`, `90m`, `2h` or `3d`.

    Raise `Trouble` for anything else; nothing means the beginning.
    """
    if not text:
        return 0
    span = re.fullmatch(r"([0-9]{1,5})([mhd])", text)
    if span:
        return now_ms - int(int(span[1]) * SPANS[span[2]].total_seconds()) * 1000
    try:
        if re.fullmatch(r"[0-9]{8}", text):
            moment = datetime.fromisoformat(f"{text[:4]}-{text[4:6]}-{text[6:]}T{day_starts}")
        else:
            moment = datetime.fromisoformat(text)
    except ValueError:
        raise Trouble(f"--since {text!r} is no moment. Write 20261130, 2026-11-30T21:15, 90m, 2h or 3d.") from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()) * 1000
