"""Stakes: whether every wager's money went the way the round says, once.

A wager in a round has one stake set aside and one settlement line at the table and in the ledger; a wager that is not in
the round has nothing set aside, or had it given back.  What the ledger owes follows from how far it says that it has worked
off the table's log: behind that position nothing may be missing.
"""

from dataclasses import dataclass, field

from services.surveillance.domain.facts import Fact
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts.stakes import SettledStake, StakeForgone, StakeRefused, StakeReleased, StakeReserved, StakesSettled
from shared.contracts.subjects import round_of
from shared.contracts.wagers import SettlementLine, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused, WagersSettled
from shared.contracts.wallet import CarriedForward
from shared.kernel.entry import Place

Key = tuple[str, str]
"""A round and a wager."""
Held = tuple[str, str, int]
"""Player, currency and amount of a stake that is set aside."""


@dataclass
class Stake:
    """A wager's money, as table and ledger tell it."""

    placed: Held | None = None
    fate: str = ""
    line: SettlementLine | None = None
    due: tuple[str, Place] | None = None
    """Where in which log the ledger is asked for something last: to give back or to settle."""
    told: Where | None = None
    """Where the table said the last of it."""
    reserved: Held | None = None
    refused: bool = False
    released: bool = False
    settled: SettledStake | None = None
    booked: Where | None = None
    """Where the ledger said the last of it."""

    @property
    def over(self) -> bool:
        """Whether neither log will say anything more of it."""
        match self.fate:
            case _ if self.placed is None:
                return False
            case "accepted":
                return self.line is not None and self.settled is not None and self.reserved is not None
            case "refused":
                return self.refused
            case "lapsed":
                return self.refused or self.released
            case _:
                return False


