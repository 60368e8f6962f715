"""The table: its shoe, its rounds, how it closes and how its day ends."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from services.table.reactions import timer
from shared.contracts.asking import CutOffered, First
from shared.contracts.cutting import CutCalled, NoteOrder, OrderNoted
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
    RetirementReason,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    ShoeSetAside,
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


def noted(number: int = 1) -> OrderNoted:
    """Return that a shoe is committed."""
    return OrderNoted(shoe=f"T7-S{number}", root=f"root {number}")


def cut(number: int = 1) -> CutCalled:
    """Return that a shoe is to be cut, and that nobody has given anything towards it: it is the dealer's cut."""
    return CutCalled(shoe=f"T7-S{number}", contributions=(), staff="dealer")


def offered(number: int = 1, first: First = "replaced", **told: Any) -> CutOffered:
    """Return that players were asked to cut; nobody sat at the table."""
    return CutOffered(shoe=f"T7-S{number}", first=first, **told)


FIRST = (shoe_called(), noted(), offered(first="start"), cut(), mounted(), shoe_called(2))
"""How the first shoe comes into use."""


def retired(shoe: str = "T7-S1", reason: RetirementReason = "table_closed") -> ShoeRetirementCalled:
    """Return that a shoe's order can be opened; one that is replaced names the second shoe."""
    following = {"next_shoe": "T7-S2", "next_root": "root 2"} if reason == "replaced" else {}
    return ShoeRetirementCalled(shoe=shoe, reason=reason, **following)


PUT_AWAY = (retired("T7-S2"), RetirementNoted(shoe="T7-S2"), retired())
"""How both shoes of a table are put away, as far as the first one's order is not open yet."""


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
    """Return an open table with a shoe, the next one committed, and a book, after some events."""
    return given(TABLE, opened(**chosen), *FIRST, noted(2), BookNoted(), *events)


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


def test_first_shoe_is_cut_as_soon_as_it_is_committed():
    """ON-5.5, LV-3.3: nobody can have sealed anything, and nobody waits."""
    given(TABLE, opened(), shoe_called()).when(NoteOrder(shoe="T7-S1", root="root 1")).then(noted(), offered(first="start"), cut())


def test_prepared_shoe_is_mounted_and_the_next_one_called():
    """LV-0.6: the shoe that was called is in use; the next one is committed while it is played from."""
    events = (opened(), shoe_called(), noted(), cut())

    given(TABLE, *events).when(MountShoe(shoe="T7-S1", root="root", cards=312)).then(mounted(), shoe_called(2))


def test_order_of_the_next_shoe_is_noted():
    """Log page, secrets: from here on players may seal what they give towards its cut."""
    given(TABLE, opened(), *FIRST).when(NoteOrder(shoe="T7-S2", root="root 2")).then(noted(2))


@pytest.mark.parametrize("shoe", ["T7-S1", "T7-S2", "T7-S3"])
def test_order_that_is_noted_or_was_not_called_for_is_followed_by_nothing(shoe):
    """Log page, ids: what is done is followed by nothing."""
    ready().when(NoteOrder(shoe=shoe, root="root")).then()


@pytest.mark.parametrize("shoe", ["T7-S1", "T7-S2"])
def test_shoe_that_was_not_cut_is_not_mounted(shoe):
    """Log page, ids: what is done is followed by nothing."""
    ready().when(MountShoe(shoe=shoe, root="root", cards=312)).then()


