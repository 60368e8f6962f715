"""What hypothesis draws: cards, people, wallets, whole rounds, and commands that nobody should be able to break anything with."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from feltlog.rehearsal.round import Choice, Moment, Rehearsal, Word
from shared.contracts.dealing import ChangeShoe, DealCards
from shared.contracts.decisions import (
    CloseInsurance,
    DeclineInsurance,
    Double,
    ExposeHand,
    ExtendClock,
    Hit,
    Insure,
    Split,
    Stand,
    TakeEvenMoney,
    TimeOutDecision,
)
from shared.contracts.rounds import VoidRound
from shared.contracts.rulings import ApproveRuling, DeclineRuling, ProposeRuling, WithdrawRuling
from shared.contracts.wagers import AcceptWager, CloseBetting, LapseWagers, PlaceWager, RefuseWager, TimeOutReserve, WagerPlaced
from shared.kernel.cards import RANKS, SUITS
from shared.kernel.messages import HOUSE, Actor, Envelope
from tests.rounds import ROUND_ID, opening
from tests.rulings import STAFF, some_rulings

BOOKS = ("ontario", "live", "floor")
PLAYERS = ("ann", "ben", "cho")

STACK = tuple(rank + suit for rank in "A8TAK8AQ" + RANKS for suit in SUITS)
"""More aces, tens and pairs than a shoe holds, and first in the row, because the rules live there."""


def stacks(min_size: int, max_size: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Return cards in a row, drawn as bytes because a round takes many."""
    return st.binary(min_size=min_size, max_size=max_size).map(lambda drawn: tuple(STACK[byte % len(STACK)] for byte in drawn))


words: st.SearchStrategy[Word] = st.sampled_from(("reserve", "reserve", "reserve", "refuse", "silence"))
good_stakes = st.sampled_from((100, 400, 102, 200, 500))
bad_stakes = st.sampled_from((101, 333, 1, 0, -4, 100_001))

Disturb = Callable[[Rehearsal], None]


def quiet(_: Rehearsal) -> None:
    """Leave the round alone."""


@st.composite
def rounds(draw: st.DrawFn, disturb: Disturb = quiet, book: str | None = None) -> Rehearsal:
    """Return a whole round, played at random to its end; `disturb` is called at every step of it."""
    chosen = draw(st.sampled_from(BOOKS)) if book is None else book
    shoe = draw(stacks(draw(st.sampled_from((0, 20, 60))), 60))
    discards = draw(stacks(0, 30))
    boxes = draw(st.integers(1, 7))
    lies = draw(st.sampled_from(("up", "up", "down")))
    rehearsal = Rehearsal(
        opening(chosen, boxes=boxes, options={"players_cards": lies}), shoe, discards=discards, wallet=lambda _: draw(words)
    )
    for _ in range(draw(st.sampled_from((1, 2, 4, 6, 0)))):
        bad = draw(st.integers(0, 9)) == 9
        box = draw(st.integers(0, boxes + 1) if bad else st.integers(1, boxes))
        rehearsal.bet(draw(st.sampled_from(PLAYERS)), box, draw(bad_stakes if bad else good_stakes))
        disturb(rehearsal)
        if draw(st.booleans()):
            rehearsal.serve()
            disturb(rehearsal)
    for _ in range(500):
        if rehearsal.over:
            return rehearsal
        disturb(rehearsal)
        if not rehearsal.serve() and not rehearsal.ask(lambda moment: draw(choices(moment))):
            disturb(rehearsal)
            # What was said now may have called for cards or ended the round: then no clock is awaited.
            if not rehearsal.serve() and not rehearsal.over:
                rehearsal.let_time_pass()
    raise AssertionError("a round must come to an end")


def choices(moment: Moment) -> st.SearchStrategy[Choice | None]:
    """Return what a player may say, silence and stakes that are out of bounds among it."""
    said = st.builds(Choice, st.sampled_from(moment.legal[::-1]), st.none() | st.none() | st.sampled_from((1, 50, 100, 200, 0, 10_000)))
    return st.one_of(said, said, said, said, st.none())


def some_command(chance: Random, rehearsal: Rehearsal) -> Any:
    """Return any command of a round, about things that are there more often than not; cards and looks alone must be true."""
    wager = chance.choice([*(event.wager for event in rehearsal.events if isinstance(event, WagerPlaced)), "nothing"])
    named = chance.choice((ROUND_ID, ROUND_ID, ROUND_ID, "T7.20261130-000002"))
    box, hand = chance.randint(0, 8), chance.randint(0, 4)
    stake_minor = chance.choice((100, 102, 200, 333, 1, 0, -4, 100_001))
    perhaps = chance.choice((None, stake_minor))
    return chance.choice(
        (
            PlaceWager(round=named, box=box, stake_minor=stake_minor),
            ExposeHand(round=named, box=box, hand=hand),
            Hit(round=named, box=box, hand=hand),
            Stand(round=named, box=box, hand=hand),
            Double(round=named, box=box, hand=hand, stake_minor=perhaps),
            Split(round=named, box=box, hand=hand),
            Insure(round=named, box=box, stake_minor=perhaps),
            DeclineInsurance(round=named, box=box),
            TakeEvenMoney(round=named, box=box),
            AcceptWager(wager=wager),
            RefuseWager(wager=wager, code="insufficient_funds", message="No."),
            TimeOutReserve(wager=wager),
            CloseBetting(round=chance.choice(("", named))),
            LapseWagers(),
            CloseInsurance(),
            TimeOutDecision(number=chance.randint(0, 9)),
            ExtendClock(until_ms=chance.randint(0, 100_000), reason="outage"),
            VoidRound(reason="irregularity"),
            ProposeRuling(round=named, ruling=chance.choice(some_rulings(chance))),
            ApproveRuling(round=named, proposal=chance.randint(0, 3)),
            DeclineRuling(round=named, proposal=chance.randint(0, 3)),
            WithdrawRuling(round=named, proposal=chance.randint(0, 3)),
            ChangeShoe(shoe=chance.choice(("T7-S1", "T7-S1c")), root="", cards=1),
            DealCards(call_no=99, shoe="T7-S1", cards=()),
            rehearsal.asked[0].command,
        )
    )


def some_envelope(chance: Random, rehearsal: Rehearsal) -> Envelope:
    """Return anybody's envelope, now or somewhat later."""
    actor = chance.choice((HOUSE, HOUSE, *STAFF, *(Actor("player", name) for name in PLAYERS)))
    received, decided = sorted(chance.choice((0, 0, 1, 2_000, 10_000, 15_001)) for _ in range(2))
    return Envelope(chance.choice(("one", "two")), actor, rehearsal.at_ms + received, rehearsal.at_ms + decided)
