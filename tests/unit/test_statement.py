"""`feltlog statement`: the ledger's own entries, told to a player in the player's own time."""

import csv
import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from feltlog.commands.statement import day_of, player_rows, show, zone_of
from feltlog.commands.statement import statement as command
from feltlog.house import House
from feltlog.screen import fitting, screen
from feltlog.sheet import Sheet, csv_of, objects_of, on_the_wall, sheet_of, table_of
from feltlog.trouble import Trouble
from services.wallet.statement import StatementRow, statement
from shared.contracts.accounts import Posting
from shared.contracts.cage import AdjustmentMade, Deposited
from shared.contracts.stakes import CorrectedStake, ReserveStake, SettledStake, StakeReserved, StakesCorrected, StakesSettled
from shared.contracts.wallet import BookClosed, CarriedForward, CarriedStake
from shared.kernel.entry import Decision, Entry
from shared.kernel.messages import HOUSE
from tests.books import Books
from tests.forgery import forged, read
from tests.houses import WholeHouse, little_house

TORONTO = ZoneInfo("America/Toronto")
END = ("log.wallet.20261130.ledger.0", 32)


@pytest.fixture(scope="module")
def house() -> WholeHouse:
    """Two tables, three rounds on each."""
    return little_house(7)


def row(at: str, minor: int, balance_minor: int, **more: str) -> StatementRow:
    """Return a movement at an instant, which is written in UTC."""
    at_ms = int(datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()) * 1000
    usual = {"day": "20261101", "what": "deposit", "currency": "CAD", "stream": END[0]}
    return StatementRow(at_ms=at_ms, minor=minor, balance_minor=balance_minor, revision=1, **{**usual, **more})


def sheet(rows: list[StatementRow], zone: ZoneInfo = TORONTO, *, day: date | None = None, limit: int = 0) -> Sheet:
    """Return a statement of ann's."""
    return sheet_of("ann", rows, zone, end=END, day=day, limit=limit)


def on_paper(found: Sheet) -> list[str]:
    """Return a statement as lines of text."""
    console = screen(io.StringIO())
    console.print(table_of(found))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


async def test_a_statement_begins_with_the_account_and_ends_with_its_balance(house):
    """The last balance is what the ledger says."""
    rows, _ = await player_rows(Books(house.stored), "bob")
    ledger = house.streams["log.wallet.20261130.ledger.0"].state

    assert ([row.what for row in rows[:2]], rows[-1].balance_minor) == (["account opened", "deposit"], ledger.account("bob", "CAD").minor)


async def test_a_statement_says_as_of_which_entry_it_is(house):
    """The last of the ledger, be it about this player or not."""
    _, end = await player_rows(Books(house.stored), "bob")

    assert end == ("log.wallet.20261130.ledger.0", len(house.of("log.wallet.20261130.ledger.0")))


async def test_a_statement_on_paper_has_a_line_for_each_movement(house):
    """And one for the heading, one under it, and one for what lies there in the end."""
    rows, _ = await player_rows(Books(house.stored), "bob")

    assert len(on_paper(sheet(rows))) == len(rows) + 3


@pytest.mark.parametrize("columns", [120, 80, 50])
def test_amounts_stay_whole_on_any_screen(columns: int):
    """An amount that is cut is another amount: all else folds before it."""
    out = io.StringIO()
    console = screen(out)
    console.width = columns
    found = sheet([row("2026-11-01T12:00:00", 1_234_567_89, 1_234_567_89, round="T7.20261101-000123", bucket="promo")])
    console.print(fitting(console, table_of(found), table_of(found, narrow=True)))
    lines = out.getvalue().splitlines()
    whole = ("+1234567.89  1234567.89", "T7.20261101-000123", "deposit", "closing", "balance", "promo", "-05:00")

    assert ([words in out.getvalue() for words in whole], max(map(len, lines)) <= columns) == ([True] * len(whole), True)


def test_a_day_without_movements_says_so(capsys: pytest.CaptureFixture[str]):
    """An empty table might be one that was not found."""
    rows = [row("2026-11-01T12:00:00", 500, 500)]
    for day in (date(2026, 10, 31), date(2026, 11, 2)):
        show(sheet(rows, day=day), day)
    told = capsys.readouterr().out

    assert [told.count(words) for words in ("Nothing moved on 2026-1", "opening balance", "moved  balance")] == [2, 1, 1]


