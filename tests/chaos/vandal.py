"""The vandal: somebody with every right on the server, which in the house nobody has.

Deleting a durable consumer or shrinking a log is what an operator does by mistake with the server's own tools; no credential
of the house could.  The vandal's key is therefore written into the server's configuration beside the house's users.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from nats.aio.client import Client

from feltlog.credentials import create_user_key, public_key
from feltlog.files import replace_file
from feltlog.machine import Machine
from feltlog.nats_server import SERVER, reload
from shared.runtime import jetstream_api as api
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import StoreUnavailable

USERS = "  users: [\n"


class _Config(msgspec.Struct):
    config: dict[str, Any]
    state: dict[str, Any] = {}


class _Reached(msgspec.Struct):
    num_pending: int
    num_ack_pending: int


class _Done(msgspec.Struct):
    success: bool = False


class Vandal:
    """Changes behind the house's back what the server keeps."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def delete_consumer(self, log: str, durable: str) -> bool:
        """Delete a durable consumer; return whether it was there."""
        answer = await api.ask(self._client, f"CONSUMER.DELETE.{log}.{durable}", None, _Done)
        return isinstance(answer, _Done) and answer.success

    async def has_consumer(self, log: str, durable: str) -> bool:
        """Return whether a durable consumer is there."""
        return isinstance(await api.ask(self._client, f"CONSUMER.INFO.{log}.{durable}", None, _Config), _Config)

    async def is_worked_off(self, log: str, durable: str) -> bool:
        """Return whether a durable consumer has delivered all that the log holds, and was told that all of it is worked off."""
        found = await api.ask(self._client, f"CONSUMER.INFO.{log}.{durable}", None, _Reached)
        return isinstance(found, _Reached) and found.num_pending == found.num_ack_pending == 0

    async def room(self, log: str) -> int:
        """Return how many bytes a log may hold."""
        return int((await self._info(log)).config["max_bytes"])

    async def leave_room(self, log: str, bytes_left: int) -> None:
        """Lower a log's size limit so far that only so many bytes find room."""
        found = await self._info(log)
        smaller = found.config | {"max_bytes": found.state["bytes"] + bytes_left}
        answer = await api.ask(self._client, f"STREAM.UPDATE.{log}", smaller, _Config)
        assert isinstance(answer, _Config), f"{log} cannot be made smaller: {answer}"

    async def all_sealed(self, logs: Iterable[str]) -> bool:
        """Return whether the server says that all of these logs are closed for ever."""
        try:
            return all([(await self._info(log)).config.get("sealed") for log in logs])
        except StoreUnavailable:
            return False

    async def _info(self, log: str) -> _Config:
        answer = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Config)
        assert isinstance(answer, _Config), f"{log} is there: {answer}"
        return answer


@asynccontextmanager
async def vandal(machine: Machine) -> AsyncIterator[Vandal]:
    """Let the vandal in for as long as the block takes."""
    client = await connect(Endpoint(url=machine.url, credentials=_let_in(machine), name="vandal"))
    try:
        yield Vandal(client)
    finally:
        await close(client)


def _let_in(machine: Machine) -> Path:
    """Write a user without any permission to heed into the server's configuration, and return its credential."""
    # Not among the house's secrets: whoever holds a key there is a player.
    folder = machine.house.data / "vandal"
    folder.mkdir(mode=0o700, exist_ok=True)
    key = create_user_key(folder, "vandal")
    conf = machine.house.server_conf
    text = conf.read_text()
    assert USERS in text, "the server's configuration lists its users"
    replace_file(conf, text.replace(USERS, f"{USERS}    # vandal\n    {{ nkey: {public_key(key)} }}\n"))
    pid = machine.pid(SERVER)
    assert pid is not None, "the server runs"
    reload(machine.ports, pid, conf)
    return key
