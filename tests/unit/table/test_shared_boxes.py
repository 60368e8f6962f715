"""Shared boxes: who decides, who joins, and that every wager on a hand has its own fate (FL-5.4 to FL-5.7, decisions 15 to 18)."""

import pytest

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.asking import asked
from services.table.domain.state import Joining
from shared.contracts.decisions import DeclineInsurance, Double, HandDoubled, HandSplit, Insure, JoiningOpened, Split, Stand
from shared.contracts.wagers import CallersSet, PlaceWager
from shared.kernel.cards import cards
from shared.kernel.messages import Actor
from tests.rounds import ROUND_ID, in_play, lines, only, opening, settings

Bet = tuple[str, int, int, bool]


def shared(shoe: str, *bets: Bet, book: str = "floor", wallet=None) -> Rehearsal:
    """Return a round on the floor that is dealt to these wagers: player, box, stake and whether seated."""
    rehearsal = Rehearsal(opening(book, maximum_minor=1_000), cards(shoe), **({} if wallet is None else {"wallet": wallet}))
    for player, box, stake_minor, seated in bets:
        rehearsal.bet(player, box, stake_minor, seated=seated)
        rehearsal.serve()
    rehearsal.let_time_pass()
    rehearsal.serve()
    return rehearsal


def say(rehearsal: Rehearsal, player: str, command) -> str:
    """Let a player say something, and the house answer for shoe and wallet; return the code of the refusal, if it is one."""
    answer = rehearsal.tell(command, Actor("player", player))
    rehearsal.serve()
    return answer.code


def hand(kind, number=1, **more):
    """Return a decision about a hand on box 1."""
    return kind(round=ROUND_ID, box=1, hand=number, **more)


def returns(rehearsal: Rehearsal) -> dict[tuple[str, str, int], int]:
    """Return what each wager gave back, by player, kind and hand."""
    return {(line.player, line.kind, line.hand): line.returned_minor for line in lines(rehearsal)}


@pytest.mark.parametrize(
    ("bets", "caller"),
    [
        ((("ann", 1, 400, False), ("bob", 1, 200, True)), "bob"),
        ((("ann", 1, 200, False), ("bob", 1, 400, False)), "bob"),
        ((("ann", 1, 400, False), ("bob", 1, 400, False)), "ann"),
        ((("ann", 1, 200, False), ("bob", 1, 300, False), ("cid", 1, 300, False)), "bob"),
    ],
)
def test_box_is_decided_for_by_the_seated_then_the_highest_then_the_nearest(bets, caller):
    """FL-5.5, decision 15."""
    rehearsal = shared("TH 9D 6S", *bets)

    assert in_play(rehearsal).hands[0].player == caller


def test_wager_of_the_caller_lies_nearest_the_dealer():
    """FL-5.6, FL-5.7: settled before the cards; the others keep their order."""
    rehearsal = shared("TH 9D 6S", ("ann", 1, 200, False), ("bob", 1, 200, False), ("cid", 1, 400, False))

    assert ([wager.player for wager in in_play(rehearsal).wagers], len(only(rehearsal, CallersSet))) == (["cid", "ann", "bob"], 1)


def test_boxes_of_one_player_each_need_no_caller():
    """What is not shared is as it was."""
    assert only(shared("TH 9S 9D 6S 7S", ("ann", 1, 200, False), ("bob", 2, 200, False)), CallersSet) == []


@pytest.mark.parametrize(
    ("bets", "code"),
    [
        ((("ann", 1, 200, False),), "already_on_box"),
        ((("bob", 1, 200, False), ("cid", 1, 200, False), ("dan", 1, 200, False)), "box_full"),
        ((("bob", 1, 200, True),), "seat_taken"),
    ],
)
def test_wager_that_the_box_does_not_take_is_refused(bets, code):
    """FL-5.4, decision 15: three players, nobody twice, one seat."""
    rehearsal = Rehearsal(opening("floor"), ())
    for player, box, stake_minor, seated in bets:
        rehearsal.bet(player, box, stake_minor, seated=seated)
        rehearsal.serve()
    answer = rehearsal.tell(PlaceWager(round=ROUND_ID, box=1, stake_minor=200, seated=True), Actor("player", "ann"))

    assert answer.code == code


def test_only_the_caller_decides():
    """FL-5.5: the others wait."""
    rehearsal = shared("TH 9D 6S", ("ann", 1, 400, False), ("bob", 1, 200, False))

    assert [say(rehearsal, name, hand(Stand)) for name in ("bob", "ann")] == ["not_decision_caller", ""]


def doubled() -> Rehearsal:
    """Return a box of three whose caller doubles and is paid for."""
    rehearsal = shared("6H 9D 5S TC 8D", ("ann", 1, 400, False), ("bob", 1, 200, False), ("cid", 1, 300, False))
    say(rehearsal, "ann", hand(Double))
    return rehearsal


def test_others_are_asked_in_the_order_in_which_they_lie_before_the_card():
    """Decision 16: the card is drawn after the answers."""
    rehearsal = doubled()
    playing = in_play(rehearsal)

    assert ([(ask.player, ask.legal) for ask in asked(playing)], playing.hands[0].cards) == (
        [("bob", ("stand", "double")), ("cid", ("stand", "double"))],
        ("6H", "5S"),
    )


def test_who_joins_a_double_wins_and_loses_with_it_who_does_not_keeps_the_single_wager():
    """Decision 16: the hand gets exactly one card either way."""
    rehearsal = doubled()
    say(rehearsal, "bob", hand(Double))
    say(rehearsal, "cid", hand(Stand))

    assert (returns(rehearsal), len(only(rehearsal, HandDoubled)[0].joined)) == (
        {
            ("ann", "main", 1): 800,
            ("ann", "double", 1): 800,
            ("bob", "main", 1): 400,
            ("bob", "double", 1): 400,
            ("cid", "main", 1): 600,
        },
        1,
    )


