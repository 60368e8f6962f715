"""The referee: rounds that did not go by the book, each with the clause that says so."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from feltlog.rehearsal.round import Rehearsal
from services.surveillance.domain.referee import judge
from shared.contracts.dealing import CardDealt, CardsPickedUp, HoleCardDealt, HoleCardTurned, PeekTaken
from shared.contracts.decisions import (
    DecisionAwaited,
    EvenMoneyTaken,
    HandCompleted,
    HandDoubled,
    HandHit,
    HandSplit,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
)
from shared.contracts.rounds import HandsDecided, RoundCommand, RoundEvent, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.wagers import BettingClosed, CloseBetting, PlaceWager, WagerAccepted, WagerPlaced, WagersSettled
from shared.kernel.entry import Entry, decode_as
from shared.kernel.messages import Actor
from tests.rounds import play

Edit = Callable[[Any], Sequence[Any]]


def entries(rehearsal: Rehearsal) -> list[Entry[Any, Any]]:
    """The log of a round."""
    return [decode_as(RoundCommand, RoundEvent, data) for data in rehearsal.entries]


def edited(log: list[Entry[Any, Any]], kind: type[Any], edit: Edit, which: int = 0) -> list[Entry[Any, Any]]:
    """The log with one event of a kind changed."""
    seen = iter(range(10_000))

    def told(event: Any) -> Sequence[Any]:
        return edit(event) if isinstance(event, kind) and next(seen) == which else [event]

    return [
        msgspec.structs.replace(
            entry,
            decisions=tuple(
                msgspec.structs.replace(decision, events=tuple(new for event in decision.events for new in told(event)))
                for decision in entry.decisions
            ),
        )
        for entry in log
    ]


def spoken(log: list[Entry[Any, Any]], kind: type[Any], **fields: Any) -> list[Entry[Any, Any]]:
    """The log with the decisions that hold an event of a kind changed: another actor, another time."""
    return [
        msgspec.structs.replace(
            entry,
            decisions=tuple(
                msgspec.structs.replace(decision, **fields) if any(isinstance(event, kind) for event in decision.events) else decision
                for decision in entry.decisions
            ),
        )
        for entry in log
    ]


def clauses(log: list[Entry[Any, Any]]) -> set[str]:
    """The clauses that the referee finds broken."""
    return {found.clause for found in judge(log)}


def but(**fields: Any) -> Edit:
    """The event says something else."""
    return lambda event: [msgspec.structs.replace(event, **fields)]


def at_a_table(**fields: Any) -> Edit:
    """The round was opened with other settings of its table."""
    return lambda event: [msgspec.structs.replace(event, settings=msgspec.structs.replace(event.settings, **fields))]


def by_rules(part: str, **fields: Any) -> Edit:
    """The round was opened with other rules in one part of its profile."""

    def edit(event: RoundOpened) -> list[Any]:
        rules = msgspec.structs.replace(getattr(event.profile, part), **fields)
        return [msgspec.structs.replace(event, profile=msgspec.structs.replace(event.profile, **{part: rules}))]

    return edit


def gone(event: Any) -> list[Any]:
    """The event did not happen."""
    return []


def twice(event: Any) -> list[Any]:
    """The event happened twice."""
    return [event, event]


def first_line(**fields: Any) -> Edit:
    """The first settlement line says something else."""
    return lambda event: [msgspec.structs.replace(event, lines=(msgspec.structs.replace(event.lines[0], **fields), *event.lines[1:]))]


def first_hand(**fields: Any) -> Edit:
    """The first hand's outcome says something else."""
    return lambda event: [msgspec.structs.replace(event, hands=(msgspec.structs.replace(event.hands[0], **fields), *event.hands[1:]))]


STAND = ("ontario", "8H 6D 9S TC 5D", ("stand",))
HIT = ("ontario", "5H 6D 4S 9C TC 5D", ("hit", "stand"))
BUST = ("ontario", "TH 6D 5S 9C TC 5D", ("hit",))
DOUBLE = ("ontario", "5H 6D 6S 9C TC 5D", ("double",))
SPLIT = ("ontario", "8H 6D 8S 3C TD 9C KC 5D", ("split", "stand", "stand"))
ACES = ("ontario", "AH 6D AS 3C TD TC 5D", ("split",))
BLACKJACK = ("ontario", "AH 6D KS", ())
INSURED = ("ontario", "8H AD 9S KC", ("insure", "stand"))
EVEN = ("ontario", "AH AD KS", ("even_money",))
LIVE = ("live", "8H 6D 9S TC 5D", ("stand",))
PEEKED = ("live", "8H AD 9S KC", ("decline",))
LIVE_INSURED = ("live", "8H AD 9S 7C", ("insure", "stand"))
LIVE_DOUBLE = ("live", "5H 6D 6S TC 9C 5D", ("double",))

