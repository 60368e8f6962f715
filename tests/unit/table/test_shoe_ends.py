"""The shoe: calls, the cutting card, a shoe that runs out inside a round, and rounds that are cancelled."""

import pytest

from feltlog.rehearsal.round import Choice
from services.table.domain.round import ROUND
from shared.contracts.dealing import (
    CardDealt,
    CardsCalled,
    ChangeShoe,
    CuttingCardReached,
    DealCards,
    DealtCard,
    ReshuffleCalled,
    ShoeChanged,
)
from shared.contracts.rounds import RoundEvent, RoundVoided, VoidRound
from shared.contracts.wagers import WagersSettled
from tests.given import given
from tests.rounds import begun, dealt, names, only, play, returned, settled, voided


def up(*cards: str) -> tuple[DealtCard, ...]:
    """Return open cards from the top of the shoe."""
    return tuple(DealtCard(index=index, card=card) for index, card in enumerate(cards))


def called(book: str = "ontario") -> list[RoundEvent]:
    """Return a round that waits for its first cards."""
    return begun(book, "").events[:5]


def test_cards_of_another_call_change_nothing():
    """Log page, cards: one call is outstanding at a time."""
    given(ROUND, *called()).when(DealCards(call_no=2, shoe="T7-S1", cards=up("TS", "6D", "9H"))).then()


@pytest.mark.parametrize(
    "command",
    [
        DealCards(call_no=1, shoe="T7-S2", cards=up("TS", "6D", "9H")),
        DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D")),
        DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D", "9H", "9S")),
        DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D", "")),
        DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D", "1H")),
    ],
)
def test_shoe_that_gives_something_else_stops_the_round(command):
    """Log page, poison: what must hold does not, and a person looks into it."""
    with pytest.raises(AssertionError):
        given(ROUND, *called()).when(command)


def test_cutting_card_makes_it_the_shoes_last_round():
    """ON-5.7, LV-3.2: the round is completed, then the shoe is replaced."""
    events = [*called(), CardDealt(box=1, hand=1, card="TS", shoe="T7-S1", index=0)]
    command = DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D", "9H"), cutting_card_out=True)

    assert CuttingCardReached(shoe="T7-S1") in given(ROUND, *events[:5]).when(command).events


def test_shoe_that_runs_out_calls_for_its_discards():
    """ON-11.5, decision 20: all cards but those on the layout are shuffled."""
    command = DealCards(call_no=1, shoe="T7-S1", cards=up("TS", "6D"), exhausted=True)
    reshuffle = ReshuffleCalled(shoe="T7-S1", next_shoe="T7-S1b", table="T7", decks=6, layout=("TS", "6D"), hole=None, burns=1)

    given(ROUND, *called()).when(command).then_among(reshuffle)


def test_face_down_card_stays_on_the_layout():
    """Decision 20: the hole card is never reshuffled, and stays unknown."""
    rehearsal = begun("live", "2S 6D 3H TC", discards="4S 5D TD 9C 9D")
    rehearsal.ask(lambda _: Choice("hit"))
    rehearsal.serve()

    assert [(event.layout, event.hole) for event in only(rehearsal, ReshuffleCalled)] == [(("2S", "3H", "6D"), 3)]


def test_round_goes_on_from_the_discards():
    """ON-11.5, log page, cards: the rest of the call comes from there under the next number."""
    rehearsal = play("ontario", "TS 6D", "stand", discards="9H TC 2D 5C")
    calls = [(call.call_no, call.shoe, len(call.faces)) for call in only(rehearsal, CardsCalled)]

    assert (calls, dealt(rehearsal)[2], settled(rehearsal).shoes) == (
        [(1, "T7-S1", 3), (2, "T7-S1b", 1), (3, "T7-S1b", 1), (4, "T7-S1b", 1)],
        (1, 1, "9H"),
        ("T7-S1", "T7-S1b"),
    )


