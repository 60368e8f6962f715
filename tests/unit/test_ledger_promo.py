"""Promotional money in the ledger: staked first, given back in proportion, never withdrawn (FL-5.1); and what chips round up."""

from typing import Any

import pytest

from services.wallet.domain.carrying import beginning
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from services.wallet.views import balance
from shared.contracts.cage import ApproveAdjustment, Deposit, OpenAccount, ProposeAdjustment, Withdraw
from shared.contracts.caps import AdjustmentCap
from shared.contracts.promo import CancelPromo, GrantPromo
from shared.contracts.refusals import Reason
from shared.contracts.stakes import (
    BookRound,
    CorrectedStake,
    CorrectStakes,
    ReleaseStake,
    ReserveStake,
    SettledStake,
    SettleStakes,
    StakeRefused,
)
from shared.contracts.wallet import CloseBook, OpenBook
from shared.kernel.messages import Actor, Refused
from tests.ledgers import after, decide

SUPERVISOR = Actor("staff", "sue", "casino_supervisor")
DAY, TOMORROW = "20261130", "20261201"
ROUND = "T7.20261130-000001"
ANN: dict[str, Any] = {"player": "ann", "currency": "CAD"}
CAPS = (AdjustmentCap(currency="CAD", minor=5_000),)


def book(*, cash: int = 1_000, promo: int = 400) -> Ledger:
    """Return a book in which ann has so much of both."""
    ledger = after(OpenBook(day=DAY, caps=CAPS), OpenAccount(operator="north", **ANN))
    ledger = after(Deposit(minor=cash, **ANN), ledger=ledger) if cash else ledger
    return after(GrantPromo(minor=promo, **ANN), ledger=ledger) if promo else ledger


def reserve(minor: int, *, promotional: bool = True, wager: str = "w1") -> ReserveStake:
    """Return that a stake of ann's is to be set aside."""
    return ReserveStake(wager=wager, round=ROUND, minor=minor, promotional=promotional, **ANN)


def settle(stake: int, returned: int, *, rounding: int = 0) -> SettleStakes:
    """Return that ann's wager gives back so much."""
    line = SettledStake(wager="w1", player="ann", stake_minor=stake, returned_minor=returned, rounding_minor=rounding)
    return SettleStakes(round=ROUND, currency="CAD", lines=(line,))


def redeemed(minor: int, ledger: Ledger) -> Ledger:
    """Return the book after two persons made cash of so much promotional money."""
    proposed = after(ProposeAdjustment(minor=minor, reason="promo_redeemed", **ANN), ledger=ledger)
    return LEDGER.after(proposed, decide(ApproveAdjustment(adjustment=f"{DAY}-1"), proposed, by=SUPERVISOR))


def holds(ledger: Ledger) -> dict[str, int]:
    """Return what lies in every account of ann's and the house's that holds something."""
    return {name: account.minor for name, account in ledger.accounts["CAD"].items() if account.minor and not name.startswith("outside/")}


@pytest.mark.parametrize(
    ("stake", "left"),
    [
        (300, {"player/ann/cash": 1_000, "player/ann/promo": 100}),
        (400, {"player/ann/cash": 1_000}),
        (1_000, {"player/ann/cash": 400}),
    ],
)
def test_promotional_money_is_staked_first(stake: int, left: dict[str, int]):
    """FL-5.1: tokens and vouchers are staked before chips, and chips make up the rest."""
    expected = {**left, f"round/{ROUND}/escrow": stake, "house/promo": -400}
    assert holds(after(reserve(stake), ledger=book())) == expected


def test_chips_alone_are_wagers_elsewhere():
    """ON-3.3: where the book does not take tokens, promotional money stays where it is."""
    ledger = after(reserve(300, promotional=False), ledger=book())

    assert holds(ledger) == {"player/ann/cash": 700, "player/ann/promo": 400, f"round/{ROUND}/escrow": 300, "house/promo": -400}


def test_promotional_money_makes_up_for_no_chips_elsewhere():
    """ON-3.3: a wager that chips alone cannot pay for is refused, whatever was given beside them."""
    (refusal,) = decide(reserve(300, promotional=False), book(cash=200))

    assert (type(refusal), refusal.code) == (StakeRefused, Reason.INSUFFICIENT_FUNDS)


@pytest.mark.parametrize(
    ("returned", "cash", "promo"),
    [(0, 400, 0), (1_000, 1_000, 400), (2_000, 1_600, 800), (500, 700, 200), (1, 401, 0), (2_501, 1_901, 1_000)],
    ids=["lost", "pushed", "won", "half", "a cent", "a cent more"],
)
def test_what_a_wager_gives_back_comes_back_in_proportion(returned: int, cash: int, promo: int):
    """Of 1000 staked 400 were promotional: so are four tenths of whatever comes back, rounded down."""
    ledger = after(reserve(1_000), settle(1_000, returned), ledger=book())
    assert (holds(ledger).get("player/ann/cash", 0), holds(ledger).get("player/ann/promo", 0)) == (cash, promo)


