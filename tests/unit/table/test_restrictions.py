"""Restrictions about a table's felt: who may rule what, what holds from then on, and when it ends (FL-5.4, FL-5.8, FL-5.10 to FL-5.13)."""

from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.restrictions import in_force
from services.table.domain.round import ROUND
from services.table.domain.table import TABLE, obstacle
from services.table.domain.table_state import Table
from services.table.notices import notices
from services.table.reactions import follow
from services.table.views import felt
from shared.contracts.refusals import Reason
from shared.contracts.restrictions import (
    ApproveFaceDown,
    BoxesReleased,
    BoxesReserved,
    BoxGivenUp,
    FaceDownApproved,
    GivenBox,
    GiveUpBox,
    Held,
    HoldPlayer,
    InForce,
    InForceNoted,
    InForceTold,
    KeptBoxes,
    LimitPlayers,
    NoteInForce,
    NoticeTaken,
    PlayerHeld,
    PlayerReleased,
    PlayersLimited,
    ReleaseBoxes,
    ReleasePlayer,
    ReserveBoxes,
    TakeNotice,
)
from shared.contracts.rounds import RoundSettled
from shared.contracts.table import (
    BookNoted,
    CallRound,
    CloseTable,
    DayClosed,
    EndDay,
    OpenTable,
    RecordRound,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    TableOpened,
)
from shared.contracts.wagers import CommandRefused, PlaceWager
from shared.kernel.messages import HOUSE, Actor, Envelope
from shared.kernel.profile import Profile
from shared.kernel.reactions import Source
from shared.runtime.shelf import profile
from tests.given import Given, given
from tests.rounds import DAY_ENDS_AT_MS, ROUND_ID, begun, opening, play, settings
from tests.staff import INSPECTOR, MANAGER, SUPERVISOR

PIT = Actor("staff", "pit", "pit_boss")

OPENED = TableOpened(table="T7", day="20261130", day_ends_at_ms=DAY_ENDS_AT_MS, semantics=1, profile=profile("floor"), settings=settings())
STARTED = (
    OPENED,
    ShoeCalled(shoe="T7-S1", table="T7", decks=8, burns=1, cut=(52, 364), cutting_card=(104, 208)),
    ShoeMounted(shoe="T7-S1", root="root", cards=416),
    BookNoted(),
)


def called(number: int = 1, holds: InForce | None = None) -> RoundCalled:
    """That a round is opened."""
    return RoundCalled(
        round=f"T7.20261130-{number:06d}",
        number=number,
        table="T7",
        day="20261130",
        profile=OPENED.profile,
        settings=OPENED.settings,
        shoe="T7-S1",
        root="root",
        in_force=holds or InForce(),
    )


def recorded(*places: tuple[str, int], number: int = 1) -> RoundRecorded:
    """That a round has ended, with these players on these boxes."""
    return RoundRecorded(round=f"T7.20261130-{number:06d}", outcome="settled", revision=9, digest="x", places=places)


ONE_ROUND = (*STARTED, called(), recorded(("ben", 1), ("ann", 2), ("ann", 4)))
NOTICED = NoticeTaken(player="ann", rule="FL-5.12", by="ines", job="inspector")
HELD = PlayerHeld(player="cleo", rule="FL-5.10", by="sue", job="casino_supervisor")
ONE_BOX = PlayerHeld(player="ann", rule="FL-5.12", by="max", job="duty_manager", notified="ines")
FURTHER = PlayerHeld(player="cleo", rule="FL-5.11", by="max", job="duty_manager", notified="ines")
RESERVED = BoxesReserved(player="ann", first=2, last=4, by="sue", job="casino_supervisor")
LIMITED = PlayersLimited(players_per_box_max=1, by="sue", job="casino_supervisor")
GIVEN_UP = BoxGivenUp(player="ann", box=4, by="pit", job="pit_boss")
APPROVED = FaceDownApproved(by="ines", job="inspector")
NEW_SHOE = ShoeRetirementCalled(shoe="T7-S1", reason="day_ended")


def holds(*events: Any) -> InForce:
    """What is in force after some events of a table."""
    state: Table = given(TABLE, *events).state
    return in_force(state.ruled)


