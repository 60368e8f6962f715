"""Playing: decisions, splits and doubles, in the order of the boxes."""

from typing import Any

import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.round import REFUSALS_MAX, ROUND
from services.table.views import legal
from shared.contracts.dealing import CardsCalled
from shared.contracts.decisions import DecisionAwaited, Double, HandCompleted, HandHit, Hit, Split, Stand
from shared.contracts.wagers import PlaceWager, WagerPlaced
from shared.kernel.messages import Actor
from tests.given import given
from tests.rounds import ROUND_ID, begun, dealer_cards, dealt, ends, in_play, lines, only, opening, play, returned, then_say

ANN = Actor("player", "ann")
HAND: dict[str, Any] = {"round": ROUND_ID, "box": 1, "hand": 1}


def test_cards_go_round_from_the_dealers_left():
    """ON-6.1, ON-6.3, LV-3.4, decision 9: one to each box, one to the dealer, second to each box, all face up."""
    rehearsal = begun("ontario", "2S 3S 4S 5S 6S", bets=(("ben", 5, 400), ("ann", 2, 400)))

    assert dealt(rehearsal) == [(2, 1, "2S"), (5, 1, "3S"), (0, 1, "4S"), (2, 1, "5S"), (5, 1, "6S")]


def test_live_dealer_takes_the_second_card_face_down():
    """LV-0.1: the dealer's second card comes last and lies face down."""
    rehearsal = begun("live", "2S 4S 5S 7S")

    assert [type(event).__name__ for event in rehearsal.events[-5:]] == [
        "CardDealt",
        "CardDealt",
        "CardDealt",
        "HoleCardDealt",
        "DecisionAwaited",
    ]


def test_first_box_is_asked_first():
    """LV-3.4, ON-6.1: clockwise from the dealer's left, each with the full clock."""
    rehearsal = begun("ontario", "2S 3S 4S 5S 6S", bets=(("ben", 5, 400), ("ann", 2, 400)))
    then_say(rehearsal, "stand")

    assert only(rehearsal, DecisionAwaited) == [
        DecisionAwaited(number=1, box=2, hand=1, player="ann", until_ms=26_000),
        DecisionAwaited(number=2, box=5, hand=1, player="ben", until_ms=26_000),
    ]


def test_hit_calls_a_card():
    """ON-6.4: cards are given as each player decides."""
    rehearsal = begun("ontario", "2S 4S 5S")

    (
        given(ROUND, *rehearsal.events)
        .when(Hit(**HAND), by="ann", at_ms=12_000)
        .then(HandHit(box=1, hand=1), CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)))
    )


def test_stand_calls_the_dealers_card():
    """ON-6.4: after the last player the dealer takes the second card."""
    rehearsal = begun("ontario", "TS 4S 9S")

    (
        given(ROUND, *rehearsal.events)
        .when(Stand(**HAND), by="ann", at_ms=12_000)
        .then(HandCompleted(box=1, hand=1, how="stood"), CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)))
    )


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (Stand(round=ROUND_ID, box=3, hand=1), "ann", "no_such_box"),
        (Stand(round=ROUND_ID, box=1, hand=2), "ann", "no_such_box"),
        (Stand(round=ROUND_ID, box=1, hand=1), "ben", "not_decision_caller"),
        (Stand(round=ROUND_ID, box=2, hand=1), "ben", "not_your_turn"),
        (Stand(round="T7.20261130-000002", box=1, hand=1), "ann", "unknown_round"),
    ],
)
def test_decision_is_refused(command, by, code):
    """LV-3.4, LV-3.6: whose turn it is decides who may speak."""
    rehearsal = begun("ontario", "TS TH 4S 9S 9H", bets=(("ann", 1, 400), ("ben", 2, 400)))

    given(ROUND, *rehearsal.events).when(command, by=by, at_ms=12_000).refused(code)


def test_decision_about_a_complete_hand_is_refused():
    """LV-0.2: a hand that stood takes no further part."""
    rehearsal = then_say(begun("ontario", "TS TH 4S 9S 9H", bets=(("ann", 1, 400), ("ben", 2, 400))), "stand")

    given(ROUND, *rehearsal.events).when(Hit(**HAND), by="ann", at_ms=12_000).refused("hand_complete")


