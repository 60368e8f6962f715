"""What a replay says about a round, word for word."""

from pathlib import Path
from typing import Any

import pytest

from feltlog.reading import chain_break, page, told
from feltlog.story import Line, plain, story
from feltlog.wording import spoken
from shared.contracts import dealing, decisions, rounds, wagers
from shared.contracts.restrictions import InForce, InForceNoted, NoteInForce
from shared.contracts.subjects import round_name
from shared.kernel.messages import HOUSE, Actor
from tests.house_log import ANN, BEGAN_MS, HandMadeLogs, opened, split_round, wager

ROUND = "T1.20261130-000001"


def lines_of(logs: HandMadeLogs) -> list[Line]:
    """Return the story of the one round in some logs."""
    return story(told([page(stored) for stored in logs.stored]))[0]


def last_text(*decisions: tuple[Any, Actor, list[Any]]) -> str:
    """Return what is said about the last event, in a round in which ann has a wager on box 2."""
    logs = HandMadeLogs()
    open_round, round_opened = opened(ROUND)
    first = wager("w1", "ann", 2, 1000)
    logs.write(round_name(ROUND).stream, BEGAN_MS, (open_round, HOUSE, [round_opened]))
    logs.write(round_name(ROUND).stream, BEGAN_MS + 500, (wagers.PlaceWager(round=ROUND, box=2, stake_minor=1000), ANN, [first]))
    logs.write(round_name(ROUND).stream, BEGAN_MS + 1_000, *decisions)
    line = lines_of(logs)[-1]
    return f"{line.who}: {plain(line)}"


def test_story_of_a_split_and_a_double_is_told_word_for_word():
    """Each event is one line, and a split box names its hands from there on."""
    logs = HandMadeLogs()
    split_round(logs)
    expected = (Path(__file__).parent / "golden" / "split_round.txt").read_text().splitlines()

    actual = [f"{line.offset_ms} {line.told.page.entry.revision} {line.who}: {plain(line)}" for line in lines_of(logs)]

    assert expected == actual


def test_cards_on_a_screen_without_suits_are_letters():
    """A terminal that cannot show suits gets rank and letter."""
    logs = HandMadeLogs()
    split_round(logs)

    actual = spoken(lines_of(logs)[11].what, letters=True)

    assert actual == "bob, box 5: 6d  makes  10s 6d  hard 16"


REFUSAL = wagers.CommandRefused(code="above_maximum", message="The stake is above the maximum of 500.00.")
PEEK = dealing.PeekTaken(blackjack=False)

