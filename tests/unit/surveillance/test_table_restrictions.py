"""The referee on what staff ruled: wagers against it, and boxes that were taken otherwise than written down."""

import pytest
from msgspec.structs import replace

from services.surveillance.domain.referee import judge
from services.surveillance.domain.restrictions import TableRestrictions, take
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.contracts.restrictions import (
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
    NoticeTaken,
    PlayerHeld,
    PlayersLimited,
    ReserveBoxes,
    TakeNotice,
)
from shared.contracts.rounds import RoundCommand, RoundEvent, RoundOpened, RoundSettled
from shared.contracts.subjects import table_stream
from shared.contracts.table import RoundCalled
from shared.contracts.wagers import WagerPlaced
from shared.kernel.entry import decode_as
from shared.runtime.shelf import profile
from tests.forgery import forged
from tests.houses import DAY, WholeHouse
from tests.rounds import play
from tests.staff import INSPECTOR, MANAGER, SUPERVISOR


def log():
    """A round in which Ann wagers on boxes 1 and 2, and Ben on 2."""
    rehearsal = play("floor", "TS TH 9D 8S 8H TC", "stand", "stand", bets=(("ann", 1, 200), ("ann", 2, 100), ("ben", 2, 100)))
    return [decode_as(RoundCommand, RoundEvent, data) for data in rehearsal.entries]


def edited(kind, edit):
    """The log with its events of a kind changed."""

    def told(event):
        return edit(event) if isinstance(event, kind) else [event]

    return [
        replace(
            entry,
            decisions=tuple(replace(each, events=tuple(new for event in each.events for new in told(event))) for each in entry.decisions),
        )
        for entry in log()
    ]


AGAINST = [
    (InForce(held=(Held(player="ann", rule="FL-5.10"),)), {"FL-5.10"}),
    (InForce(held=(Held(player="ann", rule="FL-5.11"),)), {"FL-5.11"}),
    (InForce(held=(Held(player="ann", rule="FL-5.12"),)), {"FL-5.12"}),
    (InForce(held=(Held(player="ben", rule="FL-5.12"),)), set()),
    (InForce(kept=(KeptBoxes(player="ann", first=2, last=4),)), {"FL-5.13"}),
    (InForce(kept=(KeptBoxes(player="ann", first=3, last=4),)), set()),
    (InForce(given=(GivenBox(player="ann", box=2),)), {"FL-5.8"}),
    (InForce(players_per_box_max=1), {"FL-5.4"}),
]


@pytest.mark.parametrize(("ruled", "clauses"), AGAINST)
def test_wagers_against_what_holds_are_found(ruled, clauses):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: from the round's own log, which carries what holds."""
    assert {found.clause for found in judge(edited(RoundOpened, lambda event: [replace(event, in_force=ruled)]))} == clauses


@pytest.mark.parametrize(("ruled", "clauses"), AGAINST)
def test_wagers_against_what_holds_since_the_opening_are_found(ruled, clauses):
    """Decision 24: from the next wager on."""
    assert {found.clause for found in judge(edited(RoundOpened, lambda event: [event, InForceNoted(in_force=ruled)]))} == clauses


def test_wagers_before_a_restriction_stay():
    """Decision 24: what lay already is not found."""
    noted = InForceNoted(in_force=InForce(held=(Held(player="ann", rule="FL-5.10"),)))

    assert judge(edited(WagerPlaced, lambda event: [event, noted] if event.box == 1 else [event])) == []


def test_boxes_that_were_taken_otherwise_are_found():
    """FL-5.10: who played in which round is what a restriction rests on."""
    log = edited(RoundSettled, lambda event: [replace(event, places=event.places[::-1])])

    assert {found.clause for found in judge(log)} == {"FL-5.10"}


