"""The peer of the ledger: SQLite, as people use it who keep money in tables.

The same business with the same durability: a transfer asks whether the player has the funds, writes the movement with its two
postings, and changes both balances.  `synchronous=FULL` in the write-ahead log forces each commit to the disk.
"""

import sqlite3
from pathlib import Path
from random import Random

SCHEMA = """
CREATE TABLE balance (account TEXT PRIMARY KEY, minor INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE movement (id INTEGER PRIMARY KEY, wager TEXT NOT NULL UNIQUE, round TEXT NOT NULL);
CREATE TABLE posting (
    movement INTEGER NOT NULL, account TEXT NOT NULL, minor INTEGER NOT NULL, PRIMARY KEY (movement, account)
) WITHOUT ROWID;
"""
HOUSE = "house"


class Transfers:
    """A thousand players and one house in a file, with so many transfers in one commit."""

    def __init__(self, path: Path, players: int, funds_minor: int, at_once: int) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.executescript(SCHEMA)
        accounts = [(HOUSE, 0), *((f"p{number}", funds_minor) for number in range(players))]
        self._connection.executemany("INSERT INTO balance VALUES (?, ?)", accounts)
        self._chance = Random(7)
        self._players = players
        self._at_once = at_once
        self._moved = 0

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def move(self, transfers: int, minor: int) -> None:
        """Make so many transfers from players to the house."""
        for first in range(0, transfers, self._at_once):
            self._connection.execute("BEGIN IMMEDIATE")
            for _ in range(min(self._at_once, transfers - first)):
                self._move(minor)
            self._connection.execute("COMMIT")

    def house_minor(self) -> int:
        """Return what the house has."""
        return int(self._connection.execute("SELECT minor FROM balance WHERE account = ?", (HOUSE,)).fetchone()[0])

    def _move(self, minor: int) -> None:
        # The connection keeps each statement prepared for as long as its text is the same.
        execute = self._connection.execute
        self._moved += 1
        player = f"p{self._chance.randrange(self._players)}"
        (held,) = execute("SELECT minor FROM balance WHERE account = ?", (player,)).fetchone()
        assert held >= minor, "these players always have enough"
        execute("INSERT INTO movement VALUES (?, ?, ?)", (self._moved, f"{player}-{self._moved}", f"T7.20261130-{self._moved // 7:06d}"))
        execute("INSERT INTO posting VALUES (?, ?, ?)", (self._moved, player, -minor))
        execute("INSERT INTO posting VALUES (?, ?, ?)", (self._moved, HOUSE, minor))
        execute("UPDATE balance SET minor = minor - ? WHERE account = ?", (minor, player))
        execute("UPDATE balance SET minor = minor + ? WHERE account = ?", (minor, HOUSE))
