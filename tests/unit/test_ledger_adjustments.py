"""Adjustments: money that moves because two persons say so, and never because one does."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.wallet.domain.adjusting import OPEN_MAX
from services.wallet.domain.ledger import LEDGER
from services.wallet.statement import statement
from services.wallet.views import OpenAdjustment, open_adjustments
from shared.contracts.accounts import Posting
from shared.contracts.cage import (
    AccountOpened,
    AdjustmentDeclined,
    AdjustmentMade,
    AdjustmentProposed,
    ApproveAdjustment,
    DeclineAdjustment,
    Deposited,
    MovementRefused,
    ProposeAdjustment,
)
from shared.contracts.caps import AdjustmentCap
from shared.contracts.rulings import NOTE_MAX
from shared.contracts.wallet import BookOpened
from shared.kernel.entry import Decision, Entry
from shared.kernel.messages import ACCEPTED, HOUSE, Actor
from shared.kernel.money import MINOR_MAX
from tests.given import Given, given

DAY = "20261130"
PIT = Actor("staff", "pit", "pit_boss")
SUPERVISOR = Actor("staff", "supervisor", "casino_supervisor")
DEE = Actor("staff", "dee", "dealer")
LENA = Actor("staff", "lena", "support")
CAPS = (AdjustmentCap(currency="CAD", minor=1000), AdjustmentCap(currency="JPY", minor=0))
OPENED = (
    BookOpened(day=DAY, semantics=1, shard=0, shards=1, caps=CAPS),
    AccountOpened(player="ann", operator="north", currency="CAD"),
    AccountOpened(player="ann", operator="north", currency="JPY"),
)
ASKED = ProposeAdjustment(player="ann", currency="CAD", minor=300, reason="goodwill", note="waited an hour")
PROPOSED = AdjustmentProposed(
    adjustment=f"{DAY}-1", player="ann", currency="CAD", minor=300, reason="goodwill", by="pit", job="pit_boss", note="waited an hour"
)
APPROVE = ApproveAdjustment(adjustment=f"{DAY}-1")
DECLINE = DeclineAdjustment(adjustment=f"{DAY}-1")


def book(*events: Any) -> Given:
    """Return an open book in which ann has accounts, after some events."""
    return given(LEDGER, *OPENED, *events)


def brought(minor: int) -> Deposited:
    """Return that ann has brought money."""
    postings = (Posting(account="outside/north", minor=-minor), Posting(account="player/ann/cash", minor=minor))
    return Deposited(player="ann", currency="CAD", minor=minor, postings=postings)


def made(minor: int, *postings: tuple[str, int], **changed: Any) -> AdjustmentMade:
    """Return that the first proposal was approved."""
    usual = {"reason": "goodwill", "round": "", "proposed_by": "pit", "by": "supervisor", "job": "casino_supervisor"}
    legs = tuple(Posting(account=account, minor=moved) for account, moved in postings)
    return AdjustmentMade(adjustment=f"{DAY}-1", player="ann", currency="CAD", minor=minor, postings=legs, **{**usual, **changed})


def test_an_adjustment_is_proposed_by_name_and_job():
    """Nothing moves; the proposal has a name that begins with the book's day."""
    book().when(ASKED, by=PIT).then(PROPOSED)


def test_who_proposed_is_told_the_name_again():
    """The same request again has the first answer, with the name in it."""
    about, answer = PROPOSED.answer() or ("", ACCEPTED)

    assert (about, answer.status, "20261130-1" in answer.message) == ("", "accepted", True)


