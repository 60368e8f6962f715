"""Irregularities in a round in play: what two members of staff rule, and where the cards and the money go then."""

from typing import Any

import pytest

from feltlog.rehearsal.round import Choice, Rehearsal
from services.table.domain.round import ROUND
from services.table.domain.state import Decision, Over, Playing
from services.table.reactions import timer
from shared.contracts.dealing import (
    CardDealt,
    CardDiscarded,
    CardExposed,
    CardsCalled,
    CardsForfeited,
    DealCard,
    DealCards,
    DealtCard,
    ReshuffleCalled,
)
from shared.contracts.decisions import ClockResumed, DecisionAwaited, Hit
from shared.contracts.rounds import RoundVoided, VoidRound
from shared.contracts.rulings import (
    AnyRuling,
    ApproveRuling,
    DeadHand,
    DealerOverdraw,
    DeviceMalfunction,
    ExposedCard,
    FaceUpCard,
    GameError,
    Misdeal,
    MissedBox,
    ProposeRuling,
    RulingApproved,
    RulingProposed,
    UnexposedCard,
    VoidTheRound,
    WrongPosition,
)
from shared.contracts.wagers import SettlementLine, WagersSettled
from shared.kernel.cards import cards
from shared.kernel.messages import Actor, Answer
from tests.given import given
from tests.rounds import ROUND_ID, begun, opening, scripted

DEALER, BOSS = Actor("staff", "dee", "dealer"), Actor("staff", "pit", "pit_boss")


def rule(rehearsal: Rehearsal, ruling: AnyRuling) -> Answer:
    """Let the dealer propose a ruling and the pit boss approve it; return the last answer."""
    proposed = rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ruling), DEALER)
    if proposed.status == "refused":
        return proposed
    number = [event.proposal for event in rehearsal.events if isinstance(event, RulingProposed)][-1]
    return rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=number), BOSS)


def ruled(book: str, shoe: str, ruling: AnyRuling, *words: str, **chosen: Any) -> Rehearsal:
    """Return a whole round in which a ruling is made when the first person is asked."""
    rehearsal = begun(book, shoe, **chosen)
    answer = rule(rehearsal, ruling)
    assert answer.status == "accepted", answer
    rehearsal.run(scripted(*words))
    return rehearsal


def hands(rehearsal: Rehearsal) -> dict[int, str]:
    """Return the cards of each box, 0 the dealer's."""
    found: dict[int, list[str]] = {}
    for event in rehearsal.events:
        if isinstance(event, CardDealt):
            found.setdefault(event.box, []).append(event.card)
    return {box: " ".join(row) for box, row in found.items()}


def astray(rehearsal: Rehearsal) -> list[tuple[str, str]]:
    """Return the cards that went to the rack, each with the reason."""
    return [(event.card, event.astray) for event in rehearsal.events if isinstance(event, CardDiscarded)]


def lines(rehearsal: Rehearsal) -> list[tuple[str, int, int]]:
    """Return what each wager gave back: kind, stake, returned."""
    settled: list[SettlementLine] = [line for event in rehearsal.events if isinstance(event, WagersSettled) for line in event.lines]
    return [(line.kind, line.stake_minor, line.returned_minor) for line in settled]


def test_a_card_face_up_in_the_shoe_is_not_used():
    """ON-11.1: it goes to the discard rack, and the hand that draws gets the card behind it."""
    rehearsal = ruled("ontario", "8H 6D 2S KC 5H TD 7D", FaceUpCard(), "hit", "stand")

    assert (hands(rehearsal), astray(rehearsal)) == ({1: "8H 2S 5H", 0: "6D TD 7D"}, [("KC", "face_up")])


def test_a_card_face_up_before_the_deal_leaves_the_shoe_first():
    """ON-11.1: what is ruled while wagers are taken comes true with the first call."""
    rehearsal = Rehearsal(opening("live"), cards("KC 8H 6D 9S TD 2C"))
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rule(rehearsal, FaceUpCard())
    rehearsal.run(scripted("stand"))

    assert (hands(rehearsal)[1], astray(rehearsal)) == ("8H 9S", [("KC", "face_up")])


