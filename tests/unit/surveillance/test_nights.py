"""Nights under watch: whatever goes on into the next day's book is what stood in the one before, whoever forges both halves of it."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from services.surveillance.domain.balances import Balances
from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code
from services.surveillance.domain.heard import Heard
from services.surveillance.domain.ids import Ids
from shared.contracts.accounts import Posting
from shared.contracts.cage import AccountOpened, Deposit, Deposited, MovementRefused, Withdrawn
from shared.contracts.promo import GrantPromo, PromoGranted
from shared.contracts.stakes import StakeReserved
from shared.contracts.subjects import ledger_stream
from shared.contracts.wallet import BookClosed, BookOpened, CarriedAccount, CarriedForward, CarriedId, CarriedStake, OpenBook
from shared.kernel.folded import fingerprint
from shared.kernel.messages import ACCEPTED, HOUSE, Actor, Answer
from tests.logs import House

DAY, TOMORROW = "20261130", "20261201"
ROUND = f"T7.{DAY}-000001"
PIT = Actor("staff", "pit", "pit_boss")
ANN: dict[str, Any] = {"player": "ann", "currency": "CAD"}
SLIP = Deposit(minor=500, **ANN)
GIFT = GrantPromo(minor=100, voucher="V", **ANN)


def legs(**minor: int) -> tuple[Posting, ...]:
    """Return postings by the accounts' short names."""
    names = {"cash": "player/ann/cash", "promo": "player/ann/promo", "escrow": f"round/{ROUND}/escrow", "given": "house/promo"}
    return tuple(Posting(account=names.get(name, f"outside/{name}"), minor=each) for name, each in minor.items())


Said = tuple[str, Any, Actor, tuple[Any, ...]]
"""An id, a command, who asked, and what followed."""
PAID: Said = ("slip", SLIP, PIT, (Deposited(minor=500, postings=legs(north=-500, cash=500), **ANN),))
GIVEN: Said = (
    "voucher-V",
    GIFT,
    PIT,
    (PromoGranted(minor=100, postings=legs(given=-100, promo=100), by="pit", job="pit_boss", voucher="V", **ANN),),
)
REFUSED: Said = ("no", SLIP, PIT, (MovementRefused(code="x", message="No."),))
STAKED = StakeReserved(wager="w", round=ROUND, minor=150, promo_minor=100, postings=legs(promo=-100, cash=-50, escrow=150), **ANN)
CARRIED = CarriedForward(
    from_day=DAY,
    accounts=(
        CarriedAccount(account="house/promo", operator="", currency="CAD", minor=-100),
        CarriedAccount(account="outside/north", operator="", currency="CAD", minor=-500),
        CarriedAccount(account="player/ann/cash", operator="north", currency="CAD", minor=450),
    ),
    stakes=(CarriedStake(wager="w", round=ROUND, minor=150, promo_minor=100, **ANN),),
    ids=(
        CarriedId(id="slip", fingerprint=fingerprint(SLIP, PIT), answer=ACCEPTED),
        CarriedId(id="voucher-V", fingerprint=fingerprint(GIFT, PIT), answer=ACCEPTED),
        CarriedId(id="no", fingerprint=fingerprint(SLIP, PIT), answer=Answer("refused", "x", "No.")),
    ),
)


def house(what: Any) -> Said:
    """Return that the house says something."""
    return ("", OpenBook(day=DAY), HOUSE, (what,))


def codes(carried: CarriedForward | None, *then: Said) -> list[Code]:
    """What is found in two books by hand, at once and at the end."""
    before = (
        house(BookOpened(day=DAY, semantics=1, shard=0, shards=1)),
        house(AccountOpened(operator="north", **ANN)),
        *(PAID, GIVEN, REFUSED),
        house(STAKED),
        house(BookClosed(day=DAY, next_day=TOMORROW, accounts=1, stakes=1)),
    )
    opened = BookOpened(day=TOMORROW, semantics=1, shard=0, shards=1)
    logs, balances, ids = House(), Balances(), Ids()
    for day, said in ((DAY, before), (TOMORROW, (*([house(carried)] if carried else []), house(opened), *then))):
        for id, command, actor, events in said:
            logs.write(ledger_stream(day), command, *events, actor=actor, id=id)
    found = []
    for one in logs.stored:
        checked = check(Chain(one.stream), one)
        assert checked.entry is not None, "an entry by hand can be read"
        heard = Heard(log=one.log, sequence=one.sequence, digest=checked.digest, entry=checked.entry)
        found += balances.hear(heard) + ids.hear(heard)
    return [one.code for one in [*found, *balances.left(), *ids.left()]]


def test_a_night_that_changes_nothing_is_fine():
    """Balances, operators, stakes and answers go on."""
    assert codes(CARRIED) == []


AMISS = {
    "nothing": CarriedForward(from_day=DAY),
    "another day than the one before": replace(CARRIED, from_day="20261129"),
    "an account that is another operator's": replace(
        CARRIED, accounts=(*CARRIED.accounts[:2], replace(CARRIED.accounts[2], operator="south"))
    ),
    "a stake that is another player's": replace(CARRIED, stakes=(replace(CARRIED.stakes[0], player="bob"),)),
    "a gift that is cash by now": replace(CARRIED, stakes=(replace(CARRIED.stakes[0], promo_minor=UNSET),)),
    "an answer that is left behind": replace(CARRIED, ids=CARRIED.ids[1:]),
    "an answer that was never given": replace(CARRIED, ids=(*CARRIED.ids, replace(CARRIED.ids[0], id="other"))),
    "another answer": replace(CARRIED, ids=(*CARRIED.ids[:2], replace(CARRIED.ids[2], answer=ACCEPTED))),
    "an answer to something else": replace(CARRIED, ids=(replace(CARRIED.ids[0], fingerprint="0" * 64), *CARRIED.ids[1:])),
}


@pytest.mark.parametrize("what", list(AMISS))
def test_what_a_night_changes_is_found(what: str):
    """Sums and digests may be as they were; so may each decision, since the command says the same."""
    assert set(codes(AMISS[what])) == {Code.DAY_CHAIN_BROKEN}


def test_a_book_that_carries_nothing_at_all_is_found():
    """Which book goes before it is for that one's closing entry to say."""
    assert codes(None).count(Code.DAY_CHAIN_BROKEN) == 2


@pytest.mark.parametrize("again", [PAID, GIVEN], ids=["slip", "voucher"])
def test_what_was_asked_yesterday_is_not_decided_again(again: Said):
    """A slip is paid once and a voucher taken once, whichever book it comes into; without the carried answer as well."""
    assert Code.REPEATED_ID in codes(CARRIED, again)
    assert Code.REPEATED_ID in codes(replace(CARRIED, ids=()), again)


@pytest.mark.parametrize(("operator", "found"), [("north", []), ("south", [Code.UNBALANCED]), ("northern", [Code.UNBALANCED])])
def test_money_goes_out_through_the_accounts_own_operator(operator: str, found: list[Code]):
    """What operators owe one another hangs on it."""
    withdrawn = Withdrawn(minor=50, postings=legs(cash=-50, **{operator: 50}), **ANN)

    assert codes(CARRIED, ("out", SLIP, PIT, (withdrawn,))) == found


def test_a_forgotten_day_is_gone():
    """What is closed and compared is let go."""
    ids = Ids(books={DAY: object()})  # type: ignore[dict-item]
    ids.forget(DAY)

    assert ids.books == {}
