"""The table: its shoe, its rounds, how it closes and how its day ends."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.table.domain.table import TABLE, Table
from services.table.reactions import timer
from shared.contracts.table import (
    BookingNoted,
    BookNoted,
    CallRound,
    CloseTable,
    DayClosed,
    DayEnded,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteRetirement,
    RecordRound,
    RetirementNoted,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    TableClosed,
    TableClosing,
    TableEvent,
    TableOpened,
)
from shared.kernel.messages import Actor
from shared.runtime.shelf import profile
from tests.given import Given, given
from tests.rounds import DAY_ENDS_AT_MS, ROUND_ID, open_table, settings

PIT = Actor("staff", "pit")
SECOND = "T7.20261130-000002"
END = EndDay(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)
ENDED = DayEnded(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)


def opened(book: str = "ontario", **chosen: Any) -> TableOpened:
    """Return the opening of table T7."""
    return TableOpened(
        table="T7",
        day="20261130",
        day_ends_at_ms=DAY_ENDS_AT_MS,
        semantics=1,
        profile=profile(book),
        settings=settings(**chosen),
    )


def shoe_called(number: int = 1) -> ShoeCalled:
    """Return the call for a shoe of an Ontario table: 312 cards."""
    return ShoeCalled(shoe=f"T7-S{number}", table="T7", decks=6, burns=1, cut=(141, 171), cutting_card=(78, 93))


def mounted(number: int = 1) -> ShoeMounted:
    """Return that a shoe is in use."""
    return ShoeMounted(shoe=f"T7-S{number}", root="root", cards=312)


def round_called(number: int = 1, **chosen: Any) -> RoundCalled:
    """Return that a round is opened."""
    return RoundCalled(
        round=f"T7.20261130-{number:06d}",
        number=number,
        table="T7",
        day="20261130",
        profile=profile("ontario"),
        settings=settings(**chosen),
        shoe="T7-S1",
        root="root",
    )


def recorded(number: int = 1, next_from_ms: int = 4_000) -> RoundRecorded:
    """Return that a round has ended at 1,000 ms."""
    return RoundRecorded(round=f"T7.20261130-{number:06d}", outcome="settled", revision=9, digest="d", next_from_ms=next_from_ms)


def record(number: int = 1, shoes: tuple[str, ...] = ("T7-S1",), cutting_card_out: bool = False) -> RecordRound:
    """Return the command that writes a round's end down."""
    return RecordRound(
        round=f"T7.20261130-{number:06d}", outcome="settled", revision=9, digest="d", shoes=shoes, cutting_card_out=cutting_card_out
    )


def closed_day(reopens: bool = True, rounds: int = 0) -> DayClosed:
    """Return that the books of the day are closed."""
    return DayClosed(
        table="T7",
        day="20261130",
        next_day="20261201",
        next_day_ends_at_ms=2 * DAY_ENDS_AT_MS,
        rounds=rounds,
        reopens=reopens,
        profile=profile("ontario"),
        settings=settings(),
    )


def ready(*events: TableEvent, **chosen: Any) -> Given:
    """Return an open table with a shoe and a book, after some events."""
    return given(TABLE, opened(**chosen), shoe_called(), mounted(), BookNoted(), *events)


def test_table_opens_and_calls_its_shoe():
    """ON-2.1, ON-5.4, ON-5.6: six decks; where to cut and where to put the cutting card are counted in cards."""
    given(TABLE).when(open_table("ontario"), by=PIT).then(opened(), shoe_called())


@pytest.mark.parametrize(
    ("book", "cut", "cutting_card"),
    [("ontario", (141, 171), (78, 93)), ("live", (52, 364), (208, 208)), ("floor", (52, 364), (104, 208))],
)
def test_shoe_is_cut_and_marked_by_the_book(book, cut, cutting_card):
    """ON-5.4, ON-5.6, LV-3.3, FL-4.4, FL-4.5: about half; at least a deck from either end; four decks from the back."""
    called = given(TABLE).when(open_table(book), by=PIT).events[1]

    assert (called.cut, called.cutting_card) == (cut, cutting_card)


