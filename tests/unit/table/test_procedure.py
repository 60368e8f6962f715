"""The cards before they are in the shoe: steps in the book's order, each by the right person, and the shoe called after the last."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.table.domain.procedure import Rejected
from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from services.table.reactions import follow, timer
from shared.contracts.cutting import CutCalled, NoteOrder, OrderNoted
from shared.contracts.procedure import (
    CardsPresented,
    CardsReplaced,
    CardsShuffled,
    CardsStacked,
    CardsWashed,
    DecksInspected,
    InspectDecks,
    InspectionVerified,
    InspectShoe,
    PresentCards,
    ReplaceCards,
    ShoeInspected,
    ShuffleCards,
    StackCards,
    StepDone,
    VerifyInspection,
    WashCards,
)
from shared.contracts.table import (
    BookNoted,
    CallRound,
    CloseTable,
    DayClosed,
    DayEnded,
    EndDay,
    MountShoe,
    OpenTable,
    RecordRound,
    RoundCalled,
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
from shared.kernel.profile_text import BadProfile, changed
from shared.kernel.reactions import Source
from shared.runtime.shelf import profile
from tests.given import Given, Outcome, given
from tests.procedure import (
    DEALER,
    GAME_SUPERVISOR,
    PIT_BOSS,
    REPRESENTATIVE,
    VIDEO,
    all_steps,
    commands,
    staffed,
)
from tests.rounds import DAY_ENDS_AT_MS, ROUND_ID, open_table, settings
from tests.staff import SUPERVISOR

BOOKS = {"ON": "ontario", "FL": "floor", "LV": "live"}
INSPECTED = DecksInspected(by="dan", job="dealer", at_ms=1_000, decks=6)
VERIFIED = InspectionVerified(by="rita", job="designated_representative", at_ms=1_000)
PRESENTED = CardsPresented(by="dan", job="dealer", at_ms=1_000)
WASHED = CardsWashed(by="dan", job="dealer", at_ms=1_000)
STACKED = CardsStacked(by="dan", job="dealer", at_ms=1_000)
SHUFFLED = CardsShuffled(by="dan", job="dealer", at_ms=1_000)
ONTARIO: tuple[TableEvent, ...] = (INSPECTED, VERIFIED, PRESENTED, WASHED, STACKED, SHUFFLED)
CALLED = ShoeCalled(shoe="T7-S1", table="T7", decks=6, burns=1, cut=(141, 171), cutting_card=(78, 93))


def opened(book: str = "ontario", **changes: Any) -> TableOpened:
    """Return the opening of a table whose cards staff see to."""
    told = TableOpened(
        table="T7", day="20261130", day_ends_at_ms=DAY_ENDS_AT_MS, semantics=1, profile=staffed(book), settings=settings(dealer="staff")
    )
    return replace(told, **changes)


def in_use(number: int = 1) -> tuple[TableEvent, ...]:
    """Return that a shoe was called, cut and mounted."""
    shoe = f"T7-S{number}"
    return (
        replace(CALLED, shoe=shoe),
        OrderNoted(shoe=shoe, root="root"),
        CutCalled(shoe=shoe, contributions=()),
        ShoeMounted(shoe=shoe, root="root", cards=312),
    )


def played_out(book: str = "ontario") -> Given:
    """Return a table whose first shoe is played out."""
    return given(TABLE, opened(book), *ONTARIO, *in_use(), ShoeSetAside(shoe="T7-S1"))


def after(table: Given, *steps: tuple[Any, Actor]) -> Given:
    """Return a table after some commands, each of which is taken."""
    for command, actor in steps:
        for event in table.when(command, by=actor).events:
            table.state = TABLE.evolve(table.state, event)
    return table


def code_of(outcome: Outcome) -> str:
    """Return with which code a command was refused."""
    return "" if outcome.why is None else outcome.why.code


def ready(book: str) -> tuple[Given, list[Any]]:
    """Return a table whose cards have gone through all steps, and what was written down."""
    table, told = given(TABLE, opened(book)), []
    for _, command, actor in all_steps(staffed(book)):
        outcome = table.when(command, by=actor)
        told += outcome.events
        after(table, (command, actor))
    return table, told


def test_table_of_staff_opens_without_a_shoe():
    """ON-4.1, FL-3.3, LV-3.1: cards are inspected before they are used, so nothing is called yet."""
    command = replace(open_table("ontario"), profile=staffed("ontario"))

    assert [type(event) for event in given(TABLE).when(command, by=PIT_BOSS).events] == [TableOpened]


@pytest.mark.parametrize(
    ("book", "steps"),
    [
        ("ontario", [INSPECTED, VERIFIED, PRESENTED, WASHED, STACKED, SHUFFLED]),
        ("floor", [replace(INSPECTED, decks=8), SHUFFLED]),
        (
            "live",
            [
                ShoeInspected(by="dan", job="dealer", at_ms=1_000),
                replace(INSPECTED, decks=8, video=VIDEO),
                replace(PRESENTED, video=VIDEO),
                WASHED,
                SHUFFLED,
                STACKED,
            ],
        ),
    ],
)
def test_last_step_calls_the_shoe(book, steps):
    """ON-2.2, ON-4.1, ON-4.2, ON-4.3, ON-5.1; FL-3.1, FL-3.3, FL-4.1; LV-1.5, LV-3.1, LV-3.2: who, in which job and when, then the shoe."""
    _, told = ready(book)

    assert (told[:-1], type(told[-1])) == (steps, ShoeCalled)


@pytest.mark.parametrize("book", list(BOOKS))
def test_step_is_refused_before_those_that_come_first(book):
    """ON-4, FL-3.3, LV-3.1: each of the steps behind the next one names that one, in every state before the last."""
    table, codes = given(TABLE, opened(BOOKS[book])), []
    steps = list(all_steps(staffed(BOOKS[book])))
    for number, (_, command, actor) in enumerate(steps):
        codes += [code_of(table.when(later, by=by)) for _, later, by in steps[number + 1 :]]
        after(table, (command, actor))

    assert set(codes) == {"step_missing"}


def test_refusal_names_the_missing_step_and_how_it_is_done():
    """ON-4.3: washed before stacked; whoever is refused reads what to do, who may and by which clause."""
    why = given(TABLE, opened(), INSPECTED, VERIFIED, PRESENTED).when(StackCards(), by=DEALER).why

    assert str(why) == (
        "A step with the cards comes first: wash the cards (ON-4.3). That is for dealer to do: `feltlog table step T7 wash --as NAME`."
    )


def test_round_is_refused_while_a_step_is_missing():
    """LV-3.1: no card is dealt that was not inspected; the refusal says where the video is named."""
    why = given(TABLE, opened("live"), BookNoted(), ShoeInspected(by="dan", job="dealer", at_ms=0)).when(CallRound(), by=PIT_BOSS).why

    assert why is not None
    assert (why.code, "inspect-decks --video WHERE" in str(why)) == ("step_missing", True)


def test_clock_calls_no_round_while_a_step_is_missing():
    """ON-4: a table that deals by itself waits too, and the day still ends."""
    table: Table = given(TABLE, opened(settings=settings()), BookNoted()).state
    due = timer(table)

    assert due is not None
    assert due.command == EndDay()


@pytest.mark.parametrize(
    ("events", "command", "by", "code"),
    [
        ((), InspectDecks(decks=6), PIT_BOSS, "job_not_allowed"),
        ((INSPECTED,), VerifyInspection(), DEALER, "job_not_allowed"),
        ((replace(INSPECTED, by="rita"),), VerifyInspection(), REPRESENTATIVE, "own_inspection"),
        ((), InspectShoe(), DEALER, "not_in_this_book"),
        ((INSPECTED,), InspectDecks(decks=6), DEALER, "step_done"),
        (ONTARIO[:4], WashCards(), DEALER, "step_done"),
        ((*ONTARIO, CALLED), WashCards(), DEALER, "cards_in_shoe"),
        ((*ONTARIO, *in_use()), ShuffleCards(), DEALER, "cards_in_shoe"),
        ((*ONTARIO, *in_use()), PresentCards(), DEALER, "step_done"),
        ((), InspectDecks(decks=-1), DEALER, "bad_request"),
        ((), InspectDecks(decks=6, faults=7 * ("marked_card",)), DEALER, "bad_request"),
        ((), InspectDecks(decks=6, note="two\nlines"), DEALER, "bad_request"),
        ((), InspectDecks(decks=6, video="v" * 301), DEALER, "bad_request"),
        ((TableClosing(),), InspectDecks(decks=6), DEALER, "not_open"),
        ((DayEnded(next_day="20261201", next_day_ends_at_ms=1),), InspectDecks(decks=6), DEALER, "not_open"),
        ((), InspectDecks(decks=6), "ann", "not_allowed_for_role"),
    ],
)
def test_step_that_may_not_be_is_refused(events, command, by, code):
    """ON-4.1: by the job and the person, once, in its turn, and only at a table that plays on."""
    given(TABLE, opened(), *events).when(command, by=by).refused(code)


@pytest.mark.parametrize(("command", "before"), [(InspectDecks(decks=8), 1), (PresentCards(), 2)])
@pytest.mark.parametrize("video", ["", "  "])
def test_live_table_wants_the_video(command, before, video):
    """LV-3.1: inspected and spread under video, recorded with where it is."""
    _, told = ready("live")

    given(TABLE, opened("live"), *told[:before]).when(replace(command, video=video), by=DEALER).refused("video_missing")


@pytest.mark.parametrize("command", [*commands(staffed("live")).values(), ReplaceCards()])
def test_table_of_the_house_takes_no_steps(command):
    """ADR 0020: whatever is not asked for of staff is the house's."""
    table = given(TABLE, replace(opened(), profile=profile("live")))

    table.when(command, by=DEALER).refused("steps_of_the_house")


