"""The face-down deal: the first two cards of a box lie face down until they must not (FL-3.5, decision 25)."""

import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Rehearsal
from services.surveillance.domain.referee import judge
from services.table.domain.pick_up import backed_up, rack
from services.table.domain.round import ROUND
from services.table.views import felt
from shared.contracts.dealing import (
    CardDealt,
    CardsCalled,
    DealtCard,
    DownHand,
    ExposureCalled,
    FaceDownCardDealt,
    HandExposed,
    TakeExposure,
)
from shared.contracts.decisions import DecisionAwaited, ExposeHand, HandHit, Hit, InsuranceOpened, Split
from shared.contracts.rounds import RoundCommand, RoundEvent, VoidRound
from shared.contracts.rulings import ApproveRuling, ExposedCard, ProposeRuling
from shared.kernel.cards import cards
from shared.kernel.entry import decode_as
from shared.kernel.messages import Actor
from tests.given import given
from tests.rounds import ROUND_ID, begun, dealt, names, only, opened_table, opening, play, results, returned, scripted, then_say
from tests.unit.surveillance.test_referee import edited

DOWN = {"players_cards": "down"}
FACES = ("5S", "9H", "6S", "8H")
TWO = (("ann", 1, 400), ("ben", 3, 200))
SHOE = "5S 9H 6D 6S 8H TC 9D 5C"
"""Ann has 11, Ben 17, the dealer a six and then 16 and 21."""


def face_down(shoe=SHOE, *words, **chosen):
    """A whole round of a face-down deal on the floor."""
    return play("floor", shoe, *words, options=DOWN, **{"bets": TWO, **chosen})


def dealt_down(shoe=SHOE, **chosen):
    """A round that is dealt face down, up to where a person is asked."""
    return begun("floor", shoe, options=DOWN, **{"bets": TWO, **chosen})


def entries(rehearsal):
    """The log of a round."""
    return [decode_as(RoundCommand, RoundEvent, data) for data in rehearsal.entries]


def test_boxes_are_dealt_face_down_and_the_dealer_face_up():
    """FL-3.5: the first two cards to each player; the dealer's card lies open as always."""
    rehearsal = dealt_down()

    assert (only(rehearsal, CardsCalled)[0].faces, dealt(rehearsal)) == (("down", "down", "up", "down", "down"), [(0, 1, "6D")])


def test_shoe_is_asked_for_blackjacks_and_told_who_may_look():
    """Decision 25: the two cards are shown to that box's players only."""
    rehearsal = dealt_down(bets=(*TWO, ("cleo", 3, 100)))

    assert only(rehearsal, ExposureCalled)[0].hands == (
        DownHand(box=1, hand=1, indices=(0, 3), players=("ann",)),
        DownHand(box=3, hand=1, indices=(1, 4), players=("ben", "cleo")),
    )


def test_blackjack_is_exposed_at_once_and_before_insurance():
    """Decision 25: a blackjack exposes both; whoever insures knows of it."""
    rehearsal = dealt_down("AS 9H AD KS 8H TC")
    order = [type(event) for event in rehearsal.events if isinstance(event, HandExposed | InsuranceOpened)]

    assert (only(rehearsal, HandExposed)[0].cards, order) == (("AS", "KS"), [HandExposed, InsuranceOpened])


def test_hand_that_stands_is_exposed_at_the_settlement():
    """Decision 25: all are exposed at settlement."""
    rehearsal = face_down(SHOE, "stand", "stand")

    assert (names(rehearsal)[-7:], results(rehearsal)) == (
        ["ExposureCalled", "HandExposed", "HandExposed", "HandsDecided", "WagersSettled", "CardsPickedUp", "RoundSettled"],
        [(1, 1, "win"), (3, 1, "win")],
    )


@pytest.mark.parametrize("command", [Hit, Split])
def test_no_third_card_before_the_first_two_are_exposed(command):
    """FL-3.5: the players must expose the first two cards prior to receiving a third one."""
    rehearsal = dealt_down()
    answer = rehearsal.tell(command(round=ROUND_ID, box=1, hand=1), Actor("player", "ann"))

    assert (answer.status, answer.code) == ("refused", "face_down")


def test_exposed_hand_plays_on_with_the_rest_of_its_clock():
    """FL-3.5: the player exposes the cards and is asked again; turning them costs no time."""
    rehearsal = dealt_down()
    first = only(rehearsal, DecisionAwaited)[-1].until_ms
    rehearsal.at_ms += 4_000
    rehearsal.tell(ExposeHand(round=ROUND_ID, box=1, hand=1), Actor("player", "ann"))
    rehearsal.at_ms += 1_000
    rehearsal.serve()

    assert (only(rehearsal, HandExposed)[0].cards, only(rehearsal, DecisionAwaited)[-1].until_ms) == (("5S", "6S"), first + 1_000)


