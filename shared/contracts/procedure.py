"""The procedure of the cards before they are in the shoe: which steps a book asks for, in which order, and who may do them.

Each step is a command of somebody with the right job and an event of the table's stream that says who it was and when.  Where
the house does all of it by itself (`shoe.procedure = "house"`) none of this is ever said.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from shared.contracts.rulings import AT_THE_TABLE
from shared.contracts.staff import Job, job_in_words
from shared.kernel.messages import Command, Event

Step = Literal["inspect_shoe", "inspect_decks", "verify_inspection", "present", "wash", "stack", "shuffle"]
"""A step before the shoe is called."""
ShoeFault = Literal["damaged", "not_working", "compromised"]
"""What may be wrong with a shoe or a discard rack (LV-1.5)."""
CardFault = Literal["missing_card", "extra_card", "marked_card", "other_back", "no_cutting_card", "wrong_number_of_decks"]
"""What may be wrong with the cards (ON-2.2, FL-3.1, LV-3.1)."""

OF_THE_CARDS: tuple[Step, ...] = ("inspect_decks", "verify_inspection", "present")
"""Steps that are done once with the same cards, for as long as they stay at the table."""
OF_EACH_SHOE: tuple[Step, ...] = ("wash", "stack", "shuffle")
"""Steps that are done again whenever the cards have been dealt."""


class StepRule(Struct, frozen=True, gc=False, kw_only=True):
    """A step as a book has it: who may do it, where that is written, and whether it is recorded on video."""

    step: Step
    jobs: tuple[Job, ...]
    source: str
    video: bool = False


DEALER: tuple[Job, ...] = ("dealer",)

STEPS: Mapping[str, tuple[StepRule, ...]] = {
    "ON": (
        StepRule(step="inspect_decks", jobs=DEALER, source="ON-2.2, ON-4.1"),
        StepRule(step="verify_inspection", jobs=("designated_representative",), source="ON-4.1"),
        StepRule(step="present", jobs=DEALER, source="ON-4.2"),
        StepRule(step="wash", jobs=DEALER, source="ON-4.3"),
        StepRule(step="stack", jobs=DEALER, source="ON-4.3"),
        StepRule(step="shuffle", jobs=DEALER, source="ON-5.1"),
    ),
    "FL": (
        StepRule(step="inspect_decks", jobs=("dealer", "game_supervisor"), source="FL-3.1, FL-3.3"),
        StepRule(step="shuffle", jobs=DEALER, source="FL-4.1, FL-4.6"),
    ),
    "LV": (
        # The book says when shoe and rack are inspected, and not by whom.
        StepRule(step="inspect_shoe", jobs=AT_THE_TABLE, source="LV-1.5"),
        StepRule(step="inspect_decks", jobs=DEALER, source="LV-3.1", video=True),
        StepRule(step="present", jobs=DEALER, source="LV-3.1", video=True),
        StepRule(step="wash", jobs=DEALER, source="LV-3.2"),
        StepRule(step="shuffle", jobs=DEALER, source="LV-3.2"),
        StepRule(step="stack", jobs=DEALER, source="LV-3.2"),
    ),
}
"""The steps of each book, by its letters, in the order in which they are done; a book asks for no others."""

REPLACE: Mapping[str, tuple[tuple[Job, ...], str]] = {
    "ON": (("designated_representative",), "not in the book; ON-4.1 from the beginning"),
    "FL": (("casino_supervisor",), "FL-3.4"),
    "LV": (("pit_boss",), "not in the book; LV-3.1 from the beginning"),
}
"""Who may have other cards brought, by book, and where that is written."""

IN_WORDS: Mapping[Step, str] = {
    "inspect_shoe": "inspect the shoe and the discard rack",
    "inspect_decks": "inspect the decks",
    "verify_inspection": "verify the inspection",
    "present": "spread the cards face up",
    "wash": "wash the cards",
    "stack": "stack the cards",
    "shuffle": "shuffle the cards",
}
"""What a step is, as people read it."""


def for_whom(jobs: tuple[Job, ...]) -> str:
    """Return who may do a step, as people read it.

    >>> for_whom(("dealer", "game_supervisor")), for_whom(AT_THE_TABLE)
    ('dealer or game supervisor', 'whoever works at the table')
    """
    return "whoever works at the table" if jobs == AT_THE_TABLE else " or ".join(map(job_in_words, jobs))


def rule_of(book: str, step: Step) -> StepRule | None:
    """Return what a book says of a step; None if it asks for none."""
    return next((rule for rule in STEPS[book] if rule.step == step), None)


class StepDone(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A step that is done: who did it, in which job and when, and where it is recorded."""

    step: Step
    by: str
    job: str
    at_ms: int
    video: str = ""


