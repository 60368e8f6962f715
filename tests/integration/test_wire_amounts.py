"""Amounts as whoever is connected reads them: text goes in at the cage and at the table, and the bytes that come out say the same sum.

Two errors of conversion that undo one another are not seen by a house that only asks itself.  So nothing here reads an amount
with the house's own code: JSON, CSV and rows are taken as they lie, and scaled by what ISO 4217 says of each currency.
"""

import asyncio
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

from shared.contracts.cage import OpenAccount
from shared.contracts.subjects import ledger_stream, log_of, round_name
from tests.integration.patience import until
from tests.integration.running_house import OPERATOR, Floor
from tests.integration.test_odd_stakes import BURNT, NATURAL, dealing

EXPONENTS = {"EUR": 2, "JPY": 0, "KWD": 3}
"""ISO 4217, table A.1, column "minor unit"."""
TABLES = {
    "T1": ("EUR", "1000.00", "25.01", "0.01"),
    "T2": ("JPY", "100000", "5", "1"),
    "T3": ("KWD", "100.000", "0.750", "0.250"),
}
"""Currency, deposit, stake and the smallest chip of each table, as people write them."""


async def feltlog(data: Path, *arguments: str, said: str = "") -> str:
    """Return what a command writes; it succeeds."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}
    command = [sys.executable, "-m", "feltlog", *arguments, "--data", str(data)]

    def run() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, input=said.encode(), env=inherited, capture_output=True, timeout=120, check=True)

    return (await asyncio.to_thread(run)).stdout.decode()


async def played(house: Floor, table: str) -> str:
    """Let a guest bring money and play a blackjack, typing every amount; return the round, which is booked."""
    currency, deposit, stake, _ = TABLES[table]
    guest, data = f"guest-{table.lower()}", house.house.data
    house.house.add_players([guest])
    await house.pit.ask("wallet", "ledger", OpenAccount(player=guest, operator=OPERATOR, currency=currency))
    await feltlog(data, "wallet", "deposit", guest, deposit, "--currency", currency)
    round = await house.call_round(table)
    playing = asyncio.create_task(feltlog(data, "play", "--table", table, "--player", guest, said=f"{stake}\n"))
    await house.felt(table, lambda felt: any(not wager.pending for box in felt.boxes for wager in box.wagers))
    await house.close_betting(table, round)
    await house.let_go(table)
    await playing
    await house.booked(round)
    return round


async def told(house: Floor, table: str, round: str) -> dict[str, Any]:
    """Return what every place says that an amount leaves the house by, in whole units of the currency."""
    currency, data, guest = TABLES[table][0], house.house.data, f"guest-{table.lower()}"
    entries = [event for line in await raw(house, ledger_stream(house.today)) for event in events_of(line)]
    of_round = [event for line in await raw(house, round_name(round).stream) for event in events_of(line)]
    settled = [event for event in entries if event["type"] == "wallet.StakesSettled.v1" and event["round"] == round]
    at_table = [event for event in of_round if event["type"] == "table.WagersSettled.v1"]
    rows = [json.loads(line) for line in (await feltlog(data, "statement", guest, "--json")).splitlines()]
    sheet = list(csv.DictReader(io.StringIO(await feltlog(data, "statement", guest, "--csv"), newline="")))
    balance = json.loads(await feltlog(data, "wallet", "balance", guest, "--json"))
    kept = await rows_of(data, guest)
    return {
        "entries: brought in": [
            units(each["minor"], currency) for each in entries if each.get("player") == guest and "Deposited" in each["type"]
        ],
        "entries: set aside": [
            units(each["minor"], currency) for each in entries if each.get("round") == round and "Reserved" in each["type"]
        ],
        "entries: settled": [line_of(line, event["currency"]) for event in settled for line in event["lines"]],
        "entries: postings": [
            units(leg["minor"], currency) for event in settled for leg in event["postings"] if f"/{guest}/" in leg["account"]
        ],
        "table": [line_of(line, event["currency"]) for event in at_table for line in event["lines"]],
        "statement --json": [(units(row["minor"], currency), units(row["balance_minor"], currency)) for row in rows if "minor" in row],
        "statement --csv": [(Decimal(row["amount"]), Decimal(row["balance"])) for row in sheet if row["amount"]],
        "decimals in CSV": {len(row[name].partition(".")[2]) for row in sheet for name in ("amount", "balance") if row[name]},
        "balance --json": [units(each["available_minor"], each["currency"]) for each in balance["amounts"]],
        "rows": [units(minor, currency) for minor in kept],
    }


def expected(table: str) -> dict[str, Any]:
    """Return what all of them must say, from the typed texts alone: a blackjack pays 3:2, rounded up to the chip (FL-5.9).

    A statement begins with the account, which is opened empty.
    """
    currency, *texts = TABLES[table]
    deposit, stake, chip = map(Decimal, texts)
    back = stake + (stake * 3 / 2 / chip).to_integral_value(ROUND_CEILING) * chip
    movements = [(Decimal(0), Decimal(0)), (deposit, deposit), (-stake, deposit - stake), (back, deposit - stake + back)]
    return {
        "entries: brought in": [deposit],
        "entries: set aside": [stake],
        "entries: settled": [(stake, back)],
        "entries: postings": [back],
        "table": [(stake, back)],
        "statement --json": movements,
        "statement --csv": movements,
        "decimals in CSV": {EXPONENTS[currency]},
        "balance --json": [deposit - stake + back],
        "rows": [deposit, -stake, back],
    }


async def raw(house: Floor, stream: str) -> list[bytes]:
    """Return the bytes of a stream's entries, as everybody gets them who subscribes to it."""
    return [stored.data async for stored in house.store.read(log_of(stream), pattern=stream)]


def events_of(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the events of an entry."""
    for decision in json.loads(data)["decisions"]:
        yield from decision["events"]


def line_of(line: dict[str, Any], currency: str) -> tuple[Decimal, Decimal]:
    """Return what a line of a settlement says was staked and given back."""
    return units(line["stake_minor"], currency), units(line["returned_minor"], currency)


def units(minor: int, currency: str) -> Decimal:
    """Return a sum in whole units."""
    assert type(minor) is int, "an amount on the wire is a whole number of minor units"
    return Decimal(minor).scaleb(-EXPONENTS[currency])


async def rows_of(data: Path, guest: str) -> list[int]:
    """Return what came to a guest's account by the wallet's own rows, as soon as the settlement is among them."""

    async def three() -> list[int] | None:
        with sqlite3.connect(f"file:{data / 'books.sqlite'}?mode=ro", uri=True) as database:
            found = database.execute("SELECT minor FROM postings WHERE account = ? ORDER BY revision", (f"player/{guest}/cash",)).fetchall()
        return [minor for (minor,) in found] if len(found) == 3 else None

    minors: list[int] = await until(three, "the rows have a deposit, a stake and what it gave back")
    return minors


async def test_amounts_that_leave_the_house_are_those_that_were_typed(tmp_path: Path):
    """cal.diy: two errors undid one another in the house's own books and not at the partner's."""
    async with dealing(tmp_path, f"{BURNT} {NATURAL}") as house:
        found = {table: await told(house, table, await played(house, table)) for table in TABLES}

    assert found == {table: expected(table) for table in TABLES}
