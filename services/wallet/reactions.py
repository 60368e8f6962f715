"""What the wallet does when it hears the table.

A movement is named after the obligation that it meets, the wager or the round, and never after the way it came about: so
the same obligation heard twice is met once.
"""

from typing import Any

from msgspec import UNSET

from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.stakes import BookRound, CorrectedStake, CorrectStakes, ReleaseStake, ReserveStake, SettledStake, SettleStakes
from shared.contracts.subjects import ledger_stream, round_of, stream_day
from shared.contracts.table import DayClosed, TableOpened
from shared.contracts.wagers import SettlementLine, WagerLapsed, WagerPlaced, WagersCorrected, WagersSettled
from shared.contracts.wallet import NoteDayClosed, NoteTable
from shared.kernel.reactions import Reaction, Source


def follow(event: Any, source: Source) -> list[Reaction]:
    """Return what must follow in the ledger of the source's gaming day from an event of the table service."""
    match event:
        case WagerPlaced():
            reserve = ReserveStake(
                wager=event.wager,
                round=_round(source),
                player=event.player,
                currency=event.currency,
                minor=event.stake_minor,
                promotional=event.promotional or UNSET,
            )
            return [_reaction(source, reserve, f"reserve {event.wager}")]
        case WagerLapsed():
            return [_reaction(source, ReleaseStake(round=_round(source), wager=event.wager), f"release {event.wager}")]
        case WagersSettled():
            lines = tuple(_settled(line) for line in event.lines)
            return [_reaction(source, SettleStakes(round=_round(source), currency=event.currency, lines=lines), f"settle {_round(source)}")]
        case WagersCorrected():
            return [_reaction(source, _corrected(event, source), f"correct {_round(source)} {event.number}")]
        case RoundSettled():
            return [_reaction(source, BookRound(round=_round(source), outcome="settled"), f"book {_round(source)}")]
        case RoundVoided():
            return [_reaction(source, BookRound(round=_round(source), outcome="void"), f"book {_round(source)}")]
        case TableOpened():
            return [_reaction(source, NoteTable(table=event.table), f"note {event.table}")]
        case DayClosed():
            return [_reaction(source, NoteDayClosed(table=event.table, next_day=event.next_day), f"note the end of {event.table}")]
        case _:
            return []


def _settled(line: SettlementLine) -> SettledStake:
    return SettledStake(
        wager=line.wager,
        player=line.player,
        stake_minor=line.stake_minor,
        returned_minor=line.returned_minor,
        rounding_minor=line.rounding_minor,
    )


def _corrected(event: WagersCorrected, source: Source) -> CorrectStakes:
    lines = tuple(
        CorrectedStake(
            wager=line.wager,
            player=line.player,
            settled_minor=line.settled_minor,
            returned_minor=line.returned_minor,
            settled_rounding_minor=line.settled_rounding_minor,
            rounding_minor=line.rounding_minor,
        )
        for line in event.lines
    )
    return CorrectStakes(round=_round(source), number=event.number, currency=event.currency, lines=lines)


def _reaction(source: Source, command: Any, name: str) -> Reaction:
    return Reaction(ledger_stream(stream_day(source.stream)), command, name)


def _round(source: Source) -> str:
    found = round_of(source.stream)
    assert found is not None, f"money moves in a round's stream, not in {source.stream}"
    return found.id
