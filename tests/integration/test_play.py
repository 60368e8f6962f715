"""Playing on a real house: the commands of cage, pit and player, each run as a person runs it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from feltlog.commands.up import open_tables
from feltlog.house import House
from feltlog.machine import Machine

TABLES = """\
[house]
operator = "house"
day_starts = "06:00"
zone = "America/Toronto"

[[table]]
id = "T1"
profile = "ontario"
currency = "CAD"
minimum = "1.00"
maximum = "5.00"
betting_window_ms = 1500
decision_ms = 2000
pause_ms = 200

[[table]]
id = "T2"
profile = "live"
currency = "CAD"
minimum = "1.00"
maximum = "100.00"
betting_window_ms = 60000
decision_ms = 2000
dealer = "staff"
"""
PATIENCE_S = 120


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running house with a table that deals by itself and one that waits for its dealer."""
    directory = tmp_path_factory.mktemp("house")
    (directory / "tables.toml").write_text(TABLES)
    with Machine(directory):
        asyncio.run(open_tables(House(directory)))
        yield str(directory)


def feltlog(*arguments: str, said: str = "") -> tuple[int, str]:
    """Run a command with `said` on its standard input; return its status and all that it says."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}
    command = [sys.executable, "-m", "feltlog", *arguments]
    done = subprocess.run(command, input=said.encode(), env=inherited, capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_somebody_comes_in_plays_a_round_and_leaves(data):
    """Credential and money from the cage, a wager and a decision from a script, the round in the list."""
    added = feltlog("player", "add", "ann", "--deposit", "50.00", "--data", data)
    status, played = feltlog("play", "--table", "T1", "--player", "ann", "--data", data, said="2\ns\n")
    rounds = feltlog("rounds", "--player", "ann", "--data", data)[1]

    assert (added[0], status, "2.00 on box 1: accepted." in played, "ann has left table T1." in played, " 2.00 " in rounds) == (
        0,
        0,
        True,
        True,
        True,
    )


def test_a_stake_that_the_table_does_not_take_is_refused_with_a_sentence(data):
    """The limits of the table stand in the answer."""
    feltlog("player", "add", "bob", "--data", data)
    status, played = feltlog("play", "--table", "T1", "--player", "bob", "--data", data, said="6\n")

    assert (status, "above the maximum of 5.00 CAD" in played) == (0, True)


def test_a_dealer_runs_a_table_by_hand(data):
    """Nothing to close before the round, then wagers, then no more bets."""
    said = [
        feltlog("table", "deal", "T2", "--no-more-bets", "--data", data),
        feltlog("table", "deal", "T2", "--data", data),
        feltlog("table", "deal", "T2", "--no-more-bets", "--data", data),
    ]

    assert [status for status, _ in said] == [2, 0, 0]


def test_a_table_is_closed_and_opened_again(data):
    """And a table that stands in no settings is not opened."""
    said = [
        feltlog("table", "close", "T2", "--data", data),
        feltlog("table", "open", "T2", "--data", data),
        feltlog("table", "open", "T9", "--data", data),
    ]

    assert ([status for status, _ in said], "T1, T2" in said[2][1]) == ([0, 0, 2], True)


def test_a_house_in_order_holds_nothing(data):
    """Every service answers, and none holds anything."""

    assert feltlog("quarantine", "list", "--data", data) == (0, "Nothing is quarantined.\n")
