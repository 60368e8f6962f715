"""Promotional money and rounding under watch: the ledger's own movements pass, and each way of moving them wrongly is found."""

from hashlib import sha256
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from services.surveillance.domain.balances import Balances
from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code
from services.surveillance.domain.heard import Heard
from shared.contracts.accounts import Posting
from shared.contracts.cage import AdjustmentMade, Deposited
from shared.contracts.promo import PromoCancelled, PromoGranted
from shared.contracts.stakes import CorrectedStake, SettledStake, StakeReleased, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.subjects import ledger_stream
from shared.contracts.wallet import BookClosed, BookOpened, OpenBook, TrialRow
from tests.logs import House

DAY = "20261130"
ROUND = f"T7.{DAY}-000001"
CASH, PROMO, ESCROW = "player/ann/cash", "player/ann/promo", f"round/{ROUND}/escrow"
ANN: dict[str, Any] = {"player": "ann", "currency": "CAD"}
BY: dict[str, Any] = {"by": "pit", "job": "pit_boss"}


def legs(**minor: int) -> tuple[Posting, ...]:
    """Return postings by the accounts' short names."""
    names = {"cash": CASH, "promo": PROMO, "escrow": ESCROW, "win": "house/win", "rounding": "house/rounding", "given": "house/promo"}
    return tuple(Posting(account=names.get(name, f"outside/{name}"), minor=each) for name, each in minor.items())


OPENED = (
    BookOpened(day=DAY, semantics=1, shard=0, shards=1),
    Deposited(minor=1_000, postings=legs(north=-1_000, cash=1_000), **ANN),
    PromoGranted(minor=400, postings=legs(given=-400, promo=400), **ANN, **BY),
)
RESERVED = StakeReserved(wager="w1", round=ROUND, minor=1_000, promo_minor=400, postings=legs(promo=-400, cash=-600, escrow=1_000), **ANN)
RELEASED = StakeReleased(wager="w1", round=ROUND, minor=1_000, postings=legs(escrow=-1_000, promo=400, cash=600), **ANN)
LINE = SettledStake(wager="w1", player="ann", stake_minor=1_000, returned_minor=2_525, rounding_minor=25)
SETTLED = StakesSettled(
    round=ROUND, currency="CAD", lines=(LINE,), postings=legs(escrow=-1_000, promo=1_010, cash=1_515, rounding=-25, win=-1_500)
)
ANEW = CorrectedStake(wager="w1", player="ann", settled_minor=2_525, returned_minor=0, settled_rounding_minor=25)
CORRECTED = StakesCorrected(
    round=ROUND, number=1, currency="CAD", lines=(ANEW,), postings=legs(win=2_500, rounding=25, cash=-1_515, promo=-1_010)
)
REDEEMED = AdjustmentMade(
    adjustment=f"{DAY}-1",
    minor=100,
    reason="promo_redeemed",
    round="",
    proposed_by="pit",
    postings=legs(promo=-100, cash=100),
    **ANN,
    **BY,
)
CANCELLED = PromoCancelled(minor=100, postings=legs(promo=-100, given=100), **ANN, **BY)
GONE = PromoCancelled(minor=1_010, postings=legs(promo=-1_010, given=1_010), **ANN, **BY)
AGAIN = CorrectedStake(wager="w1", player="ann", settled_minor=0, returned_minor=2_525, rounding_minor=25)
ONCE_MORE = StakesCorrected(
    round=ROUND, number=2, currency="CAD", lines=(AGAIN,), postings=legs(win=-2_500, rounding=-25, cash=1_515, given=1_010)
)
BORNE = replace(CORRECTED, postings=legs(win=2_500, rounding=25, cash=-1_515, given=-1_010))


