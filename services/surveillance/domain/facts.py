"""Facts: a stream's events in the order in which they were written down, each with who asked for it and when.

The referee reads nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shared.contracts.rounds import RoundOpened
from shared.contracts.wagers import Kind, WagerAccepted, WagerPlaced
from shared.kernel.entry import Entry
from shared.kernel.messages import Actor, Cause
from shared.kernel.profile import Profile


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One event, and the decision that it belongs to.  `place` is its decision and event within the entry, counted from 0."""

    revision: int
    place: tuple[int, int]
    at_ms: int
    received_at_ms: int
    id: str
    actor: Actor
    cause: Cause | None
    command: Any
    event: Any

    @property
    def asker_is_named(self) -> bool:
        """Whether the member of staff whom the event names is who asked for it, in the job that it names."""
        return (self.actor.role, self.actor.id, self.actor.job) == ("staff", self.event.by, self.event.job)


Amiss = list[tuple[str, str]]
"""Clauses, and what is wrong by each."""


def facts(entries: Iterable[Entry[Any, Any]]) -> list[Fact]:
    """Return the events of the entries, in order."""
    return [
        Fact(
            revision=entry.revision,
            place=(nth, number),
            at_ms=entry.at_ms,
            received_at_ms=decision.received_at_ms,
            id=decision.id,
            actor=decision.actor,
            cause=decision.cause,
            command=decision.command,
            event=event,
        )
        for entry in entries
        for nth, decision in enumerate(entry.decisions)
        for number, event in enumerate(decision.events)
    ]


Breach = tuple[str, str, Fact | None]
"""A clause, what is wrong, and the fact that shows it."""


@dataclass(frozen=True)
class Round:
    """A round's facts, and what the first look at them gives."""

    stream: str
    facts: list[Fact]
    opened: RoundOpened
    wagers: dict[str, WagerPlaced] = field(default_factory=dict)
    """Every wager that was placed, by id."""
    accepted: dict[str, WagerPlaced] = field(default_factory=dict)
    """Those that are in the round."""

    @property
    def profile(self) -> Profile:
        """The rules of the round."""
        return self.opened.profile

    def of(self, *kinds: type[Any]) -> list[Fact]:
        """Return the facts of some kinds, in order."""
        return [fact for fact in self.facts if isinstance(fact.event, kinds)]

    def main(self) -> list[WagerPlaced]:
        """Return the main wagers in the round."""
        return [wager for wager in self.accepted.values() if wager.kind == "main"]

    def boxes(self) -> dict[int, list[WagerPlaced]]:
        """Return the main wagers on each box as they lie, the one that decides for it first (FL-5.5 to FL-5.7, decision 15)."""
        on: dict[int, list[WagerPlaced]] = {}
        for wager in self.main():
            on.setdefault(wager.box, []).append(wager)
        for wagers in on.values():
            decides = [wager for wager in wagers if wager.seated] or [max(wagers, key=lambda wager: wager.stake_minor)]
            wagers.remove(decides[0])
            wagers.insert(0, decides[0])
        return on

    def rule(self, ontario: str, live: str) -> str:
        """Return the id of a rule in this round's book."""
        return clause(self.profile, ontario, live)

    def kind(self, wager: str) -> Kind | None:
        """Return the kind of a wager, if it was placed."""
        return self.wagers[wager].kind if wager in self.wagers else None


def round_of(stream: str, told: list[Fact]) -> Round:
    """Return a round whose first fact is its opening, with its wagers sorted out."""
    placed: dict[str, WagerPlaced] = {}
    for fact in told:
        if isinstance(fact.event, WagerPlaced):
            placed.setdefault(fact.event.wager, fact.event)
    taken = [fact.event.wager for fact in told if isinstance(fact.event, WagerAccepted)]
    accepted = {wager: placed[wager] for wager in taken if wager in placed}
    return Round(stream, told, told[0].event, placed, accepted)


def clause(profile: Profile, ontario: str, live: str) -> str:
    """Return the id of a rule in the book of `profile`; where the floor's excerpt is silent, decision 7 speaks."""
    if profile.book == "FL":
        return FLOOR.get(ontario, "decision 7")
    return ontario if profile.book == "ON" else live


FLOOR = {
    "ON-1.1": "decision 8",
    "ON-1.2": "decision 8",
    "ON-3.1": "FL-5.2",
    "ON-3.2": "FL-5.3",
    "ON-3.3": "FL-5.1",
    "ON-3.5": "FL-5.9",
    "ON-5.2": "FL-4.2",
    "ON-5.3": "FL-4.2",
    "ON-5.5": "FL-4.3",
    "ON-5.7": "FL-4.1",
    "ON-6.1": "FL-3.9",
    "ON-6.3": "decision 9",
    "ON-6.4": "FL-5.5",
    "ON-7.2": "decision 12",
    "ON-7.5": "decision 13",
    "ON-8.1": "decision 16",
}
"""What the floor says where Ontario's book says this."""