RULES: dict[str, tuple[tuple[str, str, tuple[str, ...]], type[Any], Edit, str]] = {
    "a minimum below the book's": (
        STAND,
        RoundOpened,
        at_a_table(minimum_minor=99),
        "ON-1.2",
    ),
    "a maximum above the book's": (
        STAND,
        RoundOpened,
        at_a_table(maximum_minor=501),
        "ON-1.1",
    ),
    "more boxes than the book has": (
        STAND,
        RoundOpened,
        at_a_table(boxes=8),
        "LV-1.2.1",
    ),
    "a currency that is none": (
        STAND,
        RoundOpened,
        at_a_table(currency="XXX"),
        "ON-1.1",
    ),
    "a round that is opened twice": (STAND, RoundOpened, twice, "ON-3.1"),
    "a wager above the maximum": (STAND, WagerPlaced, but(stake_minor=600), "ON-1.1"),
    "a wager below the minimum": (STAND, WagerPlaced, but(stake_minor=98), "ON-1.2"),
    "a wager that cannot be paid exactly": (STAND, WagerPlaced, but(stake_minor=401), "ON-3.5"),
    "a wager on a box that there is not": (STAND, WagerPlaced, but(box=9), "LV-1.2.1"),
    "a wager of nothing": (STAND, WagerPlaced, but(stake_minor=0), "ON-3.3"),
    "a wager in another currency": (STAND, WagerPlaced, but(currency="EUR"), "ON-3.3"),
    "a wager of somebody else": (STAND, WagerPlaced, but(player="bob"), "ON-3.1"),
    "a wager that is placed twice": (STAND, WagerPlaced, twice, "ON-3.2"),
    "a wager that is accepted twice": (STAND, WagerAccepted, twice, "ON-3.2"),
    "a wager that was never placed": (STAND, WagerAccepted, but(wager="other"), "ON-3.1"),
    "cards before betting closed": (STAND, BettingClosed, gone, "ON-3.1"),
    "betting that closes twice": (STAND, BettingClosed, twice, "ON-3.1"),
    "a card that is none": (STAND, CardDealt, but(card="1H"), "ON-2.3"),
    "a card to another box": (STAND, CardDealt, but(box=2), "ON-6.1"),
    "a card left out": (STAND, CardDealt, lambda event: [msgspec.structs.replace(event, index=event.index + 5)], "ON-6.1"),
    "a card from another shoe": (STAND, CardDealt, but(shoe="T7-S9"), "ON-6.1"),
    "a hand that went on after another's turn": (HIT, HandHit, but(box=2), "ON-6.4"),
    "a hit without a card": (HIT, HandHit, gone, "ON-6.4"),
    "a hand that ended otherwise": (BUST, HandCompleted, but(how="doubled"), "ON-10.1"),
    "a dealer who drew no more": (HIT, HandsDecided, but(dealer_total=20), "ON-3.1"),
    "an outcome that the cards do not give": (STAND, HandsDecided, first_hand(result="win"), "ON-3.1"),
    "a winner who got too little": (STAND, WagersSettled, first_line(returned_minor=1), "ON-3.5"),
    "a line about another wager": (STAND, WagersSettled, first_line(wager="other"), "ON-3.5"),
    "a line about another player": (STAND, WagersSettled, first_line(player="bob"), "ON-3.5"),
    "a line about another hand": (STAND, WagersSettled, first_line(hand=2), "ON-3.5"),
    "a wager that was not settled": (STAND, WagersSettled, gone, "ON-3.5"),
    "a wager that was settled twice": (STAND, WagersSettled, twice, "ON-3.5"),
    "a settlement in another currency": (STAND, WagersSettled, but(currency="EUR"), "ON-3.5"),
    "sums that are not those of the lines": (STAND, RoundSettled, but(returned_minor=1), "ON-3.5"),
    "a shoe that is not named at the end": (STAND, RoundSettled, but(shoes=()), "ON-6.1"),
    "a cutting card that never came": (STAND, RoundSettled, but(cutting_card_out=True), "ON-5.7"),
    "a hit that brought no card": (DOUBLE, HandDoubled, lambda event: [HandHit(box=1, hand=1), event], "ON-6.4"),
    "a double that nobody paid for": (DOUBLE, HandDoubled, but(wager="other"), "ON-8.1"),
    "a split that nobody paid for": (SPLIT, HandSplit, but(wager="other"), "ON-9.1"),
    "a split of unequal cards": (SPLIT, CardDealt, but(card="7H"), "ON-9.1"),
    "a blackjack paid as a win": (BLACKJACK, WagersSettled, first_line(returned_minor=800), "ON-3.5"),
    "insurance that was never offered": (INSURED, InsuranceOpened, gone, "ON-7.1"),
    "insurance that was never closed": (INSURED, InsuranceClosed, gone, "ON-7.1"),
    "insurance of more than half": (INSURED, WagerPlaced, but(stake_minor=300), "ON-7.2"),
    "even money without a blackjack": (EVEN, CardDealt, but(card="9H"), "ON-7.5"),
    "even money twice": (EVEN, EvenMoneyTaken, twice, "ON-7.2"),
    "even money on no wager": (EVEN, EvenMoneyTaken, but(wager="other"), "ON-7.5"),
    "a hole card that was never dealt": (LIVE, HoleCardDealt, gone, "LV-0.1"),
    "a hole card that was never turned": (LIVE, HoleCardTurned, gone, "LV-3.8"),
    "a look that saw no blackjack": (PEEKED, PeekTaken, but(blackjack=False), "LV-0.2"),
    "a look that saw a blackjack": (LIVE_INSURED, PeekTaken, but(blackjack=True), "LV-3.8"),
    "no look under an ace": (PEEKED, PeekTaken, gone, "LV-3.8"),
    "an answer about no wager": (PEEKED, InsuranceDeclined, but(wager="other"), "LV-2.5.1"),
    "insurance of more than half in the live book": (LIVE_INSURED, WagerPlaced, but(stake_minor=201), "LV-2.5.1"),
}
WHICH = {
    "insurance of more than half": 1,
    "insurance of more than half in the live book": 1,
}


