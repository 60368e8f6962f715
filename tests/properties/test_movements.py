"""Movements without end: the ledger beside a till of plain numbers; `make movements` walks a million.

Whoever reads the ledger's entries must come to the same: surveillance, the reconciliation, the rows and the statements, each with
arithmetic of its own.
"""

from collections import Counter
from typing import Any

import pytest
from msgspec import Struct

from feltlog.reconciling.ledger import Book
from services.surveillance.domain.balances import Balances
from services.surveillance.domain.cage import Cage
from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code
from services.surveillance.domain.heard import Heard
from services.wallet.rows import BalanceRow, Rows
from services.wallet.statement import statement
from shared.contracts.language import read_entry
from shared.contracts.subjects import ledger_stream
from shared.kernel.entry import Entry, Stored
from shared.kernel.identity import digest
from shared.kernel.messages import Actor
from tests.logs import House
from tests.movements.walk import CURRENCIES, PLAYERS, Walk


class Walked(Struct, frozen=True):
    """Some days of random movements, and the log that they left."""

    walk: Walk
    stored: list[Stored]

    def entries(self) -> list[Entry[Any, Any]]:
        """Return the entries, from their bytes."""
        return [read_entry(one.stream, one.data, claimed=one.claimed) for one in self.stored]


@pytest.fixture(scope="module")
def walked() -> Walked:
    """Three days, the last of which is open."""
    house = House()

    def heard(day: str, command: Any, events: list[Any], by: Actor) -> str:
        house.write(ledger_stream(day), command, *events, actor=by)
        return digest(house.stored[-1].data)

    walk = Walk(3, day_every=2_500, heard=heard)
    assert list(walk.steps(6_000)) == [2_000, 4_000, 6_000]
    return Walked(walk, house.stored)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_balance_is_the_tills(seed: int):
    """Whatever happens in whichever order: allowed alike, every account to the unit, and each currency comes to nothing."""
    assert list(Walk(seed).steps(22_000))[-1] == 22_000


def test_surveillance_finds_nothing(walked: Walked):
    """Every movement is what its event says, and every book begins and ends as it must; what persons' words moved is told of."""
    balances, cage, found = Balances(), Cage(), []
    chains: dict[str, Chain] = {}
    for one in walked.stored:
        checked = check(chains.setdefault(one.stream, Chain(one.stream)), one)
        assert checked.entry is not None, checked
        heard = Heard(log=one.log, sequence=one.sequence, digest=checked.digest, entry=checked.entry)
        found += [*balances.hear(heard), *cage.hear(heard)]
    assert [one for one in [*found, *balances.left(), *cage.left(lambda _: True)] if one.code != Code.ADJUSTED] == []


def test_the_books_reconcile_with_themselves(walked: Walked):
    """No movement says something else than it moves, in either direction, over nights too."""
    before: Book | None = None
    for day in sorted({one.stream for one in walked.stored}):
        book = Book(day, before=before.standing() if before else None)
        for one in walked.stored:
            if one.stream == day:
                book.hear(one, read_entry(one.stream, one.data, claimed=one.claimed))
        assert [str(each) for each in book.differences] == []
        before = book


def test_the_rows_are_the_balances(walked: Walked):
    """What is added up in the database is what the ledger holds; a night adds nothing."""
    rows = Rows({}, {})
    for one in walked.stored:
        rows.hear(one)
    found = Counter[tuple[str, str]]()
    for row in rows.written()["balances"]:
        assert isinstance(row, BalanceRow)
        found[row.currency, row.account] += row.minor
    expected = {
        (currency, name): account.minor
        for currency in CURRENCIES
        for name, account in walked.walk.ledger.accounts[currency].items()
        if account.minor and name.startswith(("player/", "round/"))
    }
    assert {key: minor for key, minor in found.items() if minor} == expected


def test_statements_end_with_what_lies_there(walked: Walked):
    """Every bucket of every player, in every currency, over all days."""
    entries = walked.entries()
    for player in PLAYERS[:12]:
        ends = {(row.currency, row.bucket): row.balance_minor for row in statement(entries, player)}
        holds = walked.walk.ledger.accounts
        expected = {
            (currency, bucket): account.minor
            for currency in CURRENCIES
            for bucket in ("cash", "promo", "owed")
            if (account := holds[currency].get(f"player/{player}/{bucket}")) is not None and account.minor
        }
        assert {key: minor for key, minor in ends.items() if minor} == expected
