"""The benches that need no server: they run, and what they say has its form.  No figure is looked at."""

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.application import Application

from feltlog.scenario.run import run
from feltlog.scenario.text import read_json
from services.table.domain.state import Over
from tests.benchmarks.__main__ import BENCHES
from tests.benchmarks.engine import peer_rounds
from tests.benchmarks.pairing import paired
from tests.benchmarks.rebuild import PeerRound, events_of, logged_rounds, rebuild_ours, saved
from tests.benchmarks.report import report, sheet
from tests.benchmarks.row import Effort, Row
from tests.benchmarks.scenario import written
from tests.benchmarks.seat import Drafted, Logged, Shoe, Unlogged, play
from tests.benchmarks.transfers import Transfers


def silent(at: str) -> None:
    """Say nothing."""


LINES = {"engine": 0.4, "engine-logged": 0.35, "engine-drafted": None, "rebuild": 8.0}


@pytest.mark.parametrize("name", LINES)
def test_bench_without_a_server_returns_a_row_with_its_peer_and_its_line(name):
    """Whoever reads a row knows what was measured, beside what, and where the line is."""
    (row,) = BENCHES[name].run(Effort(2, 1), silent)

    assert (row.bench, row.value > 0, bool(row.peer), (row.peer_value or 0) > 0, (row.ratio or 0) > 0, row.at_least) == (
        name,
        True,
        True,
        True,
        True,
        LINES[name],
    )


def test_bench_without_a_peer_returns_its_figure_alone():
    """Nobody else plays written rounds, so no line can be drawn."""
    (row,) = BENCHES["scenario"].run(Effort(2, 1), silent)

    assert (row.bench, row.value > 0, row.peer, row.ratio, row.at_least) == ("scenario", True, None, None, None)


def test_written_rounds_are_played_to_their_ends():
    """What is measured are rounds that nothing stops: every file is valid, every word legal, every round settled."""
    results = [run(str(seed), written(seed), read_json, Path()).result for seed in range(100)]

    assert {(result.outcome, getattr(result, "refused", None)) for result in results} == {("settled", ())}


@pytest.mark.parametrize("log", [Unlogged, Logged, Drafted])
def test_seat_plays_whole_rounds(log):
    """What is measured are rounds from the opening to the settlement, of every kind that a few shoes bring."""
    shoe = Shoe()
    rounds = [log(number) for number in range(1, 101)]
    for number, round_ in enumerate(rounds, 1):
        play(round_, shoe, number)

    assert {type(round_.state) for round_ in rounds} == {Over}


def test_entries_of_a_seat_are_those_that_services_write():
    """The same cards leave the same bytes, whether only the entries are made or all that services keep beside them."""
    kept: list[list[bytes]] = []
    for log in (Logged, Drafted):
        random.seed(7)
        shoe, rounds = Shoe(), [log(number) for number in range(1, 101)]
        for number, round_ in enumerate(rounds, 1):
            play(round_, shoe, number)
        kept.append([data for round_ in rounds for data in round_.entries])

    assert kept[0] == kept[1]


def test_peer_plays_as_many_rounds_as_it_is_asked_to():
    """The peer's rounds come to their ends without an error, whatever the cards are."""
    assert peer_rounds()(100) is None


def test_rebuilt_rounds_hold_the_same_events_on_both_sides():
    """The peer's aggregate goes through every event that ours goes through."""
    (log,) = logged_rounds(1)
    app: Application[UUID] = Application()
    peer: PeerRound = app.repository.get(saved(app, log))
    rebuild_ours([log])

    assert peer.version == len(events_of(log))


def test_pairing_takes_the_median_of_the_ratios_and_leaves_the_first_pair_out():
    """A side that is disturbed once, or warms up, moves nothing."""
    ours, theirs = iter([1.0, 50.0, 2.0, 60.0]), iter([9.0, 100.0, 100.0, 100.0])
    row = paired("b", "x/s", lambda: next(ours), "peer", lambda: next(theirs), at_least=0.4, times=3, tell=silent)

    assert (row.ratio, row.value, row.peer_value, row.holds) == (0.5, 50.0, 100.0, True)


@pytest.mark.parametrize("at_once", [1, 4, 100])
def test_peer_of_the_ledger_conserves_money_however_many_transfers_are_in_a_commit(tmp_path: Path, at_once: int):
    """The peer does the same business: what players lose the house has, and each transfer has its movement and two postings."""
    peer = Transfers(tmp_path / "peer.sqlite", players=3, funds_minor=1_000, at_once=at_once)
    peer.move(10, 100)
    with closing(sqlite3.connect(tmp_path / "peer.sqlite")) as file:
        (found,) = file.execute(
            "SELECT (SELECT sum(minor) FROM balance), (SELECT count(*) FROM movement), count(*), sum(minor) FROM posting"
        ).fetchall()

    assert (peer.house_minor(), *found) == (1_000, 3_000, 10, 20, 0)


def test_row_under_its_line_does_not_hold():
    """A ratio under its line is found, one without a line never."""
    rows = [
        Row(bench="b", value=1.0, unit="x", ratio=ratio, at_least=at_least) for ratio, at_least in ((0.3, 0.4), (0.4, 0.4), (0.1, None))
    ]

    assert [row.holds for row in rows] == [False, True, True]


def test_report_holds_what_its_readers_rely_on(tmp_path: Path):
    """The file names machine, versions and date, and each row has every key, null where there is nothing."""
    path = tmp_path / "build" / "bench.json"
    report([Row(bench="round", value=1.5, unit="rounds/s")]).write(path)
    found = json.loads(path.read_text())

    assert (sorted(found), found["rows"]) == (
        ["date", "machine", "rows", "versions"],
        [{"bench": "round", "value": 1.5, "unit": "rounds/s", "peer": None, "peer_value": None, "ratio": None, "at_least": None}],
    )


def test_sheet_has_a_line_for_each_row():
    """The terminal shows what the file holds."""
    assert sheet([Row(bench="round", value=1.5, unit="rounds/s")] * 3).row_count == 3
