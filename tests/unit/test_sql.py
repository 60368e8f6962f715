"""The index: rows and positions in one file, all or nothing."""

from pathlib import Path

import pytest
from msgspec import Struct
from sqlalchemy.exc import IntegrityError

from shared.runtime.sql import EntriesMissing, Index, IndexUnreadable, Kind, positions


class Felt(Struct, frozen=True):
    """A row for these tests."""

    table: str
    rounds: int
    players: tuple[str, ...]


LOG = "LOG_TABLE_20261130"
KINDS = {"felts": Kind(Felt, ("table",))}


def index(path: Path) -> Index:
    """An index in a file of its own."""
    return Index(path / "index.sqlite", KINDS)


def test_rows_come_back_as_they_were_written(tmp_path: Path):
    """Numbers, text and lists all survive the file."""
    some = [Felt("T1", 3, ("ann", "bob")), Felt("T2", 0, ())]
    index(tmp_path).write({"felts": some}, {})

    assert index(tmp_path).rows("felts", Felt) == some


def test_a_row_takes_the_place_of_the_one_with_its_key(tmp_path: Path):
    """What is heard again is not there twice."""
    book = index(tmp_path)
    book.write({"felts": [Felt("T1", 3, ())]}, {})
    book.write({"felts": [Felt("T1", 4, ("ann",))]}, {})

    assert book.rows("felts", Felt) == [Felt("T1", 4, ("ann",))]


def test_rows_can_be_asked_for_by_their_fields(tmp_path: Path):
    """Only the rows that equal what is given come back."""
    book = index(tmp_path)
    book.write({"felts": [Felt("T1", 3, ()), Felt("T2", 4, ())]}, {})

    assert book.rows("felts", Felt, rounds=4) == [Felt("T2", 4, ())]


def test_a_file_that_is_no_index_is_named(tmp_path: Path):
    """Whoever reads it is told which file it is and that it can be built again."""
    (tmp_path / "index.sqlite").write_text("no index")

    with pytest.raises(IndexUnreadable, match=r"index\.sqlite cannot be used: file is not a database\. It can be built again"):
        positions(tmp_path / "index.sqlite")


def test_a_position_goes_forward_only(tmp_path: Path):
    """Rows that are written again from the first entry on do not make the index forget what it knew."""
    book = index(tmp_path)
    book.write({}, {LOG: 7})
    book.write({}, {LOG: 3})

    assert (book.position(LOG), book.position("LOG_SHOE_20261130")) == (7, 0)


def test_rows_and_positions_are_written_together_or_not_at_all(tmp_path: Path):
    """The index never says that it knows what it does not."""
    book = index(tmp_path)
    broken = Felt("T1", None, ())  # type: ignore[arg-type]
    with pytest.raises(IntegrityError):
        book.write({"felts": [broken]}, {LOG: 7})

    assert (book.position(LOG), book.rows("felts", Felt)) == (0, [])


def test_an_index_that_is_ahead_of_its_log_says_that_entries_are_missing(tmp_path: Path):
    """What was acknowledged once and is not there any more is the worst that can be found."""
    book = index(tmp_path)
    book.write({}, {LOG: 7})
    with pytest.raises(EntriesMissing, match="Acknowledged entries are missing") as missing:
        book.check(LOG, 6)

    assert (missing.value.log, missing.value.known, missing.value.end) == (LOG, 7, 6)


def test_an_index_that_is_behind_its_log_is_fine(tmp_path: Path):
    """The rest is heard again."""
    book = index(tmp_path)
    book.write({}, {LOG: 7})
    book.check(LOG, 8)

    assert book.position(LOG) == 7


def test_an_index_that_is_not_there_knows_nothing(tmp_path: Path):
    """Looking at a house that never ran makes no file."""
    assert (positions(tmp_path / "none.sqlite"), list(tmp_path.iterdir())) == ({}, [])


def test_the_positions_of_an_index_can_be_read_by_others(tmp_path: Path):
    """An auditor sees how far surveillance had seen the logs."""
    index(tmp_path).write({}, {LOG: 7})

    assert positions(tmp_path / "index.sqlite") == {LOG: 7}