def test_a_card_face_up_inside_a_deal_that_comes_one_by_one():
    """ON-11.1: the place that it would have taken is the next card's, and the deal is called for again."""
    rehearsal = given_deal("ontario")
    round_ = rehearsal.when(DealCard(call_no=1, shoe="T7-S1", dealt=DealtCard(index=0, card="8H")))
    told = given(ROUND, *rehearsal_events("ontario"), *round_.events, *ruling_events(FaceUpCard()))
    rest = [DealtCard(index=1, card="KC"), DealtCard(index=2, card="6D")]
    first = told.when(DealCard(call_no=1, shoe="T7-S1", dealt=rest[0]))
    second = given(ROUND, *told_events(round_, FaceUpCard()), *first.events).when(DealCard(call_no=1, shoe="T7-S1", dealt=rest[1]))

    assert (first.events, second.events) == (
        [CardDiscarded(astray="face_up", shoe="T7-S1", index=1, card="KC")],
        [
            CardDealt(box=0, hand=1, card="6D", shoe="T7-S1", index=2),
            CardsCalled(call_no=2, shoe="T7-S1", faces=("up",)),
        ],
    )


def rehearsal_events(book: str) -> list[Any]:
    """Return the events of a round up to its first call for cards, which nobody has answered."""
    rehearsal = Rehearsal(opening(book), [])
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rehearsal.let_time_pass()
    return list(rehearsal.events)


def given_deal(book: str) -> Any:
    """Return a round whose deal is called."""
    return given(ROUND, *rehearsal_events(book))


def ruling_events(ruling: AnyRuling) -> list[Any]:
    """Return what a ruling about the next card writes down when cards are on their way."""
    return [
        RulingProposed(proposal=1, ruling=ruling, by="dee", job="dealer"),
        RulingApproved(proposal=1, by="pit", job="pit_boss"),
        CardsForfeited(astray="face_up", count=1),
    ]


def told_events(round_: Any, ruling: AnyRuling) -> list[Any]:
    """Return a deal's events up to a ruling inside it."""
    return [*rehearsal_events("ontario"), *round_.events, *ruling_events(ruling)]


def test_a_deal_on_its_way_with_a_hole_card_is_left_alone():
    """A card that was called for face down would have to lie open: wait until the deal lies."""
    given(ROUND, *rehearsal_events("live")).when(ProposeRuling(round=ROUND_ID, ruling=FaceUpCard()), by=DEALER).refused("not_possible_now")


def test_a_card_drawn_in_error_that_nobody_saw_stays_the_next_one():
    """ON-11.2: nothing but the ruling itself is written down, and no card goes astray."""
    rehearsal = ruled("ontario", "8H 6D 2S KC TD 7D", UnexposedCard(), "hit", "stand")

    assert (hands(rehearsal)[1], astray(rehearsal)) == ("8H 2S KC", [])


def test_an_exposed_card_is_the_next_card_of_the_hand_that_draws():
    """ON-11.3: it lies open while the player decides, and the clock stands until it does."""
    rehearsal = ruled("ontario", "8H 6D 2S KC TD 7D", ExposedCard(), "hit", "stand")

    assert (hands(rehearsal)[1], astray(rehearsal), [type(event) for event in rehearsal.events].count(CardExposed)) == ("8H 2S KC", [], 1)


def test_a_refused_exposed_card_goes_to_the_next_hand_and_the_refusing_hand_stands():
    """ON-11.3, decision 22."""
    rehearsal = begun("ontario", "8H 9H 6D 5S 2S KC TD 7D", bets=(("ann", 1, 400), ("ben", 2, 400)))
    rule(rehearsal, ExposedCard())
    rehearsal.serve()
    rehearsal.ask(lambda _: Choice("stand"))
    refused = [rehearsal.tell(Hit(round=ROUND_ID, box=1, hand=1), Actor("player", "ann")).code]
    rehearsal.run(scripted("hit"))

    assert (hands(rehearsal)[1], hands(rehearsal)[2], refused) == ("8H 5S", "9H 2S KC", ["hand_complete"])


def test_an_exposed_card_that_no_hand_takes_is_the_dealers():
    """ON-11.3, decision 22."""
    assert hands(ruled("ontario", "8H 6D 5S KC 5C", ExposedCard(), "stand"))[0] == "6D KC 5C"


def test_an_exposed_card_that_nobody_can_use_is_put_away():
    """ON-11.3: the dealer stands, so it goes to the discard rack."""
    assert astray(ruled("live", "9H 7D 8S TC 5S", ExposedCard(), "stand")) == [("5S", "unused")]


def test_two_exposed_cards_are_dealt_in_their_order():
    """ON-11.3: each is the next card."""
    rehearsal = begun("ontario", "2H 6D 2S 3C 4C TD 7D")
    for _ in range(2):
        rule(rehearsal, ExposedCard())
        rehearsal.serve()
    rehearsal.run(scripted("hit", "hit", "stand"))

    assert hands(rehearsal)[1] == "2H 2S 3C 4C"


