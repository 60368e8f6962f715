"""Copies of a house's logs that somebody meddled with: `feltlog verify` says where to look, and exits with 1.

A copy is a house of its own: its streams are made by the provisioner and written by the services' own users, entry after
entry, each under the digest of the bytes that it then has.  So whoever meddles here may do all that a break-in could.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nats.aio.client import Client

from feltlog.commands.connection import reading
from feltlog.house import House
from feltlog.machine import Machine, run_apart, store_only
from shared.contracts.language import types_of
from shared.contracts.subjects import SERVICES, log_day, log_name, round_name
from shared.kernel.entry import Stored, decode_as
from shared.kernel.identity import digest
from shared.runtime.connection import Endpoint, connect
from shared.runtime.log_making import LogMaker
from tests.integration.recorded_evening import Evening

Logs = dict[str, list[Stored]]
Finding = dict[str, Any]
Place = tuple[str, int]
"""A stream and a revision."""


@pytest.fixture(scope="module")
def logs(evening: Evening) -> Logs:
    """The evening's logs."""

    async def read() -> Logs:
        async with reading(House(evening.data)) as store:
            return {name: [stored async for stored in store.read(name)] for name in await store.logs()}

    return run_apart(read())


def test_untouched_copy_is_fine(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: exit 0 if everything is as it must be."""
    assert verified(copied(tmp_path, evening, logs)) == (0, [])


def test_flipped_byte_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: a card of a round is another one, by one bit."""
    victim = an_entry(evening, logs, 5)
    place = victim.data.index(b'"card":"') + len(b'"card":"')
    forged = victim.data[:place] + bytes([victim.data[place] ^ 1]) + victim.data[place + 1 :]
    changed = {name: [each if each is not victim else with_data(each, forged) for each in log] for name, log in logs.items()}

    assert names_place(tmp_path, evening, changed, revision_of(victim))


def test_missing_entry_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: an entry of a round is not there."""
    victim = an_entry(evening, logs, 5)
    changed = {name: [each for each in log if each is not victim] for name, log in logs.items()}

    assert names_place(tmp_path, evening, changed, revision_of(victim))


def test_swapped_entries_are_found(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: two entries of a round changed places."""
    one, other = entries_of(evening, logs, evening.round)[4:6]
    places = {id(one): other, id(other): one}
    changed = {name: [places.get(id(each), each) for each in log] for name, log in logs.items()}

    assert names_place(tmp_path, evening, changed, revision_of(one))


def test_entry_of_another_round_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: an entry of a round was put into another one."""
    victim, stranger = an_entry(evening, logs, 5), entries_of(evening, logs, round_before(evening))[4]
    changed = {name: [each if each is not victim else with_data(each, stranger.data) for each in log] for name, log in logs.items()}

    assert names_place(tmp_path, evening, changed, revision_of(victim))


def test_missing_round_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """Log page, streams: the table's stream records each of its rounds, so that a whole missing round is seen."""
    stream = round_name(evening.round).stream
    changed = {name: [each for each in log if each.stream != stream] for name, log in logs.items()}

    assert names_place(tmp_path, evening, changed, (stream, 1))


def test_truncated_log_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """House page, verify: the last entries of the tables' log are not there; others rest on them."""
    name = log_name("table", evening.day)
    status, findings = verified(copied(tmp_path, evening, {**logs, name: logs[name][:-8]}))

    assert (status, any(found["stream"] and found["revision"] for found in findings)) == (1, True)


def test_flipped_byte_on_the_disk_is_found(tmp_path: Path, evening: Evening, logs: Logs):
    """The server leaves out a message whose checksum is wrong, without a word; the entry is missed where it belongs."""
    victim = an_entry(evening, logs, 5)
    data = tmp_path / "copy"
    shutil.copytree(evening.data, data)
    assert flip(data, victim.data) == 1
    status, findings = verified(data)
    gaps = [found["sequence"] for found in findings if found["code"] == "sequence_gap"]

    assert (status, gaps, revision_of(victim) in places_of(findings)) == (1, [victim.sequence], True)


def copied(directory: Path, evening: Evening, logs: Logs) -> Path:
    """Return a house whose server holds these logs."""
    data = directory / "copy"
    (data / "nats" / "store").mkdir(parents=True)
    shutil.copytree(evening.data / "secrets", data / "secrets")
    shutil.copy(evening.data / "tables.toml", data)
    with store_only(data) as machine:
        run_apart(written(machine, logs))
    return data


async def written(machine: Machine, logs: Logs) -> None:
    """Make the logs as the provisioner, and write each as the service that it belongs to."""
    provisioner = await connect(Endpoint(url=machine.url, credentials=machine.credentials("provisioner")))
    maker = LogMaker(provisioner)
    for name in logs:
        await maker.make(name)
        await maker.mend(name)
    await provisioner.close()
    for service in SERVICES:
        client = await connect(Endpoint(url=machine.url, credentials=machine.credentials(service)))
        for name, log in logs.items():
            if log_day(name)[0] == service:
                await copy_log(client, log)
        await client.close()


async def copy_log(client: Client, log: list[Stored]) -> None:
    """Write the entries of a log, each under the digest of its bytes; bytes that stand there twice have no digest the second time."""
    known: set[str] = set()
    for place, each in enumerate(log, start=1):
        mark = digest(each.data)
        headers = None if mark in known else {"Nats-Msg-Id": mark}
        known.add(mark)
        if place < len(log):
            await client.publish(each.stream, each.data, headers=headers)
        else:
            # What one connection says is stored in that order, so the last one's answer stands for all of them.
            answer = await client.request(each.stream, each.data, timeout=30, headers=headers)
            assert msgspec.json.decode(answer.data)["seq"] == len(log), "the copy holds every entry"


def verified(data: Path) -> tuple[int, list[Finding]]:
    """Return the exit status of `feltlog verify --all`, and the breaches that it names."""
    command = [sys.executable, "-m", "feltlog", "verify", "--all", "--json", "--data", str(data)]
    finished = subprocess.run(command, capture_output=True, check=False)
    lines = [msgspec.json.decode(line) for line in finished.stdout.splitlines()]
    return finished.returncode, [line for line in lines if line.get("severity") == "breach"]


def names_place(directory: Path, evening: Evening, logs: Logs, *places: Place) -> bool:
    """Return whether `feltlog verify` fails on a copy and names each of the places."""
    status, findings = verified(copied(directory, evening, logs))
    return status == 1 and set(places) <= places_of(findings)


def places_of(findings: list[Finding]) -> set[Place]:
    """Return the places that findings name."""
    return {(found["stream"], found["revision"]) for found in findings}


def entries_of(evening: Evening, logs: Logs, round: str) -> list[Stored]:
    """Return the entries of a round."""
    stream = round_name(round).stream
    return [each for each in logs[log_name("table", evening.day)] if each.stream == stream]


def an_entry(evening: Evening, logs: Logs, revision: int) -> Stored:
    """Return the first entry of the round, from a revision on, in which an open card is dealt."""
    return next(each for each in entries_of(evening, logs, evening.round)[revision - 1 :] if b'"card":"' in each.data)


def round_before(evening: Evening) -> str:
    """Return the round before it at the same table."""
    name = round_name(evening.round)
    return msgspec.structs.replace(name, number=name.number - 1).id


def revision_of(stored: Stored) -> Place:
    """Return the stream and the revision of an entry."""
    return stored.stream, decode_as(*types_of(stored.stream), stored.data).revision


def with_data(stored: Stored, data: bytes) -> Stored:
    """Return an entry with other bytes."""
    return msgspec.structs.replace(stored, data=data)


def flip(data: Path, wanted: bytes) -> int:
    """Flip a bit in the middle of some bytes wherever they stand in the server's files; return how often they did."""
    flipped = 0
    for block in (data / "nats" / "store").rglob("*.blk"):
        content = bytearray(block.read_bytes())
        place = content.find(wanted)
        if place >= 0:
            content[place + len(wanted) // 2] ^= 1
            block.write_bytes(content)
            flipped += 1
    return flipped
