"""The index: rows that can be asked for quickly, in an SQLite file beside the logs or in a database of the operator's.

It proves nothing and may be thrown away: everything in it can be built again from the logs.  Rows and how far the logs are
in them are written in one transaction, so the index never says that it knows what it does not.  An index that is ahead of
its log says something worse: entries that were acknowledged once are not there any more.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, MetaData, Table, and_, bindparam, delete, inspect, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError, DBAPIError

from shared.kernel.rows import Kind
from shared.runtime.settings import SettingMissing
from shared.runtime.sql.database import DatabaseUnusable, Where, engine_of, shown, trouble
from shared.runtime.sql.snapshot import Row, Snapshot, in_parts
from shared.runtime.sql.tables import positions_of, sent, table_of, values_of


class EntriesMissing(Exception):
    """Acknowledged entries are missing: the index knows more of a log than the log holds."""

    def __init__(self, log: str, *, known: int, end: int) -> None:
        super().__init__(
            f"Acknowledged entries are missing: {log} ends at sequence {end}, and the index has seen it up to {known}. "
            "Bring the log back from its backup; only if that cannot be, remove the index and let it be built from what is left."
        )
        self.log = log
        self.known = known
        self.end = end


class Overtaken(Exception):
    """Somebody else has written further rows of a log meanwhile: nothing was written."""

    def __init__(self, log: str) -> None:
        super().__init__(f"the rows of {log} were written by another process meanwhile")


class IndexUnreadable(SettingMissing):
    """The file is no index, or cannot be opened."""

    def __init__(self, where: Where, why: object) -> None:
        super().__init__(
            f"The index {shown(where)} cannot be used: {why}. It can be built again from the logs: move it away; "
            "what it alone remembers is how far each log once reached."
        )


class Index:
    """The rows of some kinds, by name.  Fields that are neither numbers nor text are kept as JSON.

    Raises `IndexUnreadable` if the file at `where` is something else, `DatabaseAway` if the database does not answer, and
    `DatabaseUnusable` if it lets nobody in or holds tables of these names that are not these.
    """

    def __init__(self, where: Where, kinds: Mapping[str, Kind]) -> None:
        self.where = where
        self._kinds = kinds
        self._metadata = MetaData()
        self._positions = positions_of(self._metadata)
        self._tables = {name: table_of(name, kind, self._metadata) for name, kind in kinds.items()}
        self._engine = engine_of(where)
        self._insert = sqlite.insert if isinstance(where, Path) else postgresql.insert
        try:
            with self._engine.begin() as connection:
                self._refuse_others(connection)
                self._metadata.create_all(connection)
        except DBAPIError as error:
            self._engine.dispose()
            raise self.trouble(error) from None
        except DatabaseUnusable:
            self._engine.dispose()
            raise

    def trouble(self, error: DBAPIError) -> SettingMissing:
        """Return what an error of the database means, in a sentence; `DatabaseAway` if it may pass."""
        if isinstance(self.where, Path) and type(error) is DatabaseError:
            return IndexUnreadable(self.where, error.orig)
        return trouble(self.where, error)

    def positions(self) -> dict[str, int]:
        """Return, for each log, the sequence of the last entry that is in the rows."""
        with self.snapshot() as snapshot:
            return snapshot.positions()

    def position(self, log: str) -> int:
        """Return the sequence of the last entry of a log that is in the rows, 0 if there is none."""
        return self.positions().get(log, 0)

    def check(self, log: str, end: int) -> None:
        """Raise `EntriesMissing` if the rows know more of a log than `end`, its last sequence."""
        known = self.position(log)
        if known > end:
            raise EntriesMissing(log, known=known, end=end)

    def write(
        self, rows: Mapping[str, Sequence[msgspec.Struct]], positions: Mapping[str, int], *, after: Mapping[str, int] | None = None
    ) -> None:
        """Write rows, each in the place of the one with the same key, and how far the logs are in them: all or nothing.

        A position that lies behind the one that is written changes nothing.  With `after` the positions must be those that
        stand there, so that nothing is ever added twice; else raises `Overtaken`, and nothing is written.
        """
        with self._engine.begin() as connection:
            if after is not None:
                # First, because it is what a second writer waits for.
                self._advance(connection, positions, after)
            for name, some in rows.items():
                if some:
                    self._put(connection, name, some)
            if positions and after is None:
                ahead = self._insert(self._positions)
                ahead = ahead.on_conflict_do_update(
                    index_elements=["log"],
                    set_={"sequence": ahead.excluded.sequence},
                    where=ahead.excluded.sequence > self._positions.c.sequence,
                )
                connection.execute(ahead, [{"log": log, "sequence": sequence} for log, sequence in positions.items()])

    def replace(self, other: Snapshot) -> None:
        """Write the rows of another index of the same kinds in the place of all that stand here: all or nothing."""
        with self._engine.begin() as connection:
            for table in self._metadata.sorted_tables:
                connection.execute(delete(table))
            for name, kind in self._kinds.items():
                for some in in_parts(other.rows(name, kind.row)):
                    self._put(connection, name, some)
            found = [{"log": log, "sequence": sequence} for log, sequence in other.positions().items()]
            if found:
                connection.execute(self._insert(self._positions), found)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Yield the rows as they are now, to be read in peace."""
        with self._engine.connect() as connection:
            if not isinstance(self.where, Path):
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield Snapshot(connection, self._tables, self._kinds, self._positions)

    def rows(self, name: str, kind: type[Row], **equal: Any) -> list[Row]:
        """Return the rows of a kind whose fields equal what is given, in the order of their keys."""
        with self.snapshot() as snapshot:
            return list(snapshot.rows(name, kind, **equal))

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _refuse_others(self, connection: Connection) -> None:
        """Raise `DatabaseUnusable` if a table that is called like one of ours has other columns."""
        there = inspect(connection)
        for name in sorted(set(self._metadata.tables).intersection(there.get_table_names())):
            found = {column["name"] for column in there.get_columns(name)}
            if found != set(self._metadata.tables[name].columns.keys()):
                why = f"its table {name!r} has other columns, so it is another program's or another version's"
                what = "Move the file away" if isinstance(self.where, Path) else "Name an empty database"
                raise DatabaseUnusable(self.where, f"{why}. {what}; rows can be made again from the logs")

    def _advance(self, connection: Connection, positions: Mapping[str, int], after: Mapping[str, int]) -> None:
        table = self._positions
        for log, sequence in sorted(positions.items()):
            before = after.get(log, 0)
            moved: Any = self._insert(table).values(log=log, sequence=sequence).on_conflict_do_nothing()
            if before:
                moved = table.update().where(and_(table.c.log == log, table.c.sequence == before)).values(sequence=sequence)
            if connection.execute(moved).rowcount != 1:
                raise Overtaken(log)

    def _put(self, connection: Connection, name: str, some: Sequence[msgspec.Struct]) -> None:
        """Write some rows of a kind; whatever has come to nothing by that is gone."""
        table, kind = self._tables[name], self._kinds[name]
        values = [values_of(row) for row in some]
        nothing = [table.c[field] == 0 for field in kind.adds]
        if isinstance(self.where, Path):
            connection.execute(self._upsert(self._insert(table), table, kind), values)
            if nothing:
                named = [table.c[field] == bindparam(f"named_{field}") for field in kind.key]
                keys = [{f"named_{field}": row[field] for field in kind.key} for row in values]
                connection.execute(delete(table).where(*named, *nothing), keys)
            return
        # All rows in one parameter: one by one each of them would wait for the network.
        given = sent(table, values)
        connection.execute(self._upsert(self._insert(table).from_select(list(table.columns), select(*given.columns)), table, kind))
        if nothing:
            keys_ = tuple_(*(table.c[field] for field in kind.key))
            connection.execute(delete(table).where(keys_.in_(select(*(given.c[field] for field in kind.key))), *nothing))

    @staticmethod
    def _upsert(statement: Any, table: Table, kind: Kind) -> Any:
        others = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in kind.key}
        others |= {field: table.c[field] + statement.excluded[field] for field in kind.adds}
        return statement.on_conflict_do_update(index_elements=list(kind.key), set_=others) if others else statement.on_conflict_do_nothing()


def positions(path: Path) -> dict[str, int]:
    """Return how far each log is in the index at `path`; nothing if there is none.  Raises `IndexUnreadable`."""
    if not path.exists():
        return {}
    index = Index(path, {})
    try:
        return index.positions()
    finally:
        index.close()
