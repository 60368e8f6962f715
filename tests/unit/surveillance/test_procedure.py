"""The referee on the cards before they were in the shoe: a shoe without its steps is found, whatever the table has decided."""

from functools import cache
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from feltlog.auditing import concerns
from services.surveillance.domain import procedure
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.contracts.procedure import (
    REPLACE,
    STEP_OF,
    STEPS,
    CardsPresented,
    CardsReplaced,
    CardsShuffled,
    CardsStacked,
    CardsWashed,
    DecksInspected,
    InspectionVerified,
    PresentCards,
    ReplaceCards,
    ShoeInspected,
)
from shared.contracts.subjects import round_name, table_stream
from shared.contracts.table import CallRound, CloseTable, DayClosed, RoundCalled, ShoeCalled, ShoeMounted, TableClosed, TableOpened
from shared.kernel.messages import Actor
from shared.kernel.money import Ratio
from tests.forgery import forged, read
from tests.houses import DAY, NEXT_DAY, WholeHouse
from tests.procedure import DEALER, PIT_BOSS, next_of, see_to_the_cards, staffed, who
from tests.scanned import ScannedHouse
from tests.staff import SUPERVISOR

BOOKS = {"ON": "ontario", "FL": "floor", "LV": "live"}


def small(book: str) -> Any:
    """Return a book at whose tables staff see to the cards, over so few decks that a shoe ends after some rounds."""
    rules = staffed(book)
    shoe = replace(rules.shoe, burns_after_shuffle=1, cutting_card=(Ratio(3, 4), Ratio(3, 4)))
    return replace(rules, decks=1, shoe=shoe) if book == "live" else replace(rules, shoe=shoe)


@cache
def house_of(book: str) -> WholeHouse:
    """Return a house that played two shoes under a book, replaced the cards before the second one, and goes on on the next day."""
    house = WholeHouse(5)
    house.welcome("ann")
    house.open_table("T1", book, rules=small(book))
    stream = table_stream(DAY, "T1")
    see_to_the_cards(house, "T1")
    while next_of(house, "T1") is None:
        house.play("T1", ["ann"])
    replaced = house.ask(stream, ReplaceCards(note="worn"), in_charge(book))
    assert replaced.status == "accepted", replaced
    see_to_the_cards(house, "T1")
    house.play("T1", ["ann"])
    house.end_day()
    see_to_the_cards(house, "T1")
    house.play("T1", ["ann"])
    house.ask(table_stream(NEXT_DAY, "T1"), CloseTable(), PIT_BOSS)
    return house


@cache
def house_of_a_device() -> WholeHouse:
    """Return a house whose floor table has a shuffling device: three rounds, other cards, two more rounds, and the next day."""
    house = WholeHouse(5)
    house.welcome("ann")
    house.open_table("T1", "floor", rules=staffed("floor", "shuffling_device"))
    see_to_the_cards(house, "T1")
    for _ in range(3):
        house.play("T1", ["ann"])
    assert house.ask(table_stream(DAY, "T1"), ReplaceCards(note="worn"), SUPERVISOR).status == "accepted"
    see_to_the_cards(house, "T1")
    for _ in range(2):
        house.play("T1", ["ann"])
    house.end_day()
    see_to_the_cards(house, "T1")
    house.play("T1", ["ann"])
    return house


def in_charge(book: str) -> Actor:
    """Return who may replace the cards."""
    return who(REPLACE[staffed(book).book][0])


def events_of(house: WholeHouse, kinds: type[Any] | tuple[type[Any], ...]) -> list[Any]:
    """Return the events of some kinds in the stream of the first day's table."""
    entries = map(read, house.of(table_stream(DAY, "T1")))
    return [event for entry in entries for decision in entry.decisions for event in decision.events if isinstance(event, kinds)]


def found_in(book: str, kind: type[Any], edit: Any, which: int = 0) -> list[str]:
    """Return what the referee of procedures finds in a log whose events were changed."""
    house = house_of(book)
    logs = forged(house.stored, kind, edit, stream=".table", which=which)
    report = verify(logs, Watch(Again()), house.ends())
    return [found.message for found in report.findings if found.code == "rules"]


@pytest.mark.parametrize("book", ["ontario", "floor", "live"])
def test_day_of_staff_is_proved(book):
    """ON-4, FL-3.3, FL-3.4, LV-1.5, LV-3.1: table and referee agree on every step, and every decision is decided again."""
    house = house_of(book)

    assert verify(house.stored, Watch(Again()), house.ends()).findings == ()


