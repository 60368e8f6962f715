"""The notebook: it holds what went over the wire, and what that binds the house to."""

from random import Random
from typing import Any

import msgspec
import pytest

from feltlog.client import Client
from shared.contracts.cage import Deposit
from shared.contracts.decisions import Double
from shared.contracts.wagers import PlaceWager
from shared.kernel.messages import ACCEPTED, PENDING, Answer
from tests.chaos.notebook import Asked, Notebook, NotingLine

ROUND = "T1.20261130-000001"
DEPOSIT = Deposit(player="ann", currency="EUR", minor=500)
YES, NO, BUSY = ACCEPTED, Answer("refused", "insufficient_funds", "No."), Answer("refused", "busy", "Later.", final=False)

CLOSED = Answer("refused", "betting_closed", "No more bets.", final=False)


class Wire:
    """A line whose other end gives these replies, one after the other; None is silence."""

    def __init__(self, *replies: Answer | None) -> None:
        self.heard: list[bytes] = []
        self._replies = iter(replies)

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return the next reply."""
        self.heard.append(data)
        reply = next(self._replies)
        return None if reply is None else msgspec.json.encode(reply)

    async def watch(self, subject: str) -> Any:
        """Show nothing."""

    async def close(self) -> None:
        """Do nothing."""


class Patient(Random):
    """Chance under which nobody sends anything twice at once."""

    def randrange(self, *_: Any) -> int:
        """Return what means once."""
        return 1


async def test_notebook_holds_every_reply_to_a_request_under_one_id():
    """Silence, pending and yes are three replies at most and one request."""
    notebook = Notebook()
    client = Client(NotingLine(Wire(None, PENDING, YES), notebook, Patient()), role="staff", name="pit")
    await client.ask("wallet", "ledger", DEPOSIT, id="in")

    assert notebook.asked == {
        "in": Asked(id="in", actor="pit", service="wallet", target="ledger", command=DEPOSIT, sent=3, replies=[PENDING, YES])
    }


async def test_impatient_people_send_the_same_bytes_twice():
    """Both replies are written down."""
    wire, notebook = Wire(YES, YES), Notebook()
    chance = Patient()
    chance.randrange = lambda *_: 0  # type: ignore[method-assign]
    await Client(NotingLine(wire, notebook, chance), role="staff", name="pit").ask("wallet", "ledger", DEPOSIT, id="in")

    assert (len(wire.heard), len(set(wire.heard)), notebook.asked["in"].replies) == (2, 1, [YES, YES])


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        ([], "nothing"),
        ([PENDING], "nothing"),
        ([BUSY], "nothing"),
        ([CLOSED], "turned away"),
        ([PENDING, YES], "accepted"),
        ([BUSY, YES, YES], "accepted"),
        ([PENDING, NO], "refused"),
        ([YES, NO], "accepted and refused"),
    ],
)
def test_what_binds_the_house_is_its_final_word(replies: list[Answer], told: str):
    """Pending and busy bind nobody; yes after no is a contradiction."""

    assert Asked(id="in", actor="pit", service="wallet", target="ledger", command=DEPOSIT, replies=replies).told == told


def test_double_is_for_the_full_wager():
    """A player's own book knows what a double costs without asking the house."""
    notebook = Notebook()
    for id, command in (("w", PlaceWager(round=ROUND, box=1, stake_minor=200)), ("d", Double(round=ROUND, box=1, hand=1))):
        notebook.asked[id] = Asked(id=id, actor="ann", service="table", target="T1", command=command)

    assert [(asked.id, minor) for asked, minor in notebook.stakes("ann")] == [("w", 200), ("d", 200)]
