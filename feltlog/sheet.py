"""The sheet: a player's statement as it is handed over, from its opening balances to its closing ones.

Instants are UTC in the log; here each is told in one zone, with its offset, because an hour of one night a year comes twice.
A day of the sheet is a day of the calendar in that zone, from midnight to midnight, be it 23 or 25 hours long: so the dates on
it are the day that was asked for, whatever the house calls its gaming day.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct
from rich.table import Table

from feltlog.screen import plain_table
from feltlog.wording import amount, gain, moment_of, stamp, wall
from services.wallet.statement import CASH, StatementRow

OPENING, CLOSING = "opening balance", "closing balance"
COLUMNS = ("player", "time", "what", "round", "wager", "bucket", "currency", "amount", "balance", "gaming_day", "stream", "revision")


class Standing(Struct, frozen=True, kw_only=True):
    """What lies in one bucket, before the first row of a sheet or after its last."""

    what: str
    currency: str
    bucket: str
    balance_minor: int


class Sheet(Struct, frozen=True, kw_only=True):
    """A statement, or a part of it.  `stream` and `revision` name the last entry of the ledger that was read for it."""

    player: str
    zone: str
    opening: tuple[Standing, ...]
    rows: tuple[StatementRow, ...]
    closing: tuple[Standing, ...]
    stream: str
    revision: int


Line = Standing | StatementRow


def sheet_of(player: str, rows: Sequence[StatementRow], zone: ZoneInfo, *, end: tuple[str, int], day: date | None, limit: int) -> Sheet:
    """Return the sheet of a calendar day in `zone`, or of everything; with `limit` of so many movements, the latest of them.

    `end` is the stream and the revision of the last entry that was read.
    """
    wanted = [place for place, row in enumerate(rows) if day is None or date_of(row.at_ms, zone) == day]
    wanted = wanted[-limit:] if limit else wanted
    if wanted:
        first, last = wanted[0], wanted[-1] + 1
    else:
        # A day on which nothing moved: its balances are those of the days before it.
        first = last = sum((date_of(row.at_ms, zone) or date.max) <= (day or date.max) for row in rows)
    return Sheet(
        player=player,
        zone=zone.key,
        opening=tuple(balances(rows[:first], OPENING)),
        rows=tuple(rows[first:last]),
        closing=tuple(balances(rows[:last], CLOSING)),
        stream=end[0],
        revision=end[1],
    )


def balances(rows: Sequence[StatementRow], what: str) -> Iterator[Standing]:
    """Yield what lies in each bucket after some rows, by currency, what can be used first."""
    latest = {(row.currency, row.bucket != CASH, row.bucket): row.balance_minor for row in rows}
    for (currency, _, bucket), minor in sorted(latest.items()):
        yield Standing(what=what, currency=currency, bucket=bucket, balance_minor=minor)


def date_of(at_ms: int, zone: ZoneInfo) -> date | None:
    """Return the date of a moment on the calendar in `zone`, None if no calendar has it."""
    moment = moment_of(at_ms, zone)
    return moment.date() if moment else None


def on_the_wall(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment on a clock in `zone` with its offset from UTC, so that no two hours look the same.

    >>> on_the_wall(1793511000000, ZoneInfo("America/Toronto")), on_the_wall(1793514600000, ZoneInfo("America/Toronto"))
    ('2026-11-01 01:30:00 -04:00', '2026-11-01 01:30:00 -05:00')
    """
    moment = moment_of(at_ms, zone)
    return f"{moment:%Y-%m-%d %H:%M:%S} {moment.isoformat()[19:]}" if moment else wall(at_ms, zone)


def lines_of(sheet: Sheet) -> list[Line]:
    """Return everything that stands on a sheet, in order."""
    return [*sheet.opening, *sheet.rows, *sheet.closing]


def as_of(sheet: Sheet) -> str:
    """Return in words which entry was the last that was read."""
    return f"As of revision {sheet.revision} of {sheet.stream}." if sheet.stream else "As of an empty ledger."


def table_of(sheet: Sheet, *, narrow: bool = False) -> Table:
    """Return the sheet as a table for people; where it is narrow, all but amounts in one column that folds between words."""
    zone = ZoneInfo(sheet.zone)
    lines = lines_of(sheet)
    buckets = {line.bucket for line in lines} - {CASH}
    table = plain_table()
    for heading in ("what",) if narrow else ("time", "what", "round", *(["bucket"] if buckets else [])):
        table.add_column(heading, overflow="fold")
    for heading in ("moved", "balance"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for line in lines:
        at, round, moved, style = "", "", "", "dim"
        if isinstance(line, StatementRow):
            at, round, moved, style = on_the_wall(line.at_ms, zone), line.round, gain(line.minor, line.currency), ""
        bucket = [line.bucket] if buckets else []
        folding = " ".join(filter(None, (at, ", ".join(filter(None, (line.what, *bucket, round))))))
        told = [folding] if narrow else [at, line.what, round, *bucket]
        table.add_row(*told, moved, amount(line.balance_minor, line.currency), line.currency, style=style)
    # An amount that is cut is another amount: whatever else must fold on few columns, these stay whole.
    for column in table.columns[-3:]:
        column.min_width = max(map(len, map(str, column.cells)), default=0)
    return table


def csv_of(sheet: Sheet) -> str:
    """Return the sheet as CSV by RFC 4180: a header, lines that end in CR LF, amounts as decimal texts of their currency."""
    zone = ZoneInfo(sheet.zone)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for line in lines_of(sheet):
        balance = amount(line.balance_minor, line.currency)
        if isinstance(line, Standing):
            end = (sheet.stream, sheet.revision) if line.what == CLOSING else ("", "")
            writer.writerow((sheet.player, "", line.what, "", "", line.bucket, line.currency, "", balance, "", *end))
        else:
            what = (stamp(line.at_ms, zone), line.what, line.round, line.wager, line.bucket, line.currency)
            writer.writerow((sheet.player, *what, amount(line.minor, line.currency), balance, line.day, line.stream, line.revision))
    return out.getvalue()


def objects_of(sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the sheet's lines for machines; the last says as of which entry they are."""
    zone = ZoneInfo(sheet.zone)
    for line in lines_of(sheet):
        at = {} if isinstance(line, Standing) else {"at": stamp(line.at_ms, zone)}
        yield {"player": sheet.player, **at, **msgspec.to_builtins(line)}
    yield {"player": sheet.player, "what": "as of", "stream": sheet.stream, "revision": sheet.revision, "zone": sheet.zone}
