"""The benches on a real server: they run from the command line, and their report has its form.  No figure is looked at."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOOP_FIGURES = (("", "wagers/s"), (", p50", "ms"), (", p99", "ms"))
KEYS = ["bench", "value", "unit", "peer", "peer_value", "ratio", "at_least"]


def test_append_and_command_are_reported_with_both_settings_of_the_server(tmp_path: Path):
    """What money rests on has a line; what others measure with stands beside it and has none."""
    out = tmp_path / "bench.json"
    rows, status = reported(out, "append", "command")

    assert (
        [(row["bench"], row["peer"], row["at_least"]) for row in rows],
        [list(row) for row in rows],
        json.loads(out.read_text())["rows"] == rows,
        status in (0, 1),
    ) == (
        [
            ("append", "nats-py", 0.8),
            ("append (default sync)", "nats-py", None),
            ("command", "nats-py", 0.6),
            ("command (default sync)", "nats-py", None),
        ],
        [KEYS] * 4,
        True,
        True,
    )


def test_ledger_is_reported_beside_tables_of_sqlite(tmp_path: Path):
    """Each row moves as much on both sides, and checks that all of it has arrived."""
    rows, status = reported(tmp_path / "bench.json", "ledger-7", "ledger-7-batch", "ledger-1")

    assert ([(row["bench"], row["peer"], row["at_least"]) for row in rows], status in (0, 1)) == (
        [
            ("ledger-7", "SQLite (WAL, FULL)", 3.0),
            ("ledger-7-batch", "SQLite (WAL, FULL), 100 in a commit", 0.3),
            ("ledger-1", "SQLite (WAL, FULL)", 1.0),
        ],
        True,
    )


def test_ledger_is_reported_beside_one_row_of_postgresql(tmp_path: Path):
    """Where PostgreSQL runs it moves as much as the ledger; where none can, there is no row."""
    rows, status = reported(tmp_path / "bench.json", "ledger-7-postgres")

    assert ([(row["bench"], row["peer"], row["at_least"]) for row in rows], status in (0, 1)) == (
        [("ledger-7-postgres", "PostgreSQL, 16 connections", 10.0)] if rows else [],
        True,
    )


def test_loop_and_crowd_tell_how_many_how_long_and_how_much(tmp_path: Path):
    """Nobody else does this, so that no line can be drawn; every wager is accepted, and the crowd's round is booked."""
    rows, status = reported(tmp_path / "bench.json", "loop", "crowd")

    assert ([(row["bench"], row["unit"]) for row in rows if row["value"] > 0 and row["peer"] is None], status) == (
        [
            *((f"loop: {number} in flight{what}", unit) for number in (1, 16, 256) for what, unit in LOOP_FIGURES),
            ("crowd: 200 wagers in 1 round", "s until they are booked"),
            ("crowd: 200 wagers in 1 round, accepted", "s"),
            ("crowd: 200 wagers in 1 round, entries", "entries of table and wallet"),
            ("crowd: 200 wagers in 1 round, bytes", "MB of table and wallet"),
            ("crowd: 200 wagers in 1 round, largest entry", "MB"),
        ],
        0,
    )


def reported(out: Path, *benches: str) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of a report on a fiftieth of these benches, and the exit status."""
    command = [sys.executable, "-m", "tests.benchmarks", *benches, "--scale", "0.02", "--json", "--out", str(out)]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(said.stdout)["rows"], said.returncode
