"""The cage under watch: every adjustment is told, and what two persons did not agree on is found."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.surveillance.domain.cage import Cage
from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code
from services.surveillance.domain.heard import Heard
from shared.contracts.cage import AccountBlocked, AccountUnblocked, AdjustmentDeclined, AdjustmentMade, AdjustmentProposed, CarriedBlock
from shared.contracts.caps import AdjustmentCap
from shared.contracts.stakes import StakeReserved
from shared.contracts.subjects import ledger_stream
from shared.contracts.wallet import BookClosed, BookOpened, CarriedForward, OpenBook
from shared.kernel.messages import HOUSE, Actor
from tests.logs import House

DAY, TOMORROW = "20261130", "20261201"
PIT = Actor("staff", "pit", "pit_boss")
SUE = Actor("staff", "sue", "casino_supervisor")
DEE = Actor("staff", "dee", "dealer")
NAME = f"{DAY}-1"
OPENED = (BookOpened(day=DAY, semantics=1, shard=0, shards=1, caps=(AdjustmentCap(currency="CAD", minor=1000),)), HOUSE)
PROPOSED = AdjustmentProposed(adjustment=NAME, player="ann", currency="CAD", minor=500, reason="goodwill", by="pit", job="pit_boss")
MADE = AdjustmentMade(
    adjustment=NAME,
    player="ann",
    currency="CAD",
    minor=500,
    reason="goodwill",
    round="",
    proposed_by="pit",
    by="sue",
    job="casino_supervisor",
    postings=(),
)
DECLINED = AdjustmentDeclined(adjustment=NAME, by="sue", job="casino_supervisor")
BLOCKED = AccountBlocked(player="ann", reason="debt", by="pit", job="pit_boss")
UNBLOCKED = AccountUnblocked(player="ann", reason="debt", because="cleared", by="sue", job="casino_supervisor")
STAKE = StakeReserved(wager="w", round="r", player="ann", currency="CAD", minor=1, postings=())
CLOSED = BookClosed(day=DAY, next_day=TOMORROW, accounts=1, stakes=0)

UNPLAYED = "T9.20261129-000001"
"""A round that its table never called."""

Said = tuple[Any, Actor]


def codes(*said: Said, day: str = DAY, before: tuple[Said, ...] = ()) -> list[Code]:
    """What is found in a ledger by hand, at once and at the end; `before` stands in the book of the day before."""
    house, cage = House(), Cage()
    for on, events in ((DAY, before), (day, said)):
        for event, actor in events:
            house.write(ledger_stream(on), OpenBook(day=on), event, actor=actor)
    found = []
    for one in house.stored:
        checked = check(Chain(one.stream), one)
        assert checked.entry is not None, "an entry by hand can be read"
        found += cage.hear(Heard(log=one.log, sequence=one.sequence, digest=checked.digest, entry=checked.entry))
    return [one.code for one in [*found, *cage.left(lambda round_: round_ != UNPLAYED)]]


def test_an_adjustment_by_two_persons_is_told_and_no_more():
    """Somebody who was not asked should look at it."""
    assert codes(OPENED, (PROPOSED, PIT), (MADE, SUE)) == [Code.ADJUSTED]


def test_an_adjustment_of_a_round_that_never_was_is_told():
    """Two persons can be wrong about what they put right: the table's own stream says which rounds there were."""
    called, unplayed = [
        codes(OPENED, (replace(PROPOSED, round=round_), PIT), (replace(MADE, round=round_), SUE))
        for round_ in ("T7.20261129-000001", UNPLAYED)
    ]

    assert (called, unplayed) == ([Code.ADJUSTED], [Code.ADJUSTED, Code.UNKNOWN_ROUND])


FINE: dict[str, tuple[Said, ...]] = {
    "nothing but a proposal": (OPENED, (PROPOSED, PIT)),
    "declined by another person": (OPENED, (PROPOSED, PIT), (DECLINED, SUE)),
    "taken back": (OPENED, (PROPOSED, PIT), (replace(DECLINED, by="pit", job="pit_boss"), PIT)),
    "about a round of an earlier day": (OPENED, (replace(PROPOSED, round="T7.20261129-000001"), PIT)),
    "a stake before the block": (OPENED, (STAKE, HOUSE), (BLOCKED, PIT)),
    "a stake after the block": (OPENED, (BLOCKED, PIT), (UNBLOCKED, SUE), (STAKE, HOUSE)),
    "a stake of somebody else": (OPENED, (BLOCKED, PIT), (replace(STAKE, player="bob"), HOUSE)),
}


@pytest.mark.parametrize("way", list(FINE))
def test_what_went_its_way_is_fine(way: str):
    """No alarm without a reason."""
    assert codes(*FINE[way]) == []


