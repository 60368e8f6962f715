"""A run: a house, a crowd, one blow after the other, and then the reckoning.

While the blows fall nothing is judged but that the house lives; afterwards every table must play on by itself, the tables
are closed, the day that is over must be sealed, and then everything that anybody was told is looked for in the logs.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from feltlog.client import Unanswered
from feltlog.commands.connection import reading
from feltlog.commands.quarantine import look
from feltlog.machine import Machine
from feltlog.stopping import undisturbed
from shared.contracts.subjects import log_day, log_name
from shared.runtime.tasks import end_all
from tests.chaos.complaints import standing_out
from tests.chaos.crowd import LOOK_S, STYLES, Crowd, furnish_house
from tests.chaos.plan import PATIENCE_S, PROCESSES, SERVICES, Blow, Plan
from tests.chaos.reckoning import Finding, Logs, Reckoning, reckon
from tests.chaos.striking import Hit, Striker
from tests.chaos.vandal import Vandal, vandal
from tests.integration.patience import comes_about
from tests.integration.running_house import today_in
from tests.integration.voice import line_of

START_S = 12.0
"""How long a house takes to start, before its first blow."""
ROUNDS_AFTERWARDS = 2
AFTERWARDS_S = 90.0
"""How long the house may take for each thing that must come about by itself when the blows are over."""


class Back(msgspec.Struct, frozen=True):
    """How long a kind of blow took until what it hit was back, from the beginning of the blow."""

    what: str
    count: int
    p50_s: float
    max_s: float


class Outcome(msgspec.Struct, kw_only=True):
    """How a run ended.  Nothing was found if `findings` is empty."""

    seed: int
    kills: int
    command: str
    data: str
    seconds: float = 0.0
    rounds: int = 0
    days: int = 0
    entries: int = 0
    requests: int = 0
    reckoning: Reckoning = msgspec.field(default_factory=Reckoning)
    refusals: dict[str, int] = {}
    """What was refused, by code."""
    sealed_after_s: float | None = None
    """How long after the gaming day's end its logs were closed for ever."""
    longest_still_s: float = 0.0
    """The longest that a table took from one round's end to the next one's."""
    back: list[Back] = []
    blows: list[Hit] = []
    findings: list[Finding] = []