class InspectShoe(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.InspectShoe.v1"):
    """Inspect the table's shoe and discard rack before cards go in (LV-1.5); `faults` are what was found."""

    faults: tuple[ShoeFault, ...] = ()
    video: str = ""
    note: str = ""


class InspectDecks(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.InspectDecks.v1"):
    """Inspect the cards that came to the table: so many decks, each complete, of one back, unmarked, with a cutting card; or not."""

    decks: int
    faults: tuple[CardFault, ...] = ()
    video: str = ""
    note: str = ""


class VerifyInspection(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.VerifyInspection.v1"):
    """Verify, as another person, that the cards are as the inspection says (ON-4.1)."""

    faults: tuple[CardFault, ...] = ()
    note: str = ""


class PresentCards(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.PresentCards.v1"):
    """Spread the cards face up, by deck and suit (ON-4.2, LV-3.1); `faults` are what was seen then."""

    faults: tuple[CardFault, ...] = ()
    video: str = ""
    note: str = ""


class WashCards(Command, frozen=True, kw_only=True, tag="table.WashCards.v1"):
    """Turn the cards face down and wash them (ON-4.3, LV-3.2)."""


class StackCards(Command, frozen=True, kw_only=True, tag="table.StackCards.v1"):
    """Stack the cards (ON-4.3, LV-3.2)."""


class ShuffleCards(Command, frozen=True, kw_only=True, tag="table.ShuffleCards.v1"):
    """Shuffle the cards by hand (ON-5.1, FL-4.1, LV-3.2)."""


class ReplaceCards(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.ReplaceCards.v1"):
    """Have the cards taken away and others brought (FL-3.4)."""

    note: str = ""


class ShoeInspected(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.ShoeInspected.v1"):
    """Shoe and discard rack were inspected for this gaming day; with `faults` no card goes in."""

    by: str
    job: str
    at_ms: int
    faults: tuple[ShoeFault, ...] = ()
    video: str = ""
    note: str = ""


class DecksInspected(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.DecksInspected.v1"):
    """The cards were inspected: complete, of one back, unmarked, with a cutting card; with `faults` they are not let in."""

    by: str
    job: str
    at_ms: int
    decks: int
    faults: tuple[CardFault, ...] = ()
    video: str = ""
    note: str = ""


class InspectionVerified(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.InspectionVerified.v1"):
    """Another person verified the inspection; with `faults` the cards are inspected anew."""

    by: str
    job: str
    at_ms: int
    faults: tuple[CardFault, ...] = ()
    note: str = ""


class CardsPresented(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CardsPresented.v1"):
    """The cards lay face up for everybody to see; with `faults` they are inspected anew."""

    by: str
    job: str
    at_ms: int
    faults: tuple[CardFault, ...] = ()
    video: str = ""
    note: str = ""


class CardsWashed(Event, frozen=True, kw_only=True, tag="table.CardsWashed.v1"):
    """The cards were turned face down and washed."""

    by: str
    job: str
    at_ms: int


class CardsStacked(Event, frozen=True, kw_only=True, tag="table.CardsStacked.v1"):
    """The cards were stacked."""

    by: str
    job: str
    at_ms: int


class CardsShuffled(Event, frozen=True, kw_only=True, tag="table.CardsShuffled.v1"):
    """The cards were shuffled by hand."""

    by: str
    job: str
    at_ms: int


class CardsReplaced(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CardsReplaced.v1"):
    """The cards left the table: those that were brought instead are inspected and presented like all others."""

    by: str
    job: str
    at_ms: int
    note: str = ""


StepCommand = InspectShoe | InspectDecks | VerifyInspection | PresentCards | WashCards | StackCards | ShuffleCards
"""A step that staff do."""
ProcedureCommand = StepCommand | ReplaceCards
"""What staff do about a table's cards before they are in the shoe."""
StepEvent = ShoeInspected | DecksInspected | InspectionVerified | CardsPresented | CardsWashed | CardsStacked | CardsShuffled
ProcedureEvent = StepEvent | CardsReplaced
"""What was done about them."""

STEP_OF: Mapping[type, Step] = {
    InspectShoe: "inspect_shoe",
    InspectDecks: "inspect_decks",
    VerifyInspection: "verify_inspection",
    PresentCards: "present",
    WashCards: "wash",
    StackCards: "stack",
    ShuffleCards: "shuffle",
    ShoeInspected: "inspect_shoe",
    DecksInspected: "inspect_decks",
    InspectionVerified: "verify_inspection",
    CardsPresented: "present",
    CardsWashed: "wash",
    CardsStacked: "stack",
    CardsShuffled: "shuffle",
}
"""The step of each command and of each event."""