@pytest.mark.parametrize(
    ("changed", "by", "code"),
    [
        ({}, DEE, "job_not_allowed"),
        ({}, Actor("staff", "eve"), "job_not_allowed"),
        ({}, HOUSE, "job_not_allowed"),
        ({"minor": 0}, PIT, "nothing_to_correct"),
        ({"minor": 1001}, PIT, "above_cap"),
        ({"minor": -1001}, PIT, "above_cap"),
        ({"minor": 10**30}, PIT, "above_cap"),
        ({"currency": "JPY", "minor": 1}, PIT, "above_cap"),
        ({"currency": "XXX", "minor": 1}, PIT, "unknown_account"),
        ({"player": "bob"}, PIT, "unknown_account"),
        ({"round": "T7.20261130-000001"}, PIT, "round_of_open_day"),
        ({"round": "T7.20261201-000001"}, PIT, "round_of_open_day"),
    ],
)
def test_an_adjustment_that_may_not_be_proposed_is_refused_in_writing(changed: dict[str, Any], by: Actor, code: str):
    """Whoever tried to move money and may not stands in the book."""
    book().when(replace(ASKED, **changed), by=by).refused_in_writing(code)


@pytest.mark.parametrize(
    "changed",
    [
        {"note": "x" * (NOTE_MAX + 1)},
        {"note": "two\nlines"},
        {"reason": "other", "note": ""},
        {"reason": "round_correction"},
        {"round": "T7"},
    ],
)
def test_an_adjustment_that_cannot_be_meant_is_refused(changed: dict[str, Any]):
    """A note is a line; another reason is told; a corrected round is named."""
    book().when(replace(ASKED, **changed), by=PIT).refused("bad_request")


def test_a_book_that_says_nothing_of_caps_takes_no_adjustment():
    """How much one adjustment may move is a fact of the book, and of no later setting."""
    opened = BookOpened(day=DAY, semantics=1, shard=0, shards=1)

    given(LEDGER, opened, OPENED[1]).when(ASKED, by=PIT).refused_in_writing("above_cap")


def test_a_round_of_a_closed_day_is_put_right_by_an_adjustment():
    """Log page: a correction after the day's close is a two-person adjustment in the current book that names the round."""
    command = replace(ASKED, reason="round_correction", round="T7.20261129-000123")

    book().when(command, by=PIT).then(replace(PROPOSED, reason="round_correction", round="T7.20261129-000123"))


def test_one_person_may_propose_only_so_much_at_a_time():
    """Everything is bounded; others may still propose."""
    many = tuple(replace(PROPOSED, adjustment=f"{DAY}-{number}") for number in range(1, OPEN_MAX + 1))
    crowded = book(*many)

    crowded.when(ASKED, by=PIT).refused("too_many_proposals")
    crowded.when(ASKED, by=LENA).then(replace(PROPOSED, adjustment=f"{DAY}-{OPEN_MAX + 1}", by="lena", job="support"))


@pytest.mark.parametrize(
    ("minor", "before", "postings"),
    [
        (300, 0, (("house/win", -300), ("player/ann/cash", 300))),
        (-300, 500, (("house/win", 300), ("player/ann/cash", -300))),
        (-300, 200, (("house/win", 300), ("player/ann/cash", -200), ("player/ann/owed", -100))),
        (-300, 0, (("house/win", 300), ("player/ann/owed", -300))),
    ],
)
def test_an_approved_adjustment_moves_the_money(minor: int, before: int, postings: tuple[tuple[str, int], ...]):
    """Between the house and the player; it is never refused for funds, and what the player lacks is owed."""
    events = (brought(before), replace(PROPOSED, minor=minor)) if before else (replace(PROPOSED, minor=minor),)

    book(*events).when(APPROVE, by=SUPERVISOR).then(made(minor, *postings))


def test_what_is_owed_is_paid_from_an_adjustment_first():
    """A debt is paid from the next money that comes in, wherever from."""
    taken = replace(PROPOSED, minor=-100), made(-100, ("house/win", 100), ("player/ann/owed", -100))

    second = replace(made(300, ("house/win", -300), ("player/ann/cash", 200), ("player/ann/owed", 100)), adjustment=f"{DAY}-2")

    book(*taken, replace(PROPOSED, adjustment=f"{DAY}-2")).when(ApproveAdjustment(adjustment=f"{DAY}-2"), by=SUPERVISOR).then(second)


