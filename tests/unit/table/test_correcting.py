"""Correcting: cards that were read wrong, in a round that is over or still played, and rounds that become void."""

from typing import Any

import pytest

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.state import Over
from shared.contracts.dealing import CardsCorrected, CorrectedCard
from shared.contracts.decisions import DecisionAwaited, HandCompleted
from shared.contracts.rounds import CorrectionRefused, CorrectRound, HandResult, RoundCorrected, VoidRound
from shared.contracts.rulings import Agreed, ApproveRuling, Misread, ProposeRuling, ReadAnew
from shared.contracts.wagers import CorrectedLine, WagersCorrected
from shared.kernel.cards import cards
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, begun, lines, opening, play, scripted

AGREED = Agreed(by="pit", job="pit_boss", approved_by="manager", approved_job="duty_manager", reason="the scanner read a card wrong")


def card(index: int, right: str, shoe: str = "T7-S1") -> ReadAnew:
    """Return that the card at this place of the shoe is another one."""
    return ReadAnew(shoe=shoe, index=index, card=right)


def corrected(rehearsal: Rehearsal, *cards: ReadAnew, id: str = "correction") -> list[Any]:
    """Ask for a correction as the table does, and return what followed."""
    before = len(rehearsal.events)
    rehearsal.tell(CorrectRound(correction=id, cards=cards, agreed=AGREED), id=id)
    return rehearsal.events[before:]


def differences(events: list[Any]) -> list[tuple[str, int, int]]:
    """Return kind, what was given back and what is given back, of each wager that is settled anew."""
    return [
        (line.kind, line.settled_minor, line.returned_minor)
        for event in events
        if isinstance(event, WagersCorrected)
        for line in event.lines
    ]


def refusal(events: list[Any]) -> list[str]:
    """Return the codes with which corrections were refused."""
    return [event.code for event in events if isinstance(event, CorrectionRefused)]


def test_misread_card_is_settled_anew():
    """Decision 23: what was read as a nine is a ten, so 19 against 19 is 20: the wager wins, and the difference is named."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    wager = lines(rehearsal)[0].wager

    assert corrected(rehearsal, card(2, "TD")) == [
        RoundCorrected(
            correction="correction",
            number=1,
            outcome="settled",
            cards=(CorrectedCard(shoe="T7-S1", index=2, box=1, hand=1, place=2, read="9D", card="TD"),),
            dealer_cards=("9S", "TC"),
            dealer_total=19,
            hands=(HandResult(box=1, hand=1, cards=("TH", "TD"), total=20, soft=False, result="win"),),
            staked_minor=400,
            returned_minor=800,
            agreed=AGREED,
        ),
        WagersCorrected(
            number=1,
            currency="CAD",
            lines=(
                CorrectedLine(
                    wager=wager, player="ann", box=1, hand=1, kind="main", stake_minor=400, settled_minor=400, returned_minor=800
                ),
            ),
        ),
    ]


def test_correction_follows_a_correction():
    """Log page, corrections: the second one names the difference to the first."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    corrected(rehearsal, card(2, "TD"))

    assert differences(corrected(rehearsal, card(2, "8D"), id="again")) == [("main", 800, 0)]


def test_correction_asked_again_adds_nothing():
    """Log page, ids: the same id is followed by nothing more."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    corrected(rehearsal, card(2, "TD"))

    assert corrected(rehearsal, card(2, "TD")) == []


def test_correction_is_remembered():
    """Log page, corrections: the state after it is the round as it is settled now."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    corrected(rehearsal, card(2, "TD"))
    over = rehearsal.round
    assert isinstance(over, Over), "the round is over"

    assert (over.hands[0].cards, over.results[0].result, over.lines[0].returned_minor, over.corrections) == (("TH", "TD"), "win", 800, 1)


def test_other_suit_changes_the_record_and_no_money():
    """Decision 23: a card is put right although it is worth the same; there is no difference to move."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")

    assert [type(event) for event in corrected(rehearsal, card(2, "9C"))] == [RoundCorrected, WagersCorrected]
    assert differences(rehearsal.events) == []


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ((card(2, "9D"),), "nothing_to_correct"),
        ((card(9, "9D"),), "no_such_card"),
        ((card(2, "9D", shoe="T7-S2"),), "no_such_card"),
        ((card(2, "TD"), card(2, "TC")), "no_such_card"),
        ((card(2, "1X"),), "impossible_card"),
    ],
)
def test_correction_that_cannot_be_is_refused_in_writing(cards: tuple[ReadAnew, ...], code: str):
    """Issue of cards: what is read like that, lies nowhere or is no card is refused; the table that waits is told."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")

    assert refusal(corrected(rehearsal, *cards)) == [code]


def test_more_cards_of_a_kind_than_decks_are_refused():
    """ON-2.1: six decks hold a card six times."""
    rehearsal = play("ontario", "2H TC 2H 2H 2H 2H 2H 3C 7D", "hit", "hit", "hit", "hit", "hit", root="")

    assert refusal(corrected(rehearsal, card(7, "2H"))) == ["impossible_card"]