def test_supervisor_may_inspect_on_the_floor():
    """FL-3.3: by a dealer or a game supervisor."""
    table = given(TABLE, opened("floor"))

    table.when(InspectDecks(decks=8), by=GAME_SUPERVISOR).then(
        DecksInspected(by="gus", job="game_supervisor", at_ms=1_000, decks=8),
    )


FAULTS: list[tuple[tuple[TableEvent, ...], Any, Actor, Any]] = [
    (
        (),
        InspectDecks(decks=6, faults=("missing_card", "missing_card"), note="deck 3: JD"),
        DEALER,
        replace(INSPECTED, faults=("missing_card",), note="deck 3: JD"),
    ),
    ((), InspectDecks(decks=5), DEALER, replace(INSPECTED, decks=5, faults=("wrong_number_of_decks",))),
    ((INSPECTED,), VerifyInspection(faults=("marked_card",)), REPRESENTATIVE, replace(VERIFIED, faults=("marked_card",))),
    ((INSPECTED, VERIFIED), PresentCards(faults=("other_back",)), DEALER, replace(PRESENTED, faults=("other_back",))),
]


@pytest.mark.parametrize(("events", "command", "by", "event"), FAULTS)
def test_fault_is_written_down_and_lets_no_card_in(events, command, by, event):
    """ON-2.2, ON-4.1: a missing card, a marked one, another back: recorded, and the cards are inspected from the beginning."""
    given(TABLE, opened(), *events).when(command, by=by).then(event)
    table: Table = given(TABLE, opened(), *events, event).state

    assert table.procedure.rejected is not None
    assert (table.procedure.cards, table.procedure.rejected.faults) == ((), event.faults)


