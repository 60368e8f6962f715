"""Reactions: what the table service gives itself to do when it hears an event."""

from typing import Any

import pytest

from services.table.domain.filling import extension
from services.table.domain.table import TABLE as TABLE_DECIDER
from services.table.reactions import follow, round_is_over, table_is_over, timer
from shared.contracts.cutting import NoteOrder
from shared.contracts.dealing import ChangeShoe, DealCards, DealtCard, TakePeek, TurnHole
from shared.contracts.decisions import CloseInsurance
from shared.contracts.rounds import CorrectionRefused, CorrectRound, RoundCorrected, RoundSettled, RoundVoided
from shared.contracts.rulings import Agreed
from shared.contracts.shoe import CardsDrawn, CardTurned, DrawnCard, HolePeeked, Opening, OrderCommitted, ShoePrepared, ShoeRetired
from shared.contracts.stakes import RoundBooked, StakeRefused, StakeReserved, StakesCorrected
from shared.contracts.subjects import log_of, round_stream, shoe_stream, table_stream
from shared.contracts.table import (
    BookNoted,
    CallRound,
    CorrectionCalled,
    DayClosed,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteCorrection,
    NoteRetirement,
    OpenTable,
    RecordRound,
    RoundCalled,
    ShoeMounted,
)
from shared.contracts.wagers import AcceptWager, BettingClosed, RefuseWager
from shared.contracts.wallet import TableNoted
from shared.kernel.reactions import Source
from shared.runtime.shelf import profile
from tests.rounds import DAY_ENDS_AT_MS, ROUND_ID, begun, opened_table, opening, play, settings

ROUND = round_stream("20261130", "T7", 1)
TABLE = table_stream("20261130", "T7")
SHOE = shoe_stream("20261130", "T7-S1")
LEDGER = "log.wallet.20261130.ledger.0"
AGREED = Agreed(by="pit", job="pit_boss", approved_by="manager", approved_job="duty_manager", reason="misread")


def source(stream: str) -> Source:
    """Return where an event was heard."""
    return Source(log=log_of(stream), stream=stream, sequence=7, revision=3, decision=0, event=1, at_ms=9_000, digest="d")


def opened_card(index: int, card: str) -> Opening:
    """Return a card with its proof."""
    return Opening(index=index, card=card, salt="", path=())


FOLLOWED: list[tuple[Any, str, str, Any]] = [
    (
        RoundSettled(staked_minor=400, returned_minor=0, shoes=("T7-S1",), cutting_card_out=True),
        ROUND,
        TABLE,
        RecordRound(round=ROUND_ID, outcome="settled", revision=3, digest="d", shoes=("T7-S1",), cutting_card_out=True),
    ),
    (
        RoundVoided(reason="no_wagers", shoes=(), cutting_card_out=False),
        ROUND,
        TABLE,
        RecordRound(round=ROUND_ID, outcome="void", revision=3, digest="d", shoes=(), cutting_card_out=False),
    ),
    (TableNoted(table="T7"), LEDGER, TABLE, NoteBook()),
    (
        StakeReserved(wager="w1", round=ROUND_ID, player="ann", currency="CAD", minor=400, postings=()),
        LEDGER,
        ROUND,
        AcceptWager(wager="w1"),
    ),
    (
        StakeRefused(wager="w1", round=ROUND_ID, code="insufficient_funds", message="No."),
        LEDGER,
        ROUND,
        RefuseWager(wager="w1", code="insufficient_funds", message="No."),
    ),
    (RoundBooked(round=ROUND_ID, outcome="settled"), LEDGER, TABLE, NoteBooking(round=ROUND_ID)),
    (ShoePrepared(shoe="T7-S1", table="T7", root="r", cards=312), SHOE, TABLE, MountShoe(shoe="T7-S1", root="r", cards=312)),
    (
        ShoePrepared(shoe="T7-S1b", table="T7", round=ROUND_ID, root="r", cards=90),
        shoe_stream("20261130", "T7-S1b"),
        ROUND,
        ChangeShoe(shoe="T7-S1b", root="r", cards=90),
    ),
    (
        CardsDrawn(
            round=ROUND_ID,
            call_no=1,
            cards=(DrawnCard(index=4, opening=opened_card(4, "TS")), DrawnCard(index=5)),
            exhausted=True,
            cutting_card_out=True,
        ),
        SHOE,
        ROUND,
        DealCards(
            call_no=1,
            shoe="T7-S1",
            cards=(DealtCard(index=4, card="TS"), DealtCard(index=5)),
            exhausted=True,
            cutting_card_out=True,
        ),
    ),
    (
        StakesCorrected(round=ROUND_ID, number=2, currency="CAD", lines=(), postings=()),
        LEDGER,
        TABLE,
        NoteBooking(round=ROUND_ID, number=2),
    ),
    (
        CorrectionCalled(correction="c", round=ROUND_ID, cards=(), agreed=AGREED),
        TABLE,
        ROUND,
        CorrectRound(correction="c", cards=(), agreed=AGREED),
    ),
    (
        RoundCorrected(
            correction="c",
            number=2,
            outcome="void",
            cards=(),
            dealer_cards=(),
            dealer_total=0,
            hands=(),
            staked_minor=0,
            returned_minor=0,
            agreed=AGREED,
        ),
        ROUND,
        TABLE,
        NoteCorrection(round=ROUND_ID, correction="c", revision=3, digest="d", number=2),
    ),
    (
        CorrectionRefused(correction="c", code="no_such_card", message="No."),
        ROUND,
        TABLE,
        NoteCorrection(round=ROUND_ID, correction="c", revision=3, digest="d", code="no_such_card", message="No."),
    ),
    (HolePeeked(round=ROUND_ID, index=5, blackjack=True), SHOE, ROUND, TakePeek(blackjack=True)),
    (CardTurned(round=ROUND_ID, opening=opened_card(5, "KD")), SHOE, ROUND, TurnHole(index=5, card="KD")),
    (
        ShoeRetired(shoe="T7-S1", table="T7", reason="day_ended", seed="", drawn=80),
        SHOE,
        TABLE,
        NoteRetirement(shoe="T7-S1"),
    ),
    (OrderCommitted(shoe="T7-S1", table="T7", root="root"), SHOE, TABLE, NoteOrder(shoe="T7-S1", root="root")),
]


