"""Insurance and even money: one answer for each main wager while the dealer shows an ace."""

from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Choice, Rehearsal
from services.table.domain.round import ROUND
from services.table.views import legal, legal_on
from shared.contracts.dealing import PeekCalled, PeekTaken, TakePeek, TurnCalled
from shared.contracts.decisions import (
    CloseInsurance,
    DecisionAwaited,
    DeclineInsurance,
    EvenMoneyTaken,
    HandCompleted,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
    Insure,
    TakeEvenMoney,
)
from shared.contracts.wagers import AcceptWager, SettlementLine, WagerPlaced, WagersSettled
from shared.kernel.messages import Actor
from tests.given import given
from tests.rounds import ROUND_ID, begun, dealer_cards, in_play, names, only, opening, play, results, returned, settled, then_say

BOX: dict[str, Any] = {"round": ROUND_ID, "box": 1}


def test_insurance_opens_under_an_ace():
    """ON-7.1, LV-2.5.2: after the second card, before any additional card to anyone."""
    assert begun("ontario", "TS AD 9H").events[-1] == InsuranceOpened(until_ms=26_000)


def test_insurance_does_not_open_under_a_ten():
    """ON-7.1, LV-3.8: the dealer's first card is an ace, or there is no insurance."""
    assert only(begun("live", "TS TD 9H AC"), InsuranceOpened) == []


@pytest.mark.parametrize(
    ("book", "stake_minor", "asked", "placed"),
    [
        ("ontario", 400, None, 200),
        ("ontario", 400, 200, 200),
        ("live", 401, None, 201),
        ("live", 401, 1, 1),
        ("floor", 401, None, 200),
    ],
)
def test_insurance_stake(book, stake_minor, asked, placed):
    """ON-7.2, LV-2.5.1, decision 12: half; in live up to the next unit; a missing stake means the largest allowed."""
    rehearsal = begun(book, "TS AD 9H 5C", bets=(("ann", 1, stake_minor),))

    (
        given(ROUND, *rehearsal.events)
        .when(Insure(**BOX, stake_minor=asked), by="ann", at_ms=12_000, id="i1")
        .then(
            WagerPlaced(
                wager="i1",
                player="ann",
                box=1,
                hand=1,
                kind="insurance",
                stake_minor=placed,
                currency="CAD",
                reserve_by_ms=14_000,
                promotional=book == "floor",
            )
        )
    )


@pytest.mark.parametrize(
    ("book", "asked", "code"),
    [
        ("ontario", 100, "below_minimum"),
        ("ontario", 202, "above_maximum"),
        ("live", 201, "above_maximum"),
        ("live", 0, "below_minimum"),
        ("floor", 201, "above_maximum"),
    ],
)
def test_insurance_stake_out_of_bounds_is_refused_in_writing(book, asked, code):
    """ON-7.2, LV-2.5.1, decision 12: exactly half, or up to half."""
    rehearsal = begun(book, "TS AD 9H 5C")

    given(ROUND, *rehearsal.events).when(Insure(**BOX, stake_minor=asked), by="ann", at_ms=12_000).refused_in_writing(code)


@pytest.mark.parametrize(
    ("by", "received_at_ms", "code"),
    [("ben", 12_000, "no_such_box"), ("ann", 26_001, "insurance_closed"), ("ann", 30_000, "insurance_closed")],
)
def test_insurance_of_somebody_else_or_too_late_is_refused(by, received_at_ms, code):
    """Decision 12, ON-7.1: each insures his own wager, while insurance is open."""
    rehearsal = begun("ontario", "TS AD 9H")

    given(ROUND, *rehearsal.events).when(Insure(**BOX), by=by, at_ms=received_at_ms).refused_in_writing(code)


def test_second_answer_is_refused():
    """Decision 13: one answer for each main wager."""
    rehearsal = begun("ontario", "TS TH AD 9H 9S", bets=(("ann", 1, 400), ("ben", 2, 400)))
    rehearsal.tell(Insure(**BOX), Actor("player", "ann"))
    rehearsal.serve()

    given(ROUND, *rehearsal.events).when(DeclineInsurance(**BOX), by="ann", at_ms=12_000).refused("already_answered")


