"""Bad input to the ledger: whatever cannot be meant changes nothing, and says why with a code that stays."""

from typing import Any

import msgspec
import pytest

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount, StaffCommand
from shared.contracts.caps import AdjustmentCap
from shared.contracts.requests import BadRequest, decode_request
from shared.contracts.stakes import BookRound, CorrectedStake, CorrectStakes, ReleaseStake, ReserveStake, SettledStake, SettleStakes
from shared.contracts.wallet import CloseBook, OpenBook
from shared.kernel.messages import Refused
from shared.kernel.money import MINOR_MAX
from tests.ledgers import after, decide

DAY, ROUND = "20261130", "T7.20261130-000001"
MONEY = ("Deposit", "Withdraw", "GrantPromo", "CancelPromo", "ProposeAdjustment")


BOOK = after(
    OpenBook(day=DAY, caps=(AdjustmentCap(currency="JPY", minor=10**16),)),
    OpenAccount(player="ann", operator="north", currency="JPY"),
    Deposit(player="ann", currency="JPY", minor=1_000),
)


def answered(kind: str, ledger: Ledger = BOOK, **fields: Any) -> str:
    """Return the code with which a request of the cage is refused, as its bytes come in; nothing may have moved."""
    about = {"player": "ann", "currency": "JPY", "minor": 500, **({"reason": "goodwill"} if kind == "ProposeAdjustment" else {})}
    data = msgspec.json.encode({"id": "asked", "command": {"type": f"wallet.{kind}.v1", **about, **fields}})
    try:
        command = decode_request(data, StaffCommand).command
        events: list[Any] = decide(command, ledger)
    except BadRequest:
        return "unreadable"
    except Refused as why:
        return why.code
    assert LEDGER.after(ledger, events).accounts == ledger.accounts, "a refusal must move nothing"
    code: str = events[0].code
    return code


@pytest.mark.parametrize("kind", MONEY)
@pytest.mark.parametrize("minor", [1.5, 1e3 + 0.5, "500", "5.00", True, None, [500], {"minor": 500}], ids=repr)
def test_an_amount_is_a_whole_number(kind: str, minor: Any):
    """No fraction, no text and no truth value is ever taken for money."""
    assert answered(kind, minor=minor) == "unreadable"


@pytest.mark.parametrize("kind", [each for each in MONEY if each != "ProposeAdjustment"])
@pytest.mark.parametrize("minor", [0, -1, -(10**15), -(2**63)])
def test_an_amount_is_more_than_nothing(kind: str, minor: int):
    """What is signed is an adjustment; everything else moves one way."""
    assert answered(kind, minor=minor) == "not_positive"


@pytest.mark.parametrize("minor", [MINOR_MAX + 1, 2**63, 2**64, 10**40])
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("Deposit", "bad_request"),
        ("Withdraw", "insufficient_funds"),
        ("GrantPromo", "bad_request"),
        ("CancelPromo", "insufficient_funds"),
    ],
)
def test_no_account_holds_more_than_can_be_written_down(kind: str, code: str, minor: int):
    """An amount beyond all tables is refused before it is added to anything."""
    if minor > 10**16 and kind in ("GrantPromo", "CancelPromo"):
        code = "above_cap"
    assert answered(kind, minor=minor) == code


def test_a_sum_beyond_what_can_be_written_down_is_refused():
    """Neither amount is too much, and both together are; to the last unit it goes."""
    nearly = after(Deposit(player="ann", currency="JPY", minor=MINOR_MAX - 2_000), ledger=BOOK)

    assert answered("Deposit", nearly, minor=1_001) == "bad_request"
    assert after(Deposit(player="ann", currency="JPY", minor=1_000), ledger=nearly).accounts["JPY"]["player/ann/cash"].minor == MINOR_MAX


@pytest.mark.parametrize("kind", MONEY)
@pytest.mark.parametrize("about", [{"player": "bob"}, {"currency": "EUR"}, {"currency": "XXX"}, {"currency": ""}, {"player": "a.b"}])
def test_nobodys_account_is_unknown(kind: str, about: dict[str, Any]):
    """Another player, another currency, or none that there is: there is no such account."""
    assert answered(kind, **about) == "unknown_account"


