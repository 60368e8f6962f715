"""Tampering on the real server: whoever has the disk changes a log, and `feltlog verify` names stream and revision."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from nats.aio.client import Client

from services.surveillance.views import INDEX, FindingRow, RoundRow
from shared.runtime.connection import Endpoint, connect
from shared.runtime.sql import Index
from tests.integration.nats_server import NatsServer

HERE = Path(__file__).parents[2]
PATIENCE_S = 240.0
ROUNDS = 9
HEAD = re.compile(rb'\{"stream":"([^"]+)","revision":([0-9]+),"at_ms"')
"""How an entry begins; the cause of a decision begins otherwise."""


class Message(Struct, frozen=True):
    """A message of a log, as it lies on the disk."""

    subject: str
    data: bytes
    claimed: str


Edit = Callable[[list[Message]], list[Message]]


def feltlog(*arguments: str) -> tuple[int, str]:
    """Run the command to its end; return its exit status and what it wrote."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FELTLOG_")}
    done = subprocess.run([sys.executable, "-m", "feltlog", *arguments], cwd=HERE, env=environment, capture_output=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house after a short evening, stopped."""
    data = tmp_path_factory.mktemp("played") / "house"
    status, said = feltlog("demo", "--data", str(data), "--rounds", str(ROUNDS))
    assert status == 0, said
    return data


@pytest.fixture
def house(played: Path, tmp_path: Path) -> Path:
    """A copy of it, for a test to spoil."""
    return Path(shutil.copytree(played, tmp_path / "house"))


def verified(house: Path) -> tuple[int, set[tuple[str, str, int]]]:
    """What `feltlog verify` says: its exit status, and code, stream and revision of each breach."""
    status, said = feltlog("verify", "--data", str(house), "--json")
    rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return status, {(row["code"], row["stream"], row["revision"]) for row in rows if row.get("severity") == "breach"}


async def spoil(house: Path, tmp_path: Path, service: str, edit: Edit) -> None:
    """Write a service's log of the evening anew, with other messages, behind everybody's back."""
    den = tmp_path / "den"
    den.mkdir()
    (den / "store").symlink_to(house / "nats" / "store")
    server = NatsServer(den, sync_always=False)
    server.start()
    client = await connect(Endpoint(url=server.url))
    try:
        name, config, count = await evening_log(client, service)
        messages = edit([await message(client, name, sequence) for sequence in range(1, count + 1)])
        await ask(client, f"STREAM.DELETE.{name}", {})
        await ask(client, f"STREAM.CREATE.{name}", {**config, "sealed": False})
        for one in messages:
            await client.request(one.subject, one.data, headers={"Nats-Msg-Id": one.claimed})
    finally:
        await client.close()
        server.stop()


async def evening_log(client: Client, service: str) -> tuple[str, dict[str, Any], int]:
    """Return the service's log in which the evening lies, with its configuration and how many messages it has."""
    listed = (await ask(client, "STREAM.LIST", {}))["streams"]
    info = max(
        (row for row in listed if row["config"]["name"].startswith(f"LOG_{service.upper()}_")), key=lambda row: row["state"]["messages"]
    )
    return info["config"]["name"], info["config"], info["state"]["messages"]


async def message(client: Client, name: str, sequence: int) -> Message:
    """Return one message of a log."""
    found = (await ask(client, f"STREAM.MSG.GET.{name}", {"seq": sequence}))["message"]
    headers = base64.b64decode(found["hdrs"]).decode()
    claimed = next(line.partition(": ")[2] for line in headers.splitlines() if line.startswith("Nats-Msg-Id"))
    return Message(found["subject"], base64.b64decode(found["data"]), claimed)


async def ask(client: Client, what: str, body: dict[str, Any]) -> dict[str, Any]:
    """Ask JetStream's own API."""
    answer: dict[str, Any] = json.loads((await client.request(f"$JS.API.{what}", json.dumps(body).encode())).data)
    assert "error" not in answer, answer
    return answer


def round_of(messages: list[Message], nth: int) -> list[int]:
    """Where in a log the entries of its nth round lie."""
    rounds = sorted({one.subject for one in messages if ".round." in one.subject})
    return [place for place, one in enumerate(messages) if one.subject == rounds[nth]]


def test_surveillance_has_every_round_in_its_index(played: Path):
    """While the evening was played, every round was heard, decided again and judged; nothing was found."""
    index = Index(played / "surveillance.sqlite", INDEX)
    rounds, findings = index.rows("rounds", RoundRow), index.rows("findings", FindingRow)
    index.close()

    assert (len(rounds) >= ROUNDS, {(row.verdict, row.findings) for row in rounds}, findings) == (
        True,
        {("same", 0)},
        [],
    )


async def test_a_log_that_is_written_anew_as_it_was_is_fine(house: Path, tmp_path: Path):
    """The forger's tools change nothing by themselves."""
    await spoil(house, tmp_path, "table", lambda messages: messages)

    assert verified(house) == (0, set())


def test_a_flipped_byte_on_the_disk_is_named(house: Path):
    """One byte of one wager, changed in the server's own file."""
    files = [path for path in (house / "nats" / "store").rglob("*.blk") if "LOG_TABLE_" in str(path)]
    file = max(files, key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    begin = data.index(b'{"stream":', data.index(b'"table.WagerPlaced.v1"'))
    place = data.index(b'"stake_minor":', begin) + len(b'"stake_minor":')
    heads = [head for head in HEAD.finditer(data) if head.start() < place]
    data[place] = ord("9") if data[place] != ord("9") else ord("8")
    file.write_bytes(data)
    stream, revision = heads[-1][1].decode(), int(heads[-1][2])
    status, found = verified(house)

    assert (status, {(where, at) for _, where, at in found} & {(stream, revision)}) == (1, {(stream, revision)})


async def test_a_missing_entry_is_named(house: Path, tmp_path: Path):
    """The third entry of a round is not there; the store's own numbers were closed up."""
    gone: list[str] = []

    def edit(messages: list[Message]) -> list[Message]:
        place = round_of(messages, 1)[2]
        gone.append(messages[place].subject)
        return messages[:place] + messages[place + 1 :]

    await spoil(house, tmp_path, "table", edit)
    status, found = verified(house)

    assert (status, ("missing_entry", gone[0], 3) in found) == (1, True)


async def test_two_swapped_entries_are_named(house: Path, tmp_path: Path):
    """The second and the third entry of a shoe have changed places."""
    swapped: list[str] = []

    def edit(messages: list[Message]) -> list[Message]:
        shoe = next(one.subject for one in messages if ".desk" not in one.subject)
        _, second, third, *_ = [place for place, one in enumerate(messages) if one.subject == shoe]
        swapped.append(shoe)
        messages[second], messages[third] = messages[third], messages[second]
        return messages

    await spoil(house, tmp_path, "shoe", edit)
    status, found = verified(house)

    assert (status, ("swapped", swapped[0], 2) in found) == (1, True)


async def test_an_entry_from_another_round_is_named(house: Path, tmp_path: Path):
    """The third entry of one round stands in the place of another round's."""
    spoiled: list[str] = []

    def edit(messages: list[Message]) -> list[Message]:
        place, other = round_of(messages, 1)[2], round_of(messages, 2)[2]
        spoiled.append(messages[place].subject)
        messages[place] = Message(messages[place].subject, messages[other].data, messages[place].claimed)
        return messages

    await spoil(house, tmp_path, "table", edit)
    status, found = verified(house)

    assert (status, ("wrong_stream", spoiled[0], 3) in found) == (1, True)


async def test_a_whole_missing_round_is_named(house: Path, tmp_path: Path):
    """No entry of a round is there; its table's stream says that it was."""
    gone: list[str] = []

    def edit(messages: list[Message]) -> list[Message]:
        places = set(round_of(messages, 1))
        gone.append(messages[min(places)].subject)
        return [one for place, one in enumerate(messages) if place not in places]

    await spoil(house, tmp_path, "table", edit)
    status, found = verified(house)

    assert (status, ("missing_round", gone[0], 1) in found) == (1, True)


async def test_a_log_that_lost_its_end_is_named(house: Path, tmp_path: Path):
    """Surveillance had seen more of the ledger than is there."""
    await spoil(house, tmp_path, "wallet", lambda messages: messages[:-1])
    status, found = verified(house)

    assert (status, "tail_missing" in {code for code, _, _ in found}) == (1, True)
