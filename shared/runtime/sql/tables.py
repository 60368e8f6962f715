"""Tables: what a kind of rows is in a database, the same in a file and on a server."""

from typing import Any

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    MetaData,
    Table,
    TableValuedAlias,
    Text,
    cast,
    column,
    func,
    literal,
)
from sqlalchemy import Index as Lookup
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine

from shared.kernel.rows import Kind

# Names are compared byte by byte everywhere, so that rows come in the same order whatever language a server speaks.
TEXT = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def positions_of(metadata: MetaData) -> Table:
    """Return the table of how far each log is in the rows."""
    return Table("positions", metadata, Column("log", TEXT, primary_key=True), Column("sequence", BigInteger, nullable=False))


def table_of(name: str, kind: Kind, metadata: MetaData) -> Table:
    """Return the table of a kind of rows: numbers, text, and JSON for everything else."""
    fields = msgspec.structs.fields(kind.row)
    columns = [Column(field.name, _column(field.type), primary_key=field.name in kind.key, nullable=False) for field in fields]
    return Table(name, metadata, *columns, *(Lookup(f"{name}_by_{field}", field) for field in kind.asked_by))


def _column(type_: Any) -> TypeEngine[Any]:
    if type_ is int:
        return BigInteger()
    return TEXT if type_ is str else JSON()


def sent(table: Table, values: list[dict[str, Any]]) -> TableValuedAlias:
    """Return rows that are sent to PostgreSQL as one JSON text, as something to select from."""
    columns = [column(each.name, each.type) for each in table.columns]
    rows = func.jsonb_to_recordset(cast(literal(msgspec.json.encode(values).decode(), Text()), postgresql.JSONB))
    return rows.table_valued(*columns, name="sent").render_derived(with_types=True)


def values_of(row: msgspec.Struct) -> dict[str, Any]:
    """Return what a row says, by column."""
    values: dict[str, Any] = msgspec.to_builtins(row)
    return values