def test_exposed_hand_doubles():
    """FL-3.5, ON-8.1: exposed, it is a hand like any other."""
    rehearsal = face_down("5S 9H 6D 6S 8H TC TH 9D", "expose", "double", "stand")

    assert returned(rehearsal) == [("main", 400, 800), ("main", 200, 400), ("double", 400, 800)]


def test_exposed_pair_splits():
    """Decision 25: a split exposes both."""
    rehearsal = face_down("8S 9H 6D 8C 8H TC TH 9D TD", "expose", "split", "stand", "stand", "stand")

    assert [(box, hand) for box, hand, _ in results(rehearsal)] == [(1, 1), (1, 2), (3, 1)]


@pytest.mark.parametrize(
    ("command", "by", "code"),
    [
        (ExposeHand(round=ROUND_ID, box=1, hand=1), "ben", "not_decision_caller"),
        (ExposeHand(round=ROUND_ID, box=3, hand=1), "ben", "not_your_turn"),
        (ExposeHand(round=ROUND_ID, box=2, hand=1), "ann", "no_such_box"),
        (ExposeHand(round="T7.20261130-000002", box=1, hand=1), "ann", "unknown_round"),
    ],
)
def test_exposing_is_refused(command, by, code):
    """FL-3.7: nobody else handles a hand's cards, and not before its turn."""
    assert dealt_down().tell(command, Actor("player", by)).code == code


def test_exposing_twice_is_refused():
    """FL-3.5: what is open cannot be exposed."""
    rehearsal = then_say(dealt_down(), "expose")

    assert rehearsal.tell(ExposeHand(round=ROUND_ID, box=1, hand=1), Actor("player", "ann")).code == "not_allowed"


def test_exposure_that_nobody_called_for_is_followed_by_nothing():
    """A repeated answer of the shoe adds nothing."""
    rehearsal = dealt_down()

    given(ROUND, *rehearsal.events).when(TakeExposure(shoe="T7-S1", cards=())).then()


def test_felt_shows_how_many_cards_lie_face_down():
    """FL-3.5: everybody sees that they lie there, nobody what they are."""
    boxes = felt(opened_table("floor"), dealt_down().round).boxes

    assert [(hand.cards, hand.total, hand.down) for box in boxes for hand in box.hands] == [((), 0, 2), ((), 0, 2)]


def test_felt_offers_to_stand_or_to_expose():
    """LV-0.3, FL-3.5: face down there is nothing else to decide."""
    assert felt(opened_table("floor"), dealt_down().round).boxes[0].legal == ("expose", "stand")


def test_no_event_carries_a_face_before_it_is_exposed():
    """Decision 25: the faces of cards that lie face down are in no byte of the log."""
    log = b"".join(dealt_down().entries)

    assert [face for face in FACES if face.encode() in log] == []


def test_silent_player_stands_face_down():
    """LV-3.6: a decision that times out stands the hand, and its cards stay as they lie until the settlement."""
    rehearsal = face_down(SHOE, "-", "stand")

    assert [event.indices for event in only(rehearsal, HandExposed)] == [(0, 3), (1, 4)]


def test_cards_of_a_void_round_stay_face_down():
    """FL-3.5: nothing exposes them; they go into the rack as they lie."""
    rehearsal = dealt_down()
    rehearsal.tell(VoidRound(reason="power_cut"))

    assert [(each.box, each.card, each.index) for each in rack(rehearsal.events)] == [
        (0, "6D", 2),
        (3, "", 1),
        (3, "", 4),
        (1, "", 0),
        (1, "", 3),
    ]


def test_face_down_hands_can_be_backed_up():
    """ON-6.6: once exposed, a card in the rack has its face."""
    assert backed_up(rack(face_down(SHOE, "stand", "stand").events))[:2] == (((1, 1), ("5S", "6S")), ((3, 1), ("9H", "8H")))


def test_shoe_that_ends_in_a_face_down_deal_opens_what_lies_and_goes_on_face_up():
    """Decision 20, FL-3.5: the layout is left out of the discards, so its faces are known first."""
    rehearsal = face_down("5S 9H 6D", "stand", "stand", discards="6S 8H TC 9D")

    assert (only(rehearsal, CardsCalled)[1].faces, [event.cards for event in only(rehearsal, HandExposed)]) == (
        ("up", "up"),
        [("5S",), ("9H",)],
    )


