"""The roster: where each table is to be found now, as the tables' own streams tell it.

A table has a stream for each gaming day, and whoever asks for it means the latest.
"""

from collections.abc import Mapping

from services.table.domain.table_state import Table
from shared.contracts.subjects import stream_day


def enrolled(roster: Mapping[str, str], stream: str, table: Table) -> dict[str, str]:
    """Return the latest stream of each table, by name, after `stream` has told how `table` stands.

    A table that is closed with its day is struck off: whoever opens it again opens it in the day that it is then.
    """
    opened, known = table.opened, dict(roster)
    if opened is None:
        return known
    latest = known.get(opened.table)
    if latest is None or stream_day(latest) < opened.day:
        latest = known[opened.table] = stream
    if latest == stream and table.day_closed and table.phase == "closed":
        del known[opened.table]
    return known
