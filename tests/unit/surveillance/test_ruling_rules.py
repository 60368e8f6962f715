"""The referee of rulings: two persons, their jobs, and no card, hand or round that went astray without them."""

from typing import Any

import pytest

from feltlog.rehearsal.round import Choice, Rehearsal
from services.surveillance.domain.findings import Code
from services.surveillance.domain.referee import judge
from shared.contracts.dealing import BoxMissed, CardDealt, CardDiscarded, CardExposed
from shared.contracts.decisions import HandCompleted
from shared.contracts.rounds import HandsDecided, RoundVoided
from shared.contracts.rulings import (
    AnyRuling,
    ApproveRuling,
    DeadHand,
    ExposedCard,
    FaceUpCard,
    GameError,
    MissedBox,
    ProposeRuling,
    RulingApproved,
    RulingProposed,
    UnexposedCard,
    VoidTheRound,
)
from shared.contracts.wagers import CloseBetting, WagersSettled
from shared.kernel.cards import cards
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, begun, opening, scripted
from tests.unit.surveillance.test_referee import but, clauses, edited, entries, gone, spoken

DEALER, BOSS = Actor("staff", "dee", "dealer"), Actor("staff", "pit", "pit_boss")


def rule(rehearsal: Rehearsal, ruling: AnyRuling) -> None:
    """Let the dealer propose a ruling and the pit boss approve it."""
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ruling), DEALER)
    number = [event.proposal for event in rehearsal.events if isinstance(event, RulingProposed)][-1]
    rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=number), BOSS)
    rehearsal.serve()


def ruled(ruling: AnyRuling, shoe: str = "TH 7D 2S KC 5C 7C 9C 2D 3D 8D", *words: str) -> list[Any]:
    """Return the log of a live round with a ruling."""
    rehearsal = begun("live", shoe)
    rule(rehearsal, ruling)
    rehearsal.run(scripted(*words))
    return entries(rehearsal)


def missed(*passed_over: tuple[int, int]) -> list[Any]:
    """Return the log of a round whose deal passes boxes over."""
    rehearsal = Rehearsal(opening("ontario"), cards("9H 6D 8H 9S TS TD 5D KC"))
    for player, box in (("ann", 1), ("ben", 2)):
        rehearsal.bet(player, box, 400)
        rehearsal.serve()
    for box, card in passed_over:
        rule(rehearsal, MissedBox(box=box, card=1 if card == 1 else 2))
    rehearsal.run(scripted())
    return entries(rehearsal)


@pytest.mark.parametrize("ruling", [FaceUpCard(), UnexposedCard(), ExposedCard(), GameError(), DeadHand(box=1), VoidTheRound()])
def test_a_ruling_by_two_persons_is_in_order(ruling: AnyRuling):
    """ON-11, LV-3.5: whatever it does."""
    assert judge(ruled(ruling, "TH 7D 2S KC 5C 7C 9C 2D 3D 8D", "hit", "stand")) == []


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (RulingApproved, {"by": "dee", "job": "dealer"}),
        (RulingApproved, {"job": "duty_manager"}),
        (RulingApproved, {"proposal": 2}),
        (RulingProposed, {"by": "pit", "job": "pit_boss"}),
        (RulingProposed, {"job": "support"}),
        (RulingProposed, {"proposal": 3}),
    ],
)
def test_a_ruling_of_one_person_or_of_a_wrong_job_is_found(kind: type[Any], fields: dict[str, Any]):
    """LV-3.5: who approves is somebody else, with a job that may; who is written down is who spoke."""
    assert "LV-3.5" in clauses(edited(ruled(GameError()), kind, but(**fields)))


def test_a_proposal_that_was_approved_twice_is_found():
    """LV-3.5: it is decided once."""
    assert "LV-3.5" in clauses(edited(ruled(UnexposedCard()), RulingApproved, lambda event: [event, event]))


def test_an_approval_that_somebody_else_spoke_is_found():
    """LV-3.5: each speaks for themselves."""
    assert "LV-3.5" in clauses(spoken(ruled(GameError()), RulingApproved, actor=Actor("staff", "eve", "pit_boss")))


def test_a_card_that_went_astray_without_a_ruling_is_found():
    """ON-11.1: a card that is nobody's was ruled to be nobody's."""
    assert "ON-11.1" in clauses(edited(ruled(FaceUpCard()), RulingApproved, gone))


