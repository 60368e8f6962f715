"""The procedure for tests: who does which step under each book, and tables whose cards staff see to."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from services.table.domain.shoes import waits_for
from shared.contracts.procedure import (
    STEPS,
    InspectDecks,
    InspectShoe,
    PresentCards,
    ShuffleCards,
    StackCards,
    Step,
    StepCommand,
    StepRule,
    VerifyInspection,
    WashCards,
)
from shared.contracts.subjects import table_stream
from shared.kernel.messages import Actor
from shared.kernel.profile import Device, Profile
from shared.runtime.shelf import profile
from tests.houses import WholeHouse
from tests.staff import SUPERVISOR

DEALER = Actor("staff", "dan", "dealer")
REPRESENTATIVE = Actor("staff", "rita", "designated_representative")
GAME_SUPERVISOR = Actor("staff", "gus", "game_supervisor")
PIT_BOSS = Actor("staff", "pit", "pit_boss")
VIDEO = "CAM3/20261130T0601"


def staffed(book: str, device: Device = "manual") -> Profile:
    """Return a book at whose tables staff see to the cards."""
    rules = profile(book)
    return replace(rules, shoe=replace(rules.shoe, procedure="staff", device=device))


def commands(rules: Profile) -> dict[Step, StepCommand]:
    """Return each step as whoever does it says it, nothing being wrong."""
    return {
        "inspect_shoe": InspectShoe(),
        "inspect_decks": InspectDecks(decks=rules.decks, video=VIDEO if rules.book == "LV" else ""),
        "verify_inspection": VerifyInspection(),
        "present": PresentCards(video=VIDEO if rules.book == "LV" else ""),
        "wash": WashCards(),
        "stack": StackCards(),
        "shuffle": ShuffleCards(),
    }


def all_steps(rules: Profile) -> Iterator[tuple[Step, StepCommand, Actor]]:
    """Yield the steps of a book in their order, each with somebody who may do it."""
    said = commands(rules)
    for rule in STEPS[rules.book]:
        yield rule.step, said[rule.step], who(rule.jobs)


def see_to_the_cards(house: WholeHouse, table: str) -> None:
    """Let staff do every step that a table waits for, until its shoe is called."""
    stream = table_stream(house.day, table)
    while (missing := next_of(house, table)) is not None:
        answer = house.ask(stream, commands(house.streams[stream].state.opened.profile)[missing.step], who(missing.jobs))
        assert answer.status == "accepted", answer


def next_of(house: WholeHouse, table: str) -> StepRule | None:
    """Return the step that a table of a house waits for."""
    return waits_for(house.streams[table_stream(house.day, table)].state)


def who(jobs: tuple[Any, ...]) -> Actor:
    """Return somebody with one of these jobs."""
    return next(actor for actor in (DEALER, REPRESENTATIVE, GAME_SUPERVISOR, PIT_BOSS, SUPERVISOR) if actor.job in jobs)