def test_an_exposed_card_may_be_refused_by_nobody_while_the_deal_is_on_its_way():
    """ON-11.3, decision 22: before everybody has two cards it is the next card of the deal, so nothing changes."""
    outcome = given(ROUND, *rehearsal_events("ontario")).when(ProposeRuling(round=ROUND_ID, ruling=ExposedCard()), by=DEALER)

    assert [type(event) for event in outcome.events] == [RulingProposed]


@pytest.mark.parametrize(
    ("book", "shoe", "burned"),
    [
        ("ontario", "8H 6D 9S KC 5C 7D", [("7D", "overdraw")]),
        ("ontario", "TH AD 9S 8C 5C", [("5C", "overdraw")]),
        ("live", "TH 7D 9S KC 5C 7C 9C 2D", [("5C", "overdraw"), ("", "overdraw"), ("", "overdraw"), ("", "overdraw")]),
    ],
)
def test_what_the_dealer_draws_too_much_is_burned(book: str, shoe: str, burned: list[tuple[str, str]]):
    """ON-11.4, decision 22: on every total on which the dealer must stand; under `live` three burns follow (LV-3.5)."""
    rehearsal = ruled(book, shoe, DealerOverdraw(), *(["decline", "stand"] if " AD " in shoe else ["stand"]))

    assert astray(rehearsal) == burned


def test_a_dealer_who_draws_by_rule_draws_nothing_too_much():
    """ON-11.4: as long as the dealer must draw, each card is the dealer's."""
    rehearsal = ruled("ontario", "8H 6D 9S 2C 3C 4C 5C 9C", DealerOverdraw(), "stand")

    assert (hands(rehearsal)[0], astray(rehearsal)) == ("6D 2C 3C 4C 5C", [("9C", "overdraw")])


def test_after_a_dealer_blackjack_an_overdraw_gives_nobody_a_turn():
    """ON-11.4, decision 6: the round has ended before any decision, whatever is burned then."""
    rehearsal = ruled("live", "TS AD 9H KC 2C 3C 4C 5C", DealerOverdraw(), "decline")

    assert (rehearsal.over, hands(rehearsal)[1], len(astray(rehearsal)), lines(rehearsal)) == (True, "TS 9H", 4, [("main", 400, 0)])


def test_a_split_goes_on_after_its_first_hand_is_dead():
    """ON-11.6: the other hand of the box doubles as it might have before, though the main wager has gone back."""
    rehearsal = begun("ontario", "8H 6D 8S 3C 3D TD 9C KS")
    rehearsal.ask(lambda _: Choice("split"))
    rehearsal.serve()
    rule(rehearsal, DeadHand(box=1))
    rehearsal.run(scripted("double"))

    assert lines(rehearsal) == [("main", 400, 400), ("split", 400, 800), ("double", 400, 800)]


def missed(book: str, shoe: str, *passed_over: tuple[int, int], bets: Any = (("ann", 1, 400), ("ben", 2, 400))) -> Rehearsal:
    """Return a whole round whose deal passes boxes over, each with which of its first two cards."""
    rehearsal = Rehearsal(opening(book), cards(shoe))
    for player, box, stake_minor in bets:
        rehearsal.bet(player, box, stake_minor)
        rehearsal.serve()
    for box, card in passed_over:
        answer = rule(rehearsal, MissedBox(box=box, card=1 if card == 1 else 2))
        assert answer.status == "accepted", answer
    rehearsal.run(scripted())
    return rehearsal


def test_a_hand_short_of_a_card_is_backed_up_before_anybody_plays():
    """ON-11.6: the deal ends when everybody has two."""
    rehearsal = missed("ontario", "9H 6D 8H 9S TS TD 5D", (1, 1))

    assert hands(rehearsal) == {2: "9H 9S", 0: "6D TD 5D", 1: "8H TS"}


def test_a_hand_that_got_no_card_is_dead():
    """ON-11.6, decision 23: its wager goes back, the others play."""
    rehearsal = missed("ontario", "9H 6D TS TD 5D", (1, 1), (1, 2))

    assert (hands(rehearsal), lines(rehearsal)) == ({2: "9H TS", 0: "6D TD 5D"}, [("main", 400, 400), ("main", 400, 0)])


def test_a_round_whose_only_hand_got_no_card_ends():
    """ON-11.6: the dealer draws for nobody, under an ace too."""
    rehearsal = missed("live", "AD KC", (1, 1), (1, 2), bets=(("ann", 1, 400),))

    assert (rehearsal.over, lines(rehearsal)) == (True, [("main", 400, 400)])