def test_card_with_a_proof_cannot_have_been_read_wrong():
    """LV-4.2: the shoe committed to its order before the first card; there is nothing to be mistaken about."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand")

    assert refusal(corrected(rehearsal, card(2, "TD"))) == ["card_proved"]


def test_hand_played_on_beyond_21_is_bust():
    """Decision 1: over 21 it has lost, whatever came after that card."""
    rehearsal = play("ontario", "TH 9S 3D 2C 5S TC", "hit", "hit", "stand", root="")

    assert differences(corrected(rehearsal, card(3, "9C"))) == [("main", 800, 0)]


def test_hand_that_ended_too_early_stands_on_its_cards():
    """Decision 23: nobody can be asked again; the cards that lie there count."""
    rehearsal = play("ontario", "TH 9S 4D 7C TC", "hit", root="")

    assert differences(corrected(rehearsal, card(3, "5C"))) == [("main", 800, 400)]


def test_what_the_dealer_had_to_take_no_more_is_burned():
    """ON-11.4, decision 22: the dealer stands on hard 17, and the card drawn after it counts for nothing."""
    rehearsal = play("ontario", "TH 9S 8D 7C 5H", "stand", root="")
    events = corrected(rehearsal, card(3, "8C"))

    assert (events[0].dealer_cards, events[0].dealer_total, differences(events)) == (("9S", "8C"), 17, [("main", 0, 800)])


@pytest.mark.parametrize(
    ("book", "shoe", "words", "wrong"),
    [
        ("ontario", "TH 9S 3D 7C 4S TC", ("hit", "hit"), card(3, "8C")),
        ("ontario", "TH 9S AD TC", (), card(2, "9D")),
        ("ontario", "TH 9S 8D 3C TD", ("stand",), card(4, "2D")),
        ("ontario", "TH 9S 6D TC", ("hit",), card(3, "2C")),
        ("ontario", "8H 6D 8S 3C TD 5H KS 9C 4D", ("split", "stand", "stand"), card(2, "9S")),
        ("ontario", "TH AS 8D 9C", ("insure", "stand"), card(1, "TS")),
        ("ontario", "TH AS AD 9C", ("even_money",), card(2, "9D")),
        ("live", "TH AS 8D KC", ("decline",), card(3, "9C")),
    ],
    ids=[
        "21 was played on",
        "ten was no blackjack",
        "dealer must draw",
        "bust was none",
        "no pair",
        "no ace",
        "no blackjack",
        "no dealer blackjack",
    ],
)
def test_what_cannot_be_worked_out_is_refused(book: str, shoe: str, words: tuple[str, ...], wrong: ReadAnew):
    """Decision 23: an outcome that hangs on a decision nobody could take, or on a card nobody drew, is none: the round must be void."""
    rehearsal = play(book, shoe, *words, root="")

    assert refusal(corrected(rehearsal, wrong)) == ["not_recomputable"]


def test_dealer_blackjack_spares_what_it_must():
    """LV-2.6, LV-2.7: a ten is an ace in truth; the original wager loses, the double comes back."""
    rehearsal = play("live", "6H KS 5D 8C TD", "double", root="")

    assert differences(corrected(rehearsal, card(3, "AC"))) == [("main", 800, 0), ("double", 800, 400)]


def test_insurance_is_settled_anew():
    """ON-7.1, ON-7.4: what was lost is won if the second card was a ten."""
    rehearsal = play("ontario", "TH AS 8D 9C", "insure", "stand", root="")

    assert differences(corrected(rehearsal, card(3, "KC"))) == [("insurance", 0, 600)]


def test_side_bet_is_settled_anew():
    """Decision 19: it looks at the first cards of its box, also where they lie on two hands now."""
    rehearsal = Rehearsal(opening("floor", root=""), cards("8H 6D 8S 3C TD 5H KS 9C 4D"))
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rehearsal.bet_aside("ann", 1, "perfect_pairs", 100)
    rehearsal.serve()
    rehearsal.run(scripted("split", "stand", "stand"))

    assert ("perfect_pairs", 700, 2600) in differences(corrected(rehearsal, card(2, "8H")))


def test_settled_round_becomes_void():
    """Decision 23: every wager gives back its stake, the won and the lost ones, insurance too."""
    rehearsal = play("ontario", "TH AS 8D 9C", "insure", "stand", root="")
    events = corrected(rehearsal)

    assert (events[0].outcome, [hand.result for hand in events[0].hands]) == ("void", ["void"])
    assert differences(events) == [("insurance", 0, 200), ("main", 0, 400)]


def test_void_round_with_a_proof_can_still_become_void():
    """Decision 23: whether a round is void is a ruling, not a question of cards."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand")

    assert differences(corrected(rehearsal)) == []
    assert refusal(corrected(rehearsal, id="again")) == ["nothing_to_correct"]


