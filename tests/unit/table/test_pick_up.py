"""The pick-up: the order in which cards leave the layout, and the hands that can be backed up from it."""

import pytest

from services.table.domain.pick_up import backed_up, rack
from shared.contracts.dealing import CardsCorrected, CardsPickedUp, CorrectedCard
from shared.contracts.rounds import RoundSettled, VoidRound
from shared.contracts.rulings import ApproveRuling, GameError, ProposeRuling
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, begun, only, play, scripted

TWO_BOXES = (("ann", 1, 400), ("ben", 3, 200))
EIGHTS = "8S TH 6D 8H 9H 3S KC 4C TD"


def picked(rehearsal):
    """The hands in the order in which they were picked up."""
    return [event.hands for event in only(rehearsal, CardsPickedUp)]


def test_ontario_picks_the_boxes_up_from_the_right_and_the_dealer_last():
    """ON-6.6, ON-9.7, decision 26: from the dealer's far right; of a split box the second hand lies further right."""
    rehearsal = play("ontario", EIGHTS, "split", "stand", "stand", "stand", bets=TWO_BOXES)

    assert picked(rehearsal) == [((3, 1), (1, 2), (1, 1), (0, 1))]


def test_live_picks_the_dealer_up_first():
    """LV-3.7, decision 26: the dealer's cards first, then the players' from right to left."""
    rehearsal = play("live", "TS TH 6D 9S 8H TC 5C", "stand", "stand", bets=TWO_BOXES)

    assert picked(rehearsal) == [((0, 1), (3, 1), (1, 1))]


def test_cards_are_picked_up_when_all_is_paid_and_before_the_round_is_over():
    """ON-6.6, LV-3.7: at the conclusion of the round, in the entry that ends it."""
    rehearsal = play("ontario", "TS 6H 9D TC 7D", "stand")

    assert [type(event) for event in rehearsal.events[-2:]] == [CardsPickedUp, RoundSettled]


def test_rack_says_where_each_card_of_a_split_round_lies():
    """ON-6.6: the dealer's cards lie beneath, then the boxes from right to left, each hand as it was dealt."""
    rehearsal = play("ontario", EIGHTS, "split", "stand", "stand", "stand", bets=TWO_BOXES)

    assert [(each.position, each.box, each.hand, each.card, each.index) for each in rack(rehearsal.events)] == [
        (1, 0, 1, "6D", 2),
        (2, 0, 1, "4C", 7),
        (3, 0, 1, "TD", 8),
        (4, 3, 1, "TH", 1),
        (5, 3, 1, "9H", 4),
        (6, 1, 2, "8H", 3),
        (7, 1, 2, "KC", 6),
        (8, 1, 1, "8S", 0),
        (9, 1, 1, "3S", 5),
    ]


def test_rack_of_a_live_round_has_the_hole_card_beside_the_up_card():
    """LV-3.7: the dealer's cards are at the bottom of the stack, the hole card among them."""
    rehearsal = play("live", "TS TH 6D 9S 8H TC 5C", "stand", "stand", bets=TWO_BOXES)

    assert [(each.position, each.box, each.card, each.index) for each in rack(rehearsal.events)] == [
        (1, 0, "6D", 2),
        (2, 0, "TC", 5),
        (3, 0, "5C", 6),
        (4, 3, "TH", 1),
        (5, 3, "8H", 4),
        (6, 1, "TS", 0),
        (7, 1, "9S", 3),
    ]


@pytest.mark.parametrize("book", ["ontario", "floor"])
def test_every_hand_can_be_backed_up(book):
    """ON-6.6, decision 26: read backwards, the rack gives every hand as it was dealt."""
    rehearsal = play(book, EIGHTS, "split", "stand", "stand", "stand", bets=TWO_BOXES)

    assert backed_up(rack(rehearsal.events)) == (
        ((1, 1), ("8S", "3S")),
        ((1, 2), ("8H", "KC")),
        ((3, 1), ("TH", "9H")),
        ((0, 1), ("6D", "4C", "TD")),
    )


def test_live_hands_can_be_backed_up():
    """LV-3.7, decision 26: box 1 comes off the top, the dealer's hand last."""
    rehearsal = play("live", "TS TH 6D 9S 8H TC 5C", "stand", "stand", bets=TWO_BOXES)

    assert backed_up(rack(rehearsal.events)) == (((1, 1), ("TS", "9S")), ((3, 1), ("TH", "8H")), ((0, 1), ("6D", "TC", "5C")))


def test_cards_of_a_void_round_are_picked_up_as_well():
    """LV-3.7: the hole card that nobody turned goes into the rack without a face."""
    rehearsal = begun("live", "TS 6D 9S TC")
    rehearsal.tell(VoidRound(reason="power_cut"))

    assert [(each.box, each.card, each.index) for each in rack(rehearsal.events)] == [
        (0, "6D", 1),
        (0, "", 3),
        (1, "TS", 0),
        (1, "9S", 2),
    ]


def test_nothing_is_picked_up_where_no_card_was_dealt():
    """ON-6.6: without a wager no card lies on the layout."""
    rehearsal = begun("ontario", "", bets=())

    assert (picked(rehearsal), rack(rehearsal.events)) == ([], ())


def with_game_error(book, shoe, *words, discards=""):
    """A round in which three cards are burned for a game error when the first person is asked."""
    rehearsal = begun(book, shoe, discards=discards)
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=GameError()), Actor("staff", "dee", "dealer"))
    rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=1), Actor("staff", "pit", "pit_boss"))
    rehearsal.run(scripted(*words))
    return rehearsal


def test_cards_that_were_nobodys_lie_below_the_hands_of_their_round():
    """LV-3.5, LV-3.7, decision 26: burned cards went into the rack when they left the shoe, and nobody saw them."""
    racked = rack(with_game_error("live", "TS 6D 9S TC 2H 3H 4H 5C", "stand").events)

    assert [(each.position, each.why, each.box, each.card, each.index) for each in racked] == [
        (1, "game_error", 0, "", 4),
        (2, "game_error", 0, "", 5),
        (3, "game_error", 0, "", 6),
        (4, None, 0, "6D", 1),
        (5, None, 0, "TC", 3),
        (6, None, 0, "5C", 7),
        (7, None, 1, "TS", 0),
        (8, None, 1, "9S", 2),
    ]


def test_cards_that_were_nobodys_are_no_hand():
    """LV-3.7: what is backed up are hands."""
    racked = rack(with_game_error("live", "TS 6D 9S TC 2H 3H 4H 5C", "stand").events)

    assert backed_up(racked) == (((1, 1), ("TS", "9S")), ((0, 1), ("6D", "TC", "5C")))


def test_rack_is_emptied_into_the_shuffle_of_the_discards():
    """ON-11.5: what lay in the rack is shuffled, and only the layout is left out."""
    racked = rack(with_game_error("live", "TS 6D 9S TC 2H 3H 4H", "hit", discards="2C 5C 6C").events)

    assert [each.why for each in racked] == [None] * len(racked)


def test_card_that_was_read_wrong_has_its_right_face_in_the_rack():
    """ON-6.6: the physical card is right, whenever it was corrected."""
    events = play("ontario", "TS 6H 9D TC 7D", "stand").events
    wrong = CorrectedCard(shoe="T7-S1", index=2, box=1, hand=1, place=2, read="9D", card="9H")

    assert backed_up(rack([*events[:-3], CardsCorrected(cards=(wrong,), reopened=()), *events[-3:]]))[0] == ((1, 1), ("TS", "9H"))