def test_fault_is_forgotten_once_the_cards_are_found_in_order():
    """ON-4.1: other cards, or the missing one put back."""
    state: Table = given(TABLE, opened(), replace(INSPECTED, faults=("missing_card",)), INSPECTED).state

    assert state.procedure.rejected is None


def test_damaged_shoe_takes_no_cards():
    """LV-1.5: what is not in order is recorded, and the step is still to be done."""
    fault = ShoeInspected(by="dan", job="dealer", at_ms=1_000, faults=("damaged",))
    table = given(TABLE, opened("live"))
    table.when(InspectShoe(faults=("damaged",)), by=DEALER).then(fault)
    state: Table = given(TABLE, opened("live"), fault).state

    assert state.procedure.rejected == Rejected(StepDone(step="inspect_shoe", by="dan", job="dealer", at_ms=1_000), ("damaged",))
    given(TABLE, opened("live"), fault).when(InspectDecks(decks=8, video=VIDEO), by=DEALER).refused("step_missing")


def test_mounted_shoe_calls_no_other_one():
    """LV-3.2: the cards of the next shoe are those that are being dealt."""
    events = (opened(), *ONTARIO, *in_use()[:-1])

    given(TABLE, *events).when(MountShoe(shoe="T7-S1", root="root", cards=312)).then(ShoeMounted(shoe="T7-S1", root="root", cards=312))


