"""The peer of `ledger-7-postgres`: PostgreSQL, as people use it who keep a balance for the house.

The same business as in a file of SQLite, over sixteen connections: each transfer locks the player's row, asks whether it has the
funds, and changes both balances.  All of them change the one row of the house, so each waits for the commit of the one before.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import asyncpg
import pytest

from tests.benchmarks.server import Loop
from tests.integration.postgres_server import PostgresServer

CONNECTIONS = 16
SCHEMA = """
CREATE TABLE balance (account text PRIMARY KEY, minor bigint NOT NULL);
CREATE TABLE movement (id bigint PRIMARY KEY, wager text NOT NULL UNIQUE, round text NOT NULL);
CREATE TABLE posting (movement bigint, account text, minor bigint NOT NULL, PRIMARY KEY (movement, account));
"""
HOUSE = "house"


class HotRow:
    """A thousand players and one house in a database."""

    def __init__(self, url: str, loop: Loop, players: int, funds_minor: int) -> None:
        self._loop = loop
        self._chance = Random(7)
        self._players = players
        self._moved = 0
        self._pool = loop.run(self._begin(url, funds_minor))

    def close(self) -> None:
        """Hang up."""
        self._loop.run(self._pool.close())

    def move(self, transfers: int, minor: int) -> None:
        """Make so many transfers from players to the house, over all connections at a time."""
        self._loop.run(self._move_all(transfers, minor))

    def house_minor(self) -> int:
        """Return what the house has."""
        return int(self._loop.run(self._pool.fetchval("SELECT minor FROM balance WHERE account = $1", HOUSE)))

    async def _begin(self, url: str, funds_minor: int) -> asyncpg.Pool:
        pool = await asyncpg.create_pool(url, min_size=CONNECTIONS, max_size=CONNECTIONS)
        for name in ("fsync", "synchronous_commit"):
            assert await pool.fetchval(f"SHOW {name}") == "on", f"{name} must be on"
        await pool.execute(SCHEMA)
        accounts = [(HOUSE, 0), *((f"p{number}", funds_minor) for number in range(self._players))]
        await pool.executemany("INSERT INTO balance VALUES ($1, $2)", accounts)
        return pool

    async def _move_all(self, transfers: int, minor: int) -> None:
        left = iter(range(transfers))

        async def work() -> None:
            async with self._pool.acquire() as connection:
                for _ in left:
                    await self._move(connection, minor)

        await asyncio.gather(*(work() for _ in range(CONNECTIONS)))

    async def _move(self, connection: asyncpg.Connection, minor: int) -> None:
        # The connection keeps each statement prepared for as long as its text is the same.
        self._moved += 1
        moved = self._moved
        player = f"p{self._chance.randrange(self._players)}"
        async with connection.transaction():
            held = await connection.fetchval("SELECT minor FROM balance WHERE account = $1 FOR UPDATE", player)
            assert held >= minor, "these players always have enough"
            await connection.execute(
                "INSERT INTO movement VALUES ($1, $2, $3)", moved, f"{player}-{moved}", f"T7.20261130-{moved // 7:06d}"
            )
            await connection.execute("INSERT INTO posting VALUES ($1, $2, $4), ($1, $3, $5)", moved, player, HOUSE, -minor, minor)
            await connection.execute("UPDATE balance SET minor = minor - $2 WHERE account = $1", player, minor)
            await connection.execute("UPDATE balance SET minor = minor + $2 WHERE account = $1", HOUSE, minor)


@contextmanager
def postgres() -> Iterator[str | None]:
    """Yield the URL of an empty database of a PostgreSQL of the bench's own, or None where none can run."""
    try:
        server = PostgresServer()
    except pytest.skip.Exception:
        yield None
        return
    try:
        server.start()
        yield server.empty_database()
    finally:
        server.close()