@pytest.mark.parametrize(
    ("before", "command", "by", "event"),
    [
        (ONE_ROUND, HoldPlayer(player="cleo", rule="FL-5.10"), SUPERVISOR, HELD),
        (ONE_ROUND, TakeNotice(player="ann", rule="FL-5.12"), INSPECTOR, NOTICED),
        ((*ONE_ROUND, NOTICED), HoldPlayer(player="ann", rule="FL-5.12"), MANAGER, ONE_BOX),
        (
            (*ONE_ROUND, replace(NOTICED, player="cleo", rule="FL-5.11")),
            HoldPlayer(player="cleo", rule="FL-5.11"),
            MANAGER,
            FURTHER,
        ),
        (
            (*ONE_ROUND, HELD),
            ReleasePlayer(player="cleo", rule="FL-5.10"),
            SUPERVISOR,
            PlayerReleased(player="cleo", rule="FL-5.10", by="sue", job="casino_supervisor"),
        ),
        (STARTED, ReserveBoxes(player="ann", first=2, last=4), SUPERVISOR, RESERVED),
        ((*STARTED, RESERVED), ReleaseBoxes(player="ann"), SUPERVISOR, BoxesReleased(player="ann", by="sue", job="casino_supervisor")),
        (STARTED, LimitPlayers(players_per_box_max=1), SUPERVISOR, LIMITED),
        (ONE_ROUND, GiveUpBox(player="ann"), PIT, GIVEN_UP),
    ],
)
def test_restriction_is_written_down_with_who_and_which_job(before, command, by, event):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: each by the job that the book names, an inspector notified where it asks for that."""
    given(TABLE, *before).when(command, by=by).then(event)


@pytest.mark.parametrize(
    ("before", "command", "by", "code"),
    [
        (ONE_ROUND, HoldPlayer(player="cleo", rule="FL-5.10"), PIT, "job_not_allowed"),
        (ONE_ROUND, HoldPlayer(player="cleo", rule="FL-5.10"), Actor("staff", "temp"), "job_not_allowed"),
        ((*ONE_ROUND, NOTICED), HoldPlayer(player="ann", rule="FL-5.12"), SUPERVISOR, "job_not_allowed"),
        (ONE_ROUND, TakeNotice(player="ann", rule="FL-5.12"), MANAGER, "job_not_allowed"),
        (STARTED, ReserveBoxes(player="ann", first=2, last=4), MANAGER, "job_not_allowed"),
        (STARTED, LimitPlayers(players_per_box_max=1), PIT, "job_not_allowed"),
        (ONE_ROUND, GiveUpBox(player="ann"), INSPECTOR, "job_not_allowed"),
        ((*STARTED, RESERVED), ReleaseBoxes(player="ann"), PIT, "job_not_allowed"),
        ((*ONE_ROUND, ONE_BOX), ReleasePlayer(player="ann", rule="FL-5.12"), SUPERVISOR, "job_not_allowed"),
        (ONE_ROUND, HoldPlayer(player="cleo", rule="FL-5.10"), "ann", "not_allowed_for_role"),
        (ONE_ROUND, HoldPlayer(player="ann", rule="FL-5.12"), MANAGER, "inspector_not_notified"),
        ((*ONE_ROUND, NOTICED), HoldPlayer(player="ben", rule="FL-5.12"), MANAGER, "inspector_not_notified"),
        ((*ONE_ROUND, NOTICED), HoldPlayer(player="ann", rule="FL-5.11"), MANAGER, "inspector_not_notified"),
        ((*ONE_ROUND, NOTICED, ONE_BOX), HoldPlayer(player="ann", rule="FL-5.12"), MANAGER, "already_so"),
        (ONE_ROUND, HoldPlayer(player="ben", rule="FL-5.10"), SUPERVISOR, "played_every_round"),
        (STARTED, HoldPlayer(player="cleo", rule="FL-5.10"), SUPERVISOR, "played_every_round"),
        ((*ONE_ROUND, NEW_SHOE), HoldPlayer(player="cleo", rule="FL-5.10"), SUPERVISOR, "no_shoe"),
        (ONE_ROUND, HoldPlayer(player="no name", rule="FL-5.10"), SUPERVISOR, "bad_restriction"),
        (ONE_ROUND, TakeNotice(player="cleo", rule="FL-5.10"), INSPECTOR, "not_in_this_book"),
        ((*ONE_ROUND, NOTICED), TakeNotice(player="ann", rule="FL-5.12"), INSPECTOR, "already_so"),
        (ONE_ROUND, ReleasePlayer(player="cleo", rule="FL-5.10"), SUPERVISOR, "already_so"),
        (STARTED, ReserveBoxes(player="ann", first=4, last=2), SUPERVISOR, "bad_restriction"),
        (STARTED, ReserveBoxes(player="ann", first=5, last=8), SUPERVISOR, "bad_restriction"),
        ((*STARTED, RESERVED), ReserveBoxes(player="ben", first=4, last=5), SUPERVISOR, "box_reserved"),
        ((*STARTED, RESERVED), ReserveBoxes(player="ann", first=4, last=5), SUPERVISOR, "already_so"),
        (STARTED, ReleaseBoxes(player="ann"), SUPERVISOR, "already_so"),
        (STARTED, LimitPlayers(players_per_box_max=4), SUPERVISOR, "bad_restriction"),
        (STARTED, LimitPlayers(players_per_box_max=0), SUPERVISOR, "bad_restriction"),
        (STARTED, LimitPlayers(players_per_box_max=3), SUPERVISOR, "already_so"),
        (ONE_ROUND, GiveUpBox(player="ben"), PIT, "no_box_to_give"),
        ((*ONE_ROUND, GIVEN_UP), GiveUpBox(player="ann"), PIT, "no_box_to_give"),
        ((*ONE_ROUND, RESERVED), GiveUpBox(player="ann"), PIT, "no_box_to_give"),
        (STARTED, ApproveFaceDown(), INSPECTOR, "not_in_this_book"),
    ],
)
def test_restriction_is_refused(before, command, by, code):
    """FL-5.10 to FL-5.13: the wrong job, no notice, nothing to rule on, or what holds already."""
    given(TABLE, *before).when(command, by=by).refused(code)


@pytest.mark.parametrize("book", ["ontario", "live"])
def test_other_books_know_no_such_restrictions(book):
    """FL-5.10 to FL-5.13 are the floor's."""
    opened = replace(OPENED, profile=profile(book))

    given(TABLE, opened).when(HoldPlayer(player="ann", rule="FL-5.10"), by=SUPERVISOR).refused("not_in_this_book")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((HELD,), InForce(held=(Held(player="cleo", rule="FL-5.10"),))),
        ((ONE_BOX,), InForce(held=(Held(player="ann", rule="FL-5.12"),))),
        ((ONE_BOX, PlayerReleased(player="ann", rule="FL-5.12", by="max", job="duty_manager")), InForce()),
        ((RESERVED,), InForce(kept=(KeptBoxes(player="ann", first=2, last=4),))),
        ((LIMITED,), InForce(players_per_box_max=1)),
        ((GIVEN_UP,), InForce(given=(GivenBox(player="ann", box=4),))),
        ((RESERVED, GIVEN_UP, BoxesReleased(player="ann", by="sue", job="casino_supervisor")), InForce()),
        ((NOTICED,), InForce()),
    ],
)
def test_restriction_holds_for_the_rounds_that_follow(events, expected):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: the round is told by value what holds when it is called."""
    outcome = given(TABLE, *ONE_ROUND, *events).when(CallRound(), by=PIT)

    assert outcome.events == [called(2, expected)]


def test_player_is_held_until_the_reshuffle():
    """FL-5.10: until that shoe is completed and a reshuffle occurs."""
    assert holds(*ONE_ROUND, HELD, NEW_SHOE) == InForce()


def test_further_shoes_hold_a_player_who_joins_late_or_sits_a_round_out():
    """FL-5.11: as FL-5.10 has it, in each shoe to come; whoever plays from the first round on is free."""
    next_shoe = (*ONE_ROUND, FURTHER, NEW_SHOE, replace(STARTED[2], shoe="T7-S2"))
    here = InForce(held=(Held(player="cleo", rule="FL-5.11"),))

    assert [
        holds(*next_shoe),
        holds(*next_shoe, called(2), recorded(("cleo", 1), number=2)),
        holds(*next_shoe, called(2), recorded(("ben", 1), number=2)),
        holds(*next_shoe, called(2), recorded(("cleo", 1), number=2), called(3), recorded(("ben", 1), number=3)),
    ] == [InForce(), InForce(), here, here]


def test_round_without_a_wager_is_none_that_anybody_sat_out():
    """FL-5.10: a round of play has a wager."""
    given(TABLE, *STARTED, called(), recorded()).when(HoldPlayer(player="cleo", rule="FL-5.10"), by=SUPERVISOR).refused(
        "played_every_round"
    )


def test_notice_serves_one_restriction():
    """FL-5.12: the inspector is notified before each."""
    released = PlayerReleased(player="ann", rule="FL-5.12", by="max", job="duty_manager")
    table = given(TABLE, *ONE_ROUND, NOTICED, ONE_BOX, released)

    table.when(HoldPlayer(player="ann", rule="FL-5.12"), by=MANAGER).refused("inspector_not_notified")


def test_next_day_goes_on_with_what_has_no_end():
    """FL-5.11, FL-5.12: carried over; FL-5.10 ends with its shoe, and boxes are free again."""
    events = (*ONE_ROUND, HELD, FURTHER, ONE_BOX, RESERVED, LIMITED)
    end = EndDay(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)
    table = given(TABLE, *events, NEW_SHOE)
    state = replace(table.state, retiring=(), unbooked=())
    closed = next(event for event in TABLE.decide(end, state, _late()) if isinstance(event, DayClosed))
    (reaction,) = follow(closed, _source())
    assert isinstance(reaction.command, OpenTable)
    opened = next(event for event in TABLE.decide(reaction.command, Table(), _late()) if isinstance(event, TableOpened))

    assert given(TABLE, opened).state.ruled.held == (Held(player="cleo", rule="FL-5.11"), Held(player="ann", rule="FL-5.12"))


def test_restriction_binds_from_the_next_wager_on():
    """Decision 24: a round that takes wagers is told at once."""
    outcome = given(TABLE, *ONE_ROUND, called(2)).when(HoldPlayer(player="cleo", rule="FL-5.10"), by=SUPERVISOR)
    now = InForce(held=(Held(player="cleo", rule="FL-5.10"),))
    told = InForceTold(round="T7.20261130-000002", in_force=now)

    assert (outcome.events, follow(told, _source())[0].command) == ([HELD, told], NoteInForce(in_force=now))


def test_box_is_given_up_between_rounds():
    """FL-5.8, decision 24: the round that is played is not told."""
    given(TABLE, *ONE_ROUND, called(2)).when(GiveUpBox(player="ann"), by=PIT).then(GIVEN_UP)


def test_round_that_is_told_of_something_else_is_not_told_of_a_box_given_up_since():
    """FL-5.8, decision 24: what else is ruled while it is played does not make a box given up in its middle."""
    told = InForceTold(round="T7.20261130-000002", in_force=InForce(players_per_box_max=1))

    given(TABLE, *ONE_ROUND, called(2), GIVEN_UP).when(LimitPlayers(players_per_box_max=1), by=SUPERVISOR).then(LIMITED, told)


def test_round_goes_on_knowing_of_a_box_that_was_given_up_before_it():
    """FL-5.8: whatever else is ruled while it is played."""
    before = InForce(given=(GivenBox(player="ann", box=4),))
    told = InForceTold(round="T7.20261130-000002", in_force=replace(before, players_per_box_max=1))

    given(TABLE, *ONE_ROUND, GIVEN_UP, called(2, before)).when(LimitPlayers(players_per_box_max=1), by=SUPERVISOR).then(LIMITED, told)


def test_last_box_that_is_not_kept_is_given_up_first():
    """FL-5.8, FL-5.13, decision 24: the one taken last first, and none that is for the player's sole use."""
    kept = BoxesReserved(player="ann", first=4, last=4, by="sue", job="casino_supervisor")

    given(TABLE, *ONE_ROUND, kept).when(GiveUpBox(player="ann"), by=PIT).then(replace(GIVEN_UP, box=2))