def test_played_out_shoe_waits_for_the_wash():
    """LV-3.2, ON-5.7: the cards are washed and shuffled again, and not inspected again; only then its order is opened."""
    ended = RecordRound(round=ROUND_ID, outcome="settled", revision=9, digest="d", shoes=("T7-S1",), cutting_card_out=True)
    called = RoundCalled(
        round=ROUND_ID,
        number=1,
        table="T7",
        day="20261130",
        profile=staffed("ontario"),
        settings=settings(dealer="staff"),
        shoe="T7-S1",
        root="root",
    )
    assert given(TABLE, opened(), *ONTARIO, *in_use(), called).when(ended).events[1:] == [ShoeSetAside(shoe="T7-S1")]
    table = played_out()
    table.when(ShuffleCards(), by=DEALER).refused("step_missing")
    outcome = after(table, (WashCards(), DEALER), (StackCards(), DEALER)).when(ShuffleCards(), by=DEALER)

    outcome.then(SHUFFLED, replace(CALLED, shoe="T7-S2"))


def test_shoe_that_is_committed_is_cut_and_the_one_before_opened():
    """ADR 0018: the order of a shoe that is played out is opened when the next one is committed."""
    events = (WASHED, STACKED, SHUFFLED, replace(CALLED, shoe="T7-S2"))
    table = given(TABLE, opened(), *ONTARIO, *in_use(), ShoeSetAside(shoe="T7-S1"), *events)

    table.when(NoteOrder(shoe="T7-S2", root="root 2")).then_among(
        ShoeRetirementCalled(shoe="T7-S1", reason="replaced", next_shoe="T7-S2", next_root="root 2"),
        CutCalled(shoe="T7-S2", contributions=(), staff="dealer"),
    )


def test_table_that_waits_for_a_step_can_be_closed():
    """House page: whatever is missing, nobody waits for it longer than the table is open."""
    played_out().when(CloseTable(), by=PIT_BOSS).then_among(TableClosing(), ShoeRetirementCalled(shoe="T7-S1", reason="table_closed"))


REPLACED = CardsReplaced(by="sue", job="casino_supervisor", at_ms=1_000)


def test_cards_are_replaced_between_two_shoes():
    """FL-3.4: after the round in which the cutting card came out, and before the shuffle; then inspection begins anew."""
    table = given(TABLE, opened("floor"), replace(INSPECTED, decks=8), SHUFFLED, *in_use(), ShoeSetAside(shoe="T7-S1"))
    table.when(ReplaceCards(), by=SUPERVISOR).then(REPLACED)
    table = given(TABLE, opened("floor"), replace(INSPECTED, decks=8), SHUFFLED, *in_use(), ShoeSetAside(shoe="T7-S1"), REPLACED)

    table.when(ShuffleCards(), by=DEALER).refused("step_missing")


