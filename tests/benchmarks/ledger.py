"""`ledger-7`, `ledger-7-batch`, `ledger-1`, `ledger-7-postgres`: stakes set aside in a second, from entries of tables to the ledger's own.

Whoever keeps money in tables pays for a commit with each transfer, or lets a hundred wait for one another.  The ledger decides
whatever it has heard and appends it as one entry.  Seven wagers in an entry are a table whose boxes wager at one time; one
in an entry is the worst that a table can do.
"""

from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from tests.benchmarks.pairing import paired, per_second
from tests.benchmarks.placed import BOXES, FUNDS_MINOR, PLAYERS, TABLE_LOG, WALLET_LOG, Wallet
from tests.benchmarks.postgres_transfers import CONNECTIONS, HotRow, postgres
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import STAKE_MINOR
from tests.benchmarks.server import Loop, server
from tests.benchmarks.transfers import Transfers

BATCH = 100
SQLITE = "SQLite (WAL, FULL)"


class Peer(Protocol):
    """Somebody else who keeps the money of a thousand players and one house."""

    def move(self, transfers: int, minor: int) -> None:
        """Make so many transfers from players to the house."""

    def house_minor(self) -> int:
        """Return what the house has."""


def beside(bench: str, peer: Peer, name: str, *, wagers: int, at_least: float, effort: Effort, tell: Tell) -> Row:
    """Return the row of a ledger that hears so many wagers in an entry, beside a peer that moves as much."""
    rounds = max(1, effort.amount // BOXES)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="feltlog-bench-")))
        running = stack.enter_context(server(TABLE_LOG, WALLET_LOG, sync_always=True))
        wallet = Wallet(running.url, directory, stack.enter_context(Loop()))
        stack.callback(wallet.close)
        tell("opening the rounds")
        wallet.open(rounds * (effort.times + 1))

        def ours() -> float:
            wallet.lay(rounds, wagers)
            return per_second(rounds * BOXES, wallet.work_off)

        row = paired(
            bench,
            "movements/s",
            ours,
            name,
            lambda: per_second(rounds * BOXES, lambda: peer.move(rounds * BOXES, STAKE_MINOR)),
            at_least=at_least,
            times=effort.times,
            tell=tell,
        )
        moved = rounds * BOXES * (effort.times + 1)
        assert wallet.reserved() == moved, "every wager must be in the ledger"
        assert peer.house_minor() == moved * STAKE_MINOR, "every transfer must be the peer's too"
    return row


def beside_sqlite(bench: str, *, wagers: int, at_once: int, at_least: float, effort: Effort, tell: Tell) -> list[Row]:
    """Return the row of a ledger beside tables in a file, with so many transfers in one commit."""
    name = SQLITE if at_once == 1 else f"{SQLITE}, {at_once} in a commit"
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="feltlog-bench-")))
        peer = stack.enter_context(closing(Transfers(directory / "peer.sqlite", PLAYERS, FUNDS_MINOR, at_once)))
        return [beside(bench, peer, name, wagers=wagers, at_least=at_least, effort=effort, tell=tell)]


def run_7(effort: Effort, tell: Tell) -> list[Row]:
    """Set stakes aside, seven in a source entry, against one transfer in a commit."""
    return beside_sqlite("ledger-7", wagers=BOXES, at_once=1, at_least=3.0, effort=effort, tell=tell)


def run_7_batch(effort: Effort, tell: Tell) -> list[Row]:
    """Set stakes aside, seven in a source entry, against a hundred transfers in a commit."""
    return beside_sqlite("ledger-7-batch", wagers=BOXES, at_once=BATCH, at_least=0.3, effort=effort, tell=tell)


def run_1(effort: Effort, tell: Tell) -> list[Row]:
    """Set stakes aside, one in a source entry, against one transfer in a commit."""
    return beside_sqlite("ledger-1", wagers=1, at_once=1, at_least=1.0, effort=effort, tell=tell)


def run_7_postgres(effort: Effort, tell: Tell) -> list[Row]:
    """Set stakes aside, seven in a source entry, against sixteen connections that all change one row; no row where none can run."""
    with postgres() as url, Loop() as loop:
        if url is None:
            tell("there is no PostgreSQL on this machine")
            return []
        with closing(HotRow(url, loop, PLAYERS, FUNDS_MINOR)) as peer:
            name = f"PostgreSQL, {CONNECTIONS} connections"
            return [beside("ledger-7-postgres", peer, name, wagers=BOXES, at_least=10.0, effort=effort, tell=tell)]


LEDGER_7 = Bench(run=run_7, amount=4_900, times=7, about="stakes set aside in the ledger, seven in an entry of a table")
LEDGER_7_BATCH = Bench(run=run_7_batch, amount=4_900, times=7, about="the same, beside a hundred transfers in a commit")
LEDGER_1 = Bench(run=run_1, amount=2_100, times=7, about="stakes set aside in the ledger, one in an entry of a table")
LEDGER_7_POSTGRES = Bench(run=run_7_postgres, amount=4_900, times=5, about="the same, beside PostgreSQL and one row for the house")
