"""The plan of a run: which blow falls next, on what, and when, all of it from one seed before anything has begun.

Nothing that a real machine does changes the plan: the same seed always means the same blows in the same order.  When each
of them falls is counted in rounds, in what a table shows and in seconds, which is as exact as processes can be hit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

Kind = Literal["kill", "pause", "restart", "full log", "full disk", "deleted consumer"]

T = TypeVar("T")

EVERYTHING = "everything"
PROVISIONER = "provisioner"
SERVER = "nats-server"
SERVICES = ("table", "wallet", "shoe", "surveillance")
PROCESSES = (*SERVICES, PROVISIONER, SERVER)
CONSUMERS = tuple(
    f"{log} heard by {listener}"
    for log, listeners in (
        ("table", ("table", "shoe", "wallet", "surveillance")),
        ("shoe", ("table", "surveillance")),
        ("wallet", ("table", "surveillance")),
    )
    for listener in listeners
)
TABLES = ("T1", "T2", "T3")
PHASES = ("", "", "betting", "dealing", "decision", "reserve", "dealer", "settled")
"""What a table shows when the blow falls; an empty one means whatever it shows."""

TARGETS: dict[Kind, tuple[str, ...]] = {
    # The services are what decides, so they are hit twice as often as what they stand on.
    "kill": (*SERVICES, *SERVICES, PROVISIONER, SERVER, SERVER, EVERYTHING),
    "pause": (*SERVICES, PROVISIONER, SERVER),
    "restart": (*SERVICES, SERVER, SERVER),
    "full log": SERVICES,
    "full disk": (SERVER,),
    "deleted consumer": CONSUMERS,
}
LASTS_S: dict[Kind, tuple[float, float]] = {
    "kill": (0.0, 0.0),
    "pause": (0.5, 8.0),
    "restart": (0.0, 3.0),
    "full log": (2.0, 6.0),
    "full disk": (1.0, 5.0),
    "deleted consumer": (0.0, 0.0),
}
OTHERS: tuple[Kind, ...] = (
    "pause",
    "pause",
    "pause",
    "restart",
    "restart",
    "deleted consumer",
    "deleted consumer",
    "full log",
    "full disk",
)
KILLS_PER_OTHER = 2
"""After so many kills something else goes wrong once, on average."""

ROUNDS_MAX = 2
APART_S = (0.0, 2.0)
"""How long after that a blow still waits."""
EXPECTED_APART_S = 3.2
"""How far two blows are apart on average, roughly."""
PATIENCE_S = 3.0
"""How long a round or a phase is waited for: a house that stands still is hit all the same."""


@dataclass(frozen=True)
class Blow:
    """One thing that is done to the house.

    It falls when, since the blow before it, every table has settled `rounds` rounds, then `table` shows `phase`, and then
    `after_s` seconds have passed; it lasts `lasts_s` where it is something that lasts.
    """

    number: int
    kind: Kind
    target: str
    rounds: int
    table: str
    phase: str
    after_s: float
    lasts_s: float

    @property
    def what(self) -> str:
        """What is done, as an operator would say it."""
        match self.kind:
            case "kill":
                return "kill -9"
            case "pause":
                return "SIGSTOP, SIGCONT"
            case "restart":
                return "stopped in peace, started"
            case _:
                return self.kind


@dataclass(frozen=True)
class Plan:
    """Everything that a run follows from: `kills` counts what is killed with SIGKILL, and other blows come on top of that."""

    seed: int = 1
    kills: int = 30

    @property
    def command(self) -> str:
        """The one command that repeats the run."""
        return f"make chaos SEED={self.seed} KILLS={self.kills}"

    @property
    def day_ends_after_s(self) -> float:
        """When the gaming day ends, counted from the first blow: somewhere in the middle, where the blows go on."""
        return Random(f"day {self.seed}").uniform(0.3, 0.6) * self.expected_s

    @property
    def expected_s(self) -> float:
        """How long the blows will fall, roughly."""
        return len(self.blows()) * EXPECTED_APART_S

    def blows(self) -> list[Blow]:
        """Return every blow, in order."""
        chance = Random(f"chaos {self.seed}")
        kinds: list[Kind] = ["kill"] * self.kills
        others = dealt(OTHERS, chance)
        kinds += [next(others) for _ in range(self.kills // KILLS_PER_OTHER)]
        chance.shuffle(kinds)
        targets = {kind: dealt(names, chance) for kind, names in TARGETS.items()}
        return [_blow(number, kind, next(targets[kind]), chance) for number, kind in enumerate(kinds, start=1)]


def dealt(of: tuple[T, ...], chance: Random) -> Iterator[T]:
    """Yield for ever from `of`, shuffled anew each time all are used up: nothing is forgotten by bad luck."""
    while True:
        deck = list(of)
        chance.shuffle(deck)
        yield from deck


def _blow(number: int, kind: Kind, target: str, chance: Random) -> Blow:
    return Blow(
        number=number,
        kind=kind,
        target=target,
        rounds=chance.choice((0, 0, 1, ROUNDS_MAX)),
        table=chance.choice(TABLES),
        phase=chance.choice(PHASES),
        after_s=round(chance.uniform(*APART_S), 2),
        lasts_s=round(chance.uniform(*LASTS_S[kind]), 2),
    )
