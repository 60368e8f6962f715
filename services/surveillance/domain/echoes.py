"""Echoes: whether a service that followed another one did what the other one said.

A reaction's command repeats what its cause says; that much is known here without the services' own reactions, as a table:
what must cause a command, and which of its fields must say what.  So a shoe of other decks than were called, or a wager
that the ledger never answered, is seen though every service decided rightly on what it was told.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from shared.contracts import burns, cutting, dealing, restrictions, rounds, shoe, stakes, table, wagers, wallet
from shared.contracts.subjects import round_of
from shared.kernel.messages import Cause

Says = Callable[[Any], dict[str, Any]]
"""What a cause makes a command say, by field."""


def same(*names: str, **renamed: str) -> Says:
    """Return that the command repeats these fields of its cause; `renamed` under another name."""
    return lambda event: {name: getattr(event, source) for name, source in (*zip(names, names, strict=True), *renamed.items())}


def discards(event: dealing.ReshuffleCalled) -> dict[str, Any]:
    """Return what the shuffle of discards says: all cards but those on the layout (ON-11.5)."""
    hole = None if event.hole is None else (event.shoe, event.hole)
    return {
        "shoe": event.next_shoe,
        "table": event.table,
        "decks": event.decks,
        "without": event.layout,
        "without_hole": hole,
        "burns": event.burns,
        "device": event.device,
    }


def whole(event: table.ShoeCalled) -> dict[str, Any]:
    """Return what the shuffle of a shoe says: whole decks, nothing left out (ON-2.1, LV-1.6)."""
    return {
        **same("shoe", "table", "decks", "burns", "cut", "cutting_card", "device")(event),
        "without": (),
        "without_hole": None,
        "round": "",
    }


def ended(event: rounds.RoundSettled | rounds.RoundVoided) -> dict[str, Any]:
    """Return what is written down of a round's end."""
    return {"outcome": "settled" if isinstance(event, rounds.RoundSettled) else "void"}


def recorded(event: rounds.RoundSettled | rounds.RoundVoided) -> dict[str, Any]:
    """Return what a table writes down of a round's end, beside its digest."""
    retires = event.cutting_card_out or (isinstance(event, rounds.RoundVoided) and event.shoe_failed)
    return {**ended(event), "shoes": event.shoes, "cutting_card_out": retires, **same("places", "came_out", "seats")(event)}


def turned(event: shoe.CardTurned) -> dict[str, Any]:
    """Return what the round is told of a card that was opened."""
    return {"index": event.opening.index, "card": event.opening.card}


def exposed(event: shoe.CardsExposed) -> dict[str, Any]:
    """Return what the round is told of cards of boxes that were opened."""
    return {"cards": tuple(dealing.DealtCard(index=opening.index, card=opening.card) for opening in event.openings)}


def burned(event: shoe.CardsBurned) -> dict[str, Any]:
    """Return what a table is told of cards that were burned as it called for."""
    return {**same("number", "cutting_card_out")(event), "code": "", "message": ""}


def shown(event: shoe.BurnedShown) -> dict[str, Any]:
    """Return what a table is told of burned cards that were shown."""
    return {"number": event.number, "cards": tuple(opening.card for opening in event.openings)}


def dealt(event: shoe.CardsDrawn) -> dict[str, Any]:
    """Return what the round is told of cards that were drawn."""
    cards = tuple(dealing.DealtCard(index=drawn.index, card=drawn.opening.card if drawn.opening else "") for drawn in event.cards)
    return {**same("call_no", "exhausted", "cutting_card_out", "marker")(event), "cards": cards}


def dealt_one(event: shoe.CardDrawn) -> dict[str, Any]:
    """Return what the round is told of one card of a scanned shoe."""
    card = event.card.opening.card if event.card.opening else ""
    return {"call_no": event.call_no, "dealt": dealing.DealtCard(index=event.card.index, card=card)}


def placed(event: wagers.WagerPlaced) -> dict[str, Any]:
    """Return what the ledger is told of a wager that was placed."""
    return {**same("wager", "player", "currency", minor="stake_minor")(event), "promotional": event.promotional or UNSET}


def settled(event: wagers.WagersSettled) -> dict[str, Any]:
    """Return what the ledger is told of settled wagers."""
    lines = tuple(
        stakes.SettledStake(**{name: getattr(line, name) for name in stakes.SettledStake.__struct_fields__}) for line in event.lines
    )
    return {"currency": event.currency, "lines": lines}


