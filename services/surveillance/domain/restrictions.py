"""Restrictions: whether what staff ruled at a table was theirs to rule, and whether each round was told what then held.

The table's stream says who ruled and in which job; the book says whose restriction it is, and when an inspector is notified
first (FL-3.5, FL-5.4, FL-5.8, FL-5.10 to FL-5.13).  What holds is worked out here a second time.
"""

from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.facts import Amiss, Fact
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.heard import Heard
from shared.contracts.restrictions import (
    BoxesReleased,
    BoxesReserved,
    BoxGivenUp,
    FaceDownApproved,
    InForce,
    InForceTold,
    NoticeTaken,
    PlayerHeld,
    PlayerReleased,
    PlayersLimited,
    Rule,
)
from shared.contracts.table import RoundCalled, RoundRecorded, ShoeMounted, ShoeRetirementCalled, TableOpened

OF_A_HOLD = {"FL-5.10": "casino_supervisor", "FL-5.11": "duty_manager", "FL-5.12": "duty_manager"}
OF_A_BOX = ("casino_supervisor",)
THEIRS: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    NoticeTaken: ("FL-5.11", ("inspector",)),
    FaceDownApproved: ("FL-3.5", ("inspector",)),
    BoxesReserved: ("FL-5.13", OF_A_BOX),
    BoxesReleased: ("FL-5.13", OF_A_BOX),
    PlayersLimited: ("FL-5.4", OF_A_BOX),
    BoxGivenUp: ("FL-5.8", ("dealer", "game_supervisor", "casino_supervisor", "pit_boss")),
}
"""Whose restriction each is, by clause."""


@dataclass
class TableRestrictions:
    """What holds at a table on a day, and who was in which round of its shoe."""

    restricts: bool = False
    hides: bool = False
    held: list[tuple[str, Rule]] = field(default_factory=list)
    notices: dict[tuple[str, str], str] = field(default_factory=dict)
    kept: list[tuple[str, int, int]] = field(default_factory=list)
    given: list[tuple[str, int]] = field(default_factory=list)
    since: list[tuple[str, int]] = field(default_factory=list)
    """Boxes given up since the latest round was called, which it need not know of."""
    fewer: int = 0
    approved_by: str = ""
    shoe: str = ""
    rounds: list[set[str]] = field(default_factory=list)
    """Who had a wager in each round of this shoe."""
    last: tuple[tuple[str, int], ...] = ()

    def sat_out(self, player: str) -> bool:
        """Return whether a player joined this shoe late, or sat one of its rounds out."""
        return any(player not in played for played in self.rounds)

    def holds(self, told: InForce) -> bool:
        """Return whether `told` is what holds now for the wagers of the latest round."""
        held = [(player, rule) for player, rule in self.held if rule != "FL-5.11" or self.sat_out(player)]
        return (
            [(each.player, each.rule) for each in told.held] == held
            and [(each.player, each.first, each.last) for each in told.kept] == self.kept
            and [(each.player, each.box) for each in told.given] == [each for each in self.given if each not in self.since]
            and (told.players_per_box_max, told.face_down_by) == (self.fewer, self.approved_by)
        )


@dataclass
class Restrictions:
    """The restrictions at every table, day by day."""

    tables: dict[str, TableRestrictions] = field(default_factory=dict)

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a table's stream; return what does not fit."""
        table = self.tables.setdefault(heard.stream, TableRestrictions())
        found = [amiss for fact in heard.facts() for amiss in (*whose(fact), *take(table, fact.event))]
        return [heard.where.broken(clause, said) for clause, said in found]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.tables = {stream: table for stream, table in self.tables.items() if f".{day}." not in stream}


def whose(fact: Fact) -> Amiss:
    """Return what is wrong with who ruled, if it is a restriction."""
    event = fact.event
    if isinstance(event, PlayerHeld | PlayerReleased):
        theirs: tuple[str, tuple[str, ...]] | None = (event.rule, (OF_A_HOLD[event.rule],))
    else:
        theirs = THEIRS.get(type(event))
    if theirs is None:
        return []
    clause, jobs = theirs
    if not fact.asker_is_named:
        return [(clause, f"{event.by} as {event.job} is written down, {fact.actor.id} as {fact.actor.job or 'nothing'} ruled")]
    return [] if event.job in jobs else [(clause, f"{event.by} is {event.job}: it is for {' or '.join(jobs)}")]


def take(table: TableRestrictions, event: Any) -> Amiss:
    """Let an event change what holds; return what is wrong with it."""
    match event:
        case TableOpened():
            table.restricts, table.hides = event.profile.restrictions, event.profile.players_cards == "down"
            table.held += [(each.player, each.rule) for each in event.held if (each.player, each.rule) not in table.held]
        case ShoeMounted():
            table.shoe = event.shoe
        case ShoeRetirementCalled() if event.shoe == table.shoe:
            table.held = [each for each in table.held if each[1] != "FL-5.10"]
            table.shoe, table.rounds = "", []
        case RoundRecorded() if event.places:
            table.rounds.append({player for player, _ in event.places})
            table.last = event.places
        case NoticeTaken():
            table.notices[event.player, event.rule] = event.by
        case PlayerHeld():
            return hold(table, event)
        case PlayerReleased():
            table.held = [each for each in table.held if each != (event.player, event.rule)]
        case BoxesReserved():
            table.kept.append((event.player, event.first, event.last))
        case BoxesReleased():
            table.kept = [each for each in table.kept if each[0] != event.player]
            table.given = [each for each in table.given if each[0] != event.player]
        case PlayersLimited():
            table.fewer = event.players_per_box_max
        case BoxGivenUp():
            return give_up(table, event)
        case FaceDownApproved():
            table.approved_by = event.by
        case InForceTold() if not table.holds(event.in_force):
            return [("FL-5.10", f"{event.round} was told that something else holds than was ruled")]
        case RoundCalled():
            return call(table, event)
        case _:
            pass
    return []


def hold(table: TableRestrictions, event: PlayerHeld) -> Amiss:
    """A player is held who gave reason for it, and after an inspector was notified where the clause asks for that."""
    table.held.append((event.player, event.rule))
    if event.rule == "FL-5.10":
        return [] if table.sat_out(event.player) else [("FL-5.10", f"{event.player} had a wager in every round of the shoe")]
    notified = table.notices.pop((event.player, event.rule), "")
    if not notified or notified != event.notified:
        return [(event.rule, f"{event.player} was held, and no inspector was notified first")]
    return []


def give_up(table: TableRestrictions, event: BoxGivenUp) -> Amiss:
    """The box that was taken last is given up first, and of several only (FL-5.8, decision 24)."""
    had = [box for player, box in table.last if player == event.player and (player, box) not in table.given]
    kept = {box for player, first, last in table.kept if player == event.player for box in range(first, last + 1)}
    free = [box for box in had if box not in kept]
    table.given.append((event.player, event.box))
    table.since.append((event.player, event.box))
    if len(had) < 2 or free[-1:] != [event.box]:
        return [("FL-5.8", f"{event.player} gave up box {event.box}, and had {had}")]
    return []


def call(table: TableRestrictions, event: RoundCalled) -> Amiss:
    """A round is told what holds when it is called, and none is dealt face down without approval."""
    table.since = []
    if table.hides and not table.approved_by:
        return [("FL-3.5", f"{event.round} was called to be dealt face down, and no inspector had approved it")]
    if event.in_force is None:
        return [("FL-5.10", f"{event.round} was not told what holds")] if table.restricts or table.hides else []
    return [] if table.holds(event.in_force) else [("FL-5.10", f"{event.round} was told that something else holds than was ruled")]