@pytest.mark.parametrize(
    ("chosen", "word"),
    [
        ({"boxes": 8}, "boxes"),
        ({"boxes": 0}, "boxes"),
        ({"maximum_minor": 600}, "5.00 CAD"),
        ({"minimum_minor": 50}, "1.00 CAD"),
        ({"minimum_minor": 400, "maximum_minor": 300}, "limits"),
    ],
)
def test_settings_outside_the_book_are_refused(chosen, word):
    """ON-1.1, ON-1.2, LV-1.2.1, decision 8: the house chooses within its profile."""
    outcome = given(TABLE).when(open_table("ontario", **chosen), by=PIT)

    assert [outcome.why is not None and word in outcome.why.message] == [True]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"currency": "XXX"}, "bad_settings"),
        ({"operator": "a b"}, "bad_settings"),
        ({"decision_ms": 0}, "bad_settings"),
        ({"pause_ms": -1}, "bad_settings"),
    ],
)
def test_settings_that_no_round_can_rest_on_are_refused(wrong, code):
    """LV-1.3: what a table publishes must be playable."""
    command = open_table("ontario")
    command = replace(command, settings=replace(command.settings, **wrong))

    given(TABLE).when(command, by=PIT).refused(code)


@pytest.mark.parametrize("wrong", [{"profile": None}, {"profile_name": "floor"}, {"day": ""}, {"table": "T 7"}])
def test_opening_must_be_filled_in(wrong):
    """Log page, versions: the profile by value and the day stand in the opening."""
    given(TABLE).when(replace(open_table("ontario"), **wrong), by=PIT).refused("bad_settings")


def test_open_table_cannot_be_opened():
    """Log page, ids: once is enough."""
    ready().when(open_table("ontario"), by=PIT).refused("already_open")


def test_book_is_noted_once():
    """Log page, streams: the ledger of the day is open and knows this table."""
    given(TABLE, opened(), BookNoted()).when(NoteBook()).then()


def test_prepared_shoe_is_mounted():
    """LV-0.6: the shoe that was called is in use."""
    given(TABLE, opened(), shoe_called()).when(MountShoe(shoe="T7-S1", root="root", cards=312)).then(mounted())


def test_shoe_that_was_not_called_is_not_mounted():
    """Log page, ids: what is done is followed by nothing."""
    ready().when(MountShoe(shoe="T7-S1", root="root", cards=312)).then()


def test_round_is_called_with_all_that_it_needs():
    """Log page, versions: profile and settings by value, the shoe and its commitment."""
    ready().when(CallRound(), by=PIT).then(round_called())


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ((), "unknown_table"),
        ((opened(), BookNoted()), "no_shoe"),
        ((opened(), shoe_called(), mounted()), "no_book"),
        ((opened(), shoe_called(), mounted(), BookNoted(), round_called()), "round_running"),
        ((opened(), shoe_called(), mounted(), BookNoted(), TableClosing(), ShoeRetirementCalled(shoe="T7-S1")), "not_open"),
        ((opened(), shoe_called(), mounted(), BookNoted(), ENDED), "day_closed"),
        (
            (opened(), shoe_called(), mounted(), BookNoted(), round_called(), recorded(), round_called(2), recorded(2)),
            "wallet_silent",
        ),
    ],
)
def test_round_is_not_called(events, code):
    """Log page, settlement: no shoe, no book, a round running, a silent wallet, a table that closes, a day that is over."""
    given(TABLE, *events).when(CallRound(), by=PIT, at_ms=9_000).refused(code)


def test_one_round_without_an_answer_does_not_stop_the_table():
    """Log page, settlement: the table opens the next round without waiting for the wallet."""
    ready(round_called(), recorded()).when(CallRound(), by=PIT, at_ms=9_000).then(round_called(2))


def test_answer_of_the_wallet_lets_the_table_go_on():
    """Log page, settlement: it opens none after two rounds without an answer from it."""
    silent = (round_called(), recorded(), round_called(2), recorded(2))

    ready(*silent, BookingNoted(round=ROUND_ID)).when(CallRound(), by=PIT, at_ms=9_000).then(round_called(3))