async def test_somebody_without_an_account_is_trouble(house):
    """The sentence says how one is opened."""
    with pytest.raises(Trouble, match="There is no account of 'zoe'"):
        await player_rows(Books(house.stored), "zoe")


def test_each_bucket_has_a_balance_of_its_own(house):
    """What the house gives towards wagers is never counted with what can be taken home, whichever event moves it."""
    both = (
        Posting(account="player/ann/promo", minor=200),
        Posting(account="player/ann/cash", minor=300),
        Posting(account="house/promo", minor=-500),
    )
    stored = forged(house.stored, Deposited, lambda event: [event, replace(event, postings=both)], stream="ledger")
    entries = [read(one) for one in stored if one.stream.endswith("ledger.0")]
    rows = [row for row in statement(entries, "ann") if row.what == "deposit"]

    assert [(row.bucket, row.minor, row.balance_minor) for row in rows] == [
        ("cash", 1_000_000, 1_000_000),
        ("promo", 200, 200),
        ("cash", 300, 1_000_300),
    ]


def test_a_settlement_into_two_buckets_has_a_row_for_each(house):
    """Where a line is not one bucket's alone, the buckets are what is told."""

    def parted(event: StakesSettled) -> list[StakesSettled]:
        legs = (*event.postings, Posting(account="player/ann/promo", minor=1), Posting(account="player/ann/cash", minor=-1))
        return [replace(event, postings=legs)]

    stored = forged(house.stored, StakesSettled, parted, stream="ledger")
    entries = [read(one) for one in stored if one.stream.endswith("ledger.0")]

    assert [row.minor for row in statement(entries, "ann") if row.bucket == "promo"] == [1]


ROUND = "T7.20261101-000001"
ANN: dict[str, Any] = {"player": "ann", "currency": "CAD"}


def by_hand(*events: Any) -> list[StatementRow]:
    """Return ann's statement of events by hand."""
    command = ReserveStake(wager="w1", round=ROUND, minor=1, **ANN)
    decision = Decision(id="d", command=command, cause=None, actor=HOUSE, received_at_ms=1, events=events)
    entry = Entry(stream=END[0], revision=1, at_ms=1, writer="w", epoch=1, software="t", prev="", decisions=(decision,))
    return list(statement([entry], "ann"))


def told(*events: Any) -> list[tuple[str, str, int]]:
    """Return what a statement says of events by hand: what it was, which bucket, and how much came to it."""
    return [(row.what, row.bucket, row.minor) for row in by_hand(*events)]


def legs(**minor: int) -> tuple[Posting, ...]:
    """Return what comes to ann's buckets."""
    return tuple(Posting(account=f"player/ann/{bucket}", minor=each) for bucket, each in minor.items())


def staked(promo: int, cash: int) -> StakeReserved:
    """Return that ann staked so much of each."""
    moved = legs(**{bucket: -minor for bucket, minor in (("cash", cash), ("promo", promo)) if minor})
    return StakeReserved(wager="w1", round=ROUND, minor=promo + cash, promo_minor=promo, postings=moved, **ANN)


def settled(stake: int, returned: int, **moved: int) -> StakesSettled:
    """Return that ann's wager gave back so much."""
    line = SettledStake(wager="w1", player="ann", stake_minor=stake, returned_minor=returned)
    return StakesSettled(round=ROUND, currency="CAD", lines=(line,), postings=legs(**moved))


@pytest.mark.parametrize(
    ("stake", "settlement", "said"),
    [
        (staked(400, 0), settled(400, 0), [("promo", 0)]),
        (staked(400, 600), settled(1_000, 0), [("cash", 0), ("promo", 0)]),
        (staked(400, 600), settled(1_000, 2_001, cash=1_201, promo=800), [("cash", 1_201), ("promo", 800)]),
        (staked(400, 0), settled(400, 800, promo=800), [("promo", 800)]),
        (staked(0, 600), settled(600, 0), [("cash", 0)]),
    ],
    ids=["promo lost", "both lost", "both won", "promo won", "cash lost"],
)
def test_a_settlement_is_told_by_the_buckets_that_its_stake_came_from(stake: Any, settlement: Any, said: list[tuple[str, int]]):
    """FL-5.1: what a gift lost is no loss of cash, and nothing came back to cash."""
    assert [(bucket, minor) for what, bucket, minor in told(stake, settlement) if what == "settled"] == said


