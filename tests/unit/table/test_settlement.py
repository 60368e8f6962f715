"""Settlement: winnings by the book, rounded per wager, and one line for each."""

import pytest

from services.table.domain.hand import hand_of, with_card
from services.table.domain.settlement import result
from shared.contracts.rounds import HandsDecided
from shared.contracts.wagers import WagersSettled
from shared.kernel.cards import DECK, cards
from tests.rounds import lines, only, play, returned


@pytest.mark.parametrize(
    ("hand", "dealer", "outcome"),
    [
        ("TS 9S", "TH 8H", "win"),
        ("TS 8S", "TH 8H", "push"),
        ("TS 7S", "TH 8H", "lose"),
        ("AS KS", "TH 8H", "blackjack"),
        ("AS KS", "TH AH", "push"),
        ("TS 5S 6S", "TH AH", "lose"),
        ("AS KS", "7H 7D 7C", "blackjack"),
        ("2S 3S", "TH 6H 6D", "win"),
        ("TS 5S 6S", "7H 7D 7C", "push"),
    ],
)
def test_result_of_a_hand(hand, dealer, outcome):
    """ON-3.1, ON-3.7, LV-2.1.1, LV-2.2: totals, ties and blackjacks."""
    assert result(hand_of(*cards(hand)), hand_of(*cards(dealer))) == outcome


def test_ace_and_ten_after_a_split_lose_to_a_blackjack():
    """Decision 4, LV-2.7: 21 after a split is no blackjack."""
    assert result(hand_of("AS", "KS", split=True), hand_of("TH", "AH")) == "lose"


@pytest.mark.parametrize(
    ("shoe", "points", "soft"),
    [("AS", 11, True), ("AS AH", 12, True), ("AS AH 9C", 21, True), ("AS 6D TH", 17, False), ("TS TH TD", 30, False)],
)
def test_points_of_a_hand(shoe, points, soft):
    """ON-2.3, LV-1.1: an ace counts eleven unless that exceeds 21."""
    hand = hand_of(*cards(shoe))

    assert (hand.points, hand.soft) == (points, soft)


def test_every_card_of_a_pack_has_its_usual_worth():
    """FL-3.2, LV-1.6, ON-2.3: fifty-two cards of four suits, pictures ten, and no jokers."""
    worth = {rank: {hand_of(card).points for card in DECK if card[0] == rank} for rank in "23456789TJQKA"}

    assert (len(set(DECK)), len({card[1] for card in DECK}), worth) == (
        52,
        4,
        {**{str(number): {number} for number in range(2, 10)}, "T": {10}, "J": {10}, "Q": {10}, "K": {10}, "A": {11}},
    )


def test_card_more_leaves_the_hand_before_as_it_was():
    """Style page: states are frozen."""
    before = hand_of("TS", "9S")
    with_card(before, "2S")

    assert before.cards == ("TS", "9S")


@pytest.mark.parametrize(
    ("book", "stake_minor", "back"), [("live", 101, 253), ("live", 333, 833), ("floor", 101, 253), ("ontario", 102, 255)]
)
def test_blackjack_winnings_are_rounded_up(book, stake_minor, back):
    """FL-5.9, LV-2.3, decision 10: per wager, of the winnings only, up to the chip unit; in Ontario they are exact."""
    shoe = "AS 6D KH TC" if book == "live" else "AS 6D KH"

    assert returned(play(book, shoe, bets=(("ann", 1, stake_minor),))) == [("main", stake_minor, back)]


@pytest.mark.parametrize(("stake_minor", "rounding_minor"), [(101, 1), (100, 0)])
def test_line_says_what_chips_rounded_up(stake_minor, rounding_minor):
    """FL-5.9: of what a blackjack on an odd stake gives back a cent is there because chips cannot make half of one."""
    (line,) = lines(play("floor", "AS 6D KH", bets=(("ann", 1, stake_minor),)))

    assert (line.rounding_minor or 0) == rounding_minor


def test_bust_hand_loses_every_wager():
    """Decision 1: whatever the dealer does later."""
    rehearsal = play("ontario", "TS TH 6D 6S 9H 9C TD TC", "double", "stand", bets=(("ann", 1, 400), ("ben", 2, 200)))

    assert [(line.player, line.kind, line.returned_minor) for line in lines(rehearsal)] == [
        ("ann", "main", 0),
        ("ben", "main", 400),
        ("ann", "double", 0),
    ]


def test_outcomes_are_told_before_money_moves():
    """Log page, settlement: outcomes first, then lines."""
    rehearsal = play("ontario", "TS 6H 9D TC 7D", "stand")
    order = [type(event) for event in rehearsal.events if isinstance(event, HandsDecided | WagersSettled)]

    assert order == [HandsDecided, WagersSettled]


def test_outcomes_say_what_can_be_checked():
    """ON-6.7: cards and totals of every hand, and of the dealer."""
    decided = only(play("live", "AS 6D 6H TC 4H", "stand"), HandsDecided)[0]
    hand = decided.hands[0]

    assert (decided.dealer_cards, decided.dealer_total, hand.cards, hand.total, hand.soft, hand.result) == (
        ("6D", "TC", "4H"),
        20,
        ("AS", "6H"),
        17,
        True,
        "lose",
    )


def test_seven_boxes_are_settled_in_one_event():
    """Log page, settlement: lines in chunks of at most a thousand; a full table needs one."""
    bets = [("ann", box, 100) for box in range(1, 8)]
    rehearsal = play("ontario", "TS " * 7 + "6D " + "9H " * 7 + "TC 7C", *["stand"] * 7, bets=bets)

    assert [len(event.lines) for event in only(rehearsal, WagersSettled)] == [7]