def test_round_settled_says_in_which_order_boxes_were_taken():
    """FL-5.8: as they were accepted, whoever decides for them."""
    end = play("floor", "TS TH 9D 8S 8H TC", "stand", "stand", bets=(("ann", 3, 100), ("ben", 1, 200), ("cleo", 1, 400))).events[-1]
    assert isinstance(end, RoundSettled)

    assert end.places == (("ann", 3), ("ben", 1), ("cleo", 1))


def test_record_says_who_was_on_which_box():
    """FL-5.10: the table counts from what each round says."""
    settled = RoundSettled(staked_minor=1, returned_minor=1, shoes=("T7-S1",), cutting_card_out=False, places=(("ann", 3),))
    command = follow(settled, _source(f"log.table.20261130.T7.round.{1:06d}"))[0].command
    assert isinstance(command, RecordRound)
    event = given(TABLE, *STARTED, called()).when(command).events[0]
    assert isinstance(event, RoundRecorded)

    assert event.places == (("ann", 3),)


def betting(*wagers: tuple[str, int, int], holds: InForce) -> Given:
    """A round that takes wagers, under what was ruled before it, with some that are accepted."""
    rehearsed = Rehearsal(replace(opening("floor"), in_force=holds), ())
    for player, box, stake_minor in wagers:
        rehearsed.bet(player, box, stake_minor)
        rehearsed.serve()
    return given(ROUND, *rehearsed.events)


