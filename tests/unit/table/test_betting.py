"""Betting: which wagers a table takes, and how the window ends."""

from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.round import ROUND
from shared.contracts.dealing import CardsCalled, Face
from shared.contracts.rounds import RoundOpened, RoundVoided
from shared.contracts.wagers import (
    AcceptWager,
    BettingClosed,
    CloseBetting,
    LapseWagers,
    PlaceWager,
    RefuseWager,
    WagerAccepted,
    WagerLapsed,
    WagerPlaced,
    WagerRefused,
)
from shared.kernel.messages import Actor
from shared.kernel.money import Ratio
from tests.given import Given, given
from tests.rounds import ROUND_ID, names, opening

PIT = Actor("staff", "pit")


def opened(book: str = "ontario", **chosen: Any) -> RoundOpened:
    """Return the opening of a round at 1,000 ms; betting ends at 11,000 ms."""
    command = opening(book, **chosen)
    fields = {name: getattr(command, name) for name in command.__struct_fields__}
    return RoundOpened(**fields, semantics=1, betting_until_ms=11_000)


def placed(wager: str = "w1", *, player: str = "ann", box: int = 1, stake_minor: int = 400, reserve_by_ms: int = 3_000) -> WagerPlaced:
    """Return a pending main wager."""
    return WagerPlaced(
        wager=wager,
        player=player,
        box=box,
        hand=1,
        kind="main",
        stake_minor=stake_minor,
        currency="CAD",
        reserve_by_ms=reserve_by_ms,
    )


def bet(box: int = 1, stake_minor: int = 400, round: str = ROUND_ID) -> PlaceWager:
    """Return a player's request."""
    return PlaceWager(round=round, box=box, stake_minor=stake_minor)


def betting(*events: Any, book: str = "ontario", **chosen: Any) -> Given:
    """Return a round in which betting is open, after some events."""
    return given(ROUND, opened(book, **chosen), *events)


def accepted(wager: str = "w1", **placing: Any) -> tuple[WagerPlaced, WagerAccepted]:
    """Return a wager that is in the round."""
    return placed(wager, **placing), WagerAccepted(wager=wager)


def test_wager_waits_for_the_wallet():
    """ON-3.1, LV-2.1.2: a wager made before the first card is placed, and counts once its stake is set aside."""
    betting().when(bet(), by="ann", id="w1").then(placed())


def test_accepted_wager_is_in_the_round():
    """Log page, wager: StakeReserved makes it accepted."""
    betting(placed()).when(AcceptWager(wager="w1")).then(WagerAccepted(wager="w1"))


def test_wager_refused_by_the_wallet_is_not_in_the_round():
    """LV-2.1.2: wagers come from available funds only."""
    refusal = RefuseWager(wager="w1", code="insufficient_funds", message="No.")

    betting(placed()).when(refusal).then(WagerRefused(wager="w1", code="insufficient_funds", message="No."))


def test_box_is_free_again_after_a_refused_wager():
    """Decision 23: a wager without a stake is not in the round."""
    gone = WagerRefused(wager="w1", code="insufficient_funds", message="No.")

    betting(placed(), gone).when(bet(), by="ben", id="w2").then(placed("w2", player="ben"))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (bet(stake_minor=98), "below_minimum"),
        (bet(stake_minor=-100), "below_minimum"),
        (bet(stake_minor=502), "above_maximum"),
        (bet(stake_minor=101), "not_exact"),
        (bet(box=0), "no_such_box"),
        (bet(box=8), "no_such_box"),
        (bet(round="T7.20261130-000002"), "unknown_round"),
    ],
)
def test_wager_is_refused_in_writing(command, code):
    """ON-1.1, ON-1.2, LV-2.1.4, decision 10: outside the limits, not payable by chips, or on no box of this table."""
    betting().when(command, by="ann").refused_in_writing(code)


@pytest.mark.parametrize("book", ["ontario", "floor", "live"])
def test_wager_on_behalf_of_the_dealer_is_refused(book):
    """ON-3.6: nobody wagers for the dealer, and no book says otherwise."""
    for_dealer = replace(bet(), for_dealer=True)

    betting(book=book).when(for_dealer, by="ann").refused_in_writing("wager_for_dealer")


def test_live_takes_odd_cents():
    """Decision 10: where winnings are rounded up, every stake on the chip grid is taken."""
    betting(book="live").when(bet(stake_minor=101), by="ann", id="w1").then(placed(stake_minor=101))


def test_taken_box_is_full():
    """FL-5.4: several players on one box come later; here a box has one."""
    betting(placed()).when(bet(), by="ben").refused_in_writing("box_full")


def test_same_player_twice_on_a_box_is_refused():
    """Decisions 14 and 15: the same player twice on a box is refused."""
    betting(*accepted()).when(bet(), by="ann").refused_in_writing("box_full")


def test_live_account_has_one_box():
    """LV-4.5: one box for each account."""
    betting(*accepted(), book="live").when(bet(box=2), by="ann").refused_in_writing("one_box_per_account")


def test_ontario_player_may_have_several_boxes():
    """Decision 18, FL-5.8: a player on several boxes has separate wagers."""
    betting(*accepted()).when(bet(box=2), by="ann", id="w2").then(placed("w2", box=2))


def test_wager_that_came_in_at_the_last_moment_counts():
    """LV-2.1.3, log page, time: people are judged by when their command came in."""
    late = betting().when(bet(), by="ann", id="w1", received_at_ms=11_000, at_ms=11_200)

    late.then(placed(reserve_by_ms=13_200))


