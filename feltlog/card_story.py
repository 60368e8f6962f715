"""The story of a shoe's cards: what staff did with them before they were in the shoe, as lines in plain words.

Pure: it reads a table's log of one day, and tells of the steps that led to one shoe.  Cards that came from the day before
are told by the steps that were taken over.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct

from feltlog.reading import Told
from feltlog.wording import counted
from shared.contracts.procedure import (
    IN_WORDS,
    CardsPresented,
    CardsReplaced,
    CardsShuffled,
    CardsStacked,
    CardsWashed,
    DecksInspected,
    InspectionVerified,
    ProcedureEvent,
    ShoeInspected,
    StepDone,
)
from shared.contracts.staff import job_in_words
from shared.contracts.table import ShoeCalled, TableClosed, TableOpened

SAYS: dict[type, str] = {
    ShoeInspected: "inspects the shoe and the discard rack",
    InspectionVerified: "verifies the inspection",
    CardsPresented: "spreads the cards face up",
    CardsWashed: "washes the cards",
    CardsStacked: "stacks the cards",
    CardsShuffled: "shuffles the cards",
    CardsReplaced: "has the cards replaced by others",
}


class StepLine(Struct, frozen=True, kw_only=True):
    """Something that was done with the cards, told."""

    at_ms: int
    who: str
    job: str
    what: str
    stream: str
    revision: int


def steps_before(shoe: str, happened: Sequence[Told]) -> list[StepLine] | None:
    """Return what was done with the cards before a shoe was called; None if the table's log does not call it."""
    today: list[StepLine] = []
    cards: list[StepLine] = []
    mixed: list[StepLine] = []
    dealt: list[StepLine] = []
    for told in happened:
        match told.event:
            case TableOpened() if told.event.cards is not UNSET:
                cards = [_taken_over(told, each) for each in told.event.cards]
            case ShoeCalled() if told.event.shoe == shoe:
                return [*today, *cards, *(mixed or dealt)]
            case ShoeCalled():
                # A device keeps its cards, and the steps with which it was loaded (FL-4.6).
                mixed, dealt = [], mixed or dealt
            case CardsReplaced():
                cards, mixed, dealt = [_line(told)], [], []
            case TableClosed():
                cards, mixed, dealt = [], [], []
            case ShoeInspected():
                today.append(_line(told))
            case DecksInspected() | InspectionVerified() | CardsPresented():
                cards.append(_line(told))
            case CardsWashed() | CardsStacked() | CardsShuffled():
                mixed.append(_line(told))
            case _:
                pass
    return None


def sentence(event: ProcedureEvent) -> str:
    """Return what an event says, in plain words."""
    if isinstance(event, DecksInspected):
        well = "" if event.faults else ": complete, of one back, unmarked, with a cutting card"
        said = f"inspects {counted(event.decks, 'deck')}{well}"
    else:
        said = SAYS[type(event)]
    faults, video, note = (getattr(event, name, "") for name in ("faults", "video", "note"))
    found = f", and finds: {', '.join(fault.replace('_', ' ') for fault in faults)}; no card goes in" if faults else ""
    return f"{said}{found}{f'; video {video}' if video else ''}{f'; “{note}”' if note else ''}"


def _line(told: Told) -> StepLine:
    event: ProcedureEvent = told.event
    return _told(told, event.at_ms, event.by, event.job, sentence(event))


def _taken_over(told: Told, step: StepDone) -> StepLine:
    """Return a step of an earlier day, as the table took it over."""
    video = f"; video {step.video}" if step.video else ""
    return _told(told, step.at_ms, step.by, step.job, f"on an earlier day: {IN_WORDS[step.step]}{video}")


def _told(told: Told, at_ms: int, by: str, job: str, what: str) -> StepLine:
    entry = told.page.entry
    return StepLine(at_ms=at_ms, who=by, job=job_in_words(job), what=what, stream=entry.stream, revision=entry.revision)
