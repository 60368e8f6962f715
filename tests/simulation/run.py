"""The simulation: a house, its people, what goes wrong, and two who watch; one step at a time, all of it from one seed.

First the safety phase, in which things go wrong and nothing false may ever be written down; then the liveness phase, in
which nothing goes wrong any more and everything that was begun must come to its end.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from feltlog.rehearsal.door import Door
from feltlog.rehearsal.house import BUILDS, Build, RehearsedHouse
from feltlog.rehearsal.process import Process
from feltlog.rehearsal.watcher import Watcher
from feltlog.rehearsal.world import Rooms, Step
from services.surveillance.domain.findings import Code
from shared.contracts.subjects import SERVICES
from shared.kernel.entry import Stored
from shared.kernel.money import Ratio
from shared.kernel.profile import Profile
from shared.runtime.memory_log import MemoryLog
from shared.runtime.memory_store import MemoryStore
from shared.runtime.shelf import profile
from tests.simulation.auditor import Auditor
from tests.simulation.breach import Breach
from tests.simulation.faults import Faults
from tests.simulation.plan import HAPPENINGS, Plan
from tests.simulation.workload import Seat, Workload

SEATS = (
    Seat("T1", "live-small", ("ann", "bob", "cyd")),
    Seat("T2", "ontario-small", ("ann", "dan", "eve"), staffed=True),
    Seat("T3", "floor-small", ("fay", "bob", "gus")),
)
STEPS_BETWEEN_ROUNDS_MAX = 15_000
"""So many steps after a round the next one must be over, whatever goes wrong: some 200 is usual, and nothing runs for ever."""
LIVENESS_STEPS_MAX = 10_000
MEND_EVERY_STEPS = 200
DEVICE_EVERY = 3


@dataclass(frozen=True)
class Outcome:
    """How a run ended.  `code` is empty if nothing was found, `happened` says how often each fault came true."""

    plan: Plan
    steps: int
    liveness_steps: int
    rounds: int
    entries: int
    days: int
    happened: dict[str, int]
    digest: str
    code: str = ""
    message: str = ""


def as_it_is(rooms: Rooms, process: Process) -> None:
    """Leave a process as the product has it."""


def seats_of(plan: Plan) -> list[Seat]:
    """Return the tables of a run; of some seeds the last one has a shuffling device."""
    device = dataclasses.replace(SEATS[-1], profile="floor-device")
    seats = (*SEATS[:-1], device) if plan.seed % DEVICE_EVERY == 2 else SEATS
    return list(seats[: plan.tables])


class Simulation:
    """One run.  `wrap` changes the rooms of each process before it starts, `make_store` the store: how bugs are planted."""

    def __init__(
        self,
        plan: Plan,
        *,
        wrap: Callable[[Rooms, Process], None] = as_it_is,
        make_store: Callable[[Callable[[], int]], MemoryStore] = MemoryStore,
    ) -> None:
        self.plan = plan
        self._wrap = wrap
        self.house = RehearsedHouse(plan.seed, profiles(), builds=self._builds(), make_store=make_store)
        self.auditor = Auditor()
        self.watcher = Watcher()
        self.workload = Workload(self.house, self.auditor, seats_of(plan))
        self.faults = Faults(self.house, self.workload, self.auditor, plan.faults)
        self.steps = 0
        self.liveness_steps = 0
        self.logged: list[Stored] = []
        self.progress: Callable[[int], None] = lambda rounds: None
        self._stepped: object = None
        self._seen: dict[str, int] = {}
        self._open: list[MemoryLog] = []
        self._changes = -1
        self._digest = hashlib.sha256()

    def run(self) -> Outcome:
        """Run to the end, or to the first thing that must not be."""
        code = message = ""
        try:
            self._safety()
            self._liveness()
            self._finish()
        except Breach as breach:
            code, message = breach.code, str(breach)
        return Outcome(
            plan=self.plan,
            steps=self.steps,
            liveness_steps=self.liveness_steps,
            rounds=self.auditor.rounds_over,
            entries=self.auditor.entries,
            days=self.auditor.days,
            happened=self._happened(),
            digest=self._digest.hexdigest(),
            code=code,
            message=message,
        )

    def _happened(self) -> dict[str, int]:
        auditor, store = self.auditor, self.house.store
        counts = self.faults.counts + self.workload.counts + self.house.happened
        counts.update(
            lost_answer=store.happened["answer_lost"],
            dropped=store.happened["dropped"],
            ghost=store.happened["ghost"],
            ghost_stored=store.happened["ghost_stored"],
            day_roll=auditor.days,
            shoe_ran_out=auditor.reshuffles,
            cut_by_players=auditor.cards.cuts["players"],
            secret_missing=auditor.cards.missing,
            quarantine=auditor.quarantined,
            ruling=auditor.rulings,
            correction=auditor.corrections,
            adjusted=len(auditor.till.adjusted),
            blocked_stake=auditor.till.blocked_stakes,
            card_astray=auditor.cards.astray,
            hand_dead=auditor.hands_dead,
            cut_refused=auditor.cards.orders["CutRefused"],
            new_dealer=auditor.cards.orders["DealerChanged"],
            burned=auditor.cards.burned,
            burned_shown=auditor.cards.shown,
            shuffled_early=auditor.cards.orders["ReshuffleOrdered"],
            shuffled_by_device=auditor.cards.by_device,
        )
        return {what: counts[what] for what in HAPPENINGS}

    def _safety(self) -> None:
        rounds, upto = 0, STEPS_BETWEEN_ROUNDS_MAX
        while rounds < self.plan.rounds:
            self._step()
            self.faults.maybe()
            self._look()
            if self.auditor.rounds_over > rounds:
                rounds, upto = self.auditor.rounds_over, self.steps + STEPS_BETWEEN_ROUNDS_MAX
                self.progress(rounds)
            if self.steps > upto:
                raise Breach("stuck", f"no round is over since step {upto - STEPS_BETWEEN_ROUNDS_MAX}: {self._unsettled()}")

    def _liveness(self) -> None:
        self.faults.stop()
        self.workload.stop()
        began = self.steps
        while not self._settled():
            if self.liveness_steps % MEND_EVERY_STEPS == 0:
                self.faults.poison.mend()
            self._step()
            self._look()
            self.liveness_steps = self.steps - began
            if self.liveness_steps > LIVENESS_STEPS_MAX:
                raise Breach("stuck", f"{self._unsettled()} after {self.liveness_steps} steps without a fault")

    def _finish(self) -> None:
        self.auditor.finish()
        self.workload.finish()
        logs = [self.house.store.log(log) for service in SERVICES for log in self.house.logs(service, sealed=True)]
        for found in self.watcher.finish(logs):
            self._judge(found)

    def _step(self) -> None:
        """Take one of the steps that are possible, or let time pass until there is one."""
        self.steps += 1
        steps: list[tuple[Process | None, Step]] = self.house.work()
        steps += [(None, step) for step in self.workload.work()]
        steps += [(None, partial(self.watcher.hear, log)) for log in self._open if not self.watcher.has_heard(log)]
        if steps:
            process, step = self.house.chooser.pick(steps)
            self.house.take(process, step)
            self._stepped = getattr(step, "__self__", None)
            self.house.let_pass(self.house.chooser.below(3))
        else:
            now_ms = self.house.clock.now_ms()
            next_ms = min(self.house.next_ms(), self.workload.next_ms() or now_ms + 1_000)
            self.house.let_pass(max(1, next_ms - now_ms))

    def _look(self) -> None:
        """Let both watchers see what is new."""
        if self._changes != self.house.changes and not self.house.store.is_away:
            self._changes = self.house.changes
            self._open = [self.house.store.log(log) for service in SERVICES for log in self.house.logs(service, sealed=False)]
        for held in self._open:
            seen = self._seen.get(held.name, 0)
            if len(held.entries) == seen:
                continue
            for stored in held.entries[seen:]:
                assert stored is not None, "nothing is gone from a log in memory"
                self._seen[held.name] = stored.sequence
                self.logged.append(stored)
                self._digest.update(f"{held.name} {stored.sequence} {stored.stream} ".encode() + stored.data)
                self.auditor.see(held.name, stored.sequence, stored.stream, stored.data, claimed=stored.claimed)
            self._no_strange_quarantine()
        self._believes_what_is_stored()
        for found in self.watcher.findings:
            self._judge(found)
        self.watcher.findings.clear()

    def _believes_what_is_stored(self) -> None:
        """What a process takes for stored, and tells people, stands in the log."""
        door = self._stepped
        if isinstance(door, Door) and door.folded.revision and not door.unreadable:
            stored = self.auditor.stored[door.stream]
            if stored[door.folded.revision - 1 :][:1] != [door.folded.digest]:
                raise Breach("not_stored", f"revision {door.folded.revision} of {door.stream} is taken for stored and is not")

    def _judge(self, found: Any) -> None:
        meant = found.code == Code.UNREADABLE and found.stream in self.auditor.poison
        meant = meant or (found.code == Code.STRAY and (found.stream, found.sequence) in self.auditor.strays)
        # A note is no finding: the referee leaves one for each round of a rule book that it does not judge. An adjustment
        # is told of however rightly it was made.
        if not meant and found.severity != "note" and found.code != Code.ADJUSTED:
            raise Breach(f"surveillance_{found.code}", f"{found.stream} {found.revision}: {found.message}")

    def _no_strange_quarantine(self) -> None:
        """Nothing may break but what was poisoned."""
        for row in self.auditor.quarantines.values():
            meant = "is not understood" in row["reason"] or row.get("target") in self.faults.poison.ever_broken
            if not meant and row["subject"] not in self.auditor.poison:
                raise Breach("quarantine", f"{row['service']} holds {row['subject']} from {row['sequence']} on: {row['reason']}")

    def _settled(self) -> bool:
        return not self._unsettled()

    def _unsettled(self) -> str:
        """Return what is not at rest, or nothing."""
        house = self.house
        for service in self.house.builds:
            there = house.of(service)
            # One that was replaced lives on until it has something to write; the latest is the one that counts.
            if not there:
                return f"there is no {service}"
            if not all(process.idle for process in there):
                return f"{service} has work"
            if any(subject not in self.auditor.poison for subject, _ in there[-1].desk.held):
                return f"{service} holds {list(there[-1].desk.held)}"
        if not self.workload.settled:
            return f"{self.workload.waits_for} wait for an answer"
        return self.workload.open_tables

    def _builds(self) -> Mapping[str, Build]:
        def wrapped(build: Build) -> Build:
            def build_wrapped(process: Process) -> Rooms:
                rooms = build(process)
                rooms.follow = self.faults.poison.cannot_follow(process, rooms.follow)  # type: ignore[method-assign]
                self._wrap(rooms, process)
                rooms.noun_of = self.faults.poison.breaks(rooms.noun_of)  # type: ignore[assignment, method-assign]
                return rooms

            return build_wrapped

        return {service: wrapped(build) for service, build in BUILDS.items()}


def profiles() -> dict[str, Profile]:
    """Return the rule books of the simulation: the built-in ones over one deck or two, so that shoes end often.

    On the floor staff see to the cards.
    """
    live, ontario, floor = profile("live"), profile("ontario"), profile("floor")
    return {
        "live-small": _small(live, "live-small", decks=1, behind=(Ratio(0, 1), Ratio(1, 8))),
        "ontario-small": _small(ontario, "ontario-small", decks=2, behind=(Ratio(1, 4), Ratio(3, 10))),
        "floor-small": by_staff(_small(floor, "floor-small", decks=1, behind=(Ratio(0, 1), Ratio(1, 10)))),
        "floor-device": _with_device(_small(floor, "floor-device", decks=1, behind=(Ratio(0, 1), Ratio(1, 10)))),
    }


def _with_device(book: Profile) -> Profile:
    return msgspec.structs.replace(book, shoe=msgspec.structs.replace(book.shoe, device="shuffling_device"))


def by_staff(book: Profile) -> Profile:
    """Return a book at whose tables staff see to the cards."""
    return msgspec.structs.replace(book, shoe=msgspec.structs.replace(book.shoe, procedure="staff"))


def _small(book: Profile, name: str, *, decks: int, behind: tuple[Ratio, Ratio]) -> Profile:
    shoe = msgspec.structs.replace(book.shoe, burns_after_shuffle=min(book.shoe.burns_after_shuffle, 2), cutting_card=behind)
    return msgspec.structs.replace(book, name=name, decks=decks, shoe=shoe)