def test_wager_after_the_timer_is_refused():
    """LV-2.1.3: when the timer ends, later wagers are refused, whether or not the house has said so yet."""
    betting().when(bet(), by="ann", received_at_ms=11_001, at_ms=11_001).refused_in_writing("betting_closed")


def test_wager_after_no_more_bets_is_refused():
    """ON-3.1, FL-5.2: none is accepted later."""
    betting(*accepted(), placed("w2", box=2), BettingClosed()).when(bet(box=3), by="ann").refused_in_writing("betting_closed")


def test_betting_closes_by_the_clock_and_calls_the_cards():
    """ON-6.3: no hole card, so everything of the first deal lies open; one call for all of it."""
    faces: tuple[Face, ...] = ("up", "up", "up")

    (betting(*accepted()).when(CloseBetting(), at_ms=11_000).then(BettingClosed(), CardsCalled(call_no=1, shoe="T7-S1", faces=faces)))


def test_early_clock_is_refused():
    """Log page, time: an early timer is refused."""
    betting(*accepted()).when(CloseBetting(), at_ms=10_999).refused("too_early")


def test_dealer_may_close_betting_at_any_time():
    """LV-2.1.3: no more bets is the dealer's word as well; here nobody has bet."""
    nothing = RoundVoided(reason="no_wagers", shoes=(), cutting_card_out=False)

    betting().when(CloseBetting(round=ROUND_ID), by=PIT).then(BettingClosed(), nothing)


def test_dealer_names_the_round():
    """Log page, ids: a command for another round does not end this one."""
    betting().when(CloseBetting(round="T7.20261130-000002"), by=PIT).refused("unknown_round")


def test_no_card_is_called_before_every_wager_has_its_answer():
    """Log page, flows: closing waits for pending wagers."""
    betting(*accepted(), placed("w2", box=2)).when(CloseBetting(), at_ms=11_000).then(BettingClosed())


def test_last_answer_calls_the_cards():
    """LV-3.4: only boxes with a wager get cards; in live the last card lies face down."""
    faces: tuple[Face, ...] = ("up", "up", "up", "up", "up", "down")

    (
        betting(*accepted(), placed("w2", player="ben", box=2), BettingClosed(), book="live")
        .when(AcceptWager(wager="w2"))
        .then(WagerAccepted(wager="w2"), CardsCalled(call_no=1, shoe="T7-S1", faces=faces))
    )


def test_silent_wallet_loses_the_wager_its_place():
    """Decision 23, log page, wager: late is lapsed; without any wager the round is void and no card is burned."""
    nothing = RoundVoided(reason="no_wagers", shoes=(), cutting_card_out=False)

    betting(placed(), BettingClosed()).when(LapseWagers(), at_ms=3_000).then(WagerLapsed(wager="w1"), nothing)


def test_wallets_have_their_time():
    """Log page, time: an early timer is refused."""
    betting(placed(), BettingClosed()).when(LapseWagers(), at_ms=2_999).refused("too_early")


@pytest.mark.parametrize("command", [AcceptWager(wager="w1"), RefuseWager(wager="w1", code="c", message="m"), LapseWagers()])
def test_answer_after_the_wager_lapsed_changes_nothing(command):
    """Log page, wager: the ledger gives such a stake back by itself."""
    betting(*accepted("w0"), placed("w1", box=2), BettingClosed(), WagerLapsed(wager="w1")).when(command, at_ms=9_000).then()


def test_betting_closes_when_every_box_holds_a_wager():
    """LV-2.1.3: there is nothing left to bet on."""
    faces: tuple[Face, ...] = ("up",) * 5

    (
        betting(*accepted(), placed("w2", player="ben", box=2), boxes=2)
        .when(AcceptWager(wager="w2"))
        .then(WagerAccepted(wager="w2"), BettingClosed(), CardsCalled(call_no=1, shoe="T7-S1", faces=faces))
    )


def test_refusals_are_written_down_up_to_a_bound():
    """Log page, ids: stored refusals are bounded for each player and round."""
    rehearsal = Rehearsal(opening("ontario"), ())
    answers = [rehearsal.bet("ann", 9, 100).final for _ in range(18)]

    assert answers == [True] * 16 + [False] * 2


def test_refused_stakes_count_as_refusals():
    """Log page, ids: a player without money cannot fill the log either."""
    rehearsal = Rehearsal(opening("ontario"), (), wallet=lambda _: "refuse")
    for _ in range(20):
        rehearsal.bet("ann", 1, 100)
        rehearsal.serve()

    assert names(rehearsal).count("WagerRefused") == 16


def test_player_cannot_speak_for_the_house():
    """Log page, streams: the role in the subject is what the actor check holds on to."""
    betting(placed()).when(AcceptWager(wager="w1"), by="ann").refused("not_allowed_for_role")


def test_staff_cannot_bet():
    """ON-3.6: nobody bets for the dealer."""
    betting().when(bet(), by=PIT).refused("not_allowed_for_role")


def test_nothing_can_be_asked_of_a_round_that_is_not_open():
    """Log page, ids: a refusal that is not stored is not final."""
    given(ROUND).when(bet(), by="ann").refused("unknown_round")


def test_house_with_other_odds_looks_at_half_as_well():
    """Decision 10: a stake whose half is not whole cannot be insured in Ontario, whatever a blackjack pays."""
    even = replace(opened(), profile=replace(opened().profile, blackjack_pays=Ratio(2, 1)))

    given(ROUND, even).when(bet(stake_minor=101), by="ann").refused_in_writing("not_exact")