MINIMUM = InForce(held=(Held(player="ann", rule="FL-5.10"),))
SINGLE = InForce(held=(Held(player="ann", rule="FL-5.12"),))
KEPT = InForce(kept=(KeptBoxes(player="ann", first=2, last=4),))
FEWER = InForce(players_per_box_max=1)
GIVEN = InForce(given=(GivenBox(player="ann", box=4),))


@pytest.mark.parametrize(
    ("ruled", "lying", "box", "stake_minor", "code"),
    [
        (MINIMUM, (), 1, 101, "held_to_minimum"),
        (SINGLE, (), 1, 200, "held_to_minimum"),
        (SINGLE, (("ann", 1, 100),), 2, 100, "held_to_one_box"),
        (InForce(kept=(KeptBoxes(player="ben", first=2, last=4),)), (), 4, 100, "box_reserved"),
        (FEWER, (("ben", 1, 100),), 1, 100, "box_full"),
        (GIVEN, (), 4, 100, "box_given_up"),
    ],
)
def test_wager_against_a_restriction_is_refused_in_writing(ruled, lying, box, stake_minor, code):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: with a stable code, because a dispute could turn on it."""
    round_ = betting(*lying, holds=ruled)

    round_.when(PlaceWager(round=ROUND_ID, box=box, stake_minor=stake_minor), by="ann").refused_in_writing(code)


@pytest.mark.parametrize(
    ("ruled", "lying", "player", "box", "stake_minor"),
    [
        (MINIMUM, (), "ann", 1, 100),
        (MINIMUM, (("ann", 1, 100),), "ann", 2, 100),
        (MINIMUM, (), "ben", 1, 500),
        (SINGLE, (), "ann", 1, 100),
        (KEPT, (), "ann", 3, 500),
        (KEPT, (), "ben", 5, 500),
        (FEWER, (("ann", 1, 100),), "ben", 2, 100),
        (GIVEN, (), "ben", 4, 100),
    ],
)
def test_wager_within_a_restriction_is_taken(ruled, lying, player, box, stake_minor):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: everybody else, and whatever is not ruled on."""
    outcome = betting(*lying, holds=ruled).when(PlaceWager(round=ROUND_ID, box=box, stake_minor=stake_minor), by=player)

    assert [type(event).__name__ for event in outcome.events] == ["WagerPlaced"]


