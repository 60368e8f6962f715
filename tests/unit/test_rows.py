"""The ledger's rows: what a database is asked for, made from the entries alone."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from services.wallet.domain.state import Ledger
from services.wallet.rows import LogChanged, Rows
from shared.contracts.accounts import Posting
from shared.contracts.cage import Deposited
from shared.contracts.stakes import StakesSettled
from shared.kernel.entry import Stored
from tests.forgery import forged, linked
from tests.houses import NEXT_DAY, WholeHouse, little_house

TODAY, TOMORROW = "log.wallet.20261130.ledger.0", f"log.wallet.{NEXT_DAY}.ledger.0"


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each, a day's end, and a new player on the day after."""
    house = little_house(7)
    house.end_day()
    house.welcome("zed", 70_000)
    return house


def made(stored: Sequence[Stored], rows: Rows | None = None) -> Rows:
    """Return the rows of the wallet's logs."""
    rows = rows or Rows({}, {})
    for one in stored:
        if one.log.startswith("LOG_WALLET_"):
            rows.hear(one)
    return rows


def of_ledger(ledger: Ledger) -> dict[tuple[str, str], int]:
    """Return what lies in each account."""
    held = ((currency, accounts) for currency, accounts in ledger.accounts.items())
    return {(currency, name): account.minor for currency, accounts in held for name, account in accounts.items() if account.minor}


def of_postings(rows: Rows) -> dict[tuple[str, str], int]:
    """Return what the postings of all rows come to."""
    found: dict[tuple[str, str], int] = {}
    for row in rows.postings:
        found[row.currency, row.account] = found.get((row.currency, row.account), 0) + row.minor
    return {account: minor for account, minor in found.items() if minor}


def test_postings_come_to_what_the_ledger_holds(house):
    """Also where a second book took over what the first one came to: no money is there twice."""
    assert of_postings(made(house.stored)) == of_ledger(house.streams[TOMORROW].state)


def test_balances_are_those_of_players_and_rounds_alone(house):
    """What the house and the outside have is a sum over postings, for nobody may wait for such a row."""
    rows = made(house.stored).written()["balances"]
    expected = {key: minor for key, minor in of_ledger(house.streams[TOMORROW].state).items() if key[1].startswith(("player/", "round/"))}

    assert {(row.currency, row.account): row.minor for row in rows} == expected


def test_a_first_book_that_is_kept_begins_with_what_it_took_over(house):
    """The logs of the days before may lie elsewhere: what is carried forward is then where the money comes from."""
    rows = made([one for one in house.stored if one.stream == TOMORROW])
    tags = {row.tag for row in rows.movements}

    assert (of_postings(rows), tags) == (
        of_ledger(house.streams[TOMORROW].state),
        {"wallet.CarriedForward.v1", "wallet.Deposited.v1"},
    )


def test_a_movement_says_where_it_stands_and_whom_it_concerns(house):
    """Position, place, time and what the event names."""
    first = made(house.stored).movements[0]
    stored = next(one for one in house.stored if one.stream == TODAY and b"Deposited" in one.data)

    assert (first.stream, first.sequence, first.tag, first.day, first.currency, first.player) == (
        TODAY,
        stored.sequence,
        "wallet.Deposited.v1",
        "20261130",
        "CAD",
        "ann",
    )


def test_an_event_needs_nothing_but_a_currency_and_postings(house):
    """Money that moves in a way that nobody thought of here has its rows too: in a bucket of its own."""
    odd = (Posting(account="player/ann/promo", minor=500), Posting(account="house/promo", minor=-500))
    stored = forged(house.of(TODAY), Deposited, lambda event: [replace(event, postings=odd)])
    rows = made(stored)

    assert [(row.account, row.minor) for row in rows.postings[:2]] == [("player/ann/promo", 500), ("house/promo", -500)]


def test_an_entry_that_does_not_follow_the_one_that_is_known_stops_the_rows(house):
    """An older copy of a log was put back, and the house has written on: the bytes are not those that the rows rest on."""
    rows = made(house.of(TODAY)[:5])
    other = forged(house.of(TODAY), Deposited, lambda event: [replace(event, minor=event.minor + 1)])
    with pytest.raises(LogChanged, match="does not go on behind revision 5"):
        made([other[5]], rows)


def test_a_book_that_does_not_follow_the_book_before_stops_the_rows(house):
    """The next day's first entry holds the digest of the entry that closed the day before."""
    changed = forged(house.of(TODAY), StakesSettled, lambda event: [event, event])
    with pytest.raises(LogChanged):
        made([*changed, *linked(house.of(TOMORROW))])
