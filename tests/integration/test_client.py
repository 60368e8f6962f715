"""A client against a real server and a house that answers badly."""

import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import nats
import pytest
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg

from feltlog.client import Client, Declined, Unanswered
from feltlog.credentials import create_user_key, public_keys
from services.table.views import Felt
from shared.contracts.decisions import Stand
from shared.kernel.messages import ACCEPTED, PENDING, Answer
from shared.runtime.line import Unreachable, open_line

BUSY = Answer("refused", "busy", "Ask again in a moment.", final=False)
AGAIN = Answer("accepted", again=True)
STAND = Stand(round="T1.20261130-000001", box=1, hand=1)


class TinyHouse:
    """Answers from a list, one answer for each request; None is silence.  Remembers the ids that it saw."""

    def __init__(self, answers: list[Answer | None]) -> None:
        self.answers = answers
        self.ids: list[str] = []

    async def hear(self, message: Msg) -> None:
        """Answer one request."""
        self.ids.append(msgspec.json.decode(message.data)["id"])
        answer = self.answers[min(len(self.ids), len(self.answers)) - 1]
        if answer is not None:
            await message.respond(msgspec.json.encode(answer))


@contextmanager
def running_server(tmp_path: Path) -> Iterator[str]:
    """Run a nats-server that knows ann and a house."""
    for user in ("ann", "table"):
        create_user_key(tmp_path, user)
    users = ", ".join(f"{{ nkey: {key} }}" for key in public_keys(tmp_path).values())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    conf = tmp_path / "server.conf"
    conf.write_text(f'listen: "127.0.0.1:{port}"\nauthorization {{ users: [ {users} ] }}\n')
    binary = shutil.which("nats-server", path=str(Path(sys.executable).parent)) or "nats-server"
    process = subprocess.Popen([binary, "-c", str(conf)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"nats://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A nats-server that knows ann and a house."""
    with running_server(tmp_path) as url:
        yield url


@pytest.fixture
async def house(server: str, tmp_path: Path) -> AsyncIterator[Nats]:
    """The house's own connection."""
    client = await nats.connect(
        server, nkeys_seed=str(tmp_path / "table.nk"), connect_timeout=5, max_reconnect_attempts=-1, reconnect_time_wait=0.05
    )
    yield client
    await client.close()


def answering(reply: bytes) -> Callable[[Msg], Awaitable[None]]:
    """Return somebody who always answers the same."""

    async def answer(message: Msg) -> None:
        await message.respond(reply)

    return answer


def picture(phase: Any) -> bytes:
    """Return an empty felt in some phase."""
    felt = Felt(
        table="T1",
        table_phase="open",
        profile="ontario",
        notices=(),
        currency="CAD",
        minimum_minor=500,
        maximum_minor=50_000,
        box_count=7,
        round="T1.20261130-000001",
        phase=phase,
        betting_until_ms=None,
        boxes=(),
        dealer_cards=(),
        dealer_total=0,
        dealer_soft=False,
        hole_card=False,
        turn=None,
        insurance_until_ms=None,
        legal=(),
        lines=(),
        void_reason="",
    )
    return msgspec.json.encode(felt)


async def ask(server: str, tmp_path: Path) -> Answer:
    """Ask one thing as ann."""
    line = await open_line(server, user="ann", credentials=tmp_path / "ann.nk")
    client = Client(line, role="player", name="ann", reply_s=0.1, patience_s=1.0)
    try:
        return await client.ask("table", "T1", STAND)
    finally:
        await client.close()


async def test_client_sends_the_same_id_until_it_is_answered(server, house, tmp_path):
    """Two lost replies and a pending one: four requests, one id, one answer."""
    tiny = TinyHouse([None, None, PENDING, ACCEPTED])
    await house.subscribe("cmd.table.player.T1.ann", cb=tiny.hear)
    answer = await ask(server, tmp_path)

    assert (answer, len(tiny.ids), len(set(tiny.ids))) == (ACCEPTED, 4, 1)


@pytest.mark.parametrize(("replies", "told"), [([AGAIN], AGAIN), ([None, AGAIN], ACCEPTED)], ids=["asked before", "asked just now"])
async def test_client_tells_a_repeated_request_from_a_repeated_sending(server, house, tmp_path, replies: list[Answer | None], told: Answer):
    """After a lost reply nobody knows which of the sendings was answered first, so it is not called an older one."""
    tiny = TinyHouse(replies)
    await house.subscribe("cmd.table.player.T1.ann", cb=tiny.hear)

    assert await ask(server, tmp_path) == told


async def test_client_asks_again_when_the_house_is_busy(server, house, tmp_path):
    """A refusal that is not final and says busy is not the end of it."""
    tiny = TinyHouse([BUSY, ACCEPTED])
    await house.subscribe("cmd.table.player.T1.ann", cb=tiny.hear)

    assert await ask(server, tmp_path) == ACCEPTED


async def test_client_hands_over_a_final_refusal_at_once(server, house, tmp_path):
    """The rules' no is an answer."""
    refusal = Answer("refused", "not_your_turn", "It is not this hand's turn.", final=False)
    tiny = TinyHouse([refusal])
    await house.subscribe("cmd.table.player.T1.ann", cb=tiny.hear)
    answer = await ask(server, tmp_path)

    assert (answer, len(tiny.ids)) == (refusal, 1)


async def test_client_gives_up_with_a_sentence_when_nobody_answers(server, tmp_path):
    """Nobody serves the table: after a bounded number of attempts nothing is known, and that is what is said."""
    with pytest.raises(Unanswered, match="Whether it heard the request is not known"):
        await ask(server, tmp_path)


async def test_client_watches_the_felt(server, house, tmp_path):
    """The felt as it is comes first, then the newest picture."""
    await house.subscribe("query.table.player.T1.ann", cb=answering(picture("betting")))
    await house.flush()
    line = await open_line(server, user="ann", credentials=tmp_path / "ann.nk")
    client = Client(line, role="player", name="ann")
    watching = client.watch_felt("T1")
    first = (await anext(watching)).phase
    await house.publish("view.table.felt.T1", picture("closing"))
    await house.publish("view.table.felt.T1", picture("dealing"))
    await house.flush()
    await client.query("table", "T1", Felt)
    second = (await anext(watching)).phase
    await watching.aclose()
    await client.close()

    assert (first, second) == ("betting", "dealing")


async def test_client_is_told_why_there_is_no_answer(server, house, tmp_path):
    """A table that is not there: the house says so."""
    await house.subscribe("query.table.player.T9.ann", cb=answering(b'{"error":"There is no such table open here."}'))
    await house.flush()
    line = await open_line(server, user="ann", credentials=tmp_path / "ann.nk")
    client = Client(line, role="player", name="ann")

    with pytest.raises(Declined, match="There is no such table open here"):
        await client.felt("T9")

    await client.close()


async def test_a_line_to_nowhere_is_a_sentence(tmp_path):
    """No server: the error says who wanted in and where."""
    create_user_key(tmp_path, "ann")
    with pytest.raises(Unreachable, match="No server lets ann in"):
        await open_line("nats://127.0.0.1:9", user="ann", credentials=tmp_path / "ann.nk", patience_s=0.5)


async def test_a_line_can_be_closed_when_its_server_is_gone(tmp_path):
    """Somebody who plays when the house stops is told that it does not answer, and nothing else."""
    with running_server(tmp_path) as url:
        line = await open_line(url, user="ann", credentials=tmp_path / "ann.nk")
    with pytest.raises(Unanswered, match="The house does not answer"):
        try:
            await Client(line, role="player", name="ann", reply_s=0.1, patience_s=0.5).felt("T1")
        finally:
            await line.close()