def test_a_stake_that_was_carried_over_the_night_is_told_by_its_buckets():
    """What was staked yesterday is parted as it was."""
    carried = CarriedStake(wager="w1", round=ROUND, minor=400, promo_minor=400, **ANN)

    assert told(CarriedForward(from_day="20261031", stakes=(carried,)), settled(400, 0)) == [("settled", "promo", 0)]


def test_a_book_that_is_closed_knows_its_stakes_no_more():
    """A wager's name is its round's own, and another day's round may say nothing of promotional money."""
    closed = BookClosed(day="20261101", next_day="20261102", accounts=1, stakes=0)

    assert told(staked(400, 0), settled(400, 0), closed, settled(400, 0))[-1] == ("settled", "cash", 0)


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ({"promo": -800, "cash": -1_200}, [("cash", "w1", -1_200), ("promo", "w1", -800)]),
        ({"promo": -300, "cash": -1_200}, [("promo", "", -300), ("cash", "", -1_200)]),
    ],
    ids=["all of it", "the house bears a part"],
)
def test_a_correction_is_told_by_wager_where_it_is_the_wagers_alone(moved: dict[str, int], said: list[tuple[str, str, int]]):
    """What the house bears of it is nothing that the player's wager did."""
    line = CorrectedStake(wager="w1", player="ann", settled_minor=2_000, returned_minor=0)
    correction = StakesCorrected(round=ROUND, number=1, currency="CAD", lines=(line,), postings=legs(**moved))
    won = settled(1_000, 2_000, cash=1_200, promo=800)
    rows = by_hand(staked(400, 600), won, correction)

    assert [(row.bucket, row.wager, row.minor) for row in rows if row.what == "corrected"] == said


def test_promotional_money_that_became_cash_is_told_as_that():
    """It is the player's own money that moves, and none of the house's."""
    made = AdjustmentMade(
        adjustment="20261101-1",
        minor=500,
        reason="promo_redeemed",
        round="",
        proposed_by="pit",
        by="sue",
        job="casino_supervisor",
        postings=legs(promo=-500, cash=500),
        **ANN,
    )

    assert told(made) == [("promo redeemed", "promo", -500), ("promo redeemed", "cash", 500)]


@pytest.mark.parametrize(
    ("day", "hours", "first", "last"),
    [
        (date(2026, 3, 8), 23, "2026-03-08 00:00:00 -05:00", "2026-03-08 23:59:59 -04:00"),
        (date(2026, 11, 1), 25, "2026-11-01 00:00:00 -04:00", "2026-11-01 23:59:59 -05:00"),
        (date(2026, 11, 30), 24, "2026-11-30 00:00:00 -05:00", "2026-11-30 23:59:59 -05:00"),
    ],
)
def test_a_day_is_from_midnight_to_midnight_on_the_players_own_clock(day, hours, first, last):
    """Instants are UTC and days are the player's, be they 23 or 25 hours long: a movement each quarter of an hour."""
    begin = int(datetime.combine(day, datetime.min.time(), TORONTO).timestamp()) * 1000
    every = [begin + quarter * 900_000 for quarter in range(-8, 4 * hours + 8)]
    seconds = sorted([*every, begin - 1, begin + hours * 3_600_000 - 1])
    rows = [replace(row("2026-11-01T00:00:00", 1, count), at_ms=at_ms) for count, at_ms in enumerate(seconds)]
    found = sheet(rows, day=day)
    on_wall = [on_the_wall(each.at_ms, TORONTO) for each in found.rows]

    assert (len(found.rows), on_wall[0], on_wall[-1]) == (4 * hours + 1, first, last)


def test_an_hour_that_comes_twice_is_told_apart():
    """Half past one comes twice in the night in which the clocks go back; the offset says which one it was."""
    lines = on_paper(sheet([row("2026-11-01T05:30:00", 100, 100), row("2026-11-01T06:30:00", 100, 200)]))

    assert [line[:26] for line in lines[2:4]] == ["2026-11-01 01:30:00 -04:00", "2026-11-01 01:30:00 -05:00"]