def test_round_is_called_with_all_that_it_needs():
    """Log page, versions: profile and settings by value, the shoe and its commitment."""
    ready().when(CallRound(), by=PIT).then(round_called())


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ((), "unknown_table"),
        ((opened(), BookNoted()), "no_shoe"),
        ((opened(), *FIRST), "no_book"),
        ((opened(), *FIRST, BookNoted(), round_called()), "round_running"),
        ((opened(), *FIRST, BookNoted(), TableClosing(), retired()), "not_open"),
        ((opened(), *FIRST, BookNoted(), ENDED), "day_closed"),
        (
            (opened(), *FIRST, BookNoted(), round_called(), recorded(), round_called(2), recorded(2)),
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
    """ON-5.7, LV-3.2, FL-4.1: at the end of the round in which it came out; then the old order is opened, and the next one cut."""
    ready(round_called()).when(record(cutting_card_out=True)).then(recorded(), retired(reason="replaced"), offered(2), cut(2))


def test_both_shoes_of_a_round_are_retired():
    """ON-11.5, decision 20: the shuffled discards serve that round alone."""
    (
        ready(round_called())
        .when(record(shoes=("T7-S1", "T7-S1b")))
        .then(recorded(), retired(reason="replaced"), retired("T7-S1b", "replaced"), offered(2), cut(2))
    )


BEFORE_THE_NEXT = (opened(), *FIRST, BookNoted(), round_called())


def test_shoe_stays_closed_until_the_next_one_is_committed():
    """Nobody makes an order who has seen how this one went."""
    given(TABLE, *BEFORE_THE_NEXT).when(record(cutting_card_out=True)).then(recorded(), ShoeSetAside(shoe="T7-S1"))


def test_shoe_that_was_set_aside_is_opened_when_the_next_one_is_committed():
    """And that one is cut at once, because a table waits for it."""
    events = (*BEFORE_THE_NEXT, recorded(), ShoeSetAside(shoe="T7-S1"))

    given(TABLE, *events).when(NoteOrder(shoe="T7-S2", root="root 2")).then(noted(2), retired(reason="replaced"), offered(2), cut(2))


def test_shoe_that_was_set_aside_is_opened_when_its_table_closes():
    """Log page, secrets: a shoe that nobody plays from keeps no secret."""
    events = (*BEFORE_THE_NEXT, recorded(), ShoeSetAside(shoe="T7-S1"))

    given(TABLE, *events).when(CloseTable(), by=PIT).then(TableClosing(), retired())


def test_no_round_begins_without_a_shoe():
    """A shoe that was set aside is not on the table any more."""
    events = (*BEFORE_THE_NEXT, recorded(), ShoeSetAside(shoe="T7-S1"))

    given(TABLE, *events).when(CallRound(), by=PIT, at_ms=9_000).refused("no_shoe")


def test_booking_may_come_before_the_record():
    """Log page, flows: two logs are heard in either order."""
    ready(round_called(), BookingNoted(round=ROUND_ID)).when(record()).then(recorded())


def test_booking_is_noted_once():
    """Log page, ids: what is done is followed by nothing."""
    ready(round_called(), BookingNoted(round=ROUND_ID)).when(NoteBooking(round=ROUND_ID)).then()


def test_table_closes_between_rounds():
    """Log page, streams: with no movement unanswered, and its shoe retired."""
    ready().when(CloseTable(), by=PIT).then(TableClosing(), retired(), retired("T7-S2"))


def test_table_is_closed_when_its_shoe_is_open():
    """Log page, streams: everybody can check the order before the table is gone."""
    closing = (TableClosing(), *PUT_AWAY)

    ready(*closing).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), TableClosed())


def test_closing_waits_for_the_round():
    """Log page, streams: what is being played is played to its end."""
    ready(round_called()).when(CloseTable(), by=PIT).then(TableClosing(), retired("T7-S2"))


def test_closing_waits_for_the_wallet():
    """Log page, streams: a table closes with no movement unanswered."""
    closing = (round_called(), TableClosing(), recorded(), *PUT_AWAY, RetirementNoted(shoe="T7-S1"))

    ready(*closing).when(NoteBooking(round=ROUND_ID)).then(BookingNoted(round=ROUND_ID), TableClosed())


@pytest.mark.parametrize(
    ("events", "command", "event"),
    [
        ((), NoteOrder(shoe="T7-S1", root="root 1"), noted()),
        ((noted(), cut()), MountShoe(shoe="T7-S1", root="root", cards=312), mounted()),
    ],
)
def test_shoe_that_comes_to_a_closing_table_is_opened_at_once(events, command, event):
    """Log page, secrets: a shoe that nobody plays from keeps no secret."""
    given(TABLE, opened(), shoe_called(), *events, TableClosing()).when(command).then(event, retired())


def test_closed_table_may_be_opened_again_the_same_day():
    """Log page, streams: rounds and shoes are counted on."""
    events = (TableClosing(), *PUT_AWAY, RetirementNoted(shoe="T7-S1"), TableClosed())

    ready(*events).when(open_table("ontario"), by=PIT).then(opened(), shoe_called(3))


def test_day_ends_for_an_idle_table():
    """Log page, streams: the shoe is retired first."""
    ready().when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, retired(reason="day_ended"), retired("T7-S2", "day_ended"))


def test_day_ends_after_the_round_that_is_played():
    """Log page, streams: a table closes between rounds."""
    ready(round_called()).when(END, at_ms=DAY_ENDS_AT_MS).then(ENDED, retired("T7-S2", "day_ended"))


def test_last_round_of_the_day_takes_its_shoe_along():
    """Log page, streams: a table retires its shoe; no other one is called."""
    (
        ready(round_called(), ENDED, retired("T7-S2", "day_ended"))
        .when(record(), at_ms=DAY_ENDS_AT_MS)
        .then(recorded(next_from_ms=DAY_ENDS_AT_MS + 3_000), retired(reason="day_ended"))
    )


def test_day_is_closed_when_nothing_is_unanswered():
    """Log page, streams: the table goes on tomorrow under the same profile and settings."""
    events = (ENDED, *PUT_AWAY)

    ready(*events).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), closed_day())


def test_closing_table_does_not_reopen():
    """Log page, streams: closed is closed; its day is closed too."""
    events = (TableClosing(), *PUT_AWAY, ENDED)

    (ready(*events).when(NoteRetirement(shoe="T7-S1")).then(RetirementNoted(shoe="T7-S1"), TableClosed(), closed_day(reopens=False)))


def test_day_of_a_closed_table_is_closed_at_once():
    """Log page, streams: the ledger waits for DayClosed of every table."""
    events = (TableClosing(), *PUT_AWAY, RetirementNoted(shoe="T7-S1"), TableClosed())

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
    events = (ENDED, *PUT_AWAY, RetirementNoted(shoe="T7-S1"), closed_day())

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