@pytest.mark.parametrize(
    "script", [STAND, HIT, BUST, DOUBLE, SPLIT, ACES, BLACKJACK, INSURED, EVEN, LIVE, PEEKED, LIVE_INSURED, LIVE_DOUBLE]
)
def test_a_round_by_the_book_gives_no_finding(script: tuple[str, str, tuple[str, ...]]):
    """What went right is not complained about."""
    book, cards, words = script

    assert judge(entries(play(book, cards, *words))) == []


@pytest.mark.parametrize("case", list(RULES))
def test_a_round_against_the_book_names_the_clause(case: str):
    """Each finding says which rule was broken."""
    (book, cards, words), kind, edit, clause = RULES[case]
    log = edited(entries(play(book, cards, *words)), kind, edit, WHICH.get(case, 0))

    assert clause in clauses(log)


def test_a_decision_of_somebody_else_is_found():
    """ON-6.4: who decides is the player of the box."""
    log = spoken(entries(play(*HIT[:2], *HIT[2])), HandHit, actor=Actor("player", "bob"))

    assert clauses(log) == {"ON-6.4"}


def test_a_decision_that_came_too_late_is_found():
    """LV-3.6: the clock that was given is the clock that counts."""
    log = spoken(entries(play("live", "5H 6D 4S TC TC 5D", "hit", "stand")), HandHit, received_at_ms=10**12)

    assert clauses(log) == {"LV-3.6"}


def test_a_clock_that_ran_out_too_early_is_found():
    """LV-3.6: a decision times out when its time is over."""
    log = edited(entries(play("live", LIVE[1], "-")), DecisionAwaited, lambda event: [msgspec.structs.replace(event, until_ms=10**13)])

    assert clauses(log) == {"LV-3.6"}


def test_betting_that_closed_before_its_time_is_found():
    """LV-2.1.3: the betting window is the one that was announced."""
    log = edited(entries(play(*LIVE[:2], *LIVE[2])), RoundOpened, but(betting_until_ms=10**13))

    assert clauses(log) == {"LV-2.1.3"}


def test_betting_may_be_closed_by_the_dealer():
    """LV-2.1.3: on a table that is run by its dealer there is no time to wait for."""
    log = edited(entries(play(*LIVE[:2], *LIVE[2])), RoundOpened, but(betting_until_ms=10**13))
    log = spoken(log, BettingClosed, actor=Actor("staff", "pit"), command=CloseBetting())

    assert judge(log) == []


def test_betting_may_close_early_when_every_box_has_its_wager():
    """LV-2.1.3: there is nothing left to wait for."""
    assert judge(entries(play(*LIVE[:2], *LIVE[2], boxes=1))) == []


