"""Rows: what a table of a database holds, said without knowing any database.

Whoever works out rows is pure and says of which kind they are; whoever keeps them makes a table of that.
"""

from msgspec import Struct


class Kind(Struct, frozen=True):
    """A table: the Struct that its rows are, and the fields that name a row.

    `adds` are fields of numbers that a row adds to what stands there, instead of taking its place; a row that has come to
    nothing is gone.  `asked_by` are fields by which rows are looked for.
    """

    row: type[Struct]
    key: tuple[str, ...]
    adds: tuple[str, ...] = ()
    asked_by: tuple[str, ...] = ()