def test_shoe_that_gives_its_last_card_is_replaced_at_the_next_call():
    """ON-11.5: nothing is missing yet."""
    rehearsal = begun("ontario", "TS 6D 9H", discards="TC 2D 5C")
    rehearsal.ask(lambda _: Choice("stand"))
    rehearsal.serve()

    assert [event.layout for event in only(rehearsal, ReshuffleCalled)] == [("TS", "9H", "6D")]


def test_other_shoe_changes_nothing():
    """Log page, ids: only the shoe that the round waits for."""
    given(ROUND, *called()).when(ChangeShoe(shoe="T7-S1b", root="", cards=10)).then()


def test_changed_shoe_is_written_down_with_its_commitment():
    """Log page, secrets: the root stands in the log before a card is dealt from it."""
    rehearsal = play("ontario", "TS 6D", "stand", discards="9H TC 2D 5C")

    assert only(rehearsal, ShoeChanged) == [ShoeChanged(shoe="T7-S1b", root="root", cards=4)]


def test_round_without_any_card_left_is_void():
    """Decision 20: every wager is returned."""
    rehearsal = play("ontario", "TS 6D", discards="")

    assert (voided(rehearsal).reason, voided(rehearsal).shoes, returned(rehearsal)) == (
        "no_cards_left",
        ("T7-S1", "T7-S1b"),
        [("main", 400, 400)],
    )


def test_round_whose_cards_all_lie_on_the_layout_is_void():
    """Decision 20: a single deck that is dealt to its last card leaves no discards, so nothing is called for."""
    bets = [(player, box, 400) for box, player in enumerate(("ann", "ben", "cyd", "dee", "eve"), start=1)]
    rehearsal = play("ontario", "2S " * 52, *["hit"] * 41, bets=bets, options={"decks": 1, "shoe.burns_after_shuffle": 0})

    assert (voided(rehearsal).reason, only(rehearsal, ReshuffleCalled), len(dealt(rehearsal))) == ("no_cards_left", [], 52)


def test_house_may_cancel_a_round():
    """Log page, corrections: all stakes go back, what is pending lapses, and each wager still has one line."""
    rehearsal = begun("live", "8S 6D 8H TC", wallet=lambda wager: "silence" if wager.kind == "double" else "reserve")
    rehearsal.ask(lambda _: Choice("double"))
    rehearsal.serve()
    rehearsal.tell(VoidRound(reason="game_error"))

    assert (names(rehearsal)[-4:], returned(rehearsal)) == (
        ["WagerLapsed", "WagersSettled", "CardsPickedUp", "RoundVoided"],
        [("main", 400, 400)],
    )


def test_round_may_be_cancelled_during_betting():
    """Log page, corrections: no shoe was used."""
    rehearsal = begun("live", "8S 6D 8H TC")
    outcome = given(ROUND, *rehearsal.events[:3]).when(VoidRound(reason="game_error"))

    assert outcome.events[-1] == RoundVoided(reason="game_error", shoes=(), cutting_card_out=False)


@pytest.mark.parametrize("command", [VoidRound(reason="again"), DealCards(call_no=1, shoe="T7-S1", cards=())])
def test_nothing_follows_the_end(command):
    """Log page, streams: a round's last entry is its end, and the table keeps its digest."""
    given(ROUND, *play("live", "TS 6D 9H TC 2D").events).when(command).then()


def test_player_is_told_that_the_round_is_over():
    """Log page, ids: such a refusal is not stored."""
    rehearsal = play("live", "TS 6D 9H TC 2D")

    assert rehearsal.bet("ann", 1, 400).code == "round_over"


def test_early_lines_count_in_the_sums():
    """Log page, settlement: insurance settled early is part of what was staked and returned."""
    rehearsal = play("ontario", "TS AD 9H KC", "insure", "stand")

    assert (len(only(rehearsal, WagersSettled)), settled(rehearsal).staked_minor, settled(rehearsal).returned_minor) == (2, 600, 600)
