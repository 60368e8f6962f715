"""The watch: every check over every log, entry by entry, for as long as it takes.

A service lets it follow the logs while they grow, an auditor runs it over closed ones: `hear` takes the entries of each
log in order, the logs in any order between them, and says at once what can be said; `left` says what is missing once all
there is has been heard.  Rounds are put away when they are compared: what is held of a day's rounds is small, and enough to
judge a correction that comes hours later.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from services.surveillance.domain.balances import Balances
from services.surveillance.domain.cage import Cage
from services.surveillance.domain.card_orders import CardOrders
from services.surveillance.domain.cards import Cards
from services.surveillance.domain.causes import Causes
from services.surveillance.domain.chain import CLOCK_APART_MS, Chain, Checked, check, is_stray
from services.surveillance.domain.corrections import Corrections, is_correction
from services.surveillance.domain.cut_offers import CutOffers
from services.surveillance.domain.days import Days
from services.surveillance.domain.echoes import Echoes
from services.surveillance.domain.findings import Code, Finding, finding
from services.surveillance.domain.heard import Heard
from services.surveillance.domain.ids import Ids
from services.surveillance.domain.procedure import Procedure
from services.surveillance.domain.referee import judge
from services.surveillance.domain.report import Counts, Report
from services.surveillance.domain.restrictions import Restrictions
from services.surveillance.domain.roll import Roll
from services.surveillance.domain.stakes import Stakes
from shared.contracts.rounds import RoundCommand, RoundCorrected, RoundEvent, RoundSettled, RoundVoided
from shared.contracts.subjects import log_day, round_of
from shared.kernel.entry import Entry, Stored
from shared.kernel.identity import digest

BROKEN = frozenset({Code.UNREADABLE, Code.MISSING_ENTRY, Code.SWAPPED, Code.REPEATED_ENTRY})
"""After these a stream's state is not known any more."""


class Redecides(Protocol):
    """Decides entries again; the domain does not know how."""

    same: int
    other_version: int
    shoes_opened: int

    def hear(self, heard: Heard) -> list[Finding]:
        """Decide an entry again and return what is otherwise."""

    def lose(self, stream: str) -> None:
        """Give a stream up whose state is not known any more."""

    def forget(self, stream: str) -> None:
        """Let go of a stream that is over."""

    def resume(self, stream: str, entries: Sequence[Entry[Any, Any]]) -> None:
        """Know a stream again that was let go, as it stands after these entries."""

    def forget_day(self, day: str) -> None:
        """Let go of all streams of a gaming day."""


class Seen(msgspec.Struct):
    """A round as far as it was heard."""

    round: str
    entries: list[Entry[object, object]] = []
    findings: list[Finding] = []
    over: bool = False
    broken: bool = False


class Past(msgspec.Struct):
    """A round that is over and compared, put away: its chain, and its entries in as few bytes as they need."""

    chain: Chain
    packed: bytes
    findings: list[Finding]


_ENTRIES: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(list[Entry[RoundCommand, RoundEvent]])


