"""The index suite: what rows promise, written once and run on each database.

Whoever runs it gives a fixture `where`, a database of its own in which there is nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing

import pytest
from msgspec import Struct

from shared.kernel.rows import Kind
from shared.runtime.sql import DatabaseUnusable, EntriesMissing, Failure, Index, Overtaken, Where


class Felt(Struct, frozen=True):
    """A row for these tests."""

    table: str
    rounds: int
    players: tuple[str, ...]


class Pair(Struct, frozen=True):
    """A row that two fields name."""

    table: str
    place: int


class Sum(Struct, frozen=True):
    """A row that adds up."""

    name: str
    minor: int


Open = Callable[..., Index]
LOG = "LOG_TABLE_20261130"
KINDS = {"felts": Kind(Felt, ("table",), asked_by=("rounds",)), "sums": Kind(Sum, ("name",), adds=("minor",))}


@pytest.fixture
def opened(where: Where) -> Iterator[Open]:
    """Open the rows, and let go of them in the end."""
    with ExitStack() as stack:

        def open_(kinds: Mapping[str, Kind] = KINDS, there: Where = where) -> Index:
            return stack.enter_context(closing(Index(there, kinds)))

        yield open_


def test_rows_come_back_as_they_were_written(opened: Open):
    """Numbers, text and lists all survive the database."""
    some = [Felt("T1", 3, ("ann", "bob")), Felt("T2", 0, ()), Felt("T3", 10**15, ('{"',))]
    opened().write({"felts": some}, {})

    assert opened().rows("felts", Felt) == some


def test_a_row_takes_the_place_of_the_one_with_its_key(opened: Open):
    """What is heard again is not there twice."""
    book = opened()
    book.write({"felts": [Felt("T1", 3, ())]}, {})
    book.write({"felts": [Felt("T1", 4, ("ann",))]}, {})

    assert book.rows("felts", Felt) == [Felt("T1", 4, ("ann",))]


def test_rows_can_be_asked_for_by_their_fields(opened: Open):
    """Only the rows that equal what is given come back."""
    book = opened()
    book.write({"felts": [Felt("T1", 3, ()), Felt("T2", 4, ())]}, {})

    assert book.rows("felts", Felt, rounds=4) == [Felt("T2", 4, ())]


def test_rows_come_in_the_order_of_their_bytes(opened: Open):
    """Whatever language a database speaks, so that a digest over rows is the same in each."""
    names = ["B", "T-1", "T1", "T_1", "a", "ä", "中"]
    book = opened()
    book.write({"felts": [Felt(name, 0, ()) for name in reversed(names)]}, {})

    assert [row.table for row in book.rows("felts", Felt)] == names


def test_many_rows_are_read_part_by_part(opened: Open):
    """None is left out and none comes twice, where several fields name a row too."""
    book = opened({"pairs": Kind(Pair, ("table", "place"))})
    some = [Pair(table, place) for table in ("T1", "T2", "T3") for place in range(1_500)]
    book.write({"pairs": some}, {})

    assert book.rows("pairs", Pair) == some


def test_numbers_add_up_and_what_comes_to_nothing_is_gone(opened: Open):
    """A balance is moved, never written over."""
    book = opened()
    book.write({"sums": [Sum("ann", 500), Sum("bob", 300)]}, {})
    book.write({"sums": [Sum("ann", -200), Sum("bob", -300)]}, {})

    assert book.rows("sums", Sum) == [Sum("ann", 300)]


def test_sums_are_made_over_rows(opened: Open):
    """What many rows come to, by what they have in common; a wildcard in a name is a letter like any other."""
    book = opened()
    book.write({"sums": [Sum("house/win", 10**15), Sum("house/promo", -5), Sum("house_", 9)]}, {})
    with book.snapshot() as rows:
        found = (rows.sums("sums", "minor", ("name",), "house/"), rows.sums("sums", "minor", ("name",), "house_"), rows.count("sums"))

    assert found == ({("house/promo",): -5, ("house/win",): 10**15}, {("house_",): 9}, 3)


def test_a_position_goes_forward_only(opened: Open):
    """Rows that are written again from the first entry on do not make the index forget what it knew."""
    book = opened()
    book.write({}, {LOG: 7})
    book.write({}, {LOG: 3})

    assert (book.position(LOG), book.position("LOG_SHOE_20261130")) == (7, 0)


def test_rows_and_positions_are_written_together_or_not_at_all(opened: Open):
    """The index never says that it knows what it does not."""
    book = opened()
    broken = Felt("T1", None, ())  # type: ignore[arg-type]
    with pytest.raises(Failure):
        book.write({"felts": [broken]}, {LOG: 7})

    assert (book.position(LOG), book.rows("felts", Felt)) == (0, [])


@pytest.mark.parametrize("after", [{}, {LOG: 6}, {LOG: 8}])
def test_whoever_was_overtaken_writes_nothing(opened: Open, after):
    """Two processes write the same rows: what one has added, the other adds no second time."""
    book = opened()
    book.write({"sums": [Sum("ann", 500)]}, {LOG: 7}, after={})
    with pytest.raises(Overtaken):
        book.write({"sums": [Sum("ann", 500)]}, {LOG: 9}, after=after)

    assert (book.position(LOG), book.rows("sums", Sum)) == (7, [Sum("ann", 500)])


def test_whoever_knows_the_position_goes_on(opened: Open):
    """Rows are added behind it, also of a log that is new."""
    book = opened()
    book.write({}, {LOG: 7}, after={})
    book.write({"sums": [Sum("ann", 500)]}, {LOG: 9, "LOG_TABLE_20261201": 1}, after={LOG: 7})

    assert book.positions() == {LOG: 9, "LOG_TABLE_20261201": 1}


def test_a_snapshot_stands_still(opened: Open):
    """Whoever compares rows sees none that is written meanwhile."""
    book = opened()
    book.write({"sums": [Sum("ann", 500)]}, {LOG: 7})
    with book.snapshot() as rows:
        before = rows.positions()
        book.write({"sums": [Sum("ann", 1), Sum("bob", 1)]}, {LOG: 8})
        found = (before, rows.positions(), list(rows.rows("sums", Sum)))

    assert found == ({LOG: 7}, {LOG: 7}, [Sum("ann", 500)])


def test_rows_are_replaced_as_a_whole(opened: Open, tmp_path):
    """Nothing of the old ones is left, and the positions are the new ones'."""
    book, other = opened(), opened(KINDS, tmp_path / "other.sqlite")
    book.write({"felts": [Felt("T1", 3, ())], "sums": [Sum("ann", 1)]}, {LOG: 7})
    other.write({"felts": [Felt("T2", 4, ("ann",))]}, {"LOG_SHOE_20261130": 2})
    with other.snapshot() as rows:
        book.replace(rows)

    assert (book.positions(), book.rows("felts", Felt), book.rows("sums", Sum)) == (
        {"LOG_SHOE_20261130": 2},
        [Felt("T2", 4, ("ann",))],
        [],
    )


def test_a_database_with_somebody_elses_tables_is_left_alone(opened: Open):
    """A table of the same name with other columns is another program's, and the sentence says so."""
    opened({"felts": Kind(Sum, ("name",))})

    with pytest.raises(DatabaseUnusable, match="its table 'felts' has other columns"):
        opened()


def test_an_index_that_is_ahead_of_its_log_says_that_entries_are_missing(opened: Open):
    """What was acknowledged once and is not there any more is the worst that can be found."""
    book = opened()
    book.write({}, {LOG: 7})
    with pytest.raises(EntriesMissing, match="Acknowledged entries are missing") as missing:
        book.check(LOG, 6)

    assert (missing.value.log, missing.value.known, missing.value.end) == (LOG, 7, 6)


def test_an_index_that_is_behind_its_log_is_fine(opened: Open):
    """The rest is heard again."""
    book = opened()
    book.write({}, {LOG: 7})
    book.check(LOG, 8)

    assert book.position(LOG) == 7