def test_refusal_names_the_rule():
    """FL-5.10: the sentence says what the minimum is and by which clause."""
    (event,) = betting(holds=MINIMUM).when(PlaceWager(round=ROUND_ID, box=1, stake_minor=200), by="ann").events
    assert isinstance(event, CommandRefused)

    assert event.message == "You are held to the table's minimum of 1.00 CAD (FL-5.10)."


def test_wager_that_lies_already_stays_as_it_is():
    """Decision 24: a restriction binds from the next wager on."""
    round_ = betting(("ann", 1, 400), holds=InForce())
    round_.state = ROUND.evolve(round_.state, InForceNoted(in_force=MINIMUM))

    assert [
        [wager.stake_minor for wager in round_.state.wagers],
        [event.code for event in round_.when(PlaceWager(round=ROUND_ID, box=2, stake_minor=400), by="ann").events],
    ] == [[400], ["held_to_minimum"]]


def test_round_notes_what_holds_once():
    """Decision 24: what it knows already adds nothing; once cards are out it matters no more."""
    round_ = betting(("ann", 1, 400), holds=MINIMUM)
    round_.when(NoteInForce(in_force=KEPT)).then(InForceNoted(in_force=KEPT))
    round_.when(NoteInForce(in_force=MINIMUM)).then()
    played = begun("floor", "TS 9D 8S TC")

    given(ROUND, *played.events).when(NoteInForce(in_force=KEPT)).then()


