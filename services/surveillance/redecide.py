"""Deciding again: whether each recorded decision is what the command must lead to, with the deciders that decided it.

This is the one place that may know the other services' domains.  It proves that the log is what this software would have
written; whether the software is right is the referee's question, who shares no code with it.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from services.shoe.domain.shoe import SHOE
from services.shoe.domain.shuffle import leaves, order, salts
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard
from services.table.domain.round import ROUND
from services.table.domain.table import TABLE
from services.wallet.domain.ledger import LEDGER
from shared.contracts.desk_rules import DESK
from shared.contracts.shoe import BurnedShown, CardsDrawn, CardsExposed, CardTurned, OrderCommitted, ShoeCut, ShoeRetired, ShoeShuffled
from shared.contracts.table import SEMANTICS
from shared.kernel.cards import BadCard
from shared.kernel.commitment import root
from shared.kernel.cutting import place_of
from shared.kernel.decider import Decider
from shared.kernel.entry import Decision, Entry
from shared.kernel.folded import POISON
from shared.kernel.messages import Envelope, Refused

Verdict = Literal["same", "other version", "differs"]


def decider_of(stream: str) -> Decider[Any, Any, Any]:
    """Return the decider whose entries stand in `stream`."""
    match stream.split("."):
        case ["log", _, _, "desk"]:
            return DESK
        case ["log", "table", _, _, "table"]:
            return TABLE
        case ["log", "table", _, _, "round", _]:
            return ROUND
        case ["log", "shoe", _, _]:
            return SHOE
        case ["log", "wallet", _, "ledger", _]:
            return LEDGER
        case _:
            raise ValueError(f"{stream} is decided by nobody that is known here")


class Course(msgspec.Struct):
    """How far a stream is decided again.  `lost` says that its state is not known any more."""

    decider: Decider[Any, Any, Any]
    state: Any
    semantics: int = SEMANTICS
    lost: bool = False
    shoe: "Drawn | None" = None


class Drawn(msgspec.Struct):
    """What a shoe's log has shown of its order."""

    shuffled: ShoeShuffled
    cut_at: int = 0
    root: str = ""
    faces: dict[int, str] = {}


class Again:
    """Decides the streams again, each in its order."""

    def __init__(self) -> None:
        self._courses: dict[str, Course] = {}
        self.same = 0
        self.other_version = 0
        self.shoes_opened = 0

    def hear(self, heard: Heard) -> list[Finding]:
        """Decide an entry again and return what is otherwise."""
        course = self._courses.get(heard.stream)
        if course is None:
            decider = decider_of(heard.stream)
            course = self._courses[heard.stream] = Course(decider, decider.initial)
        found = []
        for decision in heard.entry.decisions:
            found += self._decision(course, heard, decision)
        return found

    def lose(self, stream: str) -> None:
        """Give a stream up: an entry of it is missing or unreadable, so nothing after it can be decided again."""
        decider = decider_of(stream)
        self._courses.setdefault(stream, Course(decider, decider.initial)).lost = True

    def forget(self, stream: str) -> None:
        """Let go of a stream that is over."""
        self._courses.pop(stream, None)

    def resume(self, stream: str, entries: Sequence[Entry[Any, Any]]) -> None:
        """Know a stream again that was let go: its events happen once more, and nothing is decided."""
        decider = decider_of(stream)
        course = self._courses[stream] = Course(decider, decider.initial)
        for decision in (decision for entry in entries for decision in entry.decisions):
            for event in decision.events:
                course.semantics = getattr(event, "semantics", course.semantics)
            course.lost = course.lost or not _evolve(course, decision)

    def forget_day(self, day: str) -> None:
        """Let go of all streams of a gaming day."""
        self._courses = {stream: course for stream, course in self._courses.items() if f".{day}." not in stream}

    def _decision(self, course: Course, heard: Heard, decision: Decision[Any, Any]) -> list[Finding]:
        if course.lost:
            return []
        known = course.semantics
        for event in decision.events:
            course.semantics = getattr(event, "semantics", course.semantics)
        verdict, message = decide_again(course, decision, heard.entry.at_ms)
        course.lost = not _evolve(course, decision)
        if verdict == "other version":
            self.other_version += 1
            # Said once, where the stream names its version.
            return [heard.where.found(Code.OTHER_VERSION, message)] if course.semantics != known else []
        found = self._order(course, heard, decision)
        if verdict == "differs":
            return [heard.where.found(Code.DIFFERS, f"decision {decision.id}: {message}"), *found]
        self.same += 1
        return found

    def _order(self, course: Course, heard: Heard, decision: Decision[Any, Any]) -> list[Finding]:
        """Note what a shoe shows of its order, and hold it against the seed once that is open."""
        found = []
        for event in decision.events:
            match event:
                case ShoeShuffled():
                    course.shoe = Drawn(event)
                case ShoeCut() if course.shoe:
                    course.shoe.cut_at = event.cards_in_front
                case OrderCommitted() if course.shoe:
                    course.shoe.root = event.root
                case CardsDrawn() if course.shoe:
                    course.shoe.faces.update({card.index: card.opening.card for card in event.cards if card.opening})
                case CardTurned() if course.shoe:
                    course.shoe.faces[event.opening.index] = event.opening.card
                case CardsExposed() if course.shoe:
                    course.shoe.faces.update({opening.index: opening.card for opening in event.openings})
                case BurnedShown() if course.shoe:
                    course.shoe.faces.update({opening.index: opening.card for opening in event.openings})
                case ShoeRetired() if course.shoe and course.shoe.shuffled.device == "scanned":
                    # Nobody knew its order: what was scanned is open, and each card was held against its own commitment.
                    self.shoes_opened += 1
                case ShoeRetired() if course.shoe:
                    self.shoes_opened += 1
                    found += [heard.where.found(Code.WRONG_ORDER, message) for message in order_again(course.shoe, event)]
                case _:
                    pass
        return found