class Run:
    """One run over a data directory.  `told` is called whenever there is something new to show."""

    def __init__(self, plan: Plan, data: Path, told: Callable[["Run"], None] = lambda run: None) -> None:
        self.plan = plan
        self.blows = plan.blows()
        self.machine = Machine(data)
        self.stage = "starting the house"
        self.hits: list[Hit] = []
        self.findings: list[Finding] = []
        self.rounds = 0
        self._told = told
        self._outcome = Outcome(seed=plan.seed, kills=plan.kills, command=plan.command, data=str(data))

    @property
    def fallen(self) -> int:
        """How many blows have fallen."""
        return len(self.hits)

    def go(self) -> Outcome:
        """Play, strike and reckon; everything is stopped afterwards, whatever happens."""
        began_s = time.monotonic()
        furnish_house(self.machine, day_ends_in_s=START_S + self.plan.day_ends_after_s)
        first_day = today_in(self.machine.house)
        try:
            self.machine.start()
            asyncio.run(self._play(first_day))
        finally:
            with undisturbed():
                self.machine.stop()
        if not self.findings:
            self._stage("verifying everything")
            self._verify()
        outcome = self._outcome
        outcome.seconds = time.monotonic() - began_s
        outcome.findings = self.findings
        outcome.blows = self.hits
        outcome.back = backs(self.hits)
        return outcome

    async def _play(self, first_day: str) -> None:
        crowd = Crowd(self.machine, self.plan.seed)
        async with crowd.playing(), vandal(self.machine) as hand, line_of(self.machine, "pit") as line:
            striker = Striker(self.machine, line, hand)
            self.hits = striker.hits
            keeping = asyncio.create_task(striker.keep_server(), name="keeping the server")
            showing = asyncio.create_task(self._show(crowd), name="showing")
            sealing = asyncio.create_task(self._watch_the_day(hand, first_day), name="watching the day")
            try:
                self._stage("blows fall")
                await self._strike_all(crowd, striker)
                striker.resume_all()
                if not self.findings and not crowd.fallen:
                    await self._afterwards(crowd, first_day)
            except Unanswered as silence:
                self._find("the house does not answer", str(silence))
            finally:
                striker.resume_all()
                await end_all([keeping, showing, sealing])
            self._check_processes()
            for fell in crowd.fallen:
                self._find("somebody could not play on", fell)
            self._outcome.rounds = crowd.settled
            self._outcome.refusals = crowd.notebook.refusals()
            self._outcome.longest_still_s = max(crowd.longest_still_s.values())
            self._outcome.requests = len(crowd.notebook.asked)
            if not self.findings:
                self._stage("comparing the notebooks with the logs")
                await self._reckon(crowd)

    async def _strike_all(self, crowd: Crowd, striker: Striker) -> None:
        """Deal every blow when its time has come, and wait until all that was hit is back."""
        under_way: list[asyncio.Task[Hit]] = []
        try:
            for blow in self.blows:
                await self._moment(blow, crowd)
                under_way.append(asyncio.create_task(striker.strike(blow), name=f"blow {blow.number}"))
                if crowd.fallen or self.machine.lost:
                    break
            await asyncio.gather(*under_way)
        finally:
            await end_all(under_way)
        for hit in self.hits:
            if hit.back_after_s is None:
                self._find("not back", f"{hit.target}, {hit.what} at {hit.at_s:.0f} s: {hit.missed}")

    async def _moment(self, blow: Blow, crowd: Crowd) -> None:
        """Return when a blow is to fall."""
        if blow.rounds:
            await crowd.more_rounds(blow.rounds, PATIENCE_S)
        if blow.phase:
            await crowd.shows(blow.table, blow.phase, PATIENCE_S)
        await asyncio.sleep(blow.after_s)

    async def _afterwards(self, crowd: Crowd, first_day: str) -> None:
        """See the house come right by itself: every table plays, closes, and the day that is over is sealed."""
        self._stage("the tables play on")
        if not await crowd.more_rounds(ROUNDS_AFTERWARDS, AFTERWARDS_S):
            self._find("a table stands still", ", ".join(f"{name}: {felt.phase} {felt.round}" for name, felt in crowd.felts.items()))
            return
        self._stage("the tables close")
        if not await crowd.leave(AFTERWARDS_S):
            self._find("a table does not close", ", ".join(f"{name}: {felt.phase} {felt.round}" for name, felt in crowd.felts.items()))
            return
        self._stage("the ledger books, the day is sealed")

        async def booked() -> bool:
            balances = [await crowd.pit.balance(style.name) for style in STYLES]
            return not any(amount.set_aside_minor for balance in balances for amount in balance.amounts)

        if not await comes_about(booked, AFTERWARDS_S):
            self._find("stakes are still set aside", str([await crowd.pit.balance(style.name) for style in STYLES]))

        async def sealed() -> bool:
            return self._outcome.sealed_after_s is not None

        if today_in(self.machine.house) != first_day and not await comes_about(sealed, AFTERWARDS_S):
            self._find("the day that is over is not sealed", first_day)
        held, silent = await look(self.machine.house, None)
        for row in held:
            self._find("a quarantine is left", f"{row.service}: {row.subject}, {row.reason}")
        for name in silent:
            self._find("a service does not say what it holds", name)

    async def _reckon(self, crowd: Crowd) -> None:
        balances = [await crowd.pit.balance(style.name) for style in STYLES]
        logs = Logs()
        async with reading(self.machine.house) as store:
            names = [name for service in ("table", "wallet", "shoe") for name in await store.logs(service)]
            for name in names:
                async for stored in store.read(name):
                    self._outcome.entries += 1
                    logs.take(stored)
            self._outcome.days = len({log_day(name)[1] for name in names if await store.end(name)})
        self._outcome.reckoning = reckon(crowd.notebook, logs, balances)
        self.findings += self._outcome.reckoning.findings

    def _verify(self) -> None:
        """Ask the front door, as an operator would."""
        command = [sys.executable, "-m", "feltlog", "verify", "--all", "--data", str(self.machine.house.data)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            self._find("feltlog verify --all", f"{done.stdout}{done.stderr}")

    def _check_processes(self) -> None:
        """Find every process that does not run, or that ended although nobody had ended it."""
        for name in PROCESSES:
            state, times = self.machine.state(name), self.machine.ends_by_itself(name)
            if state != "running" or times:
                log = self.machine.house.log(name)
                self._find(
                    "a process that nobody ended has ended",
                    f"{name} is {state} and has ended {times} times by itself. What stands out in {log}:\n{standing_out(log)}",
                )

    async def _watch_the_day(self, hand: Vandal, day: str) -> None:
        """Measure how long it takes from the day's end until all of its logs are closed for ever."""
        while today_in(self.machine.house) == day:
            await asyncio.sleep(LOOK_S)
        ended_s = time.monotonic()
        while not await hand.all_sealed(log_name(service, day) for service in SERVICES):
            await asyncio.sleep(LOOK_S)
        self._outcome.sealed_after_s = time.monotonic() - ended_s

    async def _show(self, crowd: Crowd) -> None:
        while True:
            self.rounds = crowd.settled
            self._told(self)
            await asyncio.sleep(0.25)

    def _stage(self, what: str) -> None:
        self.stage = what
        self._told(self)

    def _find(self, what: str, which: str) -> None:
        self.findings.append(Finding(what, which))


def backs(hits: list[Hit]) -> list[Back]:
    """Return, for each kind of blow, how long it took until what was hit was back."""
    found: dict[str, list[float]] = {}
    for hit in hits:
        if hit.back_after_s is not None:
            found.setdefault(kind_of(hit), []).append(hit.back_after_s)
    return [Back(what, len(each), round(median(each), 2), round(max(each), 2)) for what, each in sorted(found.items())]


def kind_of(hit: Hit) -> str:
    """Return what a hit is counted as."""
    return f"{hit.what}: {hit.target}" if hit.what == "kill -9" else hit.what
