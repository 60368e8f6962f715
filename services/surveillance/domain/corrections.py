"""Corrections: whether the ledger moved what a correction of a round says, once, and the table wrote down what became of it.

A round that is corrected names the differences, the ledger repeats them with the movement, and the table's stream keeps the
digest of the entry: so no correction can vanish, be booked twice, or be booked for another amount.
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.echoes import differences
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.rounds import CorrectionRefused, RoundCorrected
from shared.contracts.rulings import RULES, WHEN_OVER, Misread, RulingApproved, RulingProposed
from shared.contracts.stakes import CorrectedStake, StakesCorrected
from shared.contracts.subjects import round_of, stream_table
from shared.contracts.table import CorrectionCalled, CorrectionNoted, DayClosed
from shared.contracts.wagers import WagersCorrected
from shared.kernel.entry import Entry, Place

AFTER_THE_END = (RoundCorrected, WagersCorrected, CorrectionRefused)
"""What may be written down of a round that is over."""

Key = tuple[str, int]
"""A round and the number of a correction of its money."""
Lines = tuple[str, tuple[CorrectedStake, ...]]
"""A currency, and what each wager gave back and gives back."""
Asked = tuple[str, str]
"""A round and the id of a correction."""
Ended = tuple[int, str, str]
"""A revision, its digest, and the code with which a correction was refused."""


def is_correction(entry: Entry[Any, Any]) -> bool:
    """Return whether an entry says nothing but what may be said of a round that is over."""
    return all(isinstance(event, AFTER_THE_END) for decision in entry.decisions for event in decision.events)


@dataclass
class Correction:
    """The money of a correction, as table and ledger tell it."""

    told: tuple[Lines, Where, tuple[str, Place]] | None = None
    """With its place in the log that the ledger hears."""
    booked: tuple[Lines, Where] | None = None


@dataclass
class Ruled:
    """What became of a correction, as its round and its table tell it."""

    called: Where | None = None
    said: tuple[Ended, Where] | None = None
    noted: tuple[Ended, Where] | None = None


@dataclass
class Corrections:
    """The corrections that are on their way; `only` limits them to some rounds."""

    only: frozenset[str] | None = None
    money: dict[Key, Correction] = field(default_factory=dict)
    ruled: dict[Asked, Ruled] = field(default_factory=dict)
    proposed: dict[tuple[str, int], RulingProposed] = field(default_factory=dict)
    """What was proposed in tables' streams, by stream and number."""
    booked: dict[str, int] = field(default_factory=dict)
    """How many corrections of a round are in both logs."""
    worked_off: dict[str, Place] = field(default_factory=dict)
    """How far the ledger has heard each log."""
    matched: int = 0

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a round, a table or the ledger; return what does not fit."""
        name = round_of(heard.stream)
        approved: RulingApproved | None = None
        found: list[Finding] = []
        for fact in heard.facts():
            event = fact.event
            match event:
                case WagersCorrected() if name is not None and self._within(name.id):
                    place = (heard.log, heard.place(fact))
                    found += self._told(name.id, event.number, ((event.currency, differences(event)), heard.where, place))
                case StakesCorrected() if self._within(event.round):
                    found += self._booked(event.round, event.number, ((event.currency, event.lines), heard.where))
                case RoundCorrected() | CorrectionRefused() if name is not None and self._within(name.id):
                    ruled = self.ruled.setdefault((name.id, event.correction), Ruled())
                    ruled.said = ((heard.entry.revision, heard.digest, getattr(event, "code", "")), heard.where)
                    found += self._agree((name.id, event.correction))
                case RulingProposed(round=about) if about:
                    self.proposed[heard.stream, event.proposal] = event
                case RulingApproved() if name is None:
                    approved = event
                case CorrectionCalled() | CorrectionNoted() if self._within(event.round):
                    if isinstance(event, CorrectionCalled):
                        found += self._called(heard, event, approved)
                    found += self._of_table(heard, event)
                case DayClosed():
                    found += self._day(heard)
                case _:
                    pass
        for log, reached in heard.entry.position.items():
            self.worked_off[log] = max(reached, self.worked_off.get(log, reached))
        return found

    def left(self) -> list[Finding]:
        """Return what is missing, now that all there is has been heard."""
        found = []
        for (round_id, number), each in self.money.items():
            what = f"correction {number} of {round_id}"
            if each.told is not None and each.booked is None:
                log, place = each.told[2]
                if self.worked_off.get(log, (0, 0, 0)) >= place:
                    found.append(each.told[1].found(Code.SETTLEMENT_MISSING, f"{what} is not in the ledger"))
            elif each.booked is not None and each.told is None:
                found.append(each.booked[1].found(Code.SETTLEMENT_MISSING, f"{what} is in the ledger and not in the round"))
        for (round_id, _), ruled in self.ruled.items():
            if ruled.noted is not None and ruled.said is None:
                found.append(
                    ruled.noted[1].found(Code.WRONG_FINAL_DIGEST, f"the table wrote down a correction that {round_id} does not hold")
                )
            if ruled.said is not None and ruled.called is None:
                found.append(ruled.said[1].found(Code.UNRECORDED_ROUND, f"{round_id} was corrected, and its table never called for that"))
        return found

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.money = {key: each for key, each in self.money.items() if f".{day}-" not in key[0]}
        self.ruled = {key: ruled for key, ruled in self.ruled.items() if f".{day}-" not in key[0]}
        self.proposed = {key: one for key, one in self.proposed.items() if f".{day}." not in key[0]}
        self.booked = {round_id: number for round_id, number in self.booked.items() if f".{day}-" not in round_id}
        self.worked_off = {log: place for log, place in self.worked_off.items() if not log.endswith(f"_{day}")}

    def _within(self, round_id: str) -> bool:
        return self.only is None or round_id in self.only

    def _told(self, round_id: str, number: int, told: tuple[Lines, Where, tuple[str, Place]]) -> list[Finding]:
        each = self.money.setdefault((round_id, number), Correction())
        if each.told is not None or number <= self.booked.get(round_id, 0):
            return [told[1].found(Code.SETTLEMENT_TWICE, f"correction {number} of {round_id} stands there twice")]
        each.told = told
        return self._same(round_id, number, each)

    def _booked(self, round_id: str, number: int, booked: tuple[Lines, Where]) -> list[Finding]:
        each = self.money.setdefault((round_id, number), Correction())
        if each.booked is not None or number <= self.booked.get(round_id, 0):
            return [booked[1].found(Code.SETTLEMENT_TWICE, f"correction {number} of {round_id} was booked twice")]
        each.booked = booked
        return self._same(round_id, number, each)

    def _same(self, round_id: str, number: int, each: Correction) -> list[Finding]:
        if each.told is None or each.booked is None:
            return []
        del self.money[round_id, number]
        self.booked[round_id] = max(number, self.booked.get(round_id, 0))
        self.matched += 1
        if each.told[0] == each.booked[0]:
            return []
        return [each.booked[1].found(Code.SETTLEMENT_MISMATCH, f"correction {number} of {round_id} moved otherwise than the round says")]

    def _called(self, heard: Heard, event: CorrectionCalled, approved: RulingApproved | None) -> list[Finding]:
        """Hold a call against what two persons have ruled."""
        proposed = self.proposed.get((heard.stream, approved.proposal)) if approved else None
        if proposed is None or approved is None:
            return [heard.where.found(Code.RULES, f"a correction of {event.round} is called for, and nobody ruled so")]
        cards = proposed.ruling.cards if isinstance(proposed.ruling, Misread) else ()
        told = (event.round, event.cards, event.agreed.by, event.agreed.job, event.agreed.approved_by, event.agreed.approved_job)
        due = (proposed.round, cards, proposed.by, proposed.job, approved.by, approved.job)
        rule = RULES[type(proposed.ruling)]
        allowed = proposed.by != approved.by and proposed.job in rule.propose and isinstance(proposed.ruling, WHEN_OVER)
        if told == due and allowed and approved.job in {*rule.approve, *(job for jobs in rule.approve_in.values() for job in jobs)}:
            return []
        return [heard.where.found(Code.RULES, f"a correction of {event.round} is called for otherwise than two persons ruled")]

    def _of_table(self, heard: Heard, event: CorrectionCalled | CorrectionNoted) -> list[Finding]:
        ruled = self.ruled.setdefault((event.round, event.correction), Ruled())
        if isinstance(event, CorrectionCalled):
            ruled.called = heard.where
        else:
            ruled.noted = ((event.revision, event.digest, event.code), heard.where)
        return self._agree((event.round, event.correction))

    def _agree(self, asked: Asked) -> list[Finding]:
        """Hold what the round says of a correction against what its table wrote down."""
        ruled = self.ruled[asked]
        if ruled.called is None or ruled.said is None or ruled.noted is None:
            return []
        del self.ruled[asked]
        if ruled.said[0] == ruled.noted[0]:
            return []
        return [ruled.noted[1].found(Code.WRONG_FINAL_DIGEST, f"{asked[0]} was corrected otherwise than its table wrote down")]

    def _day(self, heard: Heard) -> list[Finding]:
        """A table's day is not closed while a correction is called for that nothing became of."""
        table = stream_table(heard.stream)
        return [
            heard.where.found(Code.UNENDED_ROUND, f"the day was closed before anything became of a correction of {round_id}")
            for (round_id, _), ruled in self.ruled.items()
            if round_id.startswith(f"{table}.{heard.day}-") and ruled.called is not None and ruled.noted is None
        ]