def test_a_box_without_a_wager_is_not_missed():
    """ON-11.6: only who has a wager gets cards (LV-3.4)."""
    rehearsal = Rehearsal(opening("live"), [])
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()

    assert [rule(rehearsal, MissedBox(box=box)).code for box in (1, 2)] == ["", "no_such_box"]


def test_a_dead_hand_gives_back_its_insurance_and_side_bets():
    """ON-11.6, decision 23."""
    rehearsal = Rehearsal(opening("floor"), cards("9H 8H AD 9S TD KC"))
    rehearsal.bet("ann", 1, 400)
    rehearsal.bet("ben", 2, 400)
    rehearsal.serve()
    rehearsal.bet_aside("ann", 1, "perfect_pairs", 100)
    rehearsal.serve()
    rehearsal.let_time_pass()
    rehearsal.serve()
    rehearsal.ask(lambda moment: Choice("insure") if moment.hand.box == 1 else None)
    rehearsal.serve()
    rule(rehearsal, DeadHand(box=1))
    rehearsal.run(scripted("decline", "stand"))

    assert lines(rehearsal) == [("main", 400, 400), ("perfect_pairs", 100, 100), ("insurance", 200, 200), ("main", 400, 0)]


def test_the_turn_passes_on_from_a_hand_that_is_dead():
    """ON-11.6: nobody is asked about it any more."""
    rehearsal = begun("live", "9H 8H 6D TS TD KC 5D", bets=(("ann", 1, 400), ("ben", 2, 400)))
    rule(rehearsal, DeadHand(box=1))
    round_ = rehearsal.round

    assert isinstance(round_, Playing) and isinstance(round_.awaiting, Decision) and round_.awaiting.box == 2


def test_a_hand_behind_the_one_that_plays_may_be_dead():
    """ON-11.6: whoever thinks goes on thinking."""
    rehearsal = begun("live", "9H 8H 6D TS TD KC 5D", bets=(("ann", 1, 400), ("ben", 2, 400)))
    before = timer(rehearsal.round)
    rule(rehearsal, DeadHand(box=2))

    assert timer(rehearsal.round) == before


@pytest.mark.parametrize(("box", "hand", "code"), [(3, 1, "no_such_box"), (1, 2, "no_such_box")])
def test_only_a_hand_that_is_there_can_be_dead(box: int, hand: int, code: str):
    """The others have nothing that could go back."""
    assert rule(begun("live", "9H 6D TS TD KC"), DeadHand(box=box, hand=hand)).code == code


def test_a_game_error_burns_three_cards_that_nobody_sees():
    """LV-3.5: once the pit boss approved."""
    rehearsal = ruled("live", "TH 7D 2S KC 5C 7C 9C 2D", GameError(), "hit", "stand")

    assert (hands(rehearsal)[1], astray(rehearsal)) == ("TH 2S 2D", [("", "game_error")] * 3)


def test_a_clock_stands_while_the_cards_of_a_ruling_come():
    """LV-3.6: nobody loses time to the house; what was left is left."""
    rehearsal = begun("live", "TH 7D 2S KC 5C 7C 9C 2D")
    asked = [event.until_ms for event in rehearsal.events if isinstance(event, DecisionAwaited)][-1]
    rehearsal.at_ms += 4_000
    rule(rehearsal, GameError())
    rehearsal.at_ms += 1_500
    rehearsal.serve()

    assert [event.until_ms for event in rehearsal.events if isinstance(event, ClockResumed)] == [asked + 1_500]


def test_no_decision_is_taken_while_the_cards_of_a_ruling_come():
    """The hand is asked again when they lie."""
    rehearsal = begun("live", "TH 7D 2S KC 5C 7C 9C 2D")
    rule(rehearsal, GameError())

    assert rehearsal.tell(Hit(round=ROUND_ID, box=1, hand=1), Actor("player", "ann")).code == "not_your_turn"


def test_a_shoe_that_runs_out_for_a_ruling_is_followed_into_its_discards():
    """ON-11.5: the cards of the ruling come from there, and the player is asked again."""
    rehearsal = begun("live", "TH 7D 2S KC 5C", discards="7C 9C 2D 3D 4D")
    rule(rehearsal, GameError())
    rehearsal.run(scripted("hit", "stand"))

    assert (hands(rehearsal)[1], len(astray(rehearsal)), sum(isinstance(event, ReshuffleCalled) for event in rehearsal.events)) == (
        "TH 2S 2D",
        3,
        1,
    )