AMISS: dict[str, tuple[Said, ...]] = {
    "made without a proposal": (OPENED, (MADE, SUE)),
    "made twice": (OPENED, (PROPOSED, PIT), (MADE, SUE), (MADE, SUE)),
    "made after it was declined": (OPENED, (PROPOSED, PIT), (DECLINED, SUE), (MADE, SUE)),
    "approved by who proposed it": (OPENED, (PROPOSED, PIT), (replace(MADE, by="pit", job="pit_boss"), PIT)),
    "a gift made cash by who proposed it": (
        OPENED,
        (replace(PROPOSED, reason="promo_redeemed"), PIT),
        (replace(MADE, reason="promo_redeemed", by="pit", job="pit_boss"), PIT),
    ),
    "a gift made cash without a proposal": (OPENED, (replace(MADE, reason="promo_redeemed"), SUE)),
    "a gift made cash, and proposed as another thing": (OPENED, (PROPOSED, PIT), (replace(MADE, reason="promo_redeemed"), SUE)),
    "cash made a gift": (OPENED, (replace(PROPOSED, reason="promo_redeemed", minor=-500), PIT)),
    "approved by a dealer": (OPENED, (PROPOSED, PIT), (replace(MADE, by="dee", job="dealer"), DEE)),
    "approved in another's name": (OPENED, (PROPOSED, PIT), (MADE, PIT)),
    "of another amount": (OPENED, (PROPOSED, PIT), (replace(MADE, minor=501), SUE)),
    "for another player": (OPENED, (PROPOSED, PIT), (replace(MADE, player="bob"), SUE)),
    "proposed by a dealer": (OPENED, (replace(PROPOSED, by="dee", job="dealer"), DEE)),
    "above the cap": (OPENED, (replace(PROPOSED, minor=-1001), PIT)),
    "in a currency without a cap": (OPENED, (replace(PROPOSED, currency="XYZ", minor=1), PIT)),
    "of nothing": (OPENED, (replace(PROPOSED, minor=0), PIT)),
    "under another name": (OPENED, (replace(PROPOSED, adjustment=f"{DAY}-2"), PIT)),
    "about a round of the same day": (OPENED, (replace(PROPOSED, round=f"T7.{DAY}-000001"), PIT)),
    "about what is no round": (OPENED, (replace(PROPOSED, round="T7"), PIT)),
    "declined by a dealer": (OPENED, (PROPOSED, PIT), (replace(DECLINED, by="dee", job="dealer"), DEE)),
    "declined twice": (OPENED, (PROPOSED, PIT), (DECLINED, SUE), (DECLINED, SUE)),
    "blocked by a dealer": (OPENED, (replace(BLOCKED, by="dee", job="dealer"), DEE)),
    "unblocked by nobody": (OPENED, (BLOCKED, PIT), (UNBLOCKED, HOUSE)),
    "unblocked without a block": (OPENED, (UNBLOCKED, SUE)),
}


@pytest.mark.parametrize("way", list(AMISS))
def test_what_no_two_persons_agreed_on_is_found(way: str):
    """Whoever else wrote it down."""
    assert set(codes(*AMISS[way])) - {Code.ADJUSTED} == {Code.UNAPPROVED}


def test_a_stake_of_a_blocked_player_is_found():
    """Whatever the table says of it."""
    assert codes(OPENED, (BLOCKED, PIT), (STAKE, HOUSE)) == [Code.BLOCKED_STAKE]


@pytest.mark.parametrize(
    ("carried", "found"),
    [((CarriedBlock(player="ann", reason="debt"),), []), ((), [Code.DAY_CHAIN_BROKEN])],
)
def test_a_block_that_a_night_has_ended_is_found(carried: tuple[CarriedBlock, ...], found: list[Code]):
    """Tomorrow's book begins with the blocks of today."""
    forward = CarriedForward(from_day=DAY, blocked=carried)

    opened = BookOpened(day=TOMORROW, semantics=1, shard=0, shards=1)
    before = (OPENED, (BLOCKED, PIT), (CLOSED, HOUSE))

    assert codes((forward, HOUSE), (opened, HOUSE), day=TOMORROW, before=before) == found


def test_a_book_that_is_still_being_carried_forward_misses_nothing():
    """Its parts come one after the other, and somebody may look between them."""
    assert codes((CarriedForward(from_day=DAY), HOUSE), day=TOMORROW, before=(OPENED, (BLOCKED, PIT), (CLOSED, HOUSE))) == []


def test_a_block_holds_over_the_night():
    """A carried block is a block."""
    forward = CarriedForward(from_day=DAY, blocked=(CarriedBlock(player="ann", reason="debt"),))
    opened = BookOpened(day=TOMORROW, semantics=1, shard=0, shards=1)

    assert codes((forward, HOUSE), (opened, HOUSE), (STAKE, HOUSE), day=TOMORROW) == [Code.BLOCKED_STAKE]


def test_a_forgotten_day_is_gone():
    """What is closed and compared is let go."""
    cage = Cage(books={DAY: object()})  # type: ignore[dict-item]
    cage.forget(DAY)

    assert cage.books == {}