def corrected(event: wagers.WagersCorrected) -> dict[str, Any]:
    """Return what the ledger is told of wagers that are settled anew."""
    return {**same("number", "currency")(event), "lines": differences(event)}


def differences(event: wagers.WagersCorrected) -> tuple[stakes.CorrectedStake, ...]:
    """Return what each wager gave back and gives back now, as the ledger is to know it."""
    return tuple(
        stakes.CorrectedStake(**{name: getattr(line, name) for name in stakes.CorrectedStake.__struct_fields__}) for line in event.lines
    )


def refusal(event: rounds.CorrectionRefused) -> dict[str, Any]:
    """Return what a table is told of a correction that cannot be."""
    return {**same("correction", "code", "message")(event), "number": 0}


def put_right(event: rounds.RoundCorrected) -> dict[str, Any]:
    """Return what a table is told of a correction of one of its rounds."""
    return {**same("correction", "number")(event), "code": "", "message": ""}


def booked(event: stakes.RoundBooked) -> dict[str, Any]:
    """Return what a table is told of a round that is booked."""
    return {"round": event.round, "number": 0}


prepared = same("shoe", "root", "cards")
CAUSES: Mapping[type[Any], Mapping[type[Any], Says]] = {
    rounds.OpenRound: {table.RoundCalled: same("round", "number", "table", "day", "profile", "settings", "shoe", "root", "in_force")},
    restrictions.NoteInForce: {restrictions.InForceTold: same("in_force")},
    table.RecordRound: {rounds.RoundSettled: recorded, rounds.RoundVoided: recorded},
    table.NoteBook: {wallet.TableNoted: same()},
    table.NoteBooking: {stakes.RoundBooked: booked, stakes.StakesCorrected: same("round", "number")},
    rounds.CorrectRound: {table.CorrectionCalled: same("correction", "cards", "agreed")},
    table.NoteCorrection: {rounds.RoundCorrected: put_right, rounds.CorrectionRefused: refusal},
    cutting.NoteOrder: {shoe.OrderCommitted: same("shoe", "root")},
    table.MountShoe: {shoe.ShoePrepared: prepared},
    table.NoteRetirement: {shoe.ShoeRetired: same("shoe")},
    burns.NoteBurn: {shoe.CardsBurned: burned, shoe.BurnRefused: same("number", "code", "message")},
    burns.NoteDisclosure: {shoe.BurnedShown: shown},
    shoe.BurnCards: {burns.BurnCalled: same("number", "cards", "reason")},
    shoe.ShowBurned: {burns.DisclosureCalled: same("number")},
    wagers.AcceptWager: {stakes.StakeReserved: same("wager")},
    wagers.RefuseWager: {stakes.StakeRefused: same("wager", "code", "message")},
    dealing.DealCards: {shoe.CardsDrawn: dealt},
    dealing.DealCard: {shoe.CardDrawn: dealt_one},
    dealing.NoteCuttingCard: {shoe.CuttingCardDrawn: same()},
    table.NoteMissingFace: {shoe.FaceMissing: same("shoe", "index", "round")},
    dealing.ChangeShoe: {shoe.ShoePrepared: prepared},
    dealing.TakePeek: {shoe.HolePeeked: same("blackjack")},
    dealing.TurnHole: {shoe.CardTurned: turned},
    dealing.TakeExposure: {shoe.CardsExposed: exposed},
    shoe.ShuffleShoe: {table.ShoeCalled: whole, dealing.ReshuffleCalled: discards},
    shoe.CutShoe: {cutting.CutCalled: same("contributions", "cutter", "staff")},
    shoe.DrawCards: {dealing.CardsCalled: same("call_no", "faces")},
    shoe.CancelCall: {rounds.RoundVoided: same()},
    shoe.ReadCard: {table.CardTold: same("index", "card")},
    shoe.PeekHole: {dealing.PeekCalled: same("index")},
    shoe.TurnCard: {dealing.TurnCalled: same("index")},
    shoe.ExposeCards: {dealing.ExposureCalled: same("hands", "blackjacks_only")},
    shoe.RetireShoe: {table.ShoeRetirementCalled: same("reason", "next_shoe", "next_root")},
    stakes.ReserveStake: {wagers.WagerPlaced: placed},
    stakes.ReleaseStake: {wagers.WagerLapsed: same("wager")},
    stakes.SettleStakes: {wagers.WagersSettled: settled},
    stakes.CorrectStakes: {wagers.WagersCorrected: corrected},
    stakes.BookRound: {rounds.RoundSettled: ended, rounds.RoundVoided: ended},
    wallet.NoteTable: {table.TableOpened: same("table")},
    wallet.NoteDayClosed: {table.DayClosed: same("table", "next_day")},
}
"""What may cause each command that no person and no clock gives, and what it then says."""