def test_device_is_loaded_step_by_step_and_proved():
    """FL-3.4, FL-4.6: shuffled by hand before it is loaded, then called round after round, and emptied after any of them."""
    house = house_of_a_device()
    told = [type(event).__name__ for event in events_of(house, (ShoeCalled, CardsShuffled, CardsReplaced))]

    assert verify(house.stored, Watch(Again()), house.ends()).findings == ()
    assert told == ["CardsShuffled", *(5 * ["ShoeCalled"]), "CardsReplaced", "CardsShuffled", *(4 * ["ShoeCalled"])]


def test_scanned_shoe_is_loaded_step_by_step_and_proved():
    """LV-3.2, FL-4.1: also where the cutting card would be a round's first card, and all cards are shuffled inside that round."""
    house = ScannedHouse(rules=replace(staffed("ontario", "scanned"), decks=1), marker=10)
    for _ in range(6):
        see_to_the_cards(house, "T1")
        house.play("T1", ["ann", "bob"])
    mounted = [event.shoe for event in events_of(house, ShoeMounted)]

    assert (mounted, verify(house.stored, Watch(Again()), house.ends()).findings) == (["T1-S1", "T1-S2", "T1-S2b", "T1-S2bb"], ())


@pytest.mark.parametrize("which", [0, 1])
def test_device_that_was_loaded_unshuffled_is_found(which):
    """FL-4.6: every round until other cards come is dealt from those, and it is said with each of their orders."""
    house = house_of_a_device()
    logs = forged(house.stored, CardsShuffled, lambda _: [], stream=".table", which=which)
    found = [each.message for each in verify(logs, Watch(Again()), house.ends()).findings if each.clause == "FL-4.1"]

    assert found == [f"FL-4.1: T1-S{(1, 6)[which]} was called without CardsShuffled"]


def test_device_that_is_emptied_in_a_round_is_found():
    """FL-3.4: after any round, and in none."""
    house = house_of_a_device()
    replaced = CardsReplaced(by="sue", job="casino_supervisor", at_ms=0)
    logs = forged(house.stored, RoundCalled, lambda event: [event, replaced], stream=".table")
    found = [each.message for each in verify(logs, Watch(Again()), house.ends()).findings]

    assert "FL-3.4: the cards were replaced while they lay in T1-S2" in found


PLANTED: list[tuple[str, type[Any], int, str]] = [
    *(("ontario", kind, 0, clause) for kind, clause in ((DecksInspected, "ON-4.1"), (InspectionVerified, "ON-4.1"))),
    *(("ontario", kind, 1, clause) for kind, clause in ((CardsPresented, "ON-4.2"), (CardsWashed, "ON-4.3"), (CardsStacked, "ON-4.3"))),
    ("ontario", CardsShuffled, 1, "ON-5.1"),
    ("floor", DecksInspected, 1, "FL-3.3"),
    ("floor", CardsShuffled, 0, "FL-4.1"),
    ("live", ShoeInspected, 0, "LV-1.5"),
    ("live", DecksInspected, 1, "LV-3.1"),
    ("live", CardsPresented, 0, "LV-3.1"),
    ("live", CardsWashed, 1, "LV-3.2"),
    ("live", CardsShuffled, 1, "LV-3.2"),
    ("live", CardsStacked, 1, "LV-3.2"),
]


@pytest.mark.parametrize(("book", "kind", "which", "clause"), PLANTED)
def test_shoe_without_a_step_is_found(book, kind, which, clause):
    """ON-2.2, ON-4.1, ON-4.2, ON-4.3, FL-3.3, LV-1.5, LV-3.1: the shoe that was called, and the first round that is dealt from it."""
    shoe = f"T1-S{which + 1}"
    found = found_in(book, kind, lambda _: [], which)

    assert f"{clause}: {shoe} was called without {kind.__name__}" in found
    assert [message for message in found if f"is dealt from {shoe}, which was called before" in message] != []


def test_proof_of_a_round_looks_at_its_shoe_alone():
    """LV-3.2: whoever has one round verified is told whether its own cards had been washed."""
    house = house_of("live")
    logs = forged(house.stored, CardsWashed, lambda _: [], stream=".table", which=1)
    rounds = {each.shoe: each.round for each in events_of(house, RoundCalled)}
    concerned = {
        shoe: [one for one in logs if concerns(one.stream, round_name(round))]
        for shoe, round in rounds.items()
        if shoe in ("T1-S1", "T1-S2")
    }
    found = {
        shoe: [
            each.message
            for each in verify(heard, Watch(Again(), only=frozenset({rounds[shoe]}), whole=False)).findings
            if each.code == "rules"
        ]
        for shoe, heard in concerned.items()
    }

    assert found == {
        "T1-S1": [],
        "T1-S2": [f"LV-1.5: {rounds['T1-S2']} is dealt from T1-S2, which was called before its steps were done"],
    }