def test_void_round_pays_nothing_by_its_cards():
    """Decision 23: once void it stays void."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    corrected(rehearsal)

    assert refusal(corrected(rehearsal, card(2, "TD"), id="again")) == ["nothing_to_correct"]


def test_round_that_is_voided_gives_back_what_was_settled_early():
    """Decision 23: insurance that was lost, and even money that was won, become their stakes again."""
    rehearsal = begun("ontario", "TH AS AD 8C KD", bets=(("ann", 1, 400), ("bob", 2, 400)), root="")
    rehearsal.ask(scripted("insure", "even_money"))
    rehearsal.serve()
    rehearsal.tell(VoidRound(reason="irregularity"))

    assert differences(rehearsal.events) == [("main", 800, 400)]
    assert isinstance(rehearsal.round, Over) and [line.returned_minor - line.stake_minor for line in rehearsal.round.lines] == [0, 0, 0]


def test_corrections_of_a_round_are_bounded():
    """House style: unbounded is a bug; after sixteen corrections a person must look into it."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    for number in range(16):
        corrected(rehearsal, card(2, ("TD", "9D")[number % 2]), id=f"correction {number}")

    assert refusal(corrected(rehearsal, card(2, "TD"), id="one more")) == ["too_many_corrections"]


def test_only_the_house_corrects_a_round():
    """Log page: a ruling has two persons; whoever comes to the round alone is refused."""
    rehearsal = play("ontario", "TH 9S 9D TC", "stand", root="")
    answer = rehearsal.tell(CorrectRound(correction="mine", cards=(), agreed=AGREED), Actor("staff", "pit"))

    assert answer.code == "not_allowed_for_role"


def in_play(rehearsal: Rehearsal, *read: ReadAnew) -> list[Any]:
    """Let two persons rule that cards of a round that is played are others, and return what followed."""
    answer = rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=Misread(cards=read)), Actor("staff", "dee", "dealer"))
    before = len(rehearsal.events)
    if answer.status == "accepted":
        answer = rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=1), Actor("staff", "pit", "pit_boss"))
    return rehearsal.events[before + 1 :] or [answer.code]


def test_round_goes_on_with_the_right_card():
    """LV-2.1.4: the card is read again, and the same hand is asked anew, with all its time."""
    rehearsal = begun("ontario", "TH 9S 3D TC 8H", root="")

    assert in_play(rehearsal, card(2, "6D")) == [
        CardsCorrected(cards=(CorrectedCard(shoe="T7-S1", index=2, box=1, hand=1, place=2, read="3D", card="6D"),), reopened=()),
        DecisionAwaited(number=2, box=1, hand=1, player="ann", until_ms=26_000),
    ]


def test_right_card_that_makes_a_blackjack_ends_the_hand():
    """LV-0.2: a hand completes by its cards, whenever they are read."""
    rehearsal = begun("ontario", "TH 9S 3D TC 8H", bets=(("ann", 1, 400),), root="")

    assert HandCompleted(box=1, hand=1, how="blackjack") in in_play(rehearsal, card(2, "AD"))


def test_hand_that_ended_on_a_wrong_card_is_played_on():
    """ON-11.6: what was passed over is backed up while the round is still played."""
    rehearsal = begun("ontario", "TH 6H 9S AD 3D TC 8H", bets=(("ann", 1, 400), ("bob", 2, 400)), root="")
    events = in_play(rehearsal, card(3, "2D"))

    assert (events[0].reopened, events[1].box) == (((1, 1),), 1)


@pytest.mark.parametrize(
    ("shoe", "wrong", "code"),
    [
        ("TH 9S 3D TC", card(2, "3D"), "nothing_to_correct"),
        ("TH 9S 3D TC", card(3, "3D"), "no_such_card"),
        ("TH 9S 3D TC", card(1, "AS"), "not_recomputable"),
        ("TH AS 3D TC", card(1, "TS"), "not_possible_now"),
    ],
)
def test_correction_in_play_that_cannot_be_is_refused(shoe: str, wrong: ReadAnew, code: str):
    """LV-2.5.2: an ace more or less is another matter, and so is a card that lies nowhere; nothing changes."""
    rehearsal = begun("ontario", shoe, root="")

    assert in_play(rehearsal, wrong) == [code]


def test_misread_in_play_names_a_card():
    """LV-2.1.4: a ruling that reads nothing anew gives nobody a new clock."""
    assert in_play(begun("ontario", "TH 9S 3D TC", root="")) == ["nothing_to_correct"]


def test_card_with_a_proof_is_not_corrected_in_play():
    """LV-4.2: what the shoe has proved was not read wrong."""
    assert in_play(begun("ontario", "TH 9S 3D TC"), card(2, "6D")) == ["card_proved"]


def test_round_that_is_over_is_not_corrected_as_one_in_play():
    """Log page, corrections: after its end a round is settled anew."""
    assert in_play(play("ontario", "TH 9S 9D TC", "stand", root=""), card(2, "TD")) == ["round_over"]