FOLLOWERS = {
    kind: frozenset(command for command, causes in CAUSES.items() if kind in causes) for causes in CAUSES.values() for kind in causes
}
"""The commands that follow from each event, each once."""

Place = tuple[str, int, int, int]
"""Stream, revision, decision, event."""


@dataclass
class Echoes:
    """Events that something may still follow from, and commands whose cause was not heard yet."""

    events: dict[Place, tuple[Any, frozenset[type[Any]]]] = field(default_factory=dict)
    """With what is still to follow."""
    waiting: dict[Place, list[tuple[Any, Where]]] = field(default_factory=dict)
    matched: int = 0

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry: hold its commands against their causes, and keep what others will follow from."""
        found = []
        for decision in heard.entry.decisions:
            if type(decision.command) in CAUSES:
                found += self._command(decision.command, decision.cause, heard.where)
        for fact in heard.facts():
            if type(fact.event) in FOLLOWERS:
                place = (heard.stream, heard.entry.revision, *fact.place)
                self.events[place] = (fact.event, FOLLOWERS[type(fact.event)])
                for command, where in self.waiting.pop(place, ()):
                    found += self._follow(command, place, where)
        return found

    def left(self, revisions: Mapping[str, int]) -> list[Finding]:
        """Return the commands whose cause should have been heard, as far as streams reach."""
        return [
            where.found(Code.WRONG_CAUSE, f"{type(command).__name__} names an event that is not there, or was followed already")
            for (stream, revision, _, _), commands in self.waiting.items()
            if revision <= revisions.get(stream, 0)
            for command, where in commands
        ]

    def forget(self, day: str) -> None:
        """Let go of a gaming day: what follows from it later is not compared."""
        self.events = {place: event for place, event in self.events.items() if f".{day}." not in place[0]}
        self.waiting = {place: commands for place, commands in self.waiting.items() if f".{day}." not in place[0]}

    def _command(self, command: Any, cause: Cause | None, where: Where) -> list[Finding]:
        if cause is None:
            return [where.found(Code.WRONG_CAUSE, f"{type(command).__name__} follows from nothing")]
        place = (cause.stream, cause.revision, cause.decision, cause.event)
        if place in self.events:
            return self._follow(command, place, where)
        self.waiting.setdefault(place, []).append((command, where))
        return []

    def _follow(self, command: Any, place: Place, where: Where) -> list[Finding]:
        kind = type(command)
        event, followers = self.events.pop(place, (None, frozenset()))
        # A shoe is prepared for a table or for a round, never for both.
        left = frozenset() if isinstance(event, shoe.ShoePrepared) else followers - {kind}
        if left:
            self.events[place] = (event, left)
        says = CAUSES[kind].get(type(event))
        name, cause = kind.__name__, type(event).__name__
        if says is None or kind not in followers:
            what = "an event that was followed already" if event is None or says else cause
            return [where.found(Code.WRONG_CAUSE, f"{name} cannot follow from {what}")]
        self.matched += 1
        apart = [one for one, value in says(event).items() if getattr(command, one) != value]
        apart += misaddressed(command, event, said_in=place[0], decided_in=where.stream)
        return [where.found(Code.WRONG_CAUSE, f"{name} says another {one} than {cause}, which it follows from") for one in apart]


def misaddressed(command: Any, event: Any, *, said_in: str, decided_in: str) -> list[str]:
    """Return whether round or shoe are others than those whose streams cause and command stand in."""
    called = event.next_shoe if isinstance(event, dealing.ReshuffleCalled) else getattr(event, "shoe", None)
    pairs = (
        ("round", round_in(said_in), getattr(command, "round", None)),
        ("round", round_in(decided_in), getattr(event, "round", None)),
        ("shoe", shoe_in(said_in), getattr(command, "shoe", None)),
        ("shoe", shoe_in(decided_in), called),
    )
    return sorted({name for name, there, told in pairs if there is not None and told is not None and there != told})


def round_in(stream: str) -> str | None:
    """Return the id of the round that a stream holds, if it holds one."""
    name = round_of(stream)
    return name.id if name else None


def shoe_in(stream: str) -> str | None:
    """Return the id of the shoe that a stream holds, if it holds one."""
    match stream.split("."):
        case ["log", "shoe", _, name]:
            return name
        case _:
            return None
