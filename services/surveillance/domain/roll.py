"""The roll: whether the rounds that a table says it played are the rounds that are in the log, whole and with their last entry.

A table's stream names each of its rounds twice, when it is called and when it has ended; so a round cannot vanish, lose
its end or appear from nowhere.  Days hold on to one another the same way: a day's first entry names the last of the day before.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.surveillance.domain.corrections import is_correction
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.rounds import RoundOpened, RoundSettled, RoundVoided
from shared.contracts.subjects import BadSubject, RoundName, round_name, round_of
from shared.contracts.table import DayClosed, RoundCalled, RoundRecorded

CARRIED_BY_CALL = ("round", "number", "table", "day", "profile", "settings", "shoe", "root", "in_force")
"""What a round's opening takes over from the call."""


@dataclass
class Row:
    """A round, as its table and its own stream tell it."""

    round: str
    called: tuple[RoundCalled, Where] | None = None
    opened: tuple[RoundOpened, Where] | None = None
    last: tuple[str, Where] | None = None
    """The digest of its last entry."""
    outcome: str = ""
    recorded: tuple[RoundRecorded, Where] | None = None

    @property
    def complete(self) -> bool:
        """Whether everything that there will be has been heard."""
        whole = self.called and self.opened and self.outcome and self.recorded and self.last
        return bool(whole) and self.last is not None and self.recorded is not None and self.last[1].revision >= self.recorded[0].revision


@dataclass
class TableDay:
    """What a table's stream has told so far."""

    calls: int = 0
    records: int = 0
    closed: Where | None = None