def test_silence_does_not_join():
    """Decision 16: when the time is over the card is drawn."""
    rehearsal = doubled()
    rehearsal.let_time_pass()
    rehearsal.serve()

    assert ({player for player, kind, _ in returns(rehearsal) if kind == "double"}, rehearsal.over) == ({"ann"}, True)


@pytest.mark.parametrize(
    ("player", "command", "code"),
    [
        ("bob", hand(Split), "not_allowed"),
        ("bob", hand(Double, stake_minor=100), "below_minimum"),
        ("bob", hand(Double, stake_minor=400), "above_maximum"),
        ("ann", hand(Double), "not_your_turn"),
        ("dan", hand(Double), "not_decision_caller"),
    ],
)
def test_other_words_are_refused_while_others_are_asked(player, command, code):
    """Decision 16: the same word, the own wager in full, and only who is asked."""
    assert say(doubled(), player, command) == code


def test_answer_is_given_once():
    """Decision 16: each once."""
    rehearsal = doubled()
    say(rehearsal, "bob", hand(Stand))

    assert say(rehearsal, "bob", hand(Double)) == "not_decision_caller"


def test_answer_after_its_time_is_refused():
    """People are judged by when their command came in."""
    rehearsal = doubled()
    joining = in_play(rehearsal).awaiting
    assert isinstance(joining, Joining)
    answer = rehearsal.tell(hand(Double), Actor("player", "bob"), received_at_ms=joining.until_ms + 1)

    assert answer.code == "too_late"


def test_joiner_without_money_stops_only_himself():
    """Decision 17."""
    rehearsal = shared(
        "6H 9D 5S TC 8D",
        ("ann", 1, 400, False),
        ("bob", 1, 200, False),
        wallet=lambda placed: "refuse" if placed.player == "bob" and placed.kind == "double" else "reserve",
    )
    say(rehearsal, "ann", hand(Double))
    say(rehearsal, "bob", hand(Double))

    assert returns(rehearsal) == {("ann", "main", 1): 800, ("ann", "double", 1): 800, ("bob", "main", 1): 400}


def test_caller_without_money_is_refused_and_nobody_is_asked():
    """Decision 17: joiners cannot make it instead."""
    rehearsal = shared(
        "6H 9D 5S TC 8D",
        ("ann", 1, 400, False),
        ("bob", 1, 200, False),
        wallet=lambda placed: "refuse" if placed.kind == "double" else "reserve",
    )
    say(rehearsal, "ann", hand(Double))

    assert (only(rehearsal, JoiningOpened), [ask.player for ask in asked(in_play(rehearsal))]) == ([], ["ann"])


def test_who_does_not_join_a_split_stays_on_the_lower_hand():
    """Decision 16: no part in the other hand, nor in its doubles."""
    rehearsal = shared("8H 6D 8S TC 3S TD TH 5C", ("ann", 1, 400, False), ("bob", 1, 200, False), ("cid", 1, 100, False))
    say(rehearsal, "ann", hand(Split))
    say(rehearsal, "bob", hand(Split))
    say(rehearsal, "cid", hand(Stand))
    say(rehearsal, "ann", hand(Stand))
    say(rehearsal, "ann", hand(Double, 2))
    asks = [(ask.player, ask.hand) for ask in asked(in_play(rehearsal))]
    say(rehearsal, "bob", hand(Double, 2))

    assert (asks, returns(rehearsal), len(only(rehearsal, HandSplit)[0].joined)) == (
        [("bob", 2)],
        {
            ("ann", "main", 1): 0,
            ("bob", "main", 1): 0,
            ("cid", "main", 1): 0,
            ("ann", "split", 2): 400,
            ("bob", "split", 2): 200,
            ("ann", "double", 2): 400,
            ("bob", "double", 2): 200,
        },
        1,
    )


def test_each_wager_is_insured_by_its_own_player():
    """Decision 12, decision 18: whatever the caller does."""
    rehearsal = shared("TH AD 6S TC", ("ann", 1, 400, False), ("bob", 1, 200, False))
    say(rehearsal, "ann", DeclineInsurance(round=ROUND_ID, box=1))
    say(rehearsal, "bob", Insure(round=ROUND_ID, box=1))
    say(rehearsal, "ann", hand(Stand))

    assert returns(rehearsal) == {("bob", "insurance", 1): 300, ("ann", "main", 1): 0, ("bob", "main", 1): 0}


def test_blackjack_belongs_to_every_wager_on_it():
    """Decision 18."""
    rehearsal = shared("AH 9D KS", ("ann", 1, 400, False), ("bob", 1, 200, False))

    assert returns(rehearsal) == {("ann", "main", 1): 1000, ("bob", "main", 1): 500}


def test_others_on_a_hand_do_not_hold_it_up_when_the_caller_is_silent():
    """Decision 17: a caller who times out stands, and the call passes to nobody."""
    rehearsal = shared("TH 9D 6S 8C", ("ann", 1, 400, False), ("bob", 1, 200, False))
    rehearsal.let_time_pass()
    rehearsal.serve()

    assert (rehearsal.over, say(rehearsal, "bob", hand(Stand))) == (True, "round_over")


def test_settings_are_those_of_the_floor():
    """FL-5.4: the built-in book allows three."""
    assert (settings().boxes, opening("floor").profile.players_per_box_max, opening("live").profile.players_per_box_max) == (7, 3, 1)