def codes(*events: Any) -> list[Code]:
    """What is found in a ledger by hand."""
    house, balances = House(), Balances()
    for event in (*OPENED, *events):
        house.write(ledger_stream(DAY), OpenBook(day=DAY), event)
    found = []
    for one in house.stored:
        checked = check(Chain(one.stream), one)
        assert checked.entry is not None, "an entry by hand can be read"
        found += balances.hear(Heard(log=one.log, sequence=one.sequence, digest=checked.digest, entry=checked.entry))
    return [one.code for one in found]


@pytest.mark.parametrize(
    "events",
    [
        (RESERVED, RELEASED),
        (RESERVED, SETTLED),
        (RESERVED, SETTLED, CORRECTED),
        (RESERVED, SETTLED, GONE, BORNE),
        (RESERVED, SETTLED, GONE, BORNE, ONCE_MORE),
        (REDEEMED,),
        (CANCELLED,),
    ],
    ids=["released", "settled", "corrected", "corrected when it was gone", "and back", "redeemed", "cancelled"],
)
def test_right_movements_pass(events: tuple[Any, ...]):
    """FL-5.1, FL-5.9: staked first, given back in proportion, rounding beside what the house loses."""
    assert codes(*events) == []


@pytest.mark.parametrize(
    "events",
    [
        (replace(RESERVED, promo_minor=300, postings=legs(promo=-300, cash=-700, escrow=1_000)),),
        (replace(RESERVED, promo_minor=UNSET),),
        (RESERVED, replace(RELEASED, postings=legs(escrow=-1_000, cash=1_000))),
        (RESERVED, replace(SETTLED, postings=legs(escrow=-1_000, promo=1_009, cash=1_516, rounding=-25, win=-1_500))),
        (RESERVED, replace(SETTLED, postings=legs(escrow=-1_000, promo=1_010, cash=1_515, win=-1_525))),
        (RESERVED, SETTLED, replace(CORRECTED, postings=legs(win=2_500, rounding=25, cash=-2_525))),
        (RESERVED, SETTLED, BORNE),
        (RESERVED, SETTLED, CORRECTED, ONCE_MORE),
        (RESERVED, SETTLED, GONE, BORNE, replace(ONCE_MORE, postings=legs(win=-2_500, rounding=-25, cash=1_515, promo=1_010))),
        (replace(REDEEMED, postings=legs(given=-100, cash=100)),),
        (replace(CANCELLED, postings=legs(cash=-100, given=100)),),
    ],
    ids=[
        "not first",
        "not said",
        "released as cash",
        "a cent",
        "rounding lost",
        "corrected in cash",
        "borne too early",
        "back too early",
        "given twice",
        "twice",
        "cash",
    ],
)
def test_wrong_movements_are_found(events: tuple[Any, ...]):
    """Every figure has one right value, and whatever else stands there is a finding."""
    assert Code.UNBALANCED in codes(*events)


TRIAL = (
    TrialRow(currency="CAD", kind="house/promo", minor=-400),
    TrialRow(currency="CAD", kind="outside", minor=-1_000),
    TrialRow(currency="CAD", kind="player/cash", minor=1_000),
    TrialRow(currency="CAD", kind="player/promo", minor=400),
)
DIGEST = sha256(b"CAD house/promo -400\nCAD outside/north -1000\nCAD player/ann/cash 1000\nCAD player/ann/promo 400\n").hexdigest()
CLOSED = BookClosed(day=DAY, next_day="20261201", accounts=4, stakes=0, movements=2, trial=TRIAL, balances=DIGEST)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, []),
        ({"movements": 3}, [Code.UNBALANCED]),
        ({"balances": "0" * 64}, [Code.UNBALANCED]),
        ({"trial": TRIAL[1:]}, [Code.UNBALANCED]),
        ({"movements": UNSET, "trial": UNSET, "balances": UNSET}, []),
    ],
    ids=["as it is", "a movement more", "other balances", "another trial balance", "an old book"],
)
def test_a_book_is_closed_with_what_it_comes_to(said: dict[str, Any], found: list[Code]):
    """Trial balance, count and digest are worked out here once more, from the postings alone."""
    assert codes(replace(CLOSED, **said)) == found