def test_people_do_not_tell_a_round_what_holds():
    """FL-5.10: a restriction is made at the table, by somebody whose job it is."""
    betting(holds=InForce()).when(NoteInForce(in_force=InForce()), by=SUPERVISOR).refused("not_allowed_for_role")


def test_notices_say_what_is_ruled():
    """LV-1.2.3, FL-5.4, FL-5.10 to FL-5.13: with restrictions."""
    ruled = InForce(
        held=(Held(player="ann", rule="FL-5.12"), Held(player="cleo", rule="FL-5.10")),
        kept=(KeptBoxes(player="ben", first=2, last=4), KeptBoxes(player="dan", first=6, last=6)),
        given=(GivenBox(player="eve", box=5),),
        players_per_box_max=1,
    )
    before = notices(profile("floor"), settings())

    assert [told for told in notices(profile("floor"), settings(), ruled) if told not in before] == [
        "At this table one player at most may wager on a box.",
        "Boxes 2 to 4 are kept for ben.",
        "Box 6 is kept for dan.",
        "eve has given up box 5.",
        "ann may wager the minimum of 1.00 CAD and no more on one box (FL-5.12).",
        "cleo may wager the minimum of 1.00 CAD and no more (FL-5.10).",
    ]


def test_felt_shows_what_is_in_force():
    """FL-5.13: everybody sees which boxes are kept."""
    assert felt(given(TABLE, *STARTED, RESERVED).state, None).in_force == KEPT


def face_down(**changes: Any) -> Profile:
    """The floor's book with the face-down deal."""
    return replace(profile("floor"), players_cards="down", **changes)


def test_face_down_table_waits_for_an_inspector():
    """FL-3.5: with the prior approval of an inspector, and not before."""
    down = (replace(OPENED, profile=face_down()), *STARTED[1:])
    states = [given(TABLE, *events).state for events in (down, (*down, APPROVED))]

    assert [obstacle(state) for state in states] == [Reason.FACE_DOWN_NOT_APPROVED, None]


def test_face_down_deal_is_approved_once_by_an_inspector():
    """FL-3.5: recorded with who it was; also where the book knows no other restrictions."""
    down = given(TABLE, replace(OPENED, profile=face_down(restrictions=False)), *STARTED[1:])
    down.when(ApproveFaceDown(), by=PIT).refused("job_not_allowed")
    down.when(CallRound(), by=PIT).refused("face_down_not_approved")
    down.when(ApproveFaceDown(), by=INSPECTOR).then(APPROVED)
    approved = given(TABLE, replace(OPENED, profile=face_down()), *STARTED[1:], APPROVED)
    approved.when(ApproveFaceDown(), by=INSPECTOR).refused("already_so")
    event = approved.when(CallRound(), by=PIT).events[0]
    assert isinstance(event, RoundCalled)

    assert event.in_force == InForce(face_down_by="ines")


def test_closed_table_takes_no_part_in_restrictions():
    """A table that is closing still says what was ruled; one that nobody opened does not."""
    given(TABLE).when(LimitPlayers(players_per_box_max=1), by=SUPERVISOR).refused("unknown_table")
    closing = given(TABLE, *STARTED).when(CloseTable(), by=PIT)

    assert closing.why is None


def _source(stream: str = "log.table.20261130.T7.table") -> Source:
    return Source(log="LOG_TABLE_20261130", stream=stream, sequence=1, revision=1, decision=0, event=0, at_ms=0, digest="mark")


def _late() -> Envelope:
    return Envelope("late", HOUSE, DAY_ENDS_AT_MS, DAY_ENDS_AT_MS)
