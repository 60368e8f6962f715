"""The commands about cards: what a person types becomes a step, and what is done with the cards is told."""

import io
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from rich.console import Console

from feltlog.card_story import StepLine, steps_before
from feltlog.commands.procedure import clock, coming, listing, step_of, told
from feltlog.commands.replay import cards_of
from feltlog.commands.table import listing as tables
from feltlog.commands.table import waiting
from feltlog.felt_picture import headline
from feltlog.reading import page
from feltlog.reading import told as told_by
from feltlog.screen import screen
from feltlog.trouble import Trouble
from services.table.domain.table import TABLE
from services.table.views import felt, row
from shared.contracts.procedure import (
    DecksInspected,
    InspectDecks,
    InspectShoe,
    PresentCards,
    ReplaceCards,
    ShoeInspected,
    StepCommand,
    WashCards,
)
from shared.contracts.subjects import table_stream
from shared.contracts.table import BookNoted, TableEvent, TableOpened
from tests.given import given
from tests.houses import DAY, NEXT_DAY, WholeHouse
from tests.procedure import DEALER, PIT_BOSS, VIDEO, next_of, see_to_the_cards, staffed
from tests.rounds import DAY_ENDS_AT_MS, settings
from tests.unit.surveillance.test_procedure import small

ZONE = ZoneInfo("UTC")
OPENED = TableOpened(
    table="T7", day="20261130", day_ends_at_ms=DAY_ENDS_AT_MS, semantics=1, profile=staffed("live"), settings=settings(dealer="staff")
)
LOOKED = ShoeInspected(by="pit", job="pit_boss", at_ms=0)
FAULTY = DecksInspected(by="dan", job="dealer", at_ms=1_000, decks=8, faults=("marked_card",), video=VIDEO, note="9H")


def table(*events: TableEvent) -> Any:
    """Return the state of a table after some events."""
    return given(TABLE, OPENED, BookNoted(), *events).state


def printed(what: Any) -> str:
    """Return what stands on paper."""
    console = screen(io.StringIO())
    console.print(what, soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("word", "given", "command"),
    [
        ("inspect-shoe", {}, InspectShoe()),
        ("inspect_shoe", {"faults": ["damaged"]}, InspectShoe(faults=("damaged",))),
        ("inspect-decks", {"video": "V", "decks": 8, "note": "n"}, InspectDecks(decks=8, video="V", note="n")),
        ("inspect-decks", {}, InspectDecks(decks=0)),
        ("present", {"faults": ["missing_card"]}, PresentCards(faults=("missing_card",))),
        ("wash", {}, WashCards()),
    ],
)
def test_what_is_typed_becomes_a_step(word: str, given: dict[str, Any], command: StepCommand):
    """Each step takes its own options, with hyphens or as the log writes it."""
    assert step_of(word, given) == command


@pytest.mark.parametrize(
    ("word", "given", "said"),
    [
        ("cut", {}, "There is no step 'cut'. Steps are inspect-shoe, inspect-decks, verify-inspection, present, wash, stack, shuffle."),
        ("wash", {"video": "V"}, "wash takes no --video."),
        ("wash", {"faults": ["damaged"]}, "wash takes no --fault."),
        (
            "inspect-shoe",
            {"faults": ["marked_card"]},
            "'marked_card' is no fault of this step: it is one of damaged, not_working, compromised.",
        ),
    ],
)
def test_what_is_no_step_is_told(word: str, given: dict[str, Any], said: str):
    """A sentence says which steps there are, or what this one takes."""
    with pytest.raises(Trouble) as trouble:
        step_of(word, given)

    assert said in str(trouble.value)


def test_step_is_confirmed_with_what_comes_next():
    """Whoever has done one reads whose turn it is."""
    shown = felt(table(LOOKED), None)

    assert f"{told(InspectShoe())} {coming(shown)}" == (
        "Written down: inspect the shoe and the discard rack. Next: inspect the decks (dealer)."
    )


def test_fault_is_confirmed_with_what_was_found():
    """ON-2.2: it is to be done again."""
    assert told(PresentCards(faults=("missing_card",))) == (
        "Written down: spread the cards face up; found: missing card. It is to be done again."
    )


def test_procedure_of_a_table_is_shown_as_a_table():
    """Which steps are done by whom and when, which is next, who may do it, and what was found."""
    lines = printed(listing(felt(table(LOOKED, FAULTY), None), ZONE, now_ms=0)).splitlines()

    assert [" ".join(line.split()) for line in lines[2:4]] == [
        "inspect-shoe done pit pit boss 00:00:00 whoever works at the table LV-1.5",
        "inspect-decks again: marked card dealer LV-3.1",
    ]
    assert lines[-1].strip() == "Next: inspect the decks (dealer)."


@pytest.mark.parametrize("width", [80, 50])
def test_procedure_keeps_its_steps_and_their_people_on_a_narrow_screen(width: int):
    """Whoever looks from a small terminal reads every step whole, and who did it."""
    house = WholeHouse(5)
    house.open_table("T1", "live", rules=staffed("live"))
    see_to_the_cards(house, "T1")
    shown = felt(house.streams[table_stream(DAY, "T1")].state, None)
    console = Console(width=width, file=io.StringIO())
    console.print(listing(shown, ZONE, now_ms=0, narrow=width < 80))
    assert isinstance(console.file, io.StringIO)
    rows = [line.split() for line in console.file.getvalue().splitlines() if " done " in line]

    assert [row[:3] for row in rows] == [[each.step.replace("_", "-"), "done", "dan"] for each in shown.steps]