def decide_again(course: Course, decision: Decision[Any, Any], at_ms: int) -> tuple[Verdict, str]:
    """Return whether the command leads to the recorded events once more, and if not, why."""
    if course.semantics != SEMANTICS:
        return "other version", f"decisions of version {course.semantics}; this software knows {SEMANTICS}"
    envelope = Envelope(decision.id, decision.actor, decision.received_at_ms, at_ms)
    try:
        events = tuple(course.decider.decide(decision.command, course.state, envelope))
    except Refused as refused:
        return "differs", f"{_named(decision.command)} would be refused: {refused.code}"
    except POISON as error:
        return "differs", f"{_named(decision.command)} cannot be decided: {error}"
    if events == decision.events:
        return "same", ""
    return "differs", f"{_named(decision.command)} leads to {_listed(events)}, written down is {_listed(decision.events)}"


def _evolve(course: Course, decision: Decision[Any, Any]) -> bool:
    """Let the recorded events happen; return whether they can."""
    try:
        for event in decision.events:
            course.state = course.decider.evolve(course.state, event)
    except POISON:
        return False
    return True


def order_again(shown: Drawn, retired: ShoeRetired) -> list[str]:
    """Return what the seed of a retired shoe contradicts: the root, or cards that were dealt.

    The order is worked out from the documented shuffle and compared with every open card, whatever the proofs said.
    """
    made = shown.shuffled
    without = (*made.without, retired.hole) if retired.hole else made.without
    try:
        seed = bytes.fromhex(retired.seed)
        cards = order(seed, made.shoe, made.decks, without)
    except (ValueError, BadCard) as error:
        return [f"the seed of {made.shoe} gives no order: {error}"]
    wrong = []
    if root(leaves(made.shoe, cards, salts(seed, made.shoe, len(cards)))) != shown.root:
        wrong.append(f"the seed of {made.shoe} does not give the root that was committed")
    for index, card in sorted(shown.faces.items()):
        right = cards[place_of(index, cut_at=shown.cut_at, cards=len(cards))] if 0 <= index < len(cards) else "none"
        if card != right:
            wrong.append(f"card {index} of {made.shoe} was {card}, the seed says {right}")
    return wrong


def _named(message: Any) -> str:
    return type(message).__name__


def _listed(events: tuple[Any, ...]) -> str:
    return ", ".join(map(_named, events)) or "nothing"
