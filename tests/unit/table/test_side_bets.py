"""Side bets: placed beside a main wager, settled on the first cards of the box (FL-SB, decision 19)."""

import pytest

from feltlog.rehearsal.round import Rehearsal
from shared.contracts.wagers import SIDE_BETS, PlaceSideBet
from shared.kernel.cards import cards
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, lines, opening, then_say, voided

ANN = Actor("player", "ann")


def betting(book: str = "floor", shoe: str = "") -> Rehearsal:
    """Return a round in which ann has an accepted wager of 4.00 on box 1."""
    rehearsal = Rehearsal(opening(book), cards(shoe))
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    return rehearsal


def aside(rehearsal: Rehearsal, *, box: int = 1, kind=SIDE_BETS[1], stake_minor: int = 100, player: str = "ann") -> str:
    """Place a side bet; return the status or the code of the refusal."""
    answer = rehearsal.tell(PlaceSideBet(round=ROUND_ID, box=box, kind=kind, stake_minor=stake_minor), Actor("player", player))
    rehearsal.serve()
    return answer.code or answer.status


def test_side_bet_is_taken_beside_an_accepted_main_wager():
    """FL-SB: it waits for the wallet like every wager."""
    assert aside(betting()) == "pending"


@pytest.mark.parametrize(
    ("book", "changes", "code"),
    [
        ("live", {}, "not_offered"),
        ("floor", {"player": "bob"}, "no_main_wager"),
        ("floor", {"box": 2}, "no_main_wager"),
        ("floor", {"stake_minor": 0}, "below_minimum"),
        ("floor", {"stake_minor": -5}, "below_minimum"),
        ("floor", {"stake_minor": 10**15}, "above_maximum"),
    ],
)
def test_side_bet_that_the_table_does_not_take_is_refused(book, changes, code):
    """Decision 19: only where it is offered, beside one's own main wager, of a stake that chips can make."""
    assert aside(betting(book), **changes) == code


def test_side_bet_on_behalf_of_the_dealer_is_refused():
    """ON-3.6: a gratuity that would win is a wager for the dealer, wherever it lies."""
    bet = PlaceSideBet(round=ROUND_ID, box=1, kind=SIDE_BETS[1], stake_minor=100, for_dealer=True)

    assert betting().tell(bet, ANN).code == "wager_for_dealer"


def test_same_side_bet_twice_is_refused():
    """Decision 19: one of a kind beside each main wager; of another kind it is another."""
    rehearsal = betting()

    assert [aside(rehearsal, kind=kind) for kind in (SIDE_BETS[1], SIDE_BETS[1], SIDE_BETS[0])] == ["pending", "already_on_box", "pending"]


def test_side_bet_after_the_first_card_is_refused():
    """Decision 19: before the first card."""
    rehearsal = betting(shoe="TH 9D 6S")
    rehearsal.let_time_pass()
    rehearsal.serve()

    assert aside(rehearsal) == "betting_closed"


def test_side_bets_are_settled_on_the_cards_of_the_box_alone():
    """FL-SB: whatever the dealer has, and though the hand is lost."""
    rehearsal = betting(shoe="8H TD 8D TC")
    aside(rehearsal)
    rehearsal.let_time_pass()
    rehearsal.serve()
    then_say(rehearsal, "stand")

    assert [(line.kind, line.returned_minor) for line in lines(rehearsal)] == [("main", 0), ("perfect_pairs", 1300)]


def test_void_round_gives_side_bets_back():
    """Decision 23: every wager on the box, its side bets among them."""
    rehearsal = betting(shoe="8H")
    aside(rehearsal)
    rehearsal.let_time_pass()
    rehearsal.serve()

    assert ([(line.kind, line.returned_minor) for line in lines(rehearsal)], voided(rehearsal).reason) == (
        [("main", 400), ("perfect_pairs", 100)],
        "no_cards_left",
    )


def test_betting_on_a_full_table_waits_for_side_bets():
    """FL-SB: whoever completes the table may still place one."""
    rehearsal = Rehearsal(opening("floor", boxes=1), ())
    for player in ("ann", "bob", "cid"):
        rehearsal.bet(player, 1, 400)
        rehearsal.serve()

    assert aside(rehearsal, player="cid") == "pending"
