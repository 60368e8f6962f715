"""`feltlog verify`: what is heard, and how it is told."""

import io

import msgspec
import pytest

from feltlog.auditing import audit_all, audit_round, concerns
from feltlog.commands.verify import CHECKS, show
from feltlog.screen import screen
from services.surveillance.domain.findings import Code
from services.surveillance.domain.report import Counts, Report
from shared.contracts.subjects import round_name
from tests.books import Books
from tests.houses import WholeHouse, little_house

ROUND = "T1.20261130-000002"


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each."""
    return little_house(7)


def shown(report: Report) -> str:
    """Return what a person reads of a report."""
    console = screen(io.StringIO())
    show(console, report)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def changed(house: WholeHouse, stream: str, revision: int) -> Books:
    """Return the house's logs with one byte of one entry changed."""
    books = Books(house.stored)
    place = [place for place, each in enumerate(books.messages) if each.stream == stream][revision - 1]
    data = books.messages[place].data.replace(b'"at_ms":', b'"at_mz":', 1)
    books.messages[place] = msgspec.structs.replace(books.messages[place], data=data, claimed="")
    return books


async def test_all_of_a_house_is_proved(house):
    """Everything that real deciders wrote passes every check."""
    report = await audit_all(Books(house.stored))

    assert (report.fine, report.counts.entries, report.counts.rounds_judged) == (True, len(house.stored), 6)


async def test_one_round_is_proved_from_what_concerns_it(house):
    """One round is judged, and none of the other tables' streams is heard."""
    report = await audit_round(Books(house.stored), round_name(ROUND))

    assert (report.fine, report.counts.rounds_judged, report.counts.entries < len(house.stored)) == (True, 1, True)


async def test_a_changed_byte_is_found_and_its_place_named(house):
    """Stream and revision stand in the finding and on the screen."""
    stream = round_name(ROUND).stream
    report = await audit_round(changed(house, stream, 3), round_name(ROUND))
    places = {(found.stream, found.revision) for found in report.findings if found.severity == "breach"}

    assert (report.fine, any(place[0] == stream and place[1] in (2, 3, 4) for place in places), stream in shown(report)) == (
        False,
        True,
        True,
    )


async def test_a_missing_round_is_found_although_nothing_of_it_is_there(house):
    """The table's own stream says that there was one."""
    stream = round_name(ROUND).stream
    report = await audit_round(Books(each for each in house.stored if each.stream != stream), round_name(ROUND))

    assert Code.MISSING_ROUND in {found.code for found in report.findings}


async def test_a_house_that_plays_is_heard_up_to_one_moment(house):
    """What one log already says and another not yet is no finding."""
    books = Books(house.stored)
    cut_ms = house.stored[len(house.stored) // 2].stored_at_ms
    report = await audit_all(Books(each for each in books.messages if each.stored_at_ms <= cut_ms))

    assert report.fine


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("log.table.20261130.T1.table", True),
        ("log.table.20261130.T2.table", False),
        ("log.table.20261130.T1.round.000002", True),
        ("log.table.20261130.T1.round.000003", False),
        ("log.shoe.20261130.T1-S1b", True),
        ("log.shoe.20261130.T11-S1", False),
        ("log.wallet.20261130.ledger.0", True),
        ("log.wallet.20261130.desk", False),
    ],
)
def test_a_round_concerns_its_table_its_shoes_and_the_ledger(stream, expected):
    """Nothing else of the day can say anything about it."""

    assert concerns(stream, round_name(ROUND)) is expected


def test_every_code_belongs_to_a_line_of_the_checklist():
    """No finding can hide behind a list that says ok."""
    covered = [code for each in CHECKS for code in each.codes]

    assert sorted(covered) == sorted(Code)


def test_what_was_not_checked_is_not_called_fine():
    """A count of nothing says so."""

    assert shown(Report(counts=Counts(), findings=())).count("nothing to check") == len(CHECKS)