DEAL = dealing.DealCards(call_no=1, shoe="T1-S1", cards=())
DOWN = dealing.FaceDownCardDealt(box=2, hand=1, shoe="T1-S1", index=0)
HIDDEN = dealing.DownHand(box=2, hand=1, indices=(0, 3), players=("ann",))
SAID = [
    (
        (wagers.PlaceWager(round=ROUND, box=2, stake_minor=60_000), ANN, [REFUSAL]),
        "ann: ann asks for 600.00 CAD on box 2: refused. The stake is above the maximum of 500.00.",
    ),
    (
        (decisions.Insure(round=ROUND, box=2), ANN, [wager("w9", "ann", 2, 500, kind="insurance")]),
        "ann: ann insures with 5.00 CAD on box 2",
    ),
    (
        (
            wagers.RefuseWager(wager="w1", code="insufficient_funds", message="The account does not hold that much."),
            HOUSE,
            [wagers.WagerRefused(wager="w1", code="insufficient_funds", message="The account does not hold that much.")],
        ),
        "wallet: ann's 10.00 CAD for box 2 is refused: The account does not hold that much.",
    ),
    (
        (wagers.LapseWagers(), HOUSE, [wagers.WagerLapsed(wager="w1")]),
        "clock: ann's 10.00 CAD for box 2 is out of the round: the wallet did not answer in time",
    ),
    ((decisions.DeclineInsurance(round=ROUND, box=2), ANN, [decisions.InsuranceDeclined(wager="w1")]), "ann: ann, box 2: no insurance"),
    (
        (decisions.TakeEvenMoney(round=ROUND, box=2), ANN, [decisions.EvenMoneyTaken(wager="w1")]),
        "ann: ann, box 2: even money for the blackjack",
    ),
    ((dealing.TakePeek(blackjack=False), HOUSE, [PEEK]), "shoe: No dealer blackjack"),
    ((decisions.TimeOutDecision(number=1), HOUSE, [decisions.DecisionTimedOut(box=2, hand=1)]), "clock: ann, box 2: no decision in time"),
    (
        (
            decisions.ExtendClock(until_ms=BEGAN_MS + 9_000, reason="outage"),
            HOUSE,
            [decisions.ClockExtended(until_ms=BEGAN_MS + 9_000, reason="outage")],
        ),
        "table: The house was away: the clock runs for 8.000 s again",
    ),
    (
        (
            wagers.CloseBetting(),
            HOUSE,
            [dealing.CardsCalled(call_no=1, shoe="T1-S1", faces=("down", "up", "down"))],
        ),
        "table: Call 1: 3 cards from shoe T1-S1, 2 of them face down",
    ),
    ((DEAL, HOUSE, [DOWN]), "shoe: ann, box 2: a card face down"),
    (
        (DEAL, HOUSE, [DOWN, dealing.ExposureCalled(shoe="T1-S1", hands=(HIDDEN,), blackjacks_only=True)]),
        "table: The shoe is asked to turn up the blackjacks among the cards that lie face down",
    ),
    (
        (
            decisions.ExposeHand(round=ROUND, box=2, hand=1),
            ANN,
            [dealing.ExposureCalled(shoe="T1-S1", hands=(HIDDEN,), blackjacks_only=False)],
        ),
        "table: To be turned up: ann, box 2",
    ),
    (
        (
            dealing.TakeExposure(shoe="T1-S1", cards=()),
            HOUSE,
            [dealing.HandExposed(box=2, hand=1, cards=("8H", "8C"), shoe="T1-S1", indices=(0, 3))],
        ),
        "shoe: ann, box 2 exposes 8♥ 8♣  hard 16",
    ),
    (
        (decisions.Stand(round=ROUND, box=2, hand=1), ANN, [decisions.HandCompleted(box=2, hand=1, how="stood")]),
        "ann: ann, box 2 stands face down",
    ),
    (
        (decisions.TimeOutDecision(number=1), HOUSE, [decisions.HandCompleted(box=2, hand=1, how="timed_out")]),
        "clock: ann, box 2 is stood face down, out of time",
    ),
    (
        (DEAL, HOUSE, [dealing.CardsPickedUp(hands=((2, 1), (0, 1)))]),
        "table: The cards are picked up: box 2, the dealer's",
    ),
    (
        (NoteInForce(in_force=InForce()), HOUSE, [InForceNoted(in_force=InForce())]),
        "table: What staff have ruled about wagers has changed, and binds from the next wager on",
    ),
    (
        (rounds.VoidRound(reason="no_cards_left"), HOUSE, [rounds.RoundVoided(reason="no_cards_left", shoes=(), cutting_card_out=False)]),
        "table: Round void: no cards were left; every stake goes back",
    ),
]


@pytest.mark.parametrize(("decision", "expected"), SAID, ids=[text for _, text in SAID])
def test_each_event_is_said_in_plain_words(decision, expected):
    """What was asked, by whom, and what came of it."""

    assert expected == last_text(decision)


def test_a_round_without_a_wager_has_no_stake_to_give_back():
    """It is void because nobody wagered, and nothing else is said."""
    logs = HandMadeLogs()
    open_round, round_opened = opened(ROUND)
    logs.write(round_name(ROUND).stream, BEGAN_MS, (open_round, HOUSE, [round_opened]))
    voided = rounds.RoundVoided(reason="no_wagers", shoes=(), cutting_card_out=False)
    logs.write(round_name(ROUND).stream, BEGAN_MS + 15_000, (wagers.CloseBetting(), HOUSE, [voided]))

    assert plain(lines_of(logs)[-1]) == "Round void: nobody wagered"


def test_a_missing_entry_is_named_by_stream_and_revision():
    """The first entry that does not follow is where the chain is broken."""
    logs = HandMadeLogs()
    split_round(logs)
    pages = [page(stored) for stored in logs.stored]

    actual = chain_break(pages[:4] + pages[5:])

    assert actual == "In log.table.20261130.T1.round.000042 revision 6 stands where revision 5 belongs."