def test_two_boxes_of_one_account_are_found():
    """LV-4.5: one box for each account."""
    rehearsal = play("ontario", "8H 7H 6D 9S TS TC 5D", "stand", "stand", bets=(("ann", 1, 400), ("ann", 2, 400)))
    log = edited(
        entries(rehearsal),
        RoundOpened,
        lambda event: [msgspec.structs.replace(event, profile=msgspec.structs.replace(event.profile, boxes_per_player_max=1))],
    )

    assert clauses(log) == {"LV-4.5"}


def test_a_split_into_too_many_hands_is_found():
    """ON-9.6: split twice at most."""
    log = edited(
        entries(play(*SPLIT[:2], *SPLIT[2])),
        RoundOpened,
        by_rules("split", hands_max=1),
    )

    assert clauses(log) == {"ON-9.6"}


def test_a_wager_for_the_dealer_that_was_taken_is_found():
    """ON-3.6: nobody wagers on behalf of the dealer."""
    log = entries(play(*STAND[:2], *STAND[2]))
    placing = next(each.command for entry in log for each in entry.decisions if isinstance(each.command, PlaceWager))

    assert clauses(spoken(log, WagerPlaced, command=msgspec.structs.replace(placing, for_dealer=True))) == {"ON-3.6"}


def test_a_double_after_a_split_that_the_profile_forbids_is_found():
    """ON-8.1: whether a split hand may be doubled stands in the profile."""
    rehearsal = play("ontario", "8H 6D 8S 3C TD 9C KC 5D", "split", "double", "stand")
    log = edited(
        entries(rehearsal),
        RoundOpened,
        by_rules("double", after_split=False),
    )

    assert clauses(log) == {"ON-8.1"}


def test_a_dealer_who_stands_on_a_soft_17_that_must_be_hit_is_found():
    """ON-10.2: the dealer draws to soft 17."""
    rehearsal = play("live", "8H 6D 9S AC 5D", "stand")
    log = edited(
        entries(rehearsal),
        RoundOpened,
        by_rules("dealer", hits_soft_17=True),
    )

    assert clauses(log) == {"LV-4.4"}


def test_a_round_without_a_wager_deals_no_card():
    """ON-3.1: with no wager accepted the round is void at once."""
    log = edited(
        entries(play("ontario", "8H", bets=())),
        RoundVoided,
        lambda event: [CardDealt(box=0, hand=1, card="8H", shoe="T7-S1", index=1), event],
    )

    assert "ON-3.1" in clauses(log)


def test_a_void_round_gives_every_stake_back():
    """Decision 23: what was staked comes back."""
    log = edited(entries(play(*STAND[:2], *STAND[2])), WagersSettled, first_line(returned_minor=0))
    log = edited(log, HandsDecided, gone)
    void = RoundVoided(reason="test", shoes=(), cutting_card_out=False)
    log = edited(log, RoundSettled, lambda event: [msgspec.structs.replace(void, shoes=event.shoes, seats=event.seats)])

    assert clauses(log) == {"ON-11.6"}


def test_a_log_that_does_not_begin_with_its_opening_is_found():
    """A round carries everything that decides it in its first event."""
    log = edited(entries(play(*STAND[:2], *STAND[2])), RoundOpened, gone)

    assert [found.message for found in judge(log)] == ["the round does not begin with its opening"]


def test_a_round_that_is_still_played_is_judged_as_far_as_it_went():
    """A round that has no end yet is no breach."""
    log = entries(play(*HIT[:2], *HIT[2]))

    assert [judge(log[:length]) for length in range(len(log))] == [[]] * len(log)


@pytest.mark.parametrize("hands", [((0, 1), (1, 1)), ((1, 1),), ((1, 1), (0, 1), (0, 1)), ()])
def test_cards_that_were_picked_up_in_another_order_are_found(hands):
    """ON-6.6: from right to left, the dealer's beneath; nothing is left and nothing is there twice."""
    log = edited(entries(play("ontario", "TS 6H 9D TC 7D", "stand")), CardsPickedUp, but(hands=hands))

    assert clauses(log) == {"ON-6.6"}


def test_cards_that_nobody_wrote_down_the_pick_up_of_are_found():
    """LV-3.7: the order is recorded."""
    log = edited(entries(play("live", "TS 6D 9S TC 5C", "stand")), CardsPickedUp, gone)

    assert clauses(log) == {"LV-3.7"}


def test_cards_that_were_picked_up_too_early_are_found():
    """ON-6.6: at the conclusion of the round."""
    early = CardsPickedUp(hands=((1, 1), (0, 1)))
    log = edited(entries(play("ontario", "TS 6H 9D TC 7D", "stand")), HandCompleted, lambda event: [event, early])

    assert clauses(log) == {"ON-6.6"}
