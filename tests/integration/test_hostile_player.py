"""A hostile player: somebody who holds a player's key, knows the source by heart, and sends what no client would."""

import json

import nats
import pytest
from nats.aio.msg import Msg

from feltlog.evening import Seat, answer
from services.table.views import Felt
from shared.contracts.cage import OpenAccount
from shared.contracts.subjects import command_subject, query_subject, round_name
from shared.contracts.wagers import CloseBetting, PlaceWager
from shared.kernel.reactions import Timer
from tests.integration.busy_house import BusyHouse, at_bets

NESTED = b'{"id": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
LONG = b'{"id": "' + b"a" * 900_000 + b'"}'


@pytest.mark.parametrize("service", ["table", "wallet", "shoe", "surveillance"])
async def test_bytes_that_are_no_request_end_no_process(house: BusyHouse, service: str):
    """Deep nesting, no JSON at all, nearly a megabyte: each is refused, by the process that was there before."""
    before = house.machine.pid(service)
    async with house.voice("eve", service, "T1") as eve:
        answers = [await eve.blurt(data) for data in (b"", b"\xff", b"null", NESTED, LONG)]

    assert ({answer.status for answer in answers}, house.machine.pid(service)) == ({"refused"}, before)


async def test_no_wager_takes_the_id_of_a_timer(house: BusyHouse):
    """Whose round is open until its betting is closed cannot keep it open by being the first to say what the clock will say."""
    async with house.evening("T1") as play, house.seat("cyd") as cyd, house.voice("cyd", "table", "T2") as voice:
        felt = await at_bets(cyd)
        id = Timer(0, CloseBetting(), "close-betting").id_for(round_name(felt.round).stream)
        wager = {"type": "table.PlaceWager.v1", "round": felt.round, "box": 3, "stake_minor": 20_00}
        stolen = await voice.blurt(json.dumps({"id": id, "command": wager}).encode())
        allowed = await voice.final("own", PlaceWager(round=felt.round, box=3, stake_minor=20_00))
        later = await play_on(cyd, felt.round)
        await play.more_rounds(1)

    assert (stolen.code, allowed.status, later.round > felt.round) == ("bad_request", "accepted", True)


async def play_on(seat: Seat, round: str) -> Felt:
    """Answer for a player until a round is over, so that no clock runs out in a house that others look at; return the next felt."""
    async for felt in seat.client.watch_felt(seat.style.table):
        if felt.round != round:
            return felt
        if felt.phase != "betting":
            await answer(seat, felt)
    raise AssertionError("a felt is watched for ever")


WIRE = {
    "a header block shorter than its first line": b"HPUB %s %s 1 1\r\nx\r\n",
    "a status that is no text": b"HPUB %s %s 15 15\r\nNATS/1.0 \xff\xff\r\n\r\n\r\n",
    "a reply that is no text": b"PUB %s %s\xff 0\r\n\r\n",
    "a reply with a vertical tab": b"PUB %s %s\x0b 0\r\n\r\n",
}


UNREADABLE = ("1.5", '"500"', "true", "null", "[500]", "1e400", "NaN")
REFUSED = {"0": "not_positive", "-5": "not_positive", "1000000000000001": "bad_request", "36893488147419103232": "bad_request"}


async def test_no_amount_but_a_whole_number_reaches_the_ledger(house: BusyHouse):
    """A fraction, a text, too much or nothing: said why, and every account is as before; what is no request is not written down."""
    command = '{"id": "amount %s", "command": {"type": "wallet.Deposit.v1", "player": "eve", "currency": "CAD", "minor": %s}}'
    async with house.voice("pit", "wallet", "ledger") as cage, house.door("pit") as pit:
        operator = house.machine.house.settings().house.operator
        await cage.final("eve's account", OpenAccount(player="eve", operator=operator, currency="CAD"))
        before = await pit.balance("eve")
        codes = {text: (await cage.blurt((command % (text, text)).encode())).code for text in (*UNREADABLE, *REFUSED)}
        after = await pit.balance("eve")

    assert codes == {**dict.fromkeys(UNREADABLE, "bad_request"), **REFUSED}
    assert after.amounts == before.amounts


@pytest.mark.parametrize("words", WIRE.values(), ids=WIRE.keys())
async def test_no_message_makes_a_service_deaf(house: BusyHouse, words: bytes):
    """Whatever the bytes around a request are, the next request and the next question are answered at once."""
    services = ("table", "wallet", "shoe", "surveillance")
    line = await nats.connect(house.machine.url, nkeys_seed=str(house.machine.credentials("eve")), inbox_prefix="_INBOX.eve")
    try:
        answers = []
        for service in services:
            for subject in (command_subject(service, "player", "T1", "eve"), query_subject(service, "player", "T1", "eve")):
                await line._send_command(words % (subject.encode(), b"_INBOX.eve.x"))
                answers.append(await line.request(subject, b"", timeout=2))
    finally:
        await line.close()

    assert len(answers) == 2 * len(services)


async def test_nobody_else_hears_an_answer(house: BusyHouse):
    """Whoever names the inbox of somebody else, or more than an inbox, gets no answer; and neither does the other."""
    heard: list[bytes] = []

    async def hear(message: Msg) -> None:
        heard.append(message.data)

    eve = await nats.connect(house.machine.url, nkeys_seed=str(house.machine.credentials("eve")), inbox_prefix="_INBOX.eve")
    ann = await nats.connect(house.machine.url, nkeys_seed=str(house.machine.credentials("ann")), inbox_prefix="_INBOX.ann")
    try:
        await ann.subscribe("_INBOX.ann.>", cb=hear)
        await ann.flush()
        for subject in (command_subject("table", "player", "T1", "eve"), query_subject("table", "player", "T1", "eve")):
            for reply in ("_INBOX.ann.x", "_INBOX.*.x", "_INBOX.ann.>"):
                await eve.publish(subject, b"", reply=reply)
            await eve.request(subject, b"", timeout=2)
        await ann.flush()
    finally:
        await eve.close()
        await ann.close()

    assert heard == []