def test_released_stake_goes_back_as_it_came():
    """A wager that is not in the round gives back to each bucket what it took from it."""
    before = book()
    assert holds(after(reserve(1_000), ReleaseStake(round=ROUND, wager="w1"), ledger=before)) == holds(before)


def test_promotional_money_is_never_withdrawn():
    """A gift does not raise what can be taken home, neither before it was staked nor after it came back."""
    ledger = after(reserve(1_000), settle(1_000, 1_000), ledger=book())
    (refusal,) = decide(Withdraw(minor=1_001, **ANN), ledger)
    left = holds(after(Withdraw(minor=1_000, **ANN), ledger=ledger))

    assert (refusal.code, left["player/ann/promo"]) == (Reason.INSUFFICIENT_FUNDS, 400)


def test_redeemed_money_can_be_withdrawn():
    """Two persons make cash of it, as much as was asked for."""
    ledger = redeemed(300, book())

    assert holds(ledger) == {"player/ann/cash": 1_300, "player/ann/promo": 100, "house/promo": -400}


def test_nobody_makes_cash_of_promotional_money_alone():
    """Neither who granted it nor anybody else: whoever proposed it has to find another person."""
    proposed = after(ProposeAdjustment(minor=300, reason="promo_redeemed", **ANN), ledger=book())
    (refusal,) = decide(ApproveAdjustment(adjustment=f"{DAY}-1"), proposed)

    assert (holds(proposed), refusal.code) == (holds(book()), Reason.OWN_PROPOSAL)


@pytest.mark.parametrize("between", [CancelPromo(minor=200, **ANN), reserve(200)], ids=["taken back", "staked"])
def test_what_is_gone_meanwhile_is_not_redeemed(between: Any):
    """Other adjustments are owed; this one waits on, because it may come back or be declined."""
    proposed = after(ProposeAdjustment(minor=300, reason="promo_redeemed", **ANN), between, ledger=book())
    (refusal,) = decide(ApproveAdjustment(adjustment=f"{DAY}-1"), proposed, by=SUPERVISOR)
    waits = LEDGER.after(proposed, [refusal])

    assert (refusal.code, list(waits.adjustments.open), holds(waits)) == (Reason.INSUFFICIENT_FUNDS, [f"{DAY}-1"], holds(proposed))


def test_redeemed_money_pays_debts_first():
    """What is owed is paid from it like from any money that comes in."""
    line = CorrectedStake(wager="w1", player="ann", settled_minor=500, returned_minor=0)
    played = after(reserve(100, promotional=False), settle(100, 500), BookRound(round=ROUND, outcome="settled"), ledger=book(cash=100))
    owing = after(Withdraw(minor=500, **ANN), CorrectStakes(round=ROUND, number=1, currency="CAD", lines=(line,)), ledger=played)
    paid = redeemed(400, owing)

    assert (owing.owed("ann", "CAD"), owing.promo("ann", "CAD"), paid.owed("ann", "CAD")) == (500, 400, 100)


@pytest.mark.parametrize(
    ("spent", "cash", "promo", "borne"), [(0, 400, 0, -400), (600, 400, 0, -1_000)], ids=["it is there", "some of it is gone"]
)
def test_correction_parts_as_the_stake_was_parted(spent: int, cash: int, promo: int, borne: int):
    """What was won wrongly goes back from both buckets; promotional money that is gone is borne by the house, and no debt."""
    won = after(reserve(1_000), settle(1_000, 2_000), BookRound(round=ROUND, outcome="settled"), ledger=book())
    if spent:
        won = after(ReserveStake(wager="w", round="T7.20261130-000002", minor=spent, promotional=True, **ANN), ledger=won)
    line = CorrectedStake(wager="w1", player="ann", settled_minor=2_000, returned_minor=0)
    ledger = after(CorrectStakes(round=ROUND, number=1, currency="CAD", lines=(line,)), ledger=won)
    found = (holds(ledger)["player/ann/cash"], ledger.promo("ann", "CAD"), holds(ledger)["house/promo"], ledger.owed("ann", "CAD"))

    assert found == (cash, promo, borne, 0)


def corrected(number: int, was: int, is_: int) -> CorrectStakes:
    """Return that ann's wager, which had given back `was`, gives back `is_`."""
    line = CorrectedStake(wager="w1", player="ann", settled_minor=was, returned_minor=is_)
    return CorrectStakes(round=ROUND, number=number, currency="CAD", lines=(line,))


@pytest.mark.parametrize(("spent", "is_"), [(800, 800), (800, 400), (300, 800), (0, 800)])
def test_what_the_house_bore_comes_back_to_it_first(spent: int, is_: int):
    """A correction that is corrected gives a player nothing twice: both together are the correction from the first to the last."""
    won = after(reserve(400), settle(400, 800), BookRound(round=ROUND, outcome="settled"), ledger=book())
    if spent:
        won = after(ReserveStake(wager="w", round="T7.20261130-000002", minor=spent, promotional=True, **ANN), ledger=won)
    straight = won if is_ == 800 else after(corrected(1, 800, is_), ledger=won)

    assert holds(after(corrected(1, 800, 0), corrected(2, 0, is_), ledger=won)) == holds(straight)


