"""The read side of a house that plays: the same rows live, made anew, and in another database, whatever was killed meanwhile."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from feltlog.house import House
from services.wallet.views import Standing
from tests.integration.busy_house import BusyHouse, funds
from tests.integration.patience import until
from tests.integration.postgres_server import PostgresServer

DATABASE = "FELTLOG_WALLET_DATABASE"


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that runs."""
    server = PostgresServer()
    server.start()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[BusyHouse]:
    """A house with bots; whoever wants it in another database sets that before."""
    house = BusyHouse(tmp_path / "house")
    try:
        yield house
    finally:
        house.stop()


async def feltlog(house: House, *command: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit status of a command with `--json`, and the objects that it wrote."""

    def run() -> subprocess.CompletedProcess[bytes]:
        whole = [sys.executable, "-m", "feltlog", *command, "--data", str(house.data), "--json"]
        return subprocess.run(whole, capture_output=True, check=False)

    finished = await asyncio.to_thread(run)
    assert finished.returncode != 2, finished.stderr.decode()
    return finished.returncode, [msgspec.json.decode(line) for line in finished.stdout.splitlines()]


async def rebuilt(house: House, database: str = "") -> tuple[int, dict[str, Any]]:
    """Return the exit status of `feltlog rebuild`, and what it says."""
    status, (found,) = await feltlog(house, "rebuild", *(["--database", database] if database else []))
    return status, found


async def up_to_date(busy: BusyHouse) -> Standing:
    """Return what the wallet says of its rows as soon as nothing is missing from them."""

    async def standing() -> Standing | None:
        async with busy.pit() as pit:
            said = await pit.query("wallet", "rows", Standing)
        return said if said.state == "follows" and said.behind == 0 else None

    found: Standing = await until(standing, "the rows are up to date")
    return found


async def test_rows_of_an_evening_are_the_same_everywhere(busy: BusyHouse, postgres: PostgresServer):
    """Bots play, the wallet is killed: live in a file, made anew, and on PostgreSQL the digest is one; and everything adds up."""
    await asyncio.to_thread(busy.start)
    async with busy.evening() as play:
        await play.more_rounds(2)
        await busy.restart("wallet")
        await play.more_rounds(2)
        during, _ = await feltlog(busy.house, "reconcile")
    await up_to_date(busy)
    live = await rebuilt(busy.house)
    empty = await rebuilt(busy.house, postgres.empty_database())
    reconciled, days = await feltlog(busy.house, "reconcile")
    _, lines = await feltlog(busy.house, "statement", "ann")
    async with busy.pit() as pit:
        balance = await funds(pit, "ann")

    assert (live[0], live[1]["outcome"], empty[0], empty[1]["outcome"]) == (0, "same", 0, "built")
    assert live[1]["anew"] == empty[1]["anew"]
    assert (during, reconciled, days[-1]) == (0, 0, {"fine": True, "differences": 0})
    assert (sum(line.get("minor", 0) for line in lines), lines[-2]["what"], lines[-2]["balance_minor"]) == (
        balance,
        "closing balance",
        balance,
    )


async def test_rows_in_postgresql_go_on_after_wallet_and_database_were_killed(
    busy: BusyHouse, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
):
    """The money never waits for its rows: rounds are settled while the database is away, and the rows catch up."""
    url = postgres.empty_database()
    monkeypatch.setenv(DATABASE, url)
    await asyncio.to_thread(busy.start)
    async with busy.evening() as play:
        await play.more_rounds(1)
        listening = asyncio.create_task(busy.hears_alarm("rows_wait"))
        await asyncio.to_thread(postgres.kill)
        alarm = await listening
        await play.more_rounds(2)
        await busy.restart("wallet")
        await play.more_rounds(1)
        await asyncio.to_thread(postgres.start)
        await play.more_rounds(1)
    said = await up_to_date(busy)
    live = await rebuilt(busy.house)
    monkeypatch.delenv(DATABASE)
    anew = await rebuilt(busy.house)
    logs = "".join(path.read_text() for path in (busy.house.data / "logs").glob("*.log"))

    assert (live[1]["outcome"], anew[1]["outcome"], live[1]["anew"] == anew[1]["anew"]) == ("same", "built", True)
    assert ("it is not reached" in alarm["what"], postgres.password in str(alarm) + said.database + logs) == (True, False)


async def test_rows_stop_where_a_log_was_put_back_from_an_older_copy(busy: BusyHouse, tmp_path: Path):
    """Entries that were acknowledged are missing: the rows stop and say so, again after the log has grown, and the money goes on."""
    await asyncio.to_thread(busy.start)
    async with busy.evening() as play:
        await play.more_rounds(1)
    await asyncio.to_thread(busy.stop)
    shutil.copytree(busy.house.store, tmp_path / "older")
    await asyncio.to_thread(busy.machine.start)
    async with busy.evening() as play:
        await play.more_rounds(2)
    before = await up_to_date(busy)
    await asyncio.to_thread(busy.stop)
    shutil.rmtree(busy.house.store)
    shutil.copytree(tmp_path / "older", busy.house.store)
    # Surveillance knows it too and serves nobody; here the rows are looked at.
    busy.house.index.unlink()
    await asyncio.to_thread(busy.machine.start)
    alarm = await busy.hears_alarm("entries_missing")
    async with busy.evening() as play:
        await play.more_rounds(4)
    await busy.restart("wallet")

    async def stopped() -> Standing | None:
        async with busy.pit() as pit:
            said = await pit.query("wallet", "rows", Standing)
        return said if said.state == "stopped" else None

    after = await until(stopped, "the rows have stopped")
    shown, rows = await feltlog(busy.house, "status")
    status, found = await rebuilt(busy.house)

    assert ("Acknowledged entries are missing" in alarm["what"], after.stream, after.revision) == (True, before.stream, before.revision)
    assert (shown, [row["process"] for row in rows if row["rows"]]) == (1, ["wallet"])
    assert (status, found["outcome"]) == (1, "missing")
