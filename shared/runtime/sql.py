"""The index: rows that can be asked for quickly, in one SQLite file beside the logs.

It proves nothing and may be thrown away: everything in it can be built again from the logs.  Rows and how far the logs are
in them are written in one transaction, so the index never says that it knows what it does not.  An index that is ahead of
its log says something worse: entries that were acknowledged once are not there any more.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import JSON, BigInteger, Column, Engine, MetaData, String, Table, Text, create_engine, event, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError
from sqlalchemy.types import TypeEngine

from shared.runtime.settings import SettingMissing

Row = TypeVar("Row", bound=msgspec.Struct)

BUSY_S = 10
"""How long one process waits while another writes."""


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


class IndexUnreadable(SettingMissing):
    """The file is no index, or cannot be opened."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"The index {path} cannot be used: {why}. It can be built again from the logs: move it away; "
            "what it alone remembers is how far each log once reached."
        )


class Kind(msgspec.Struct, frozen=True):
    """A table of the index: the Struct that its rows are, and the fields that name a row."""

    row: type[msgspec.Struct]
    key: tuple[str, ...]


class Index:
    """The rows of some kinds, by name.  Fields that are neither numbers nor text are kept as JSON.

    Raises `IndexUnreadable` if there is something else at `path`.
    """

    def __init__(self, path: Path, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds
        self._metadata = MetaData()
        self._positions = Table(
            "positions", self._metadata, Column("log", String, primary_key=True), Column("sequence", BigInteger, nullable=False)
        )
        self._tables = {name: _table(name, kind, self._metadata) for name, kind in kinds.items()}
        self._engine = _engine(path)
        try:
            self._metadata.create_all(self._engine)
        except DatabaseError as error:
            self._engine.dispose()
            raise IndexUnreadable(path, error.orig) from error

    def positions(self) -> dict[str, int]:
        """Return, for each log, the sequence of the last entry that is in the rows."""
        with self._engine.connect() as connection:
            return {row.log: row.sequence for row in connection.execute(select(self._positions))}

    def position(self, log: str) -> int:
        """Return the sequence of the last entry of a log that is in the rows, 0 if there is none."""
        return self.positions().get(log, 0)

    def check(self, log: str, end: int) -> None:
        """Raise `EntriesMissing` if the rows know more of a log than `end`, its last sequence."""
        known = self.position(log)
        if known > end:
            raise EntriesMissing(log, known=known, end=end)

    def write(self, rows: Mapping[str, Sequence[msgspec.Struct]], positions: Mapping[str, int]) -> None:
        """Write rows, each in the place of the one with the same key, and how far the logs are in them: all or nothing.

        A position that lies behind the one that is written changes nothing.
        """
        with self._engine.begin() as connection:
            for name, some in rows.items():
                if some:
                    connection.execute(_upsert(self._tables[name], self._kinds[name].key), [_values(row) for row in some])
            if positions:
                ahead = insert(self._positions)
                ahead = ahead.on_conflict_do_update(
                    index_elements=["log"],
                    set_={"sequence": ahead.excluded.sequence},
                    where=ahead.excluded.sequence > self._positions.c.sequence,
                )
                connection.execute(ahead, [{"log": log, "sequence": sequence} for log, sequence in positions.items()])

    def rows(self, name: str, kind: type[Row], **equal: Any) -> list[Row]:
        """Return the rows of a kind whose fields equal what is given, in the order of their keys."""
        table = self._tables[name]
        wanted = select(table).where(*(table.c[field] == value for field, value in equal.items()))
        wanted = wanted.order_by(*(table.c[field] for field in self._kinds[name].key))
        fields = [field.name for field in msgspec.structs.fields(kind)]
        with self._engine.connect() as connection:
            return [msgspec.convert(dict(zip(fields, found, strict=True)), kind) for found in connection.execute(wanted)]

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()


def positions(path: Path) -> dict[str, int]:
    """Return how far each log is in the index at `path`; nothing if there is none.  Raises `IndexUnreadable`."""
    if not path.exists():
        return {}
    index = Index(path, {})
    try:
        return index.positions()
    finally:
        index.close()


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_S})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        # Readers see the last whole state while one process writes; what a power cut takes is built again from the logs.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    return engine


def _table(name: str, kind: Kind, metadata: MetaData) -> Table:
    fields = msgspec.structs.fields(kind.row)
    return Table(
        name, metadata, *(Column(field.name, _column(field.type), primary_key=field.name in kind.key, nullable=False) for field in fields)
    )


def _column(type_: Any) -> TypeEngine[Any]:
    if type_ is int:
        return BigInteger()
    return Text() if type_ is str else JSON()


def _values(row: msgspec.Struct) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(row)
    return values


def _upsert(table: Table, key: tuple[str, ...]) -> Any:
    statement = insert(table)
    others = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    return statement.on_conflict_do_update(index_elements=list(key), set_=others) if others else statement.on_conflict_do_nothing()
