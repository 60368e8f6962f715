"""The index in an SQLite file, and what names a database."""

import gc
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from shared.runtime.settings import SettingMissing
from shared.runtime.sql import DatabaseAway, Index, IndexUnreadable, Where, positions, shown, where_of
from tests.index_suite import *  # noqa: F403
from tests.index_suite import LOG, Open


@pytest.fixture
def where(tmp_path: Path) -> Where:
    """A file that is not there yet."""
    return tmp_path / "index.sqlite"


def test_a_file_that_is_no_index_is_named(tmp_path: Path):
    """Whoever reads it is told which file it is and that it can be built again."""
    (tmp_path / "index.sqlite").write_text("no index")

    with pytest.raises(IndexUnreadable, match=r"index\.sqlite cannot be used: file is not a database\. It can be built again"):
        positions(tmp_path / "index.sqlite")


def test_an_index_that_is_not_there_knows_nothing(tmp_path: Path):
    """Looking at a house that never ran makes no file."""
    assert (positions(tmp_path / "none.sqlite"), list(tmp_path.iterdir())) == ({}, [])


def test_the_positions_of_an_index_can_be_read_by_others(opened: Open, tmp_path: Path):
    """An auditor sees how far surveillance had seen the logs."""
    opened().write({}, {LOG: 7})

    assert positions(tmp_path / "index.sqlite") == {LOG: 7}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("books.sqlite", "/house/books.sqlite"),
        ("/elsewhere/books.sqlite", "/elsewhere/books.sqlite"),
        ("sqlite:///books.sqlite", "/house/books.sqlite"),
        ("sqlite:////elsewhere/books.sqlite", "/elsewhere/books.sqlite"),
        ("postgresql://felt@db.example/books", "postgresql://felt@db.example/books"),
        ("postgres://felt:s3cret@db.example:5433/books?sslmode=require", "postgresql://felt:***@db.example:5433/books"),
    ],
)
def test_a_database_is_named_by_a_path_or_a_url_and_shown_without_its_password(text, expected):
    """A path begins in the data directory; a password is nobody's business."""
    assert shown(where_of(text, setting="DATABASE", beside=Path("/house"))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "mysql://felt:s3cret@db.example/books",
        "postgresql://felt:s3cret@db.example",
        "postgresql://felt:s3cret@db.example:port/books",
        "postgresql://felt@db.example/books?password=s3cret",
        "postgresql://felt:s3cret@db.example/books?sslmode=allow",
        "sqlite://s3cret/books.sqlite",
        "://s3cret",
        "postgresql:/felt:s3cret@db.example/books",
        "postgresql//felt:s3cret@db.example/books",
        "felt:s3cret@db.example/books",
        "host=db.example password=s3cret",
        "postgresql://felt:s3@s3cret@db.example/books",
        "postgresql://felt/s3cret@db.example/books",
        "postgresql://felt:s3cret@db.example/books#s3cret",
        " ",
    ],
)
def test_what_names_no_database_is_refused_without_being_repeated(text):
    """It may hold a password, also where nobody expects one."""
    with pytest.raises(SettingMissing, match=r"^DATABASE") as refused:
        where_of(text, setting="DATABASE")

    assert "s3cret" not in str(refused.value)


# Where the line breaks while it is being opened, the driver leaves its socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("answers", [0, 1, 2], ids=["at once", "after a word", "in the middle of an answer"])
def test_a_server_that_hangs_up_is_away(answers: int):
    """However a line ends, it may come back: that is waited for, and never taken for a database that cannot be used."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            # Closed with nothing lingering, a line ends with a reset and not with a goodbye.
            with suppress(OSError):
                while True:
                    answer(server.accept()[0])

        def answer(line: socket.socket) -> None:
            if answers:
                line.recv(8)
            if answers > 1:
                line.send(b"R\x00\x00")
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.close()

        listening = threading.Thread(target=hang_up, daemon=True)
        listening.start()
        where = where_of(f"postgresql://ann:secret@127.0.0.1:{server.getsockname()[1]}/rows", setting="a test")
        with pytest.raises(DatabaseAway, match="is not reached"):
            Index(where, {})
        gc.collect()
        server.shutdown(socket.SHUT_RDWR)
        listening.join(5)