def test_nobody_approves_their_own_proposal():
    """Two persons: the attempt stands in the book, and nothing moves."""
    book(PROPOSED).when(APPROVE, by=PIT).refused_in_writing("own_proposal")


@pytest.mark.parametrize("by", [DEE, LENA, Actor("staff", "eve"), Actor("staff", "ina", "inspector")])
def test_who_may_not_approve_does_not_decline_either(by: Actor):
    """Support may propose; only who answers for more than one table decides."""
    book(PROPOSED).when(APPROVE, by=by).refused_in_writing("job_not_allowed")
    book(PROPOSED).when(DECLINE, by=by).refused_in_writing("job_not_allowed")


def test_a_declined_proposal_comes_to_nothing():
    """By another person, or by whoever made it; then nobody can approve it any more."""
    declined = AdjustmentDeclined(adjustment=f"{DAY}-1", by="supervisor", job="casino_supervisor", note="paid already")

    book(PROPOSED).when(replace(DECLINE, note="paid already"), by=SUPERVISOR).then(declined)
    book(PROPOSED).when(DECLINE, by=PIT).then(AdjustmentDeclined(adjustment=f"{DAY}-1", by="pit", job="pit_boss"))
    book(PROPOSED, declined).when(APPROVE, by=SUPERVISOR).refused_in_writing("already_decided")


@pytest.mark.parametrize(
    ("adjustment", "code"),
    [
        (f"{DAY}-1", "already_decided"),
        (f"{DAY}-2", "no_such_proposal"),
        (f"{DAY}-0", "no_such_proposal"),
        (f"{DAY}-", "no_such_proposal"),
        (f"{DAY}-²", "no_such_proposal"),
        ("20261129-1", "proposal_expired"),
        ("20261201-1", "no_such_proposal"),
        ("1", "no_such_proposal"),
        ("", "no_such_proposal"),
    ],
)
def test_only_what_waits_can_be_decided(adjustment: str, code: str):
    """An adjustment is made once; a proposal of another day's book is gone with it."""
    over = made(300, ("house/win", -300), ("player/ann/cash", 300))

    book(PROPOSED, over).when(ApproveAdjustment(adjustment=adjustment), by=SUPERVISOR).refused_in_writing(code)


def test_an_account_holds_no_more_than_can_be_written_down():
    """It can be approved when the account holds less, so the proposal waits on."""
    full = book(brought(MINOR_MAX), PROPOSED)

    full.when(APPROVE, by=SUPERVISOR).refused("bad_request")


def test_an_adjustment_stands_in_the_statement():
    """With what the player then owes, in a row of its own."""
    events = (*OPENED[1:2], brought(200), replace(PROPOSED, minor=-300))
    out = made(-300, ("house/win", 300), ("player/ann/cash", -200), ("player/ann/owed", -100))
    entry = Entry(
        stream=f"log.wallet.{DAY}.ledger.0",
        revision=1,
        at_ms=1,
        writer="w",
        epoch=1,
        software="t",
        prev="",
        decisions=(Decision(id="d", command=APPROVE, cause=None, actor=SUPERVISOR, received_at_ms=1, events=(*events, out)),),
    )
    rows = list(statement([entry], "ann"))

    assert [(row.what, row.bucket, row.minor, row.balance_minor) for row in rows[-2:]] == [
        ("adjustment", "cash", -200, 0),
        ("adjustment", "owed", -100, -100),
    ]


def test_proposals_can_be_looked_at():
    """Whoever is to approve sees who asks for what, and why."""
    fields = {name: getattr(PROPOSED, name) for name in OpenAdjustment.__struct_fields__}

    assert open_adjustments(book(PROPOSED).state) == [OpenAdjustment(**fields)]


def test_a_refusal_is_the_answer_for_good():
    """The same request again is refused again, whoever has another job by then."""
    refusal: MovementRefused = book(PROPOSED).when(APPROVE, by=PIT).events[0]
    _, answer = refusal.answer() or ("", ACCEPTED)

    assert (answer.status, answer.code, answer.final) == ("refused", "own_proposal", True)
