"""The procedure of the cards, held against the books: whether every shoe that was called had its steps behind it.

Where a table's staff see to the cards, each book says what is done before a card is dealt, in which order and by whom (ON-4,
FL-3.3, FL-3.4, LV-1.5, LV-3.1, LV-3.2).  That list stands here a second time, and what is done is counted here a second time.
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.facts import Amiss, Fact
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.heard import Heard
from shared.contracts.procedure import (
    CardsPresented,
    CardsReplaced,
    CardsShuffled,
    CardsStacked,
    CardsWashed,
    DecksInspected,
    InspectionVerified,
    ShoeInspected,
)
from shared.contracts.table import (
    DayClosed,
    RecordRound,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    ShoeSetAside,
    TableClosed,
    TableOpened,
)

FLOOR_MANNED = (
    *("dealer", "game_supervisor", "casino_supervisor", "duty_manager", "pit_boss", "inspector"),
    "designated_representative",
)


@dataclass(frozen=True)
class Demand:
    """What a book wants done before a shoe: the event that says so, the clause, whose it is, and whether it is on video."""

    kind: type[Any]
    clause: str
    jobs: tuple[str, ...] = ("dealer",)
    video: bool = False


DEMANDS: dict[str, tuple[Demand, ...]] = {
    "ON": (
        Demand(DecksInspected, "ON-4.1"),
        Demand(InspectionVerified, "ON-4.1", ("designated_representative",)),
        Demand(CardsPresented, "ON-4.2"),
        Demand(CardsWashed, "ON-4.3"),
        Demand(CardsStacked, "ON-4.3"),
        Demand(CardsShuffled, "ON-5.1"),
    ),
    "FL": (
        Demand(DecksInspected, "FL-3.3", ("dealer", "game_supervisor")),
        Demand(CardsShuffled, "FL-4.1"),
    ),
    "LV": (
        Demand(ShoeInspected, "LV-1.5", FLOOR_MANNED),
        Demand(DecksInspected, "LV-3.1", video=True),
        Demand(CardsPresented, "LV-3.1", video=True),
        Demand(CardsWashed, "LV-3.2"),
        Demand(CardsShuffled, "LV-3.2"),
        Demand(CardsStacked, "LV-3.2"),
    ),
}
"""What each book wants, in its order."""
REPLACES = {"ON": ("ON-4.1", "designated_representative"), "FL": ("FL-3.4", "casino_supervisor"), "LV": ("LV-3.1", "pit_boss")}
WORDS: dict[str, type[Any]] = {
    "inspect_shoe": ShoeInspected,
    "inspect_decks": DecksInspected,
    "verify_inspection": InspectionVerified,
    "present": CardsPresented,
}
OF_THE_CARDS = (DecksInspected, InspectionVerified, CardsPresented)
STEPS = (ShoeInspected, *OF_THE_CARDS, CardsWashed, CardsStacked, CardsShuffled)


@dataclass
class TableCards:
    """What was done with the cards of a table on a day."""

    book: str = ""
    """The letters of the book, where staff see to the cards."""
    decks: int = 0
    device: bool = False
    """Whether the cards go into a device, which shuffles them again after every round (FL-4.6)."""
    running: bool = False
    """Whether a round is played."""
    done: dict[type[Any], str] = field(default_factory=dict)
    """What counts as done now, and by whom."""
    shoe: str = ""
    """The shoe in which the cards lie; the latest one of a device that holds them."""
    dealt: str = ""
    """The shoe from which the latest round was called."""
    sound: set[str] = field(default_factory=set)
    """Shoes that were called when everything was done."""

    def drop(self, *kinds: type[Any]) -> None:
        """Count some steps as not done."""
        for kind in kinds:
            self.done.pop(kind, None)


@dataclass
class Procedure:
    """The cards at every table, day by day.  `only` limits what is said to what concerns some rounds."""

    only: frozenset[str] | None = None
    tables: dict[str, TableCards] = field(default_factory=dict)
    handed_on: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    """By table and day: the steps that the day before leaves to it, each with who did it."""

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a table's stream; return what does not fit."""
        table = self.tables.setdefault(heard.stream, TableCards())
        found = [(fact, clause, said) for fact in heard.facts() for clause, said in (*self._days(fact.event), *take(table, fact))]
        return [heard.where.broken(clause, said) for fact, clause, said in found if self._concerns(fact.event)]

    def _concerns(self, event: Any) -> bool:
        """Return whether something that is wrong with an event is to be said."""
        return self.only is None or (isinstance(event, RoundCalled) and event.round in self.only)

    def forget(self, day: str) -> None:
        """Let go of a gaming day, but not of what it leaves to the next one."""
        self.tables = {stream: table for stream, table in self.tables.items() if f".{day}." not in stream}
        self.handed_on = {name: steps for name, steps in self.handed_on.items() if name[1] != day}

    def _days(self, event: Any) -> Amiss:
        """Compare what a day leaves to the next one with what that takes over, as far as the day before was heard first."""
        if isinstance(event, DayClosed):
            self.handed_on[event.table, event.next_day] = [(each.step, each.by) for each in event.cards]
        if not isinstance(event, TableOpened) or (event.table, event.day) not in self.handed_on:
            return []
        left = self.handed_on[event.table, event.day]
        taken = [(each.step, each.by) for each in event.cards or ()]
        # A table that was opened by hand takes nothing over.
        return (
            [] if taken in ([], left) else [("LV-3.1", f"{event.table} takes over {taken or 'nothing'}, and {left or 'nothing'} was done")]
        )