def test_clock_keeps_the_pause():
    """Log page, time: an early timer is refused."""
    ready(round_called(), recorded()).when(CallRound(), at_ms=3_999).refused("too_early")


def test_no_round_begins_after_the_days_end():
    """Log page, streams: the day's books close with the day."""
    ready().when(CallRound(), at_ms=DAY_ENDS_AT_MS).refused("day_closed")


def test_end_of_a_round_is_recorded_with_its_digest():
    """Log page, streams: so that a missing whole round is seen."""
    ready(round_called()).when(record()).then(recorded())


def test_round_is_recorded_once():
    """Log page, ids: what is done is followed by nothing."""
    ready(round_called(), recorded()).when(record()).then()


def test_shoe_is_replaced_after_its_cutting_card():
    """ON-5.7, LV-3.2, FL-4.1: at the end of the round in which it came out; then the old order is opened."""
    (ready(round_called()).when(record(cutting_card_out=True)).then(recorded(), ShoeRetirementCalled(shoe="T7-S1"), shoe_called(2)))


def test_both_shoes_of_a_round_are_retired():
    """ON-11.5, decision 20: the shuffled discards serve that round alone."""
    (
        ready(round_called())
        .when(record(shoes=("T7-S1", "T7-S1b")))
        .then(recorded(), ShoeRetirementCalled(shoe="T7-S1"), ShoeRetirementCalled(shoe="T7-S1b"), shoe_called(2))
    )


def test_booking_may_come_before_the_record():
    """Log page, flows: two logs are heard in either order."""
    ready(round_called(), BookingNoted(round=ROUND_ID)).when(record()).then(recorded())


def test_booking_is_noted_once():
    """Log page, ids: what is done is followed by nothing."""
    ready(round_called(), BookingNoted(round=ROUND_ID)).when(NoteBooking(round=ROUND_ID)).then()


def test_table_closes_between_rounds():
    """Log page, streams: with no movement unanswered, and its shoe retired."""
    ready().when(CloseTable(), by=PIT).then(TableClosing(), ShoeRetirementCalled(shoe="T7-S1"))


def test_table_is_closed_when_its_shoe_is_open():
    """Log page, streams: everybody can check the order before the table is gone."""
    closing = (TableClosing(), ShoeRetirementCalled(shoe="T7-S1"))

    ready(*closing).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), TableClosed())


def test_closing_waits_for_the_round():
    """Log page, streams: what is being played is played to its end."""
    ready(round_called()).when(CloseTable(), by=PIT).then(TableClosing())


def test_closing_waits_for_the_wallet():
    """Log page, streams: a table closes with no movement unanswered."""
    closing = (round_called(), TableClosing(), recorded(), ShoeRetirementCalled(shoe="T7-S1"), RetirementNoted(shoe="T7-S1"))

    ready(*closing).when(NoteBooking(round=ROUND_ID)).then(BookingNoted(round=ROUND_ID), TableClosed())


def test_shoe_that_comes_to_a_closing_table_is_opened_at_once():
    """Log page, secrets: a shoe that nobody plays from keeps no secret."""
    (
        given(TABLE, opened(), shoe_called(), TableClosing())
        .when(MountShoe(shoe="T7-S1", root="root", cards=312))
        .then(mounted(), ShoeRetirementCalled(shoe="T7-S1"))
    )


def test_closed_table_may_be_opened_again_the_same_day():
    """Log page, streams: rounds and shoes are counted on."""
    events = (TableClosing(), ShoeRetirementCalled(shoe="T7-S1"), RetirementNoted(shoe="T7-S1"), TableClosed())

    ready(*events).when(open_table("ontario"), by=PIT).then(opened(), shoe_called(2))


def test_day_ends_for_an_idle_table():
    """Log page, streams: the shoe is retired first."""
    ready().when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, ShoeRetirementCalled(shoe="T7-S1"))


def test_day_ends_after_the_round_that_is_played():
    """Log page, streams: a table closes between rounds."""
    ready(round_called()).when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED)