def test_insurance_closes_when_everybody_has_answered():
    """Decision 14: then the first decision is awaited at once."""
    rehearsal = begun("ontario", "TS AD 9H")
    wager = only(rehearsal, WagerPlaced)[0].wager

    (
        given(ROUND, *rehearsal.events)
        .when(DeclineInsurance(**BOX), by="ann", at_ms=12_000)
        .then(
            InsuranceDeclined(wager=wager),
            InsuranceClosed(),
            DecisionAwaited(number=1, box=1, hand=1, player="ann", until_ms=27_000),
        )
    )


def test_insurance_closes_by_the_clock():
    """Decision 14, LV-3.8: unanswered is declined; in live the hole card is then looked at."""
    rehearsal = begun("live", "TS AD 9H 5C")

    given(ROUND, *rehearsal.events).when(CloseInsurance(), at_ms=26_000).then(InsuranceClosed(), PeekCalled(shoe="T7-S1", index=3))


def test_early_clock_is_refused():
    """Log page, time: an early timer is refused."""
    given(ROUND, *begun("live", "TS AD 9H 5C").events).when(CloseInsurance(), at_ms=25_999).refused("too_early")


def test_insurance_wins_two_to_one():
    """ON-7.1, ON-7.3, ON-7.4: on a ten-value second card; settled as soon as the dealer's two cards are shown."""
    rehearsal = play("ontario", "TS AD 9H KC", "insure", "stand")

    assert returned(rehearsal) == [("insurance", 200, 600), ("main", 400, 0)]


def test_lost_insurance_is_collected_before_the_dealer_draws():
    """ON-7.4: collected as soon as the dealer's two cards are shown."""
    rehearsal = play("ontario", "TS AD 9H 3C 4C TD", "insure", "stand")

    assert names(rehearsal)[-10:] == [
        "HandCompleted",
        "CardsCalled",
        "CardDealt",
        "WagersSettled",
        "CardsCalled",
        "CardDealt",
        "HandsDecided",
        "WagersSettled",
        "CardsPickedUp",
        "RoundSettled",
    ]


def test_live_blackjack_ends_the_round_before_any_decision():
    """Decision 6, LV-3.8, LV-2.5.3: insurance is settled at the look, the hole card is turned, nobody is asked."""
    rehearsal = begun("live", "TS AD 9H KC")
    then_say(rehearsal, "insure")

    assert (only(rehearsal, DecisionAwaited), returned(rehearsal), dealer_cards(rehearsal)) == (
        [],
        [("insurance", 200, 600), ("main", 400, 0)],
        ("AD", "KC"),
    )


def test_live_without_blackjack_collects_insurance_and_plays_on():
    """LV-2.5.3: losers are collected as soon as the hole card is checked."""
    rehearsal = begun("live", "TS AD 9H 5C")
    rehearsal.ask(lambda _: Choice("insure"))
    rehearsal.serve()
    wager = only(rehearsal, WagerPlaced)[1].wager
    line = SettlementLine(wager=wager, player="ann", box=1, hand=1, kind="insurance", stake_minor=200, returned_minor=0)

    assert rehearsal.events[-3:] == [
        PeekTaken(blackjack=False),
        WagersSettled(currency="CAD", lines=(line,)),
        DecisionAwaited(number=1, box=1, hand=1, player="ann", until_ms=26_000),
    ]


def test_look_at_the_hole_card_calls_for_turning_a_blackjack():
    """LV-3.8, log page, secrets: the face follows by an opening of its own."""
    rehearsal = begun("live", "TS AD 9H KC")
    rehearsal.let_time_pass()

    (
        given(ROUND, *rehearsal.events)
        .when(TakePeek(blackjack=True), at_ms=26_000)
        .then(PeekTaken(blackjack=True), TurnCalled(shoe="T7-S1", index=3))
    )


def test_look_that_nobody_called_for_changes_nothing():
    """Log page, ids: what is done is followed by nothing."""
    given(ROUND, *begun("live", "TS 6D 9H KC").events).when(TakePeek(blackjack=True)).then()


def test_player_blackjack_may_be_insured():
    """Decision 12: whatever the hand."""
    assert legal(begun("live", "AS AD KH 5C").round) == ("insure", "decline")