SOME = (opened("floor"), replace(INSPECTED, decks=8))


@pytest.mark.parametrize(
    ("events", "by", "code"),
    [
        ((*SOME, SHUFFLED, CALLED), SUPERVISOR, "no_replacement_now"),
        ((*SOME, SHUFFLED, *in_use()), SUPERVISOR, "no_replacement_now"),
        ((*SOME, SHUFFLED), SUPERVISOR, "no_replacement_now"),
        (SOME, DEALER, "job_not_allowed"),
        (SOME[:1], SUPERVISOR, "already_so"),
        ((opened(), INSPECTED), SUPERVISOR, "job_not_allowed"),
    ],
)
def test_cards_are_replaced_at_no_other_moment(events, by, code):
    """FL-3.4: by a casino supervisor, never out of a shoe, and not once they are shuffled."""
    given(TABLE, *events).when(ReplaceCards(), by=by).refused(code)


@pytest.mark.parametrize(("book", "by"), [("ontario", REPRESENTATIVE), ("floor", SUPERVISOR), ("live", PIT_BOSS)])
def test_cards_are_replaced_by_whoever_is_in_charge(book, by):
    """FL-3.4; where a book names nobody it is whom the book puts in charge."""
    events = (INSPECTED, VERIFIED) if book == "ontario" else (ShoeInspected(by="dan", job="dealer", at_ms=0), INSPECTED)

    assert isinstance(given(TABLE, opened(book), *events).when(ReplaceCards(), by=by).events[0], CardsReplaced)


DEVICE = replace(opened("floor"), profile=staffed("floor", "shuffling_device"))
LOADED = (DEVICE, replace(INSPECTED, decks=8), SHUFFLED)
FIRST = ShoeCalled(shoe="T7-S1", table="T7", decks=8, burns=1, cut=(0, 0), cutting_card=(0, 0), device="shuffling_device")
SECOND = replace(FIRST, shoe="T7-S2", burns=0)
IN_DEVICE = (
    *(*LOADED, FIRST, OrderNoted(shoe="T7-S1", root="root")),
    *(ShoeMounted(shoe="T7-S1", root="root", cards=416), SECOND),
)


def test_device_is_loaded_with_cards_shuffled_by_hand():
    """FL-4.6: new decks are shuffled by hand before they are put into the device; then it shuffles them itself."""
    given(TABLE, *LOADED[:2]).when(ShuffleCards(), by=DEALER).then(SHUFFLED, FIRST)
    given(TABLE, *IN_DEVICE[:4]).when(NoteOrder(shoe="T7-S1", root="root")).then(*IN_DEVICE[4:])
    given(TABLE, *IN_DEVICE).when(ShuffleCards(), by=DEALER).refused("cards_in_shoe")


def test_cards_of_a_device_are_replaced_after_any_round():
    """FL-3.4: what it has shuffled of the old cards is dealt no more, and opened when the next order is committed."""
    table = given(TABLE, *IN_DEVICE, OrderNoted(shoe="T7-S2", root="root 2"))
    put_away = (REPLACED, ShoeSetAside(shoe="T7-S1"), ShoeSetAside(shoe="T7-S2"))
    table.when(ReplaceCards(), by=SUPERVISOR).then(*put_away)
    third = replace(FIRST, shoe="T7-S3")
    loaded_anew = (*IN_DEVICE, OrderNoted(shoe="T7-S2", root="root 2"), *put_away, *LOADED[1:], third)

    given(TABLE, *loaded_anew).when(NoteOrder(shoe="T7-S3", root="root 3")).then_among(
        ShoeRetirementCalled(shoe="T7-S1", reason="replaced", next_shoe="T7-S3", next_root="root 3"),
        ShoeRetirementCalled(shoe="T7-S2", reason="replaced", next_shoe="T7-S3", next_root="root 3"),
        ShoeMounted(shoe="T7-S3", root="root 3", cards=416),
        replace(SECOND, shoe="T7-S4"),
    )


