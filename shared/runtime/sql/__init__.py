"""Rows that can be asked for quickly: the only place that speaks SQL.

`database` knows where they are kept, an SQLite file or PostgreSQL, and `index` what they are.  They prove nothing and may be
thrown away: everything in them can be built again from the logs.
"""

from shared.runtime.sql.database import DatabaseAway, DatabaseUnusable, Failure, Where, shown, where_of
from shared.runtime.sql.index import EntriesMissing, Index, IndexUnreadable, Kind, Overtaken, RowUnreadable, Snapshot, positions

__all__ = [
    "DatabaseAway",
    "DatabaseUnusable",
    "EntriesMissing",
    "Failure",
    "Index",
    "IndexUnreadable",
    "Kind",
    "Overtaken",
    "RowUnreadable",
    "Snapshot",
    "Where",
    "positions",
    "shown",
    "where_of",
]
