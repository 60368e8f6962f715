"""Rows that can be asked for quickly: the only place that speaks SQL.

`database` knows where they are kept, an SQLite file or PostgreSQL, `tables` what they are there, `index` how they are written and
`snapshot` how they are read.  They prove nothing and may be thrown away: everything in them can be built again from the logs.
"""

from shared.runtime.sql.database import DatabaseAway, DatabaseUnusable, Failure, Where, shown, where_of
from shared.runtime.sql.index import EntriesMissing, Index, IndexUnreadable, Overtaken, positions
from shared.runtime.sql.snapshot import Snapshot

__all__ = [
    "DatabaseAway",
    "DatabaseUnusable",
    "EntriesMissing",
    "Failure",
    "Index",
    "IndexUnreadable",
    "Overtaken",
    "Snapshot",
    "Where",
    "positions",
    "shown",
    "where_of",
]
