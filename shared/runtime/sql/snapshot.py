"""A snapshot: the rows of an index as they are at one moment, read a part at a time."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Table, func, select, tuple_

from shared.kernel.rows import Kind

Row = TypeVar("Row", bound=msgspec.Struct)

ROWS_READ_AT_ONCE = 2_000


class Snapshot:
    """The rows as they are at one moment, whatever is written meanwhile."""

    def __init__(self, connection: Connection, tables: Mapping[str, Table], kinds: Mapping[str, Kind], positions: Table) -> None:
        self._connection = connection
        self._tables = tables
        self._kinds = kinds
        self._positions = positions

    def positions(self) -> dict[str, int]:
        """Return, for each log, the sequence of the last entry that is in the rows."""
        return {row.log: row.sequence for row in self._connection.execute(select(self._positions))}

    def rows(self, name: str, kind: type[Row], **equal: Any) -> Iterator[Row]:
        """Yield the rows of a kind whose fields equal what is given, in the order of their keys."""
        table, names = self._tables[name], self._kinds[name].key
        key = tuple_(*(table.c[field] for field in names))
        wanted = select(table).where(*(table.c[field] == value for field, value in equal.items()))
        wanted = wanted.order_by(*key).limit(ROWS_READ_AT_ONCE)
        fields = [field.name for field in msgspec.structs.fields(kind)]
        last: tuple[Any, ...] | None = None
        while True:
            # A part at a time, each behind the last row: a driver may fetch everything that it is asked for.
            part = self._connection.execute(wanted if last is None else wanted.where(key > last)).all()
            for row in part:
                yield msgspec.convert(dict(zip(fields, row, strict=True)), kind)
            if len(part) < ROWS_READ_AT_ONCE:
                return
            last = tuple(getattr(part[-1], field) for field in names)

    def sums(self, name: str, of: str, by: tuple[str, ...], begin: str = "") -> dict[tuple[Any, ...], int]:
        """Return the sums of a field of numbers by some others; only of rows whose last field of `by` begins so."""
        table = self._tables[name]
        columns = [table.c[field] for field in by]
        summed = select(*columns, func.sum(table.c[of])).group_by(*columns).order_by(*columns)
        if begin:
            summed = summed.where(columns[-1].startswith(begin, autoescape=True))
        return {tuple(row[:-1]): int(row[-1]) for row in self._connection.execute(summed)}

    def count(self, name: str) -> int:
        """Return how many rows of a kind there are."""
        return int(self._connection.execute(select(func.count()).select_from(self._tables[name])).scalar_one())


def in_parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield rows, so many at once as are read at once."""
    some: list[Row] = []
    for row in rows:
        some.append(row)
        if len(some) >= ROWS_READ_AT_ONCE:
            yield some
            some = []
    if some:
        yield some