@pytest.mark.parametrize(("command", "code"), [(Double(**HAND), "not_allowed"), (Split(**HAND), "not_allowed")])
def test_money_that_the_rules_forbid_is_refused_in_writing(command, code):
    """ON-8.1, ON-9.1: no double after a third card, no split without a pair."""
    rehearsal = then_say(begun("ontario", "2S 4S 3S 2H"), "hit")

    given(ROUND, *rehearsal.events).when(command, by="ann", at_ms=12_000).refused_in_writing(code)


def test_wager_after_the_first_card_is_refused():
    """ON-3.2, FL-5.3, LV-2.1.2: no change after the first card."""
    late = PlaceWager(round=ROUND_ID, box=2, stake_minor=400)

    given(ROUND, *begun("ontario", "2S 4S 3S").events).when(late, by="ben", at_ms=12_000).refused_in_writing("betting_closed")


def test_bust_loses_at_once():
    """ON-3.1, LV-2.3, decisions 1 and 6: nothing is open any more, so the dealer takes no second card."""
    rehearsal = play("ontario", "TS 6D 9H 5C", "hit")

    assert (ends(rehearsal), returned(rehearsal), dealer_cards(rehearsal)) == ([(1, 1, "bust")], [("main", 400, 0)], ("6D",))


def test_twenty_one_stands_by_itself():
    """LV-0.2, LV-4.4, ON-10.1: no draw is offered at 21."""
    rehearsal = play("ontario", "TS 6D 5H 6C TC 5D", "hit")

    assert (ends(rehearsal), returned(rehearsal)) == ([(1, 1, "twenty_one")], [("main", 400, 400)])


def test_double_takes_exactly_one_card():
    """ON-8.1, LV-2.6: equal to the original wager, one card more, and the hand stands."""
    rehearsal = play("live", "5S 6D 6H TC 2C 4D", "double")

    assert (ends(rehearsal), returned(rehearsal)) == ([(1, 1, "doubled")], [("main", 400, 0), ("double", 400, 0)])


@pytest.mark.parametrize(
    ("book", "stake_minor", "code"),
    [
        ("live", 401, "above_maximum"),
        ("live", 0, "below_minimum"),
        ("ontario", 200, "below_minimum"),
        ("floor", 200, "below_minimum"),
    ],
)
def test_double_stake_has_bounds(book, stake_minor, code):
    """LV-2.6, decision 11: for less in live alone, down to one unit; never for more."""
    rehearsal = begun(book, "5S 6D 6H TC")

    given(ROUND, *rehearsal.events).when(Double(**HAND, stake_minor=stake_minor), by="ann", at_ms=12_000).refused_in_writing(code)


def test_live_doubles_for_less():
    """LV-2.6, decision 11: down to one unit, without a table minimum."""
    rehearsal = play("live", "5S 6D 6H TC TD TH", "double 1")

    assert returned(rehearsal) == [("main", 400, 800), ("double", 1, 2)]


def test_blackjack_is_not_asked():
    """ON-8.1, ON-10.1, LV-0.2: no draw and no double on a blackjack."""
    assert only(play("live", "AS 6D KH TC"), DecisionAwaited) == []


def test_split_hand_is_played_before_the_next_gets_a_card():
    """ON-9.2, ON-9.7, LV-2.7: hand 1 is completed first; the hands are numbered from the dealer's left."""
    rehearsal = play("live", "8S 6D 8H TC 3C 9C TD TH", "split", "hit", "stand", "stand")
    after_split = [(hand, card) for box, hand, card in dealt(rehearsal)[3:] if box == 1]

    assert after_split == [(1, "3C"), (1, "9C"), (2, "TD")]


def test_split_hand_may_double():
    """ON-9.3, ON-8.1, LV-2.7: a split hand may stand, draw or double."""
    rehearsal = play("ontario", "8S 6D 8H 3C TC TD TH 4H", "split", "double", "stand")

    assert returned(rehearsal) == [("main", 400, 800), ("split", 400, 0), ("double", 400, 800)]


def test_king_with_ten_may_be_split():
    """ON-9.1: equal value is enough."""
    assert "split" in legal(begun("ontario", "KS 6D TH").round)


def test_ontario_splits_twice():
    """ON-9.6: three hands at most; hand 1 keeps the original wager, the others move up."""
    rehearsal = begun("ontario", "8S 6D 8H 8C 8D 2C 3C", bets=(("ann", 1, 400),))
    then_say(rehearsal, "split", "split")

    assert (legal(rehearsal.round), [hand.cards for hand in in_play(rehearsal).hands]) == (
        ("hit", "stand", "double"),
        [("8S", "8D"), ("8C",), ("8H",)],
    )