def floor_house() -> WholeHouse:
    """A floor table with an evening of restrictions between its rounds."""
    house = WholeHouse(7)
    for player in ("ann", "bob", "cyd"):
        house.welcome(player)
    house.open_table("T1", "floor")
    stream = table_stream(DAY, "T1")
    house.play("T1", ["ann", "bob"])
    house.ask(stream, HoldPlayer(player="cyd", rule="FL-5.10"), SUPERVISOR)
    house.play("T1", ["ann", "bob", "cyd"])
    house.ask(stream, TakeNotice(player="bob", rule="FL-5.12"), INSPECTOR)
    house.ask(stream, HoldPlayer(player="bob", rule="FL-5.12"), MANAGER)
    house.ask(stream, ReserveBoxes(player="ann", first=1, last=2), SUPERVISOR)
    house.ask(stream, LimitPlayers(players_per_box_max=1), SUPERVISOR)
    house.play("T1", ["ann", "bob", "ann"])
    house.ask(stream, GiveUpBox(player="ann"), SUPERVISOR)
    house.play("T1", ["ann", "cyd", "ann"])
    return house


def test_evening_of_restrictions_is_proved():
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: table, rounds, shoe and wallet tell the same, and every decision is decided again."""
    house = floor_house()
    report = verify(house.stored, Watch(Again()), house.ends())

    assert (report.findings, report.counts.rounds_judged) == ((), 4)


def test_round_that_was_opened_under_other_restrictions_is_found():
    """FL-5.13: what holds comes from the table's call, and the opening must carry the same."""
    house = floor_house()
    logs = forged(house.stored, RoundOpened, lambda event: [replace(event, in_force=InForce())], which=3)

    assert "wrong_cause" in {found.code.value for found in verify(logs, Watch(Again()), house.ends()).findings}


def found_in(kind, edit, *, which=0):
    """The clauses that are found when an event of the evening is another one."""
    house = floor_house()
    logs = forged(house.stored, kind, edit, which=which)
    return {found.clause for found in verify(logs, Watch(Again()), house.ends()).findings if found.clause}


@pytest.mark.parametrize(("given", "clauses"), [((), []), ((GivenBox(player="ann", box=2),), ["FL-5.10"])])
def test_box_given_up_while_a_round_is_played_binds_from_the_next_one(given, clauses):
    """FL-5.8: what else the round is told of leaves it out."""
    table = TableRestrictions(given=[("ann", 2)], since=[("ann", 2)])
    told = InForceTold(round="T1.20261130-000002", in_force=InForce(given=given))

    assert [clause for clause, _ in take(table, told)] == clauses


@pytest.mark.parametrize(
    ("kind", "edit", "clause"),
    [
        (PlayerHeld, lambda event: [replace(event, by="max")], "FL-5.10"),
        (PlayerHeld, lambda event: [replace(event, player="ann")], "FL-5.10"),
        (NoticeTaken, lambda event: [], "FL-5.12"),
        (NoticeTaken, lambda event: [replace(event, job="duty_manager")], "FL-5.11"),
        (BoxesReserved, lambda event: [replace(event, job="pit_boss")], "FL-5.13"),
        (PlayersLimited, lambda event: [replace(event, by="eve")], "FL-5.4"),
        (BoxGivenUp, lambda event: [replace(event, box=1)], "FL-5.8"),
    ],
)
def test_restriction_that_was_not_theirs_or_not_due_is_found(kind, edit, clause):
    """FL-5.4, FL-5.8, FL-5.10 to FL-5.13: the job, the reason and the notice, from the table's own stream."""
    assert clause in found_in(kind, edit)


def test_round_that_was_called_under_other_restrictions_is_found():
    """FL-5.10, decision 24: the call carries what was ruled before it."""
    assert found_in(RoundCalled, lambda event: [replace(event, in_force=InForce())], which=2) >= {"FL-5.10"}


def test_face_down_round_without_approval_is_found():
    """FL-3.5: with the prior approval of an inspector."""
    house = WholeHouse(3)
    house.welcome("ann")
    house.open_table("T1", "floor", rules=replace(profile("floor"), players_cards="down"))
    house.play("T1", ["ann"])
    logs = forged(house.stored, FaceDownApproved, lambda _: [])

    assert "FL-3.5" in {found.clause for found in verify(logs, Watch(Again()), house.ends()).findings}
