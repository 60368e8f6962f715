"""Views: what surveillance shows of rounds and findings, as rows of its index."""

from typing import Any, Literal

from msgspec import Struct

from services.surveillance.domain.facts import Fact, facts
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.watch import Seen
from shared.contracts.rounds import RoundCorrected, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.subjects import round_name
from shared.contracts.wagers import WagerAccepted, WagerPlaced, WagersCorrected, WagersSettled
from shared.kernel.rows import Kind

NUMBER_MAX = 2**63 - 1
"""What a column of the index holds."""


class RoundRow(Struct, frozen=True, kw_only=True):
    """A round at a glance.  `verdict` is what deciding it again said; amounts are minor units of `currency`."""

    round: str
    table: str
    day: str
    number: int
    currency: str
    opened_at_ms: int
    closed_at_ms: int
    """0 while it is played."""
    outcome: str
    """`awaiting`, `settled` or `void`."""
    players: tuple[str, ...]
    staked_minor: int
    returned_minor: int
    entries: int
    verdict: str
    """`same`, `other version`, `differs`, or `unknown` where entries are missing."""
    findings: int


class FindingRow(Struct, frozen=True, kw_only=True):
    """A finding, where a person looks for it."""

    log: str
    stream: str
    revision: int
    sequence: int
    code: str
    message: str
    severity: str
    clause: str


INDEX = {
    "rounds": Kind(RoundRow, ("round",)),
    "findings": Kind(FindingRow, ("log", "stream", "revision", "sequence", "code", "message")),
}
"""The tables of the index, each with the fields that name a row: the same finding heard again is the same row."""


def round_row(seen: Seen) -> RoundRow:
    """Return the row of a round as far as it was heard."""
    name = round_name(seen.round)
    told = facts(seen.entries)
    events = [fact.event for fact in told]
    opened = next((event for event in events if isinstance(event, RoundOpened)), None)
    ending = next((fact for fact in told if isinstance(fact.event, RoundSettled | RoundVoided)), None)
    placed = {event.wager: event for event in events if isinstance(event, WagerPlaced)}
    wagers = [placed[event.wager] for event in events if isinstance(event, WagerAccepted) and event.wager in placed]
    return RoundRow(
        round=name.id,
        table=name.table,
        day=name.day,
        number=name.number,
        currency=opened.settings.currency if opened else "",
        opened_at_ms=_kept(told[0].at_ms if told else 0),
        closed_at_ms=_kept(ending.at_ms if ending else 0),
        outcome=next((event.outcome for event in reversed(events) if isinstance(event, RoundCorrected)), _outcome(ending)),
        players=tuple(dict.fromkeys(wager.player for wager in wagers)),
        staked_minor=_kept(sum(wager.stake_minor for wager in wagers)),
        returned_minor=_kept(sum(map(_returned, events))),
        entries=len(seen.entries),
        verdict=verdict(seen),
        findings=len(seen.findings),
    )


def finding_row(found: Finding) -> FindingRow:
    """Return the row of a finding."""
    return FindingRow(
        log=found.log,
        stream=found.stream,
        revision=_kept(found.revision),
        sequence=_kept(found.sequence),
        code=found.code.value,
        message=found.message,
        severity=found.severity,
        clause=found.clause,
    )


def verdict(seen: Seen) -> str:
    """Return what deciding a round again said."""
    codes = {found.code for found in seen.findings}
    if Code.DIFFERS in codes:
        return "differs"
    if seen.broken:
        return "unknown"
    return "other version" if Code.OTHER_VERSION in codes else "same"


def _kept(number: int) -> int:
    """Return a number as far as an index can hold it: a log may say anything."""
    return max(-NUMBER_MAX, min(number, NUMBER_MAX))


def _outcome(ending: Fact | None) -> Literal["awaiting", "settled", "void"]:
    if ending is None:
        return "awaiting"
    return "settled" if isinstance(ending.event, RoundSettled) else "void"


def _returned(event: Any) -> int:
    """Return what an event gives back beyond what was given back before it."""
    match event:
        case WagersSettled():
            return sum(line.returned_minor for line in event.lines)
        case WagersCorrected():
            return sum(line.returned_minor - line.settled_minor for line in event.lines)
        case _:
            return 0