def test_a_sheet_begins_and_ends_with_balances():
    """Of the day that was asked for; what came before is in the opening balance."""
    rows = [row("2026-11-01T12:00:00", 500, 500), row("2026-11-02T12:00:00", -200, 300), row("2026-11-03T12:00:00", 50, 350)]
    found = sheet(rows, day=date(2026, 11, 2))

    assert ([each.balance_minor for each in found.opening], found.rows, [each.balance_minor for each in found.closing]) == (
        [500],
        (rows[1],),
        [300],
    )


def test_a_day_on_which_nothing_moved_has_its_balances():
    """They are those of the day before."""
    rows = [row("2026-11-01T12:00:00", 500, 500), row("2026-11-03T12:00:00", 50, 550)]
    found = sheet(rows, day=date(2026, 11, 2))

    assert ([each.balance_minor for each in found.opening], found.rows, [each.balance_minor for each in found.closing]) == (
        [500],
        (),
        [500],
    )


@pytest.mark.parametrize("name", ["", "a b", "../ann", "=1+1", "\udcff"])
def test_a_name_that_nobody_can_have_is_told_before_anything_is_read(name):
    """And nobody is told to open an account of that name."""
    with pytest.raises(Trouble, match="is not a name"):
        command(name, data=Path("nowhere"))


def test_the_latest_movements_begin_with_what_was_there_before_them():
    """A sheet that is cut short adds up like a whole one."""
    rows = [row("2026-11-01T12:00:00", 500, 500), row("2026-11-01T12:00:01", 70, 70, currency="JPY"), row("2026-11-02T12:00:00", -200, 300)]
    found = sheet(rows, limit=1)

    assert [(each.currency, each.balance_minor) for each in (*found.opening, *found.closing)] == [
        ("CAD", 500),
        ("JPY", 70),
        ("CAD", 300),
        ("JPY", 70),
    ]


def test_csv_is_what_a_spreadsheet_reads():
    """RFC 4180: a header, CR LF, decimal texts with the decimals of the currency."""
    rows = [row("2026-11-01T05:30:00", 500, 500), row("2026-11-01T06:30:00", -70, 30, currency="JPY", what='said "no", then left')]
    text = csv_of(sheet(rows))
    read_back = list(csv.reader(io.StringIO(text, newline="")))

    assert (text.count("\r\n"), text.replace("\r\n", "").count("\n"), read_back[0][:4]) == (5, 0, ["player", "time", "what", "round"])
    assert [(line[1], line[2], line[6], line[7], line[8]) for line in read_back[1:]] == [
        ("2026-11-01T01:30:00.000-04:00", "deposit", "CAD", "5.00", "5.00"),
        ("2026-11-01T01:30:00.000-05:00", 'said "no", then left', "JPY", "-70", "30"),
        ("", "closing balance", "CAD", "", "5.00"),
        ("", "closing balance", "JPY", "", "30"),
    ]


def test_json_ends_with_the_entry_that_it_is_as_of():
    """For a machine that asks again later."""
    last = list(objects_of(sheet([row("2026-11-01T05:30:00", 500, 500)])))[-1]

    assert last == {"player": "ann", "what": "as of", "stream": END[0], "revision": END[1], "zone": "America/Toronto"}


def test_a_zone_that_is_none_is_trouble(tmp_path):
    """The sentence says how one is written."""
    with pytest.raises(Trouble, match="There is no time zone 'Mars/Base' on this machine"):
        zone_of("Mars/Base", House(tmp_path))


@pytest.mark.parametrize("text", ["2026-11-30", "20261130"])
def test_a_day_is_written_as_on_a_calendar_or_as_the_house_names_its_own(text):
    """Both are the same date."""
    assert day_of(text) == date(2026, 11, 30)


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "30.11.2026", "202611", "2026111", "2026-1-1", "٢٠٢٦١١٣٠", " ", "2026-W48-1"])
def test_what_is_no_day_is_trouble(text):
    """The sentence says how one is written."""
    with pytest.raises(Trouble, match=r"is no day\. Write one such as 2026-11-30"):
        day_of(text)
