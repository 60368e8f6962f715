"""The service: what one asker can do to all others."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.requests import decode_answer
from shared.contracts.subjects import Addressed
from shared.kernel.messages import ACCEPTED, Answer
from shared.runtime.answering import WAITING_EACH_MAX
from shared.runtime.clock import ManualClock
from shared.runtime.memory_store import MemoryStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

BUSY = ("refused", "busy", False)


class SlowApp:
    """An app room that answers when it is told to, and fails when it is told to."""

    name = "table"
    hears = ()

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Answer, or fail."""
        if data == b"fail":
            raise RuntimeError("nobody thought of this")
        await self.goes_on.wait()
        return ACCEPTED

    async def question(self, to: Addressed) -> Any:
        """Answer every question."""
        return "answer"


class Asking:
    """A message from somebody who waits for an answer."""

    def __init__(self, actor: str, data: bytes = b"") -> None:
        self.subject = f"cmd.table.player.T7.{actor}"
        self.reply = f"_INBOX.{actor}.x"
        self.data = data
        self.answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    async def respond(self, data: bytes) -> None:
        """Take the answer."""
        self.answered.set_result(decode_answer(data))


class Client:
    """A connection on which alarms are lost and requests arrive."""

    async def publish(self, subject: str, data: bytes) -> None:
        """Lose what is said."""


@pytest.fixture
async def process() -> Process:
    """A process around a slow app room, that has not started."""
    clock = ManualClock()
    settings = ServiceSettings(
        nats_url="", monitor_url="", credentials=Path(), data=Path(), day_starts="06:00", zone="UTC", sealing_key=Path()
    )
    app: Any = SlowApp()
    client: Any = Client()
    return Process(app, settings, client, MemoryStore(clock.now_ms), clock)


async def test_request_that_breaks_something_ends_no_process(process: Process):
    """One asker's request is answered, and the process goes on for all others."""
    message: Any = Asking("ann", b"fail")
    await process.hear(message)
    answer = await message.answered

    assert (answer.code, answer.final, process.keepers.stepped_down.done()) == ("quarantined", False, False)


async def test_asker_who_floods_is_told_that_the_house_is_busy(process: Process):
    """Whoever has many requests waiting waits; somebody else is heard."""
    app: Any = process.app
    floods: list[Any] = [Asking("ann") for _ in range(WAITING_EACH_MAX + 1)]
    other: Any = Asking("bob")
    for message in (*floods, other):
        await process.hear(message)
    last = await floods[-1].answered
    app.goes_on.set()
    answers = [(await message.answered).status for message in (*floods[:-1], other)]

    assert ((last.status, last.code, last.final), set(answers)) == (BUSY, {"accepted"})


async def test_asker_who_flooded_is_heard_again(process: Process):
    """As soon as the earlier requests are answered."""
    app: Any = process.app
    app.goes_on.set()
    answers = []
    for _ in range(WAITING_EACH_MAX + 1):
        message: Any = Asking("ann")
        await process.hear(message)
        answers.append((await message.answered).status)

    assert set(answers) == {"accepted"}


@pytest.mark.parametrize("target", ["health", "quarantine"])
async def test_player_is_not_told_how_a_service_is(process: Process, target: str):
    """Writers, epochs and reasons are the house's business."""
    answer = await process.question(Addressed("table", "player", target, "ann"))

    assert answer == {"error": "This may not be asked in this role."}