def test_more_burns_than_were_ruled_are_found():
    """LV-3.5: three, and no more."""
    extra = lambda event: [event, *(CardDiscarded(astray="game_error", shoe=event.shoe, index=event.index + n) for n in (1, 2, 3))]  # noqa: E731

    assert "ON-11.1" in clauses(edited(ruled(GameError()), CardDiscarded, extra))


def test_an_exposed_card_that_another_hand_got_is_found():
    """ON-11.3: it is the next card."""
    log = ruled(ExposedCard(), "TH 7D 2S KC 5C 7C 9C 2D 3D 8D", "hit", "stand")

    assert clauses(edited(log, CardDealt, but(card="9D"), which=3)) != set()


def test_a_card_that_is_put_away_and_was_never_exposed_is_found():
    """ON-11.3: only what lay open beside the hands is left over."""
    log = ruled(ExposedCard(), "TH 7D 9S KC 5C", "stand")

    assert "ON-11.3" in clauses(edited(log, CardExposed, gone))


def test_a_dead_hand_without_a_ruling_is_found():
    """ON-11.6: nobody leaves a round by being called dead."""
    assert "ON-11.6" in clauses(edited(ruled(DeadHand(box=1)), RulingApproved, gone))


def test_a_dead_hand_that_does_not_get_its_wager_back_is_found():
    """ON-11.6, decision 23."""

    def kept(event: WagersSettled) -> list[WagersSettled]:
        return [type(event)(currency=event.currency, lines=tuple(but(returned_minor=0)(line)[0] for line in event.lines))]

    assert "LV-2.3" in clauses(edited(ruled(DeadHand(box=1)), WagersSettled, kept))


def test_a_dead_hand_that_is_said_to_have_won_is_found():
    """ON-11.6: it is dead in the outcomes too."""

    def won(event: HandsDecided) -> list[HandsDecided]:
        hands = but(result="win")(event.hands[0])
        return [HandsDecided(dealer_cards=event.dealer_cards, dealer_total=event.dealer_total, hands=tuple(hands))]

    assert "LV-2.1.1" in clauses(edited(ruled(DeadHand(box=1)), HandsDecided, won))


@pytest.mark.parametrize("passed_over", [((1, 1),), ((2, 2),), ((1, 1), (2, 2)), ((1, 1), (1, 2))])
def test_a_deal_that_passes_boxes_over_is_followed(passed_over: tuple[tuple[int, int], ...]):
    """ON-11.6: backed up, or dead."""
    assert judge(missed(*passed_over)) == []


def test_a_box_that_was_passed_over_without_a_ruling_is_found():
    """ON-11.6."""
    assert "ON-11.6" in clauses(edited(missed((1, 1)), RulingApproved, gone))


def test_a_box_that_was_not_passed_over_after_all_is_found():
    """ON-11.6, ON-6.1: the next card was another's."""
    assert "ON-6.1" in clauses(edited(missed((1, 1)), BoxMissed, gone))


def test_a_hand_without_a_card_that_is_not_dead_is_found():
    """ON-11.6."""
    assert "ON-11.6" in clauses(edited(missed((1, 1), (1, 2)), HandCompleted, gone))


def test_a_round_that_a_person_voids_alone_is_found():
    """Decision 23: two persons, or the house."""
    assert "decision 23" in clauses(edited(ruled(VoidTheRound()), RulingProposed, gone))


def test_betting_that_staff_close_over_no_wager_needs_no_ruling():
    """Log page, flows: without an accepted wager a round is void at once, whoever closes the betting."""
    rehearsal = Rehearsal(opening("ontario", dealer="staff"), cards("9H"))
    rehearsal.tell(CloseBetting(round=ROUND_ID), BOSS)

    assert judge(entries(rehearsal)) == []


def test_a_shoe_that_failed_without_a_ruling_is_found():
    """FL-4.6."""
    assert "FL-4.6" in clauses(edited(ruled(VoidTheRound()), RoundVoided, but(shoe_failed=True)))


def test_what_the_referee_cannot_follow_it_says():
    """ON-11.6: a hand that dies while others are asked to join its double has outcomes that nobody judged."""
    rehearsal = begun("floor", "5H 6D 6S TD KC 9C 2C", bets=(("ann", 1, 400), ("ben", 1, 400)))
    rehearsal.ask(lambda moment: Choice("double") if "double" in moment.legal else None)
    rehearsal.serve()
    rule(rehearsal, DeadHand(box=1))
    rehearsal.run(scripted())

    assert [found.code for found in judge(entries(rehearsal))] == [Code.UNJUDGED]