def take(table: TableCards, fact: Fact) -> Amiss:
    """Let an event change what is done; return what is wrong with it."""
    event = fact.event
    if isinstance(event, TableOpened):
        table.book = event.profile.book if event.profile.shoe.procedure == "staff" else ""
        table.decks, table.device = event.profile.decks, event.profile.shoe.device == "shuffling_device"
        table.done |= {WORDS[each.step]: each.by for each in event.cards or () if each.step in WORDS}
    if not table.book:
        return []
    match event:
        case ShoeCalled():
            return call(table, event)
        case ShoeSetAside() | ShoeRetirementCalled() if event.shoe == table.shoe and not table.device:
            table.shoe = ""
        case RoundRecorded():
            table.running = False
        case ShoeMounted() if isinstance(fact.command, RecordRound):
            # FL-4.1, decision 21: shuffled inside a round, before its first card; nobody is waited for in the middle of one.
            table.sound |= {event.shoe} if table.dealt in table.sound else set()
            table.shoe = event.shoe
        case RoundCalled():
            table.running, table.dealt = True, event.shoe
            if event.shoe in table.sound:
                return []
            return [
                (DEMANDS[table.book][0].clause, f"{event.round} is dealt from {event.shoe}, which was called before its steps were done")
            ]
        case CardsReplaced():
            return replace(table, fact)
        case TableClosed():
            table.shoe = ""
            table.drop(*OF_THE_CARDS, CardsWashed, CardsStacked, CardsShuffled)
        case DayClosed():
            return hand_on(table, event)
        case _ if isinstance(event, STEPS):
            return step(table, fact)
        case _:
            pass
    return []


def call(table: TableCards, event: ShoeCalled) -> Amiss:
    """A shoe is called when everything is done, and not while the cards lie in another one, unless a device shuffles them."""
    if table.device and table.shoe:
        table.sound |= {event.shoe} if table.shoe in table.sound else set()
        table.shoe = event.shoe
        return []
    amiss = [
        (each.clause, f"{event.shoe} was called without {each.kind.__name__}")
        for each in DEMANDS[table.book]
        if each.kind not in table.done
    ]
    if table.shoe:
        amiss.append((DEMANDS[table.book][-1].clause, f"{event.shoe} was called while the cards lie in {table.shoe}"))
    if not amiss:
        table.sound.add(event.shoe)
    table.shoe = event.shoe
    table.drop(CardsWashed, CardsStacked, CardsShuffled)
    return amiss


def step(table: TableCards, fact: Fact) -> Amiss:
    """A step is done by whom the book has it done, in its turn, and says what the book wants said."""
    event, kind = fact.event, type(fact.event)
    demands = DEMANDS[table.book]
    demand = next((each for each in demands if each.kind is kind), None)
    if demand is None:
        return [(demands[0].clause, f"{kind.__name__} is none of the steps of this book")]
    before = [each.kind for each in demands[: demands.index(demand)]]
    amiss = spoken(fact, demand.jobs)
    amiss += [f"{kind.__name__} came before {each.__name__}" for each in before if each not in table.done]
    if kind in table.done:
        amiss.append(f"{kind.__name__} was done twice")
    if table.shoe and kind in (CardsWashed, CardsStacked, CardsShuffled):
        amiss.append(f"{kind.__name__}, and the cards lie in {table.shoe}")
    if demand.video and not event.video.strip():
        amiss.append(f"{kind.__name__} names no video")
    if kind is InspectionVerified and table.done.get(DecksInspected) == event.by:
        amiss.append(f"{event.by} verified the own inspection")
    if kind is DecksInspected and event.decks != table.decks and not event.faults:
        amiss.append(f"{event.decks} decks were let in, where {table.decks} are played with")
    if not getattr(event, "faults", ()):
        table.done[kind] = event.by
    elif kind in OF_THE_CARDS:
        table.drop(*OF_THE_CARDS)
    return [(demand.clause, said) for said in amiss]


def replace(table: TableCards, fact: Fact) -> Amiss:
    """FL-3.4: out of no shoe, not once they are shuffled, out of a device after a round, and by whose it is."""
    clause, job = REPLACES[table.book]
    amiss = spoken(fact, (job,))
    if table.running if table.device else table.shoe:
        amiss.append(f"the cards were replaced while they lay in {table.shoe}")
    if CardsShuffled in table.done:
        amiss.append("the cards were replaced after they had been shuffled")
    table.shoe = ""
    table.drop(*OF_THE_CARDS, CardsWashed, CardsStacked, CardsShuffled)
    return [(clause, said) for said in amiss]


def hand_on(table: TableCards, event: DayClosed) -> Amiss:
    """What is handed on is what was done with cards that stay (LV-3.1)."""
    told = {WORDS.get(each.step, StepUnknown): each.by for each in event.cards}
    known = {kind: by for kind, by in table.done.items() if kind in OF_THE_CARDS} if event.reopens else {}
    return [] if told == known else [("LV-3.1", f"the day hands on {len(told)} steps with its cards, and {len(known)} hold")]


class StepUnknown:
    """A step that no cards keep."""


def spoken(fact: Fact, jobs: tuple[str, ...]) -> list[str]:
    """Return what is wrong with who said it, in which job and when."""
    event, actor = fact.event, fact.actor
    if not fact.asker_is_named:
        return [f"{event.by} as {event.job} is written down, {actor.id} as {actor.job or 'nothing'} did it"]
    amiss = [] if event.job in jobs else [f"{event.by} is {event.job}: it is for {' or '.join(jobs)}"]
    return (
        amiss if event.at_ms == fact.received_at_ms else [*amiss, f"{event.by} did it at {fact.received_at_ms}, and {event.at_ms} is told"]
    )