def test_step_of_another_day_says_its_date():
    """A step of today needs no date."""
    assert (clock(0, ZONE, now_ms=1), clock(0, ZONE, now_ms=86_400_000)) == ("00:00:00", "1970-01-01 00:00")


@pytest.mark.parametrize("width", [80, 50])
def test_tables_are_listed_with_what_they_are_at_on_a_narrow_screen(width: int):
    """Table, phase and latest round stay whole; what is waited for folds."""
    console = Console(width=width, file=io.StringIO())
    console.print(tables([msgspec.structs.replace(row(table(LOOKED)), round="T7.20261130-000123")], narrow=True))
    assert isinstance(console.file, io.StringIO)
    found = next(line.split() for line in console.file.getvalue().splitlines() if line.startswith("T7"))

    assert (found[:2], found[-2:]) == (["T7", "open"], ["live", "T7.20261130-000123"])


def test_steps_of_the_shoe_in_use_stay_shown():
    """LV-3.2: they were done towards it; the next ones come when it is played out."""
    house = WholeHouse(5)
    house.open_table("T1", "live", rules=staffed("live"))
    see_to_the_cards(house, "T1")
    shown = felt(house.streams[table_stream(DAY, "T1")].state, None)

    assert ([each.state for each in shown.steps], shown.next_step) == (6 * ["done"], None)
    assert printed(listing(shown, ZONE, now_ms=0)).splitlines()[-1] == "The cards are in T1-S1."


def test_row_of_a_table_names_the_step_that_it_waits_for():
    """LV-3.1: `waits for` says what is to be done, not that something is."""
    shown = row(table(LOOKED))

    assert (shown.waits_for, shown.next_step, waiting(shown)) == ("step_missing", "inspect_decks", "inspect the decks")


def test_players_see_what_their_table_waits_for():
    """LV-3.1: no round is called before the cards are inspected, and whoever sits there knows why."""
    assert headline(felt(table(LOOKED), None), "ann") == "The table waits for its next round; first staff inspect the decks"


def test_table_of_the_house_shows_no_steps():
    """ADR 0020: there is nothing for staff to do."""
    house = WholeHouse(5)
    house.open_table("T1", "live")
    shown = felt(house.streams[table_stream(DAY, "T1")].state, None)

    assert (shown.steps, listing(shown, ZONE, now_ms=0)) == (
        (),
        "No steps with the cards of T1 are written down: its profile does not ask staff for them.",
    )


def lines_of(house: WholeHouse, shoe: str, day: str = DAY) -> list[StepLine] | None:
    """Return what a log tells of a shoe's cards."""
    return steps_before(shoe, told_by([page(stored) for stored in house.of(table_stream(day, "T1"))]))


def test_story_of_a_shoe_tells_what_led_to_it():
    """LV-1.5, LV-3.1, LV-3.2, FL-3.4: the inspection of the cards that are in it, what was found, and the wash for this shoe alone."""
    house = WholeHouse(5)
    house.welcome("ann")
    house.open_table("T1", "live", rules=small("live"))
    stream = table_stream(DAY, "T1")
    see_to_the_cards(house, "T1")
    while next_of(house, "T1") is None:
        house.play("T1", ["ann"])
    house.ask(stream, ReplaceCards(note="worn"), PIT_BOSS)
    house.ask(stream, InspectDecks(decks=1, faults=("marked_card",), video=VIDEO), DEALER)
    see_to_the_cards(house, "T1")
    house.end_day()
    see_to_the_cards(house, "T1")

    assert [f"{line.who} ({line.job}) {line.what}" for line in lines_of(house, "T1-S2") or ()] == [
        "dan (dealer) inspects the shoe and the discard rack",
        "pit (pit boss) has the cards replaced by others; “worn”",
        f"dan (dealer) inspects 1 deck, and finds: marked card; no card goes in; video {VIDEO}",
        f"dan (dealer) inspects 1 deck: complete, of one back, unmarked, with a cutting card; video {VIDEO}",
        f"dan (dealer) spreads the cards face up; video {VIDEO}",
        "dan (dealer) washes the cards",
        "dan (dealer) shuffles the cards",
        "dan (dealer) stacks the cards",
    ]
    assert [line.what for line in lines_of(house, "T1-S1", NEXT_DAY) or ()][:3] == [
        "inspects the shoe and the discard rack",
        f"on an earlier day: inspect the decks; video {VIDEO}",
        f"on an earlier day: spread the cards face up; video {VIDEO}",
    ]


def test_steps_stand_above_the_replay_of_a_round():
    """LV-3.1: a line for each, on the house's clock."""
    line = StepLine(at_ms=1_500, who="dan", job="dealer", what="washes the cards", stream="s", revision=3)

    assert printed(cards_of([line], ZONE)) == (
        "Before the cards were in the shoe:\n1970-01-01 00:00:01.500  dan (dealer) washes the cards\n\n"
    )


def test_shoe_that_no_table_called_has_no_story():
    """A name of another table's shoe, or of none."""
    house = WholeHouse(5)
    house.open_table("T1", "live", rules=staffed("live"))

    assert lines_of(house, "T1-S1") is None