def test_what_chips_round_up_is_not_lost_by_the_house():
    """FL-5.9: 150 at three to two come to 225, and chips of 50 make 250 of it: 25 are rounding."""
    ledger = after(reserve(150, promotional=False), settle(150, 400, rounding=25), ledger=book(promo=0))

    assert holds(ledger) == {"player/ann/cash": 1_250, "house/win": -225, "house/rounding": -25}


def test_correction_takes_back_what_was_rounded_up():
    """FL-5.9: paid one to one after all, the wager needs no rounding, and the house's account of it is empty again."""
    ledger = after(reserve(150, promotional=False), settle(150, 400, rounding=25), ledger=book(promo=0))
    line = CorrectedStake(wager="w1", player="ann", settled_minor=400, returned_minor=300, settled_rounding_minor=25, rounding_minor=0)
    corrected = after(CorrectStakes(round=ROUND, number=1, currency="CAD", lines=(line,)), ledger=ledger)

    assert holds(corrected) == {"player/ann/cash": 1_150, "house/win": -150}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (GrantPromo(minor=0, **ANN), Reason.NOT_POSITIVE),
        (GrantPromo(minor=-5, **ANN), Reason.NOT_POSITIVE),
        (GrantPromo(minor=5_001, **ANN), Reason.ABOVE_CAP),
        (GrantPromo(minor=5, player="bob", currency="CAD"), Reason.UNKNOWN_ACCOUNT),
        (ProposeAdjustment(minor=401, reason="promo_redeemed", **ANN), Reason.INSUFFICIENT_FUNDS),
        (ProposeAdjustment(minor=-1, reason="promo_redeemed", **ANN), Reason.NOT_POSITIVE),
        (CancelPromo(minor=401, **ANN), Reason.INSUFFICIENT_FUNDS),
    ],
)
def test_refused_gifts_are_written_down_and_move_nothing(command: Any, code: Reason):
    """Whoever tried to move money and may not, or cannot, stands in the book."""
    (refusal,) = decide(command, book())
    assert (refusal.code, getattr(refusal, "postings", ())) == (code.value, ())


@pytest.mark.parametrize(("command", "job"), [(GrantPromo(minor=5, **ANN), "dealer"), (CancelPromo(minor=5, **ANN), "inspector")])
def test_gifts_are_for_some_jobs(command: Any, job: Any):
    """Who deals or inspects gives nothing away, and takes nothing back."""
    (refusal,) = decide(command, book(), by=Actor("staff", "dee", job))
    assert refusal.code == Reason.JOB_NOT_ALLOWED


def test_voucher_is_a_request_of_its_own():
    """A voucher is taken once because its request has its name, and a request's name is used once, for ever."""
    (granted,) = decide(GrantPromo(minor=5, voucher="SPRING-1", **ANN), book(), id="voucher-SPRING-1")

    assert granted.voucher == "SPRING-1"


def test_voucher_under_another_name_is_refused():
    """Else it could be taken once for each name."""
    with pytest.raises(Refused) as why:
        decide(GrantPromo(minor=5, voucher="SPRING-1", **ANN), book(), id="another")

    assert why.value.code == Reason.BAD_REQUEST


@pytest.mark.parametrize(
    "command", [GrantPromo(minor=5, **ANN), CancelPromo(minor=5, **ANN), Deposit(minor=5, **ANN), Withdraw(minor=5_000, **ANN)]
)
def test_no_other_request_takes_a_vouchers_id(command: Any):
    """Else whoever works here could spoil a voucher, with a request that is refused."""
    with pytest.raises(Refused) as why:
        decide(command, book(), id="voucher-SPRING-1")

    assert why.value.code == Reason.BAD_REQUEST


@pytest.mark.parametrize("about", [{"player": "bob"}, {"minor": 5_001}, {"minor": 0}, {"currency": "EUR"}])
def test_a_refused_voucher_can_still_be_taken(about: dict[str, Any]):
    """Nothing is written down under its id, so that a slip of the pen costs nobody the voucher."""
    with pytest.raises(Refused):
        decide(GrantPromo(**{"minor": 100, "voucher": "SPRING-1", **ANN, **about}), book(), id="voucher-SPRING-1")


def test_parted_stake_is_carried_into_the_next_book():
    """A stake that is still set aside at the day's end comes back as it came."""
    closed = after(reserve(1_000), CloseBook(next_day=TOMORROW), ledger=book())
    begun = after(*(command for _, command in beginning(closed, {}, "digest")))
    assert holds(after(ReleaseStake(round=ROUND, wager="w1"), ledger=begun)) == holds(book())


def test_balance_tells_what_was_given():
    """A player sees what can be staked beside what can be taken home."""
    (amount,) = balance(after(reserve(500), ledger=book()), "ann").amounts
    assert (amount.available_minor, amount.promo_minor, amount.set_aside_minor) == (900, 0, 500)