def test_hole_card_is_independent_of_the_face_down_deal():
    """Decision 25: with a hole card both lie face down, and each is opened in its time."""
    rehearsal = play("live", "5S 9H 6D 6S 8H TC 9D", "stand", "stand", options=DOWN, bets=TWO)

    assert (only(rehearsal, CardsCalled)[0].faces, judge(entries(rehearsal))) == (("down", "down", "up", "down", "down", "down"), [])


def test_side_bets_are_settled_on_exposed_cards():
    """FL-SB, FL-3.5: on the box's own first cards, whenever they are exposed."""
    rehearsal = Rehearsal(opening("floor", options=DOWN), cards("7S 6D 7S TC 9D"))
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rehearsal.bet_aside("ann", 1, "super_sevens", 100)
    rehearsal.run(scripted("stand"))

    assert returned(rehearsal) == [("main", 400, 800), ("super_sevens", 100, 10_100)]


@pytest.mark.parametrize(
    ("shoe", "words"),
    [
        (SHOE, ("stand", "stand")),
        (SHOE, ("expose", "stand", "stand")),
        ("5S 9H 6D 6S 8H TC TH 9D", ("expose", "double", "stand")),
        ("8S 9H 6D 8C 8H TC TH 9D TD", ("expose", "split", "stand", "stand", "stand")),
        ("AS 9H AD KS 8H TC", ("insure", "decline", "stand")),
        ("AS KH 6D KS AH", ()),
    ],
)
def test_referee_finds_nothing_in_a_face_down_round(shoe, words):
    """FL-3.5: dealt once more from its log, with the faces that were turned up in time."""
    assert judge(entries(face_down(shoe, *words))) == []


def test_wrong_look_for_blackjacks_breaks_loudly():
    """Decision 25: what the shoe kept closed after the deal cannot be a blackjack afterwards."""
    rehearsal = dealt_down()
    rehearsal.tell(ExposeHand(round=ROUND_ID, box=1, hand=1), Actor("player", "ann"))
    opened = (DealtCard(index=0, card="AS"), DealtCard(index=3, card="KS"))

    with pytest.raises(AssertionError):
        given(ROUND, *rehearsal.events).when(TakeExposure(shoe="T7-S1", cards=opened))


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        (HandExposed, lambda event: []),
        (HandExposed, lambda event: [event, event]),
        (HandExposed, lambda event: [replace(event, indices=(0, 4))]),
        (FaceDownCardDealt, lambda event: [CardDealt(box=event.box, hand=event.hand, card="5S", shoe=event.shoe, index=event.index)]),
        (InsuranceOpened, lambda event: [HandExposed(box=3, hand=1, cards=("9H", "8H"), shoe="T7-S1", indices=(1, 4)), event]),
    ],
)
def test_referee_finds_cards_that_were_exposed_wrongly(kind, edit):
    """FL-3.5: once, whole, and not before somebody wanted it."""
    log = edited(entries(face_down("5S 9H AD 6S 8H TC 9D 5C", "decline", "decline", "expose", "stand", "stand")), kind, edit)

    assert "FL-3.5" in {found.clause for found in judge(log)}


def test_referee_finds_a_third_card_on_a_hand_that_lies_face_down():
    """FL-3.5: the first two are exposed before it."""
    log = edited(entries(face_down(SHOE, "stand", "stand")), DecisionAwaited, lambda event: [event, HandHit(box=1, hand=1)])

    assert "FL-3.5" in {found.clause for found in judge(log)}


def test_last_word_that_ends_the_round_may_open_the_cards_of_all():
    """ON-11.3, FL-3.5: an exposed card that nobody takes is the dealer's, and may be the last one that the round needs."""
    rehearsal = then_say(dealt_down("5S 9H 7D 6S 8H TC"), "stand")
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ExposedCard()), Actor("staff", "dee", "dealer"))
    rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=1), Actor("staff", "pit", "pit_boss"))
    rehearsal.run(scripted("stand"))

    assert (only(rehearsal, ExposureCalled)[-1].hands[0].players, judge(entries(rehearsal))) == (("ann",), [])


def test_referee_finds_a_player_who_exposed_the_cards_of_another():
    """FL-3.7: nobody else handles a hand's cards."""
    log = entries(face_down(SHOE, "expose", "stand", "stand"))
    forged = edited(log, ExposureCalled, lambda event: [replace(event, hands=(other(event),))], 1)

    assert "FL-3.5" in {found.clause for found in judge(forged)}


def other(called):
    """The hand of box 3, called for instead of what was called for."""
    return replace(called.hands[0], box=3, indices=(1, 4), players=("ben",))
