"""What `feltlog status` says of the ledger's rows: a sentence, whatever they are at."""

import pytest

from feltlog.commands.status import sentence
from services.wallet.views import Standing

WHY = "The database postgresql://felt:***@db/books cannot be used: it is not reached."


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (
            Standing(database="/house/books.sqlite", state="starting", behind=None),
            "The ledger's rows in /house/books.sqlite are being looked for.",
        ),
        (Standing(database="/house/books.sqlite", state="follows", behind=0), "The ledger's rows in /house/books.sqlite are up to date."),
        (
            Standing(database="/house/books.sqlite", state="follows", behind=1),
            "The ledger's rows in /house/books.sqlite are 1 entry behind.",
        ),
        (
            Standing(database="/house/books.sqlite", state="follows", behind=None),
            "The ledger's rows in /house/books.sqlite are an unknown number of entries behind.",
        ),
        (Standing(database="", state="waits", behind=7, why=WHY), f"The ledger's rows wait, and the money does not: {WHY}"),
        (
            Standing(database="", state="stopped", behind=7, why=WHY),
            f"The ledger's rows have stopped, and the money goes on without them: {WHY}",
        ),
    ],
)
def test_status_says_how_far_the_rows_are(standing, expected):
    """An operator sees whether they follow, wait or have stopped, and why."""
    assert sentence(standing) == expected