def test_wagers_move_up_with_their_hands():
    """ON-9.7, decision 4: each line names the hand that the wager ended on."""
    rehearsal = play("ontario", "8S 6D 8H 8C TD TC TH TS 5C", "split", "split", "stand", "stand", "stand")
    first, second, third = (event.wager for event in only(rehearsal, WagerPlaced))

    assert {line.wager: line.hand for line in lines(rehearsal)} == {first: 1, second: 3, third: 2}


@pytest.mark.parametrize("book", ["live", "floor"])
def test_other_books_split_once(book):
    """LV-2.7, decision 7: two hands at most."""
    rehearsal = then_say(begun(book, "8S 6D 8H 8C 8D"), "split")

    assert "split" not in legal(rehearsal.round)


@pytest.mark.parametrize("book", ["ontario", "live", "floor"])
def test_split_aces_take_one_card_each(book):
    """ON-9.4, ON-10.1, LV-2.7, decision 7: aces are split once, and each takes one card."""
    shoe = "AS 6D AH TC 5C AD TH 5D" if book == "live" else "AS 6D AH 5C AD TC 5D"

    assert ends(play(book, shoe, "split")) == [(1, 1, "split_aces"), (1, 2, "split_aces")]


def test_ace_and_ten_after_a_split_are_twenty_one():
    """LV-2.7, decision 4: no blackjack after a split: paid one to one, and no draw is offered."""
    rehearsal = play("live", "AS 6D AH TC KC 9D 9H", "split")

    assert (ends(rehearsal), returned(rehearsal)) == (
        [(1, 1, "twenty_one"), (1, 2, "split_aces")],
        [("main", 400, 800), ("split", 400, 400 * 2)],
    )


def test_player_on_two_boxes_decides_for_each():
    """Decision 18: separate wagers and clocks for each box."""
    rehearsal = play("ontario", "TS 9S 6D TH 9H TC 9D", "stand", "stand", bets=(("ann", 1, 400), ("ann", 2, 200)))

    assert [(event.box, event.player) for event in only(rehearsal, DecisionAwaited)] == [(1, "ann"), (2, "ann")]


def test_command_of_a_player_is_repeated_without_effect():
    """Log page, ids: the same id gets the same answer, and no second card is called."""
    rehearsal: Rehearsal = begun("ontario", "2S 4S 5S 9C")
    rehearsal.tell(Hit(**HAND), ANN, id="hit-1")
    rehearsal.tell(Hit(**HAND), ANN, id="hit-1")

    assert len(only(rehearsal, HandHit)) == 1


def test_betting_is_no_time_for_decisions():
    """ON-6.4, LV-0.3: decisions come with the cards."""
    events = begun("ontario", "TS 6D 9H").events[:3]

    given(ROUND, *events).when(Hit(**HAND), by="ann").refused("not_your_turn")


def test_house_may_allow_aces_to_be_split_again():
    """Clause catalogue, decision 2: how often aces are split is a house option; a split ace still takes one card alone."""
    opened = opening("live")
    rules = replace(opened.profile.split, hands_max=3, ace_hands_max=3)
    rehearsal = Rehearsal(replace(opened, profile=replace(opened.profile, split=rules)), ("AS", "6D", "AH", "TC", "AC"))
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rehearsal.let_time_pass()
    rehearsal.serve()
    then_say(rehearsal, "split")
    hit = given(ROUND, *rehearsal.events).when(Hit(**HAND), by="ann", at_ms=12_000).why

    assert (legal(rehearsal.round), hit is not None and hit.code) == (("stand", "split"), "not_allowed")


def test_player_who_was_refused_too_often_is_offered_nothing_at_stake():
    """LV-0.3: what is offered is taken, so nothing is offered that would be refused for too many refusals before."""
    rehearsal = begun("ontario", "8S 6D 8H TC TD")
    before = legal(rehearsal.round)
    for _ in range(REFUSALS_MAX):
        rehearsal.tell(Double(round="T7.20261130-999999", box=1, hand=1), Actor("player", "ann"))

    assert (before, legal(rehearsal.round)) == (("hit", "stand", "double", "split"), ("hit", "stand"))