@dataclass
class Stakes:
    """The wagers whose money is on its way; `only` limits them to some rounds."""

    only: frozenset[str] | None = None
    rows: dict[Key, Stake] = field(default_factory=dict)
    worked_off: dict[str, Place] = field(default_factory=dict)
    """How far the ledger has heard each log."""
    reserved_matched: int = 0
    settled_matched: int = 0
    touched: set[Key] = field(default_factory=set)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a round or of the ledger; return what does not fit."""
        name = round_of(heard.stream)
        found = []
        for fact in heard.facts():
            if name is None:
                found += self._ledger_event(heard, fact)
            elif self._within(name.id):
                found += self._round_event(heard, fact, name.id)
        for log, place in heard.entry.position.items():
            self.worked_off[log] = max(place, self.worked_off.get(log, place))
        self._drop_over()
        return found

    def left(self) -> list[Finding]:
        """Return what is missing, now that all there is has been heard."""
        return [found for (_, wager), stake in self.rows.items() for found in self._missing(wager, stake)]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.rows = {key: stake for key, stake in self.rows.items() if f".{day}-" not in key[0]}
        self.worked_off = {log: place for log, place in self.worked_off.items() if not log.endswith(f"_{day}")}

    def _drop_over(self) -> None:
        """Forget the stakes that are through, of those that something was just said about."""
        for key in self.touched:
            if self.rows[key].over:
                stake = self.rows.pop(key)
                self.reserved_matched += stake.reserved is not None
                self.settled_matched += stake.settled is not None
        self.touched.clear()

    def _within(self, round_id: str) -> bool:
        return self.only is None or round_id in self.only

    def _row(self, round_id: str, wager: str) -> Stake:
        self.touched.add((round_id, wager))
        return self.rows.setdefault((round_id, wager), Stake())

    def _round_event(self, heard: Heard, fact: Fact, round_id: str) -> list[Finding]:
        event = fact.event
        match event:
            case WagerPlaced():
                stake = self._row(round_id, event.wager)
                stake.placed = (event.player, event.currency, event.stake_minor)
            case WagerAccepted():
                stake = self._row(round_id, event.wager)
                stake.fate = "accepted"
            case WagerRefused():
                stake = self._row(round_id, event.wager)
                stake.fate = "refused"
            case WagerLapsed():
                stake = self._row(round_id, event.wager)
                stake.fate, stake.due = "lapsed", (heard.log, heard.place(fact))
            case WagersSettled():
                return [found for line in event.lines for found in self._line(heard, fact, round_id, line)]
            case _:
                return []
        stake.told = heard.where
        return _compared(event.wager, stake)

    def _line(self, heard: Heard, fact: Fact, round_id: str, line: SettlementLine) -> list[Finding]:
        stake = self._row(round_id, line.wager)
        if stake.line is not None:
            return [heard.where.found(Code.SETTLEMENT_TWICE, f"wager {line.wager} was settled twice at the table")]
        stake.line, stake.due, stake.told = line, (heard.log, heard.place(fact)), heard.where
        return _compared(line.wager, stake)

    def _ledger_event(self, heard: Heard, fact: Fact) -> list[Finding]:
        event = fact.event
        match event:
            case CarriedForward():
                for row in event.stakes:
                    if self._within(row.round):
                        self._row(row.round, row.wager).reserved = (row.player, row.currency, row.minor)
                return []
            case StakesSettled() if self._within(event.round):
                return [found for line in event.lines for found in self._settle(heard, event.round, event.currency, line)]
            case StakeReserved() | StakeReleased() | StakeRefused() | StakeForgone() if self._within(event.round):
                stake = self._row(event.round, event.wager)
                twice = self._move(stake, event)
                stake.booked = heard.where
                what = f"wager {event.wager} of {event.round}: {type(event).__name__}"
                return [heard.where.found(Code.STAKE_TWICE, f"{what} after the ledger had moved its stake")] * twice + _compared(
                    event.wager, stake
                )
            case _:
                return []

    def _move(self, stake: Stake, event: StakeReserved | StakeReleased | StakeRefused | StakeForgone) -> bool:
        """Note what the ledger did with a stake; return whether it had done something with it before that forbids it."""
        match event:
            case StakeReserved():
                before = stake.reserved is not None or stake.refused
                stake.reserved = (event.player, event.currency, event.minor)
                return before
            case StakeReleased():
                before = stake.released or stake.settled is not None or stake.reserved is None
                stake.released = True
                return before
            case StakeRefused() | StakeForgone():
                # A stake that was given back before it was asked for is not set aside any more: to the round it is as a refused one.
                before = stake.reserved is not None or stake.refused
                stake.refused = True
                return before

    def _settle(self, heard: Heard, round_id: str, currency: str, line: SettledStake) -> list[Finding]:
        stake = self._row(round_id, line.wager)
        stake.booked = heard.where
        if stake.settled is not None or stake.released:
            return [
                heard.where.found(
                    Code.SETTLEMENT_TWICE, f"wager {line.wager} of {round_id} was settled in the ledger, and its stake was gone"
                )
            ]
        stake.settled = line
        if stake.reserved is None:
            return [heard.where.found(Code.STAKE_MISSING, f"wager {line.wager} of {round_id} was settled and nothing was set aside for it")]
        if stake.reserved != (line.player, currency, line.stake_minor):
            return [
                heard.where.found(
                    Code.SETTLEMENT_MISMATCH, f"wager {line.wager} of {round_id} was settled with another stake than was set aside"
                )
            ]
        return _compared(line.wager, stake)

    def _missing(self, wager: str, stake: Stake) -> list[Finding]:
        found = []
        if stake.told is not None:
            done = stake.due is not None and self.worked_off.get(stake.due[0], (0, 0, 0)) >= stake.due[1]
            if stake.fate == "accepted" and stake.reserved is None:
                found.append(stake.told.found(Code.STAKE_MISSING, f"wager {wager} is in the round and nothing was set aside for it"))
            if stake.fate == "refused" and not stake.refused:
                found.append(stake.told.found(Code.STAKE_MISMATCH, f"wager {wager} was refused at the table and not in the ledger"))
            if stake.line is not None and stake.settled is None and done:
                found.append(stake.told.found(Code.SETTLEMENT_MISSING, f"wager {wager} was settled at the table and not in the ledger"))
            if stake.fate == "lapsed" and stake.reserved and not stake.released and done:
                found.append(stake.told.found(Code.RELEASE_MISSING, f"wager {wager} lapsed and its stake was not given back"))
        if stake.booked is not None:
            if stake.placed is None:
                found.append(stake.booked.found(Code.STAKE_MISMATCH, f"the ledger moved money for wager {wager}, which was never placed"))
            elif stake.settled is not None and stake.line is None:
                found.append(stake.booked.found(Code.SETTLEMENT_MISSING, f"wager {wager} was settled in the ledger and not at the table"))
            elif stake.released and stake.fate != "lapsed":
                found.append(
                    stake.booked.found(Code.STAKE_MISMATCH, f"the stake of wager {wager} was given back; at the table it did not lapse")
                )
        return found


def _compared(wager: str, stake: Stake) -> list[Finding]:
    """Hold the two logs against one another as far as both have spoken."""
    where = stake.booked or stake.told
    assert where is not None, "one of the two logs has just spoken"
    found = []
    if stake.placed and stake.reserved and stake.placed != stake.reserved:
        found.append(where.found(Code.STAKE_MISMATCH, f"wager {wager}: placed {stake.placed}, set aside {stake.reserved}"))
    if stake.fate == "accepted" and (stake.refused or stake.released):
        found.append(where.found(Code.STAKE_MISMATCH, f"wager {wager} is in the round; the ledger refused its stake or gave it back"))
    if stake.fate == "refused" and stake.reserved:
        found.append(where.found(Code.STAKE_MISMATCH, f"wager {wager} was refused at the table; the ledger set its stake aside"))
    if stake.line and stake.settled:
        line = stake.line
        due = SettledStake(
            wager=wager,
            player=line.player,
            stake_minor=line.stake_minor,
            returned_minor=line.returned_minor,
            rounding_minor=line.rounding_minor,
        )
        if due != stake.settled:
            message = (
                f"wager {wager}: the round gives back {due.returned_minor} of {due.stake_minor} to {due.player}, the ledger moved otherwise"
            )
            found.append(where.found(Code.SETTLEMENT_MISMATCH, message))
    return found