@dataclass
class Roll:
    """The rounds that are not over, or not yet written down; `only` limits it to some rounds."""

    only: frozenset[str] | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    tables: dict[tuple[str, str], TableDay] = field(default_factory=dict)
    matched: int = 0
    touched: set[str] = field(default_factory=set)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a table's or a round's stream; return what does not fit."""
        name = round_of(heard.stream)
        if name is not None:
            row = self.rows.get(name.id)
            # What comes after the end is held against the table's notes of its own.
            corrects = is_correction(heard.entry) and (row is None or row.outcome)
            return [] if corrects else self._round_entry(heard, name.id)
        return [found for fact in heard.facts() for found in self._table_event(heard, fact.event)]

    def drop_complete(self) -> list[str]:
        """Forget the rounds that are compared and return their ids; only those that something was said about since the last time."""
        over = [round_id for round_id in self.touched if self.rows[round_id].complete]
        for round_id in over:
            del self.rows[round_id]
        self.touched.clear()
        self.matched += len(over)
        return over

    def left(self) -> list[Finding]:
        """Return what is missing, now that all there is has been heard."""
        return [found for row in self.rows.values() for found in self._missing(row)]

    def knows(self, round_id: str) -> bool:
        """Return whether a round was called; one of a day of which nothing was heard may have been."""
        name = _name(round_id)
        if name is None:
            return False
        day = {table: told for (table, day), told in self.tables.items() if day == name.day}
        return not day or (name.table in day and name.number <= day[name.table].calls)

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.rows = {round_id: row for round_id, row in self.rows.items() if round_name(round_id).day != day}
        self.tables = {key: table for key, table in self.tables.items() if key[1] != day}

    def _row(self, round_id: str) -> Row | None:
        if self.only is not None and round_id not in self.only:
            return None
        self.touched.add(round_id)
        return self.rows.setdefault(round_id, Row(round_id))

    def _round_entry(self, heard: Heard, round_id: str) -> list[Finding]:
        row = self._row(round_id)
        if row is None:
            return []
        found = []
        if row.outcome:
            found.append(heard.where.found(Code.WRONG_FINAL_DIGEST, f"revision {heard.entry.revision} stands after the round's end"))
        for fact in heard.facts():
            match fact.event:
                case RoundOpened():
                    row.opened = (fact.event, heard.where)
                    found += _same_opening(row)
                case RoundSettled():
                    row.outcome = "settled"
                case RoundVoided():
                    row.outcome = "void"
                case _:
                    pass
        row.last = (heard.digest, heard.where)
        return found + _same_end(row)

    def _table_event(self, heard: Heard, event: Any) -> list[Finding]:
        match event:
            case RoundCalled() | RoundRecorded() if _name(event.round) is None:
                return [heard.where.found(Code.UNRECORDED_ROUND, f"{event.round} is no name of a round")]
            case RoundCalled():
                self._table(event.table, event.day).calls += 1
                row = self._row(event.round)
                if row is None:
                    return []
                row.called = (event, heard.where)
                return _same_opening(row)
            case RoundRecorded():
                name = round_name(event.round)
                self._table(name.table, name.day).records += 1
                row = self._row(event.round)
                if row is None:
                    return []
                row.recorded = (event, heard.where)
                return _same_end(row)
            case DayClosed():
                day = self._table(event.table, event.day)
                day.closed = heard.where
                if not event.rounds == day.calls == day.records:
                    told = f"{event.rounds} rounds; {day.calls} were called and {day.records} recorded"
                    return [heard.where.found(Code.UNENDED_ROUND, f"the day was closed with {told}")]
                return []
            case _:
                return []

    def _table(self, table: str, day: str) -> TableDay:
        return self.tables.setdefault((table, day), TableDay())

    def _missing(self, row: Row) -> list[Finding]:
        name = round_name(row.round)
        day = self._table(name.table, name.day)
        there = row.last[1] if row.last else None
        if row.recorded is not None and row.called is None:
            return [row.recorded[1].found(Code.UNRECORDED_ROUND, f"{row.round} was recorded and never called")]
        if there is None:
            gone = row.called is not None and (row.recorded is not None or name.number < day.calls or day.closed is not None)
            where = row.recorded[1] if row.recorded else row.called[1] if row.called else None
            if not gone or where is None:
                return []
            place = msgspec.structs.replace(where, stream=name.stream, revision=1, sequence=0)
            return [
                place.found(Code.MISSING_ROUND, f"{row.round} was called at revision {where.revision} of {where.stream}; it is not there")
            ]
        if row.called is None:
            return [there.found(Code.UNRECORDED_ROUND, f"{row.round} was never called by its table")]
        if row.recorded is not None:
            if row.recorded[0].revision > there.revision:
                place = msgspec.structs.replace(there, revision=there.revision + 1, sequence=0)
                message = f"the round stops at revision {there.revision}; its table wrote down {row.recorded[0].revision}"
                return [place.found(Code.WRONG_FINAL_DIGEST, message)]
            return []
        if day.closed is not None or name.number < day.records:
            code = Code.UNRECORDED_ROUND if row.outcome else Code.UNENDED_ROUND
            return [there.found(code, f"{row.round} {'was never written down' if row.outcome else 'has no end'}, and its table went on")]
        return []


def _name(round_id: str) -> RoundName | None:
    try:
        return round_name(round_id)
    except BadSubject:
        return None


def _same_opening(row: Row) -> list[Finding]:
    if row.called is None or row.opened is None:
        return []
    (called, _), (opened, where) = row.called, row.opened
    apart = [name for name in CARRIED_BY_CALL if getattr(called, name) != getattr(opened, name)]
    return [where.found(Code.WRONG_CAUSE, f"the round was opened with another {name} than it was called with") for name in apart]


def _same_end(row: Row) -> list[Finding]:
    if row.recorded is None or row.last is None or row.last[1].revision != row.recorded[0].revision:
        return []
    recorded, (digest, where) = row.recorded[0], row.last
    if recorded.digest != digest:
        return [where.found(Code.WRONG_FINAL_DIGEST, f"the last entry is {digest[:16]}, the table wrote down {recorded.digest[:16]}")]
    if recorded.outcome != row.outcome:
        return [where.found(Code.WRONG_FINAL_DIGEST, f"the round is {row.outcome or 'not over'}, the table wrote down {recorded.outcome}")]
    return []