class Watch:
    """Follows the logs.  `only` limits it to some rounds, of which everything that concerns them must be heard.

    `whole` says that each log is heard from its first message to its last, so that a gap in its sequences is one.
    """

    def __init__(
        self,
        again: Redecides,
        *,
        only: frozenset[str] | None = None,
        whole: bool = True,
        apart_ms: int = CLOCK_APART_MS,
    ) -> None:
        self.counts = Counts()
        self._again = again
        self._only = only
        self._whole = whole
        self._apart_ms = apart_ms
        self._chains: dict[str, Chain] = {}
        self._past: dict[str, Past] = {}
        """Rounds that are over and compared."""
        self._reached: dict[str, int] = {}
        """The last sequence of each log."""
        self._rounds: dict[str, Seen] = {}
        self._changed: dict[str, Seen] = {}
        self._roll = Roll(only)
        self._cards = Cards(only)
        self._stakes = Stakes(only)
        self._balances = Balances()
        self._cage = Cage()
        self._ids = Ids()
        self._days = Days()
        self._causes = Causes()
        self._echoes = Echoes()
        self._restrictions = Restrictions()
        self._offers = CutOffers()
        self._orders = CardOrders()
        self._procedure = Procedure(only)
        self._corrections = Corrections(only)

    def hear(self, stored: Stored) -> list[Finding]:
        """Take in one stored message, and return what was found with it."""
        self.counts.entries += 1
        found = self._gap(stored)
        past = self._past.get(stored.stream)
        if past is not None:
            return [*found, *self._after_the_end(stored, past)]
        chain = self._chains.setdefault(stored.stream, Chain(stored.stream))
        self.counts.streams += chain.revision == 0
        checked = check(chain, stored, apart_ms=self._apart_ms)
        found += checked.findings
        broken = any(one.code in BROKEN for one in checked.findings)
        if checked.entry is not None:
            found += self._entry(checked, checked.entry, broken=broken)
        elif broken:
            self._break(stored.stream)
        self._note(stored.stream, found)
        self._forget()
        return found

    def left(self, ends: Mapping[str, int] | None = None) -> list[Finding]:
        """Return what is missing, now that all there is has been heard.

        `ends` is the last sequence of each log as the store tells it; a log that was heard less far has lost its end.
        """
        found = [
            finding(Code.TAIL_MISSING, f"the log was heard to {self._reached.get(log, 0)} of {end}", log=log, sequence=end)
            for log, end in (ends or {}).items()
            if self._whole and self._reached.get(log, 0) < end
        ]
        for seen in self._rounds.values():
            if not seen.over and not seen.broken:
                found += judge(seen.entries)
        found += self._roll.left() + self._cards.left() + self._stakes.left() + self._balances.left() + self._days.left()
        found += self._corrections.left() + self._cage.left(self._roll.knows) + self._ids.left()
        revisions = {stream: past.chain.revision for stream, past in self._past.items()}
        revisions.update({stream: chain.revision for stream, chain in self._chains.items()})
        known = set(self._reached) if self._only is None else set()
        return found + self._causes.left(revisions, logs=known) + self._echoes.left(revisions)

    def changed(self) -> list[Seen]:
        """Return the rounds of which something new was heard since this was last asked."""
        changed, self._changed = list(self._changed.values()), {}
        return changed

    def forget_day(self, day: str) -> None:
        """Let go of a gaming day whose books are closed; what is missing of it has been told, and nothing of it is heard any more."""
        self._chains = {stream: chain for stream, chain in self._chains.items() if f".{day}." not in stream}
        self._past = {stream: end for stream, end in self._past.items() if f".{day}." not in stream}
        self._reached = {log: sequence for log, sequence in self._reached.items() if not log.endswith(f"_{day}")}
        self._rounds = {round_id: seen for round_id, seen in self._rounds.items() if f".{day}-" not in round_id}
        self._again.forget_day(day)
        parts = (self._roll, self._cards, self._stakes, self._balances, self._days, self._causes, self._echoes)
        for part in (*parts, self._restrictions, self._procedure, self._offers, self._orders, self._corrections, self._cage, self._ids):
            part.forget(day)

    def days(self) -> list[str]:
        """Return the gaming days of which something is held, the oldest first."""
        return sorted({log_day(log)[1] for log in self._reached})

    def logs(self) -> list[str]:
        """Return the logs of which something was heard."""
        return list(self._reached)

    def reached(self, log: str) -> int:
        """Return the sequence of the last message that was heard of a log."""
        return self._reached.get(log, 0)

    def held(self) -> int:
        """Return how many rounds are held, because they are open or not compared yet."""
        return len(self._rounds)

    def report(self, findings: Iterable[Finding]) -> Report:
        """Return how much was checked, with what was found."""
        self.counts.decisions_same = self._again.same
        self.counts.decisions_other_version = self._again.other_version
        self.counts.shoes_opened = self._again.shoes_opened
        self.counts.rounds_matched = self._roll.matched
        self.counts.cards_matched = self._cards.matched
        self.counts.stakes_matched = self._stakes.reserved_matched
        self.counts.settlements_matched = self._stakes.settled_matched
        self.counts.corrections_matched = self._corrections.matched
        self.counts.reactions_matched = self._echoes.matched
        self.counts.movements = self._balances.movements
        self.counts.adjustments = self._cage.adjustments
        return Report(counts=self.counts, findings=tuple(findings))

    def _gap(self, stored: Stored) -> list[Finding]:
        before = self._reached.get(stored.log, 0)
        self._reached[stored.log] = max(before, stored.sequence)
        if not self._whole or stored.sequence <= before + 1:
            return []
        message = f"sequence {stored.sequence} follows sequence {before}"
        return [finding(Code.SEQUENCE_GAP, message, log=stored.log, sequence=before + 1)]

    def _entry(self, checked: Checked, entry: Entry[object, object], *, broken: bool) -> list[Finding]:
        heard = Heard(log=checked.stored.log, sequence=checked.stored.sequence, digest=checked.digest, entry=entry)
        if broken:
            self._break(heard.stream)
        found = self._again.hear(heard)
        self._causes.hear(heard)
        found += self._echoes.hear(heard) + self._corrections.hear(heard)
        match heard.stream.split(".")[1:]:
            case ["table", _, _, "round", _]:
                found += self._round(heard)
                found += self._roll.hear(heard) + self._cards.hear(heard) + self._stakes.hear(heard)
            case ["table", _, _, "table"]:
                found += self._roll.hear(heard) + self._cards.hear(heard) + self._days.hear(heard)
                if self._whole or self._only is not None:
                    found += self._procedure.hear(heard)
                if self._whole and self._only is None:
                    found += self._restrictions.hear(heard)
                    found += self._offers.hear(heard)
                    found += self._orders.hear(heard)
            case ["shoe", _, name] if name != "desk":
                found += self._cards.hear(heard)
            case ["wallet", _, "ledger", _]:
                found += self._stakes.hear(heard) + self._balances.hear(heard) + self._days.hear(heard)
                if self._only is None:
                    found += self._cage.hear(heard) + self._ids.hear(heard)
            case _:
                pass
        return found

    def _round(self, heard: Heard) -> list[Finding]:
        """Judge a round when it ends, and again when it is corrected; a fault is told once."""
        seen = self._seen(heard.stream)
        seen.entries.append(heard.entry)
        kinds = RoundCorrected if seen.over else RoundSettled | RoundVoided
        if not any(isinstance(fact.event, kinds) for fact in heard.facts()):
            return []
        first = not seen.over
        seen.over = True
        if seen.broken:
            return []
        self.counts.rounds_judged += first
        return [one for one in judge(seen.entries) if one not in seen.findings]

    def _seen(self, stream: str) -> Seen:
        name = round_of(stream)
        assert name is not None, f"{stream} holds a round"
        seen = self._rounds.setdefault(name.id, Seen(name.id))
        self._changed[name.id] = seen
        return seen

    def _break(self, stream: str) -> None:
        self._again.lose(stream)
        if round_of(stream) is not None:
            self._seen(stream).broken = True

    def _note(self, stream: str, found: list[Finding]) -> None:
        if found and round_of(stream) is not None:
            self._seen(stream).findings += found

    def _forget(self) -> None:
        for round_id in self._roll.drop_complete():
            self._put_away(self._rounds.pop(round_id))

    def _put_away(self, seen: Seen) -> None:
        stream = seen.entries[0].stream
        chain = self._chains.pop(stream)
        chain.ids = set()
        packed = b"" if seen.broken else zlib.compress(msgspec.msgpack.encode(seen.entries), 1)
        self._past[stream] = Past(chain, packed, seen.findings)
        self._causes.over(stream, chain.revision)
        self._again.forget(stream)

    def _after_the_end(self, stored: Stored, past: Past) -> list[Finding]:
        """Return what is wrong with a message that stands in a round's stream although the round is over: it may be corrected."""
        chain = past.chain
        if digest(stored.data) == chain.digest:
            code, message = Code.REPEATED_ENTRY, f"the last entry stands there again, after revision {chain.revision}"
        elif is_stray(stored):
            code, message = Code.STRAY, f"no entry, after the round ended at revision {chain.revision}"
        elif (found := self._correct(stored, past)) is not None:
            return found
        else:
            code, message = Code.WRONG_FINAL_DIGEST, f"the round ended at revision {chain.revision}"
        return [finding(code, message, log=stored.log, stream=stored.stream, revision=chain.revision + 1, sequence=stored.sequence)]

    def _correct(self, stored: Stored, past: Past) -> list[Finding] | None:
        """Take in a correction of a round that was put away; None for anything else."""
        entries = _ENTRIES.decode(zlib.decompress(past.packed)) if past.packed else []
        chain = msgspec.structs.replace(past.chain, ids={_name(decision) for entry in entries for decision in entry.decisions})
        checked = check(chain, stored, apart_ms=self._apart_ms)
        if checked.entry is None or not entries or not is_correction(checked.entry):
            return None
        name = round_of(stored.stream)
        assert name is not None, "rounds are put away, and nothing else"
        self._rounds[name.id] = Seen(name.id, entries, past.findings, over=True)
        del self._past[stored.stream]
        self._chains[stored.stream] = chain
        self._again.resume(stored.stream, entries)
        broken = any(one.code in BROKEN for one in checked.findings)
        found = [*checked.findings, *self._entry(checked, checked.entry, broken=broken)]
        self._note(stored.stream, found)
        self._put_away(self._rounds.pop(name.id))
        return found


def _name(decision: Any) -> tuple[bool, str]:
    return decision.actor.role == "house", decision.id


def verify(entries: Iterable[Stored], watch: Watch, ends: Mapping[str, int] | None = None) -> Report:
    """Return the report over entries that are given log by log, or as they come."""
    found = [one for stored in entries for one in watch.hear(stored)]
    return watch.report([*found, *watch.left(ends)])