@pytest.mark.parametrize(("event", "heard_on", "stream", "command"), FOLLOWED, ids=lambda each: type(each).__name__)
def test_event_is_followed_by_its_command(event, heard_on, stream, command):
    """Brief of the flows: each event that the table hears asks one stream for one thing."""
    assert [(reaction.stream, reaction.command) for reaction in follow(event, source(heard_on))] == [(stream, command)]


def test_called_round_is_opened_with_everything_by_value():
    """Log page, versions: profile and settings stand in the round's own opening."""
    command = opening("live")
    event = RoundCalled(**{name: getattr(command, name) for name in command.__struct_fields__})

    assert [(reaction.stream, reaction.command) for reaction in follow(event, source(TABLE))] == [(ROUND, command)]


def day_closed(*, reopens: bool) -> DayClosed:
    """Return the end of a table's day."""
    return DayClosed(
        table="T7",
        day="20261130",
        next_day="20261201",
        next_day_ends_at_ms=99,
        rounds=4,
        reopens=reopens,
        profile=profile("live"),
        settings=settings(),
    )


def test_table_goes_on_in_the_next_days_stream():
    """Log page, streams: the first entry follows the digest with which the day before was closed."""
    command = OpenTable(
        table="T7",
        profile_name="live",
        settings=settings(),
        day="20261201",
        day_ends_at_ms=99,
        profile=profile("live"),
        follows="d",
    )
    followed = follow(day_closed(reopens=True), source(TABLE))

    assert [(reaction.stream, reaction.command) for reaction in followed] == [(table_stream("20261201", "T7"), command)]


@pytest.mark.parametrize("event", [day_closed(reopens=False), BettingClosed()])
def test_other_events_are_followed_by_nothing(event):
    """House page: reactions say what must follow, and nothing else."""
    assert follow(event, source(TABLE)) == []


def test_event_heard_twice_asks_under_the_same_id():
    """Log page, ids: a reaction's id is a hash of where its event stands."""
    event, heard = TableNoted(table="T7"), source(LEDGER)

    assert follow(event, heard)[0].id_after(heard) == follow(event, heard)[0].id_after(heard)


def test_insurance_falls_due_with_the_first_of_its_clocks():
    """Log page, flows: the window is a person's time, a reserve is not."""
    due = timer(begun("live", "TS AD 9H 5C").round)

    assert due is not None
    assert (due.command, due.at_ms, due.patient) == (CloseInsurance(), 26_000, True)


@pytest.mark.parametrize(("now_ms", "command"), [(DAY_ENDS_AT_MS - 1, CallRound()), (DAY_ENDS_AT_MS, EndDay())])
def test_idle_table_calls_a_round_until_its_day_is_over(now_ms, command):
    """Log page, streams: a house that was off over the day's end closes the day; a round of it would come too late."""
    table = opened_table("ontario")
    for event in (ShoeMounted(shoe="T7-S1", root="root", cards=312), BookNoted()):
        table = TABLE_DECIDER.evolve(table, event)
    due = timer(table)

    assert due is not None
    assert due.due(now_ms).command == command


@pytest.mark.parametrize("shoe", ["TS 6D 9H TC", "TS AD 9H TC"])
def test_running_clock_is_given_back_in_full(shoe):
    """Log page, time: after an outage clocks are extended, not fired."""
    command = extension(begun("live", shoe).round, 60_000)

    assert command is not None
    assert command.until_ms == 75_000


def test_nothing_is_given_back_when_nobody_is_asked():
    """Log page, time: no clock, no extension."""
    assert extension(play("live", "TS 6D 9H TC 2D").round, 60_000) is None


def test_finished_round_is_over():
    """Log page, streams: nothing can follow in its stream."""
    assert (round_is_over(play("live", "TS 6D 9H TC 2D").round), round_is_over(begun("live", "TS 6D 9H TC").round)) == (True, False)


def test_open_table_is_not_over():
    """Log page, streams: a table's stream is over with its day."""
    assert table_is_over(opened_table("live")) is False