ALTERED: list[tuple[str, type[Any], Any, str]] = [
    ("ontario", DecksInspected, {"by": "eve"}, "ON-4.1: eve as dealer is written down"),
    ("ontario", DecksInspected, {"at_ms": 7}, "ON-4.1: dan did it at"),
    ("ontario", DecksInspected, {"decks": 5}, "ON-4.1: 5 decks were let in, where 6 are played with"),
    ("live", DecksInspected, {"video": ""}, "LV-3.1: DecksInspected names no video"),
    ("live", CardsPresented, {"video": " "}, "LV-3.1: CardsPresented names no video"),
    ("live", ShoeInspected, {"faults": ("damaged",)}, "LV-1.5: T1-S1 was called without ShoeInspected"),
    ("ontario", InspectionVerified, {"faults": ("marked_card",)}, "ON-4.1: T1-S1 was called without DecksInspected"),
]


@pytest.mark.parametrize(("book", "kind", "fields", "said"), ALTERED)
def test_step_that_says_something_else_is_found(book, kind, fields, said):
    """ON-4.1, LV-1.5, LV-3.1: who, when, how many decks, where the video is, and what was found."""
    assert any(message.startswith(said) for message in found_in(book, kind, lambda event: [replace(event, **fields)]))


def test_step_done_twice_is_found():
    """ON-4.3: and one that comes before the others."""
    found = found_in("ontario", InspectionVerified, lambda event: [event, event, CardsShuffled(by="dan", job="dealer", at_ms=event.at_ms)])

    assert "ON-4.1: InspectionVerified was done twice" in found
    assert "ON-5.1: CardsShuffled came before CardsWashed" in found


def test_cards_that_were_not_carried_over_are_found():
    """LV-3.1: the next day takes over what was done, no more and no less."""
    more = found_in("live", DayClosed, lambda event: [replace(event, cards=event.cards[:1])])
    taken = found_in("live", TableOpened, lambda event: [replace(event, cards=event.cards[:1])], which=1)
    none = found_in("live", TableOpened, lambda event: [replace(event, cards=UNSET)], which=1)

    assert [any(message.startswith("LV-3.1") for message in found) for found in (more, taken, none)] == [True, True, True]


def test_shoe_called_while_another_is_in_use_is_found():
    """LV-3.2: the cards of the next shoe lie in that one."""
    found = found_in(
        "live", RoundCalled, lambda event: [event, ShoeCalled(shoe="T1-S9", table="T1", decks=1, burns=1, cut=(1, 2), cutting_card=(1, 2))]
    )

    assert "LV-3.2: T1-S9 was called while the cards lie in T1-S1" in found


def test_replacement_at_another_moment_is_found():
    """FL-3.4: out of a shoe, and by somebody else."""
    replaced = CardsReplaced(by="dan", job="dealer", at_ms=0)
    found = found_in("floor", RoundCalled, lambda event: [event, replaced])

    assert "FL-3.4: the cards were replaced while they lay in T1-S1" in found


def test_closed_table_takes_its_cards_away():
    """LV-3.1: what was done with them counts no more."""
    found = found_in("live", CardsPresented, lambda event: [event, TableClosed()])

    assert "LV-3.1: T1-S1 was called without DecksInspected" in found


def test_referee_and_table_read_the_books_alike():
    """House page: two lists, written twice, that say the same."""
    law = {
        book: [(demand.kind.__name__, frozenset(demand.jobs), demand.video) for demand in demands]
        for book, demands in procedure.DEMANDS.items()
    }
    said = {step: kind.__name__ for kind, step in STEP_OF.items() if kind in procedure.STEPS}

    assert law == {book: [(said[rule.step], frozenset(rule.jobs), rule.video) for rule in rules] for book, rules in STEPS.items()}


def test_steps_at_another_table_count_for_nothing():
    """LV-3.1: cards are loaded only at the table where they are dealt."""
    house = WholeHouse(5)
    for table in ("T1", "T2"):
        house.open_table(table, "live", rules=staffed("live"))
    see_to_the_cards(house, "T1")
    answers = [house.ask(table_stream(DAY, table), CallRound(), PIT_BOSS).code for table in ("T1", "T2")]

    assert answers == ["", "step_missing"]


def test_table_of_the_house_owes_no_steps():
    """ADR 0020: nothing is asked of staff there."""
    house = WholeHouse(5)
    house.welcome("ann")
    house.open_table("T1", "live")
    house.play("T1", ["ann"])
    refused = house.ask(table_stream(DAY, "T1"), PresentCards(video="V"), DEALER)

    assert (refused.code, verify(house.stored, Watch(Again()), house.ends()).findings) == ("steps_of_the_house", ())