def test_cards_of_a_device_are_not_replaced_in_a_round():
    """FL-3.4: nor while it shuffles, for it can be asked again in a moment."""
    called = RoundCalled(
        round=ROUND_ID, number=1, table="T7", day="20261130", profile=DEVICE.profile, settings=DEVICE.settings, shoe="T7-S1", root="root"
    )
    given(TABLE, *IN_DEVICE, called).when(ReplaceCards(), by=SUPERVISOR).refused("no_replacement_now")
    given(TABLE, *IN_DEVICE).when(ReplaceCards(), by=SUPERVISOR).refused("busy")


def test_closed_table_has_its_cards_inspected_anew():
    """LV-3.1: cards that left the table are inspected and presented again; shoe and rack are not, on the same day."""
    _, told = ready("live")
    closed = (*told[:3], TableClosing(), TableClosed())
    again = given(TABLE, opened("live"), *closed).when(replace(open_table("live"), profile=staffed("live")), by=PIT_BOSS).events
    state: Table = given(TABLE, opened("live"), *closed, *again).state

    assert [(each.step) for each in (*state.procedure.today, *state.procedure.cards)] == ["inspect_shoe"]


END = EndDay(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)


def test_cards_stay_inspected_over_the_day_and_the_shoe_does_not():
    """LV-1.5, LV-3.1: the cards lie where they lay; shoe and rack are inspected on each gaming day."""
    _, told = ready("live")
    table = given(TABLE, opened("live"), *told[:3])
    (closed,) = [event for event in table.when(END, at_ms=DAY_ENDS_AT_MS).events if isinstance(event, DayClosed)]
    source = Source(
        log="LOG_TABLE_20261130", stream="log.table.20261130.T7.table", sequence=1, revision=1, decision=0, event=0, at_ms=0, digest="d"
    )
    (reaction,) = follow(closed, source)
    assert isinstance(reaction.command, OpenTable)
    state: Table = given(TABLE, *given(TABLE).when(reaction.command).events).state

    assert [each.step for each in closed.cards] == ["inspect_decks", "present"]
    assert (state.procedure.today, state.procedure.cards) == ((), closed.cards)
    given(TABLE, *given(TABLE).when(reaction.command).events).when(WashCards(), by=DEALER).refused("step_missing")


def test_cards_of_a_closed_table_are_not_carried_over():
    """LV-3.1: they were taken away with the table."""
    table = after(given(TABLE, opened("live"), *ready("live")[1][:3]), (CloseTable(), PIT_BOSS))
    closed = table.when(END, at_ms=DAY_ENDS_AT_MS).events[-1]

    assert (isinstance(closed, DayClosed), closed.cards) == (True, ())


@pytest.mark.parametrize("decks", [3, 4, 6, 8])
def test_floor_plays_with_the_decks_of_its_book(decks):
    """FL-3.1: three, four, six or eight decks; side bets are left out, which need more."""
    assert changed(profile("floor"), {"side_bets.offered": [], "decks": decks}, "a test").decks == decks


@pytest.mark.parametrize("decks", [1, 2, 5, 7])
def test_floor_plays_with_no_other_number_of_decks(decks):
    """FL-3.1: three, four, six or eight decks."""
    with pytest.raises(BadProfile, match="3, 4, 6 or 8 decks"):
        changed(profile("floor"), {"side_bets.offered": [], "decks": decks}, "a test")


@pytest.mark.parametrize("bet", ["super_sevens", "perfect_pairs"])
@pytest.mark.parametrize("decks", [3, 4])
def test_side_bets_need_more_decks(bet, decks):
    """FL-3.1, FL-SB: with Super Sevens or Perfect Pairs six or eight."""
    with pytest.raises(BadProfile, match="side bets need 6 or 8 decks"):
        changed(profile("floor"), {"side_bets.offered": [bet], "decks": decks}, "a test")