def test_an_exposed_card_is_not_shuffled_with_the_discards():
    """ON-11.5, decision 20: it lies on the layout."""
    rehearsal = begun("ontario", "2H 6D 2S KC", discards="3C 4C TD 7D")
    rule(rehearsal, ExposedCard())
    rehearsal.serve()
    rule(rehearsal, FaceUpCard())
    rehearsal.serve()

    assert [event.layout for event in rehearsal.events if isinstance(event, ReshuffleCalled)] == [("2H", "2S", "6D", "KC")]


def test_a_misdeal_is_void_and_every_stake_goes_back():
    """Decision 23: as long as nobody has decided."""
    rehearsal = begun("live", "9H 8H 6D TS TD KC", bets=(("ann", 1, 400), ("ben", 2, 400)))
    rule(rehearsal, Misdeal())

    assert (rehearsal.over, lines(rehearsal)) == (True, [("main", 400, 400), ("main", 400, 400)])


def test_after_a_decision_a_misdeal_is_none_any_more():
    """Whoever finds out later voids the round, and says so."""
    rehearsal = begun("live", "9H 8H 6D TS TD KC", bets=(("ann", 1, 400), ("ben", 2, 400)))
    rehearsal.ask(lambda _: Choice("stand"))

    assert rule(rehearsal, Misdeal()).code == "not_possible_now"


def test_a_shoe_that_failed_is_used_no_more():
    """FL-4.6: the round is void, and its end says that the shoe failed."""
    rehearsal = begun("floor", "9H 6D TS")
    rule(rehearsal, DeviceMalfunction())

    assert rehearsal.events[-1] == RoundVoided(
        reason="device_malfunction",
        shoes=("T7-S1",),
        cutting_card_out=False,
        shoe_failed=True,
        places=(("ann", 1),),
        seats=((1, "ann"),),
    )


def test_staff_alone_void_nothing():
    """Decision 23: a member of staff proposes, and a second one approves."""
    rehearsal = begun("live", "9H 6D TS TD KC")

    assert rehearsal.tell(VoidRound(reason="I say so"), BOSS).code == "not_allowed_for_role"


def test_a_round_is_void_before_any_card():
    """Decision 23: also while wagers are taken."""
    rehearsal = Rehearsal(opening("live"), [])
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()
    rule(rehearsal, VoidTheRound())

    assert (isinstance(rehearsal.round, Over), lines(rehearsal)) == (True, [("main", 400, 400)])


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        (WrongPosition(card="TS", found=0, box=1), ""),
        (WrongPosition(card="TS", found=1, box=1), "not_possible_now"),
        (WrongPosition(card="TD", found=0, box=1), "not_possible_now"),
    ],
)
def test_a_card_at_the_wrong_hand_belongs_where_the_order_of_dealing_has_it(ruling: WrongPosition, code: str):
    """LV-0.6: the pit boss puts it there; the log has it there already."""
    assert rule(begun("live", "9H 6D TS TD KC"), ruling).code == code


@pytest.mark.parametrize("ruling", [DealerOverdraw(), Misdeal(), DeadHand(box=1), WrongPosition(card="8S", found=1, box=2)])
def test_before_the_cards_are_out_only_some_rulings_mean_anything(ruling: AnyRuling):
    """There is no hand and no dealer's card yet."""
    rehearsal = Rehearsal(opening("live"), [])
    rehearsal.bet("ann", 1, 400)
    rehearsal.serve()

    assert rule(rehearsal, ruling).code == "not_possible_now"


def test_while_a_wallet_is_asked_no_card_leaves_the_shoe():
    """A double waits for its wallet; its card comes first."""
    rehearsal = begun("live", "5H 6D 6S TD KC 2C 3C 4C", wallet=lambda wager: "silence" if wager.kind == "double" else "reserve")
    rehearsal.ask(lambda _: Choice("double"))

    assert rule(rehearsal, GameError()).code == "not_possible_now"


def test_the_shoe_must_give_all_that_a_ruling_called_for():
    """Only an exhausted shoe gives less, whatever the cards are for."""
    rehearsal = begun("live", "TH 7D 2S KC 5C 7C 9C 2D")
    rule(rehearsal, GameError())

    with pytest.raises(AssertionError, match="only an exhausted shoe gives less"):
        given(ROUND, *rehearsal.events).when(DealCards(call_no=2, shoe="T7-S1", cards=(DealtCard(index=4),)))