def test_even_money_is_paid_at_once_and_leaves_the_round():
    """ON-7.5, decision 13: one to one; the dealer's second card does not matter to it."""
    rehearsal = begun("ontario", "AS TH AD KH 9H", bets=(("ann", 1, 400), ("ben", 2, 400)))
    wager = only(rehearsal, WagerPlaced)[0].wager
    line = SettlementLine(wager=wager, player="ann", box=1, hand=1, kind="main", stake_minor=400, returned_minor=800)

    (
        given(ROUND, *rehearsal.events)
        .when(TakeEvenMoney(**BOX), by="ann", at_ms=12_000)
        .then(
            EvenMoneyTaken(wager=wager),
            HandCompleted(box=1, hand=1, how="even_money"),
            WagersSettled(currency="CAD", lines=(line,)),
        )
    )


def test_round_of_even_money_alone_needs_no_dealer_card():
    """ON-7.5, decision 6: no wager is open any more; the round's sums count what was paid early."""
    rehearsal = play("ontario", "AS AD KH TC", "even_money")
    end = settled(rehearsal)

    assert (dealer_cards(rehearsal), results(rehearsal), end.staked_minor, end.returned_minor) == (
        ("AD",),
        [(1, 1, "even_money")],
        400,
        800,
    )


@pytest.mark.parametrize(("book", "shoe"), [("live", "AS AD KH 5C"), ("floor", "AS AD KH"), ("ontario", "AS AD 9H")])
def test_even_money_is_refused(book, shoe):
    """ON-7.5, decision 13: in Ontario alone, and on a blackjack alone."""
    given(ROUND, *begun(book, shoe).events).when(TakeEvenMoney(**BOX), by="ann", at_ms=12_000).refused("not_allowed")


def test_insurance_the_wallet_refuses_leaves_another_answer():
    """Log page, flows: a refused reserve reopens the answer, without that option."""
    rehearsal = begun("ontario", "AS AD KH", wallet=lambda wager: "refuse" if wager.kind == "insurance" else "reserve")
    then_say(rehearsal, "insure")

    assert legal_on(1, in_play(rehearsal)) == ("decline", "even_money")


def test_window_waits_for_the_wallets_it_has_asked():
    """Log page, flows: closed, but nothing goes on before every reserve has its answer or lapses."""
    rehearsal = begun("live", "TS AD 9H 5C", wallet=lambda wager: "silence" if wager.kind == "insurance" else "reserve")
    rehearsal.at_ms = 25_500
    then_say(rehearsal, "insure")
    rehearsal.let_time_pass()
    closed = rehearsal.events[-1]
    rehearsal.let_time_pass()

    assert (closed, [type(event).__name__ for event in rehearsal.events[-2:]], rehearsal.at_ms) == (
        InsuranceClosed(),
        ["WagerLapsed", "PeekCalled"],
        27_500,
    )


def test_wallet_that_answers_in_time_is_heard_after_the_window():
    """Log page, flows: a pending insurance is in the round if its stake was set aside in time."""
    rehearsal = begun("live", "TS AD 9H 5C", wallet=lambda wager: "silence" if wager.kind == "insurance" else "reserve")
    rehearsal.at_ms = 25_500
    then_say(rehearsal, "insure")
    rehearsal.let_time_pass()
    rehearsal.tell(AcceptWager(wager=only(rehearsal, WagerPlaced)[1].wager))
    rehearsal.run(lambda _: Choice("stand"))

    assert ("insurance", 200, 0) in returned(rehearsal)


def test_wager_of_one_chip_cannot_be_insured_below_half():
    """Decision 12: where half is not a multiple of the unit, the floor stays below, and below one chip there is nothing."""
    opened = opening("floor", minimum_minor=100)
    rehearsal = Rehearsal(replace(opened, profile=replace(opened.profile, chip_unit="1.00")), ("TS", "AD", "9H"))
    rehearsal.bet("ann", 1, 100)
    rehearsal.serve()
    rehearsal.let_time_pass()
    rehearsal.serve()

    assert legal_on(1, in_play(rehearsal)) == ("decline",)
    given(ROUND, *rehearsal.events).when(Insure(**BOX), by="ann", at_ms=12_000).refused_in_writing("not_allowed")
