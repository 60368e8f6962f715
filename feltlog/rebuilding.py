"""Rebuilding: the ledger's rows made anew from the logs, and held against those that stand there.

They are always made in a file that is thrown away.  Where there are none all of them are written at once, so that whoever
interrupts it leaves nothing behind; where there are some, they are made up to where those that stand there say that they are,
and compared row by row.  The digest is over postings and balances in the order of their
keys, so it is the same in every database, and the same for rows that were written evening by evening and for rows made anew.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from feltlog.auditing import Books
from feltlog.trouble import Trouble
from services.wallet.app.read_side import standing_rows
from services.wallet.rows import (
    BALANCES,
    HEADS,
    MOVEMENTS,
    POSTINGS,
    TABLES,
    BalanceRow,
    HeadRow,
    LogChanged,
    PostingRow,
    Rows,
    log_of_head,
)
from shared.kernel.entry import Unreadable
from shared.kernel.identity import digest
from shared.runtime.sql import EntriesMissing, Index, RowUnreadable, Snapshot, Where

POSTINGS_AT_ONCE = 5_000
ENTRIES_AT_ONCE = 2_000

Told = Callable[[int], None]
"""Is told how many further entries were read."""


class State(Struct, frozen=True, kw_only=True):
    """What rows come to: how many there are, as of which entry, and their digest."""

    stream: str
    revision: int
    movements: int
    postings: int
    balances: int
    digest: str


def open_index(where: Where) -> Index:
    """Return the rows at `where`; raise `SettingMissing` in a sentence if that cannot be."""
    return Index(where, TABLES)


async def wanted_ends(store: Books, standing: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Return up to which sequence each log is to be read, and how many messages lie behind that.

    It is as far as the rows that stand there, or to its end if there are none.
    Raises `EntriesMissing` if the rows know more than a log, and `Trouble` if they know of a log that is not kept here.
    """
    # The latest first: whatever is seen of a day, all of the day before it is seen as well.
    ends = {log: await store.end(log) for log in sorted(await store.logs("wallet"), reverse=True)}
    for log, known in standing.items():
        if log not in ends:
            raise Trouble(
                f"The rows know {log}, which is not kept here: they cannot be made anew from these logs, and are left as they are."
            )
        if known > ends[log]:
            raise EntriesMissing(log, known=known, end=ends[log])
    if not standing:
        return ends, 0
    return dict(standing), sum(ends.values()) - sum(standing.values())


def reach_of(standing: Snapshot) -> dict[str, int]:
    """Return how far each log is in rows that stand there, by their positions and by the last entries that they know."""
    reach = standing.positions()
    with suppress(RowUnreadable):
        for head in standing.rows(HEADS, HeadRow):
            log = log_of_head(head)
            if log in reach or log != head.stream:
                reach[log] = max(head.sequence, reach.get(log, 0))
    return reach


async def build(store: Books, index: Index, ends: Mapping[str, int], told: Told = lambda count: None) -> None:
    """Write the rows of the logs up to `ends`, from where they stand in the index; raise `Trouble` if that cannot be."""
    rows = standing_rows(index)
    before, heard = dict(rows.positions), 0

    def write() -> None:
        nonlocal rows, before, heard
        index.write(rows.written(), {log: end for log, end in rows.positions.items() if end != before.get(log)}, after=before)
        rows, heard = Rows(rows.positions, rows.heads), 0
        before = dict(rows.positions)

    try:
        for log in sorted(ends):
            async for stored in store.read(log, after=rows.positions.get(log, 0), upto=ends[log]):
                rows.hear(stored)
                told(1)
                heard += 1
                if heard >= ENTRIES_AT_ONCE or len(rows.postings) >= POSTINGS_AT_ONCE:
                    write()
        write()
    except (LogChanged, Unreadable) as error:
        raise Trouble(f"The rows cannot be made from these logs: {error}.") from error


def state_of(snapshot: Snapshot) -> State:
    """Return what rows come to."""
    hashed = sha256()
    postings = balances = 0
    for posting in snapshot.rows(POSTINGS, PostingRow):
        hashed.update(line_of(posting))
        postings += 1
    for balance in snapshot.rows(BALANCES, BalanceRow):
        hashed.update(line_of(balance))
        balances += 1
    heads = list(snapshot.rows(HEADS, HeadRow))
    latest = heads[-1] if heads else None
    return State(
        stream=latest.stream if latest else "",
        revision=latest.revision if latest else 0,
        movements=snapshot.count(MOVEMENTS),
        postings=postings,
        balances=balances,
        digest=hashed.hexdigest(),
    )


def line_of(row: Struct) -> bytes:
    """Return a row as the digest is taken over it: its fields as a JSON array, and the end of a line."""
    return msgspec.json.encode(msgspec.structs.astuple(row)) + b"\n"


def first_difference(standing: Snapshot, anew: Snapshot) -> str:
    """Return the first row that stands there and is not made anew, or the other way round, in a sentence; nothing if there is none."""
    contradiction = Rows(standing.positions(), {head.stream: head for head in standing.rows(HEADS, HeadRow)}).contradiction()
    if contradiction is not None:
        return str(contradiction)
    for name in (MOVEMENTS, POSTINGS, BALANCES, HEADS):
        for there, made in in_pairs(name, standing, anew):
            if there is None:
                return f"of {name} this row is missing: {shown(made)}"
            if made is None:
                return f"of {name} this row does not come from the logs: {shown(there)}"
            if there != made:
                return f"of {name} {shown(there)} stands there, and the logs give {shown(made)}"
    return ""


async def missing_entry(store: Books, standing: Snapshot, anew: Snapshot) -> str:
    """Return which entry the rows rest on that does not stand in the logs any more, in a sentence; nothing if they all do."""
    for there, made in in_pairs(HEADS, standing, anew):
        if there is not None and there != made and not await _stands(store, there):
            return (
                f"Acknowledged entries are missing: revision {there.revision} of {there.stream} is not the entry that the rows rest on. "
                "Bring the log back from its backup"
            )
    return ""


async def _stands(store: Books, head: HeadRow) -> bool:
    """Return whether the entry that the rows know as the last of a book lies where they know it."""
    if log_of_head(head) == head.stream:
        # It names no book: a hand wrote it, and no log has lost it.
        return True
    found = [one async for one in store.read(log_of_head(head), after=head.sequence - 1, upto=head.sequence)]
    return [digest(one.data) for one in found] == [head.digest]


def in_pairs(name: str, standing: Snapshot, anew: Snapshot) -> Iterator[tuple[Any, Any]]:
    """Yield the rows of a kind side by side, None for one that is on the other side alone."""
    kind = TABLES[name]
    theirs, ours = standing.rows(name, kind.row), anew.rows(name, kind.row)
    there, made = next(theirs, None), next(ours, None)
    while there is not None or made is not None:
        places = [tuple(getattr(row, field) for field in kind.key) if row is not None else None for row in (there, made)]
        if made is None or (there is not None and places[0] < places[1]):  # type: ignore[operator]
            yield there, None
            there = next(theirs, None)
        elif there is None or places[1] < places[0]:  # type: ignore[operator]
            yield None, made
            made = next(ours, None)
        else:
            yield there, made
            there, made = next(theirs, None), next(ours, None)


def shown(row: Any) -> str:
    """Return a row as it stands there."""
    return ", ".join(f"{name} {value}" for name, value in msgspec.structs.asdict(row).items() if value not in ("", None))
