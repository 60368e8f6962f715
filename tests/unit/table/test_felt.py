"""The felt: what everybody sees, and what each may do."""

import msgspec
import pytest
from msgspec.structs import replace

from feltlog.rehearsal.round import Choice, Rehearsal
from services.table.domain.round import ROUND
from services.table.views import Felt, FeltProposal, FeltTurn, felt, legal, legal_on, row
from shared.contracts.rulings import AnyRuling, ApproveRuling, ExposedCard, ProposeRuling, VoidTheRound
from shared.kernel.messages import Actor
from tests.given import given
from tests.rounds import ROUND_ID, begun, in_play, opened_table, play, then_say

TWO = (("ann", 1, 400), ("ben", 2, 200))


def seen(rehearsal: Rehearsal) -> Felt:
    """Return the felt of a round's table."""
    table = replace(opened_table(rehearsal.round.opened.profile.name), round=ROUND_ID)  # type: ignore[union-attr]
    return felt(table, rehearsal.round)


def test_felt_shows_stakes_cards_and_totals():
    """LV-1.2.3, ON-6.4: boxes from the dealer's left, with what lies on them."""
    boxes = seen(begun("live", "TS 9S AD 6H 5H TC", bets=TWO)).boxes
    shown = [(box.player, box.wagers[0].stake_minor, box.hands[0].cards, box.hands[0].total) for box in boxes]

    assert shown == [("ann", 400, ("TS", "6H"), 16), ("ben", 200, ("9S", "5H"), 14)]


def test_felt_shows_the_dealers_open_card_alone():
    """LV-3.8, LV-4.2: the hole card lies there, and that is all that can be known."""
    shown = seen(begun("live", "TS 6D 9H TC"))

    assert (shown.dealer_cards, shown.dealer_total, shown.hole_card, b"TC" in msgspec.json.encode(shown)) == (("6D",), 6, True, False)


def test_felt_says_whose_turn_it_is_and_what_is_legal():
    """LV-0.3: the choices stand on the felt, so that no client works out a rule."""
    shown = seen(begun("live", "8S 6D 8H TC"))

    assert (shown.phase, shown.turn, shown.legal) == (
        "decision",
        FeltTurn(number=1, box=1, hand=1, player="ann", until_ms=26_000),
        ("hit", "stand", "double", "split"),
    )


def test_felt_shows_what_is_proposed_and_what_lies_open_beside_the_hands():
    """ON-11.3: whoever sits there sees that something waits for a second person, and the card that is the next one."""
    rehearsal = begun("live", "8S 6D 8H TC KS 5C")
    rulings: tuple[AnyRuling, ...] = (ExposedCard(), VoidTheRound())
    for number, ruling in enumerate(rulings, 1):
        rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ruling, note="seen"), Actor("staff", "dee", "dealer"))
        if number == 1:
            rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=1), Actor("staff", "pit", "pit_boss"))
            rehearsal.serve()
    shown = seen(rehearsal)

    assert (shown.exposed, shown.proposals) == (
        ("KS",),
        (FeltProposal(proposal=2, ruling=VoidTheRound(), by="dee", job="dealer", note="seen", round=ROUND_ID),),
    )


def test_felt_offers_insurance_to_those_who_have_not_answered():
    """LV-3.8, ON-7.1: insurance open, until when, and whose answer is missing."""
    rehearsal = begun("ontario", "AS TH AD KS 9H", bets=TWO)
    shown = seen(rehearsal)

    assert (shown.phase, shown.insurance_until_ms, shown.legal, [(box.legal, box.answered) for box in shown.boxes]) == (
        "insurance",
        26_000,
        ("insure", "decline", "even_money"),
        [(("insure", "decline", "even_money"), False), (("insure", "decline"), False)],
    )


def test_felt_shows_pending_wagers_as_pending():
    """Log page, wager: pending until the wallet has answered."""
    rehearsal = begun("live", "8S 6D 8H TC", wallet=lambda wager: "silence" if wager.kind == "double" else "reserve")
    rehearsal.ask(lambda _: Choice("double"))
    rehearsal.serve()
    shown = seen(rehearsal)

    assert (shown.phase, shown.legal, [(wager.kind, wager.pending) for wager in shown.boxes[0].wagers]) == (
        "reserve",
        (),
        [("main", False), ("double", True)],
    )


def test_felt_shows_results_when_settled():
    """LV-2.1.4: outcomes and money of the round that has ended, until the next one opens."""
    shown = seen(play("live", "TS 6D 9H TC 2D", "stand"))
    hand = shown.boxes[0].hands[0]

    assert (shown.phase, shown.dealer_cards, hand.result, hand.end, [line.returned_minor for line in shown.lines]) == (
        "settled",
        ("6D", "TC", "2D"),
        "win",
        "stood",
        [800],
    )


def test_felt_says_why_a_round_is_void():
    """Log page, corrections: a reason, and the stakes given back."""
    shown = seen(play("live", "TS"))

    assert (shown.phase, shown.void_reason, [line.returned_minor for line in shown.lines]) == ("void", "no_cards_left", [400])


@pytest.mark.parametrize(
    ("events", "phase"),
    [(0, "idle"), (1, "betting"), (2, "betting"), (4, "closing"), (5, "dealing"), (8, "dealing"), (10, "decision"), (12, "dealer")],
)
def test_felt_names_the_phase(events, phase):
    """LV-2.1.3: betting, no more bets, cards, decisions, dealer."""
    rehearsal = then_say(begun("live", "TS 6D 9H TC 2D"), "stand")
    state = given(ROUND, *rehearsal.events[:events]).state

    assert felt(opened_table("live"), state).phase == phase


def test_felt_without_a_round_is_empty():
    """LV-1.3: limits stand there before anybody bets."""
    shown = felt(opened_table("live"), None)

    assert (shown.phase, shown.boxes, shown.minimum_minor, shown.maximum_minor, shown.box_count) == ("idle", (), 100, 500, 7)


def test_nobody_may_do_anything_out_of_turn():
    """LV-0.3: choices are offered only when legal."""
    assert legal_on(2, in_play(begun("live", "TS 9S 6D 6H 5H TC", bets=TWO))) == ()


def test_nothing_is_legal_before_the_cards():
    """LV-0.3: betting is open to everybody and stands in the phase."""
    assert legal(given(ROUND, *begun("live", "TS 6D 9H TC").events[:3]).state) == ()


def test_row_says_what_the_table_waits_for():
    """LV-1.2.2, LV-1.3: every table has its name and its limits."""
    shown = row(opened_table("live"))

    assert (shown.table, shown.profile, shown.minimum_minor, shown.waits_for) == ("T7", "live", 100, "no_book")