@pytest.mark.parametrize("kind", MONEY)
@pytest.mark.parametrize("about", [{"player": 7}, {"currency": None}, {"player": ["ann"]}])
def test_names_are_texts(kind: str, about: dict[str, Any]):
    """What is no text names nobody."""
    assert answered(kind, **about) == "unreadable"


@pytest.mark.parametrize(
    ("player", "operator", "currency", "code"),
    [
        ("", "north", "CAD", "bad_request"),
        ("a b", "north", "CAD", "bad_request"),
        ("a/b", "north", "CAD", "bad_request"),
        ("a*", "north", "CAD", "bad_request"),
        ("bob", "", "CAD", "bad_request"),
        ("bob", "no>rth", "CAD", "bad_request"),
        ("bob", "north", "XXX", "bad_request"),
        ("bob", "north", "cad", "bad_request"),
        ("house", "north", "CAD", "name_reserved"),
        ("dealer", "north", "CAD", "name_reserved"),
        ("ann", "south", "JPY", "account_exists"),
    ],
)
def test_an_account_has_a_name_an_operator_and_a_currency(player: str, operator: str, currency: str, code: str):
    """A name is a word that can stand in a subject, and in an account's name."""
    with pytest.raises(Refused) as why:
        decide(OpenAccount(player=player, operator=operator, currency=currency), BOOK)
    assert why.value.code == code


@pytest.mark.parametrize("kind", MONEY)
def test_a_closed_book_takes_nothing(kind: str):
    """Nothing is added to a day that is over."""
    assert answered(kind, after(CloseBook(next_day="20261201"), ledger=BOOK)) == "book_closed"


@pytest.mark.parametrize("about", [{"minor": 0}, {"minor": -5}, {"minor": 1_001}, {"player": "bob"}, {"currency": "CAD"}])
def test_a_stake_that_cannot_be_is_refused_in_writing(about: dict[str, Any]):
    """The table gets an answer with a code, and nothing is set aside."""
    fields: dict[str, Any] = {"wager": "w", "round": ROUND, "player": "ann", "currency": "JPY", "minor": 5, **about}
    command = ReserveStake(**fields)
    events: list[Any] = decide(command, BOOK)
    (event,) = events
    assert event.code in ("not_positive", "insufficient_funds", "unknown_account")
    assert LEDGER.after(BOOK, [event]).accounts == BOOK.accounts


def test_a_booked_round_takes_no_stake():
    """A round that is over is answered with nothing: its wagers are decided."""
    booked = after(BookRound(round=ROUND, outcome="settled"), ledger=BOOK)
    commands = (
        ReserveStake(wager="w", round=ROUND, player="ann", currency="JPY", minor=5),
        ReleaseStake(round=ROUND, wager="w"),
        BookRound(round=ROUND, outcome="settled"),
    )
    assert [decide(command, booked) for command in commands] == [[], [], []]


def test_what_is_decided_at_a_table_is_never_refused_for_its_size():
    """A settlement or a correction that lifts an account above all that is deposited is booked: it has happened."""
    full = after(Deposit(player="ann", currency="JPY", minor=MINOR_MAX - 1_000), ledger=BOOK)
    line = SettledStake(wager="w", player="ann", stake_minor=1_000, returned_minor=3_000)
    anew = CorrectedStake(wager="w", player="ann", settled_minor=3_000, returned_minor=5_000)
    ledger = after(
        ReserveStake(wager="w", round=ROUND, player="ann", currency="JPY", minor=1_000),
        SettleStakes(round=ROUND, currency="JPY", lines=(line,)),
        CorrectStakes(round=ROUND, number=1, currency="JPY", lines=(anew,)),
        ledger=full,
    )
    assert ledger.accounts["JPY"]["player/ann/cash"].minor == MINOR_MAX + 4_000
