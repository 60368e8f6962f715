"""The index on a real PostgreSQL."""

from collections.abc import Iterator

import pytest

from shared.runtime.sql import DatabaseAway, DatabaseUnusable, Failure, Index, Where, where_of
from tests.index_suite import *  # noqa: F403
from tests.index_suite import KINDS, Open, Sum
from tests.integration.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that runs."""
    postgres = PostgresServer()
    postgres.start()
    try:
        yield postgres
    finally:
        postgres.close()


@pytest.fixture
def url(server: PostgresServer) -> str:
    """A database in which there is nothing."""
    return server.empty_database()


@pytest.fixture
def where(url: str) -> Where:
    """The same, as rows are told of it."""
    return where_of(url, setting="DATABASE")


def test_a_wrong_password_is_said_without_it(server: PostgresServer, url: str):
    """Waiting would not mend it; the sentence names the database and no secret."""
    with pytest.raises(DatabaseUnusable, match="password authentication failed") as refused:
        Index(where_of(url.replace(server.password, "s3cret"), setting="DATABASE"), KINDS)

    assert (isinstance(refused.value, DatabaseAway), "s3cret" in str(refused.value)) == (False, False)


def test_a_database_that_is_not_there_is_said(url: str):
    """Its name is told."""
    with pytest.raises(DatabaseUnusable, match=r'database "rows[0-9]+none" does not exist'):
        Index(where_of(f"{url}none", setting="DATABASE"), KINDS)


def test_a_server_that_is_killed_is_away_and_then_back_with_everything(server: PostgresServer, opened: Open):
    """What was written is there after a crash, and the same index goes on."""
    book = opened()
    book.write({"sums": [Sum("ann", 500)]}, {})
    server.kill()
    try:
        with pytest.raises(Failure) as failed:
            book.rows("sums", Sum)
    finally:
        server.start()

    assert (type(book.trouble(failed.value)), book.rows("sums", Sum)) == (DatabaseAway, [Sum("ann", 500)])