def test_last_round_of_the_day_takes_its_shoe_along():
    """Log page, streams: a table retires its shoe; no other one is called."""
    (
        ready(round_called(), ENDED)
        .when(record(), at_ms=DAY_ENDS_AT_MS)
        .then(recorded(next_from_ms=DAY_ENDS_AT_MS + 3_000), ShoeRetirementCalled(shoe="T7-S1"))
    )


def test_day_is_closed_when_nothing_is_unanswered():
    """Log page, streams: the table goes on tomorrow under the same profile and settings."""
    events = (ENDED, ShoeRetirementCalled(shoe="T7-S1"))

    ready(*events).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), closed_day())


def test_closing_table_does_not_reopen():
    """Log page, streams: closed is closed; its day is closed too."""
    events = (TableClosing(), ShoeRetirementCalled(shoe="T7-S1"), ENDED)

    (ready(*events).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), TableClosed(), closed_day(reopens=False)))


def test_day_of_a_closed_table_is_closed_at_once():
    """Log page, streams: the ledger waits for DayClosed of every table."""
    events = (TableClosing(), ShoeRetirementCalled(shoe="T7-S1"), RetirementNoted(shoe="T7-S1"), TableClosed())

    ready(*events).when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, closed_day(reopens=False))


@pytest.mark.parametrize(
    ("command", "at_ms", "code"),
    [(END, DAY_ENDS_AT_MS - 1, "too_early"), (EndDay(), DAY_ENDS_AT_MS, "bad_request")],
)
def test_day_does_not_end(command, at_ms, code):
    """Log page, time: not before its time, and not into nowhere."""
    ready().when(command, at_ms=at_ms).refused(code)


@pytest.mark.parametrize(("command", "by", "code"), [(CallRound(), PIT, "day_closed"), (open_table("ontario"), PIT, "day_closed")])
def test_nothing_is_added_to_a_closed_day(command, by, code):
    """Log page, streams: nothing is appended to a closed day."""
    events = (ENDED, ShoeRetirementCalled(shoe="T7-S1"), RetirementNoted(shoe="T7-S1"), closed_day())

    ready(*events).when(command, by=by).refused(code)


def test_new_day_follows_the_day_before():
    """Log page, streams: a first entry's `prev` is the closing digest of the day before."""
    command = replace(open_table("ontario"), follows="digest")

    assert given(TABLE).when(command).events[0].follows == "digest"


@pytest.mark.parametrize("command", [NoteBook(), EndDay(), NoteBooking(round=SECOND)])
def test_staff_cannot_speak_for_the_house(command):
    """Log page, streams: the role in the subject is what the actor check holds on to."""
    ready().when(command, by=PIT).refused("not_allowed_for_role")


def test_player_cannot_call_a_round():
    """LV-0.6: roles are named."""
    ready().when(CallRound(), by="ann").refused("not_allowed_for_role")


@pytest.mark.parametrize(
    ("events", "chosen", "due"),
    [
        ((), {}, ("call-round-1", 0)),
        ((), {"dealer": "staff"}, ("end-day", DAY_ENDS_AT_MS)),
        ((round_called(),), {}, ("end-day", DAY_ENDS_AT_MS)),
        ((round_called(), recorded()), {}, ("call-round-2", 4_000)),
        ((round_called(), recorded(next_from_ms=DAY_ENDS_AT_MS)), {}, ("end-day", DAY_ENDS_AT_MS)),
    ],
)
def test_table_says_what_falls_due_next(events, chosen, due):
    """Log page, time: a table that deals by itself calls the next round after its pause, and every table ends its day."""
    timed = timer(ready(*events, **chosen).state)

    assert timed is not None
    assert (timed.name, timed.at_ms) == due


@pytest.mark.parametrize("events", [(), (opened(), shoe_called(), ENDED)])
def test_nothing_falls_due_before_and_after_the_day(events):
    """Log page, time: no table, no timer."""
    state: Table = given(TABLE, *events).state

    assert timer(state) is None
