"""Somebody curious: one credential, and everything that its holder could ask server and services for, with what came back.

Nothing here knows what is allowed.  All of it is tried, denials are the server's, and the search is for others.
"""

import asyncio
import base64
import re
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from shared.contracts.dealing import DownHand
from shared.contracts.requests import encode_request
from shared.contracts.shoe import CutShoe, DrawCards, ExposeCards, PeekHole, RetireShoe, ShuffleShoe, TurnCard
from shared.contracts.subjects import SERVICES
from shared.runtime.connection import Endpoint, close, connect
from tests.integration.patience import until

QUIET_S = 0.4
"""When nothing has come for so long, everything that was asked is answered."""
ENTRIES_MAX = 40
"""So many sequences of a log are asked for one by one; the batches ask for all."""
PAGES = ("varz", "jsz?streams=1&consumers=1&config=1", "connz?subs=1&auth=1", "subsz?subs=1", "routez", "accountz?acc=$G", "healthz")
BASE64 = re.compile(rb"[A-Za-z0-9+/]{24,}={0,2}")


@dataclass
class Target:
    """What is looked for: the day, the shoe in use with a card face down in a round, and the one that comes next."""

    day: str
    table: str
    round: str
    shoe: str
    coming: str
    hole: int

    @property
    def logs(self) -> list[str]:
        """The names under which something may be kept."""
        return [*(f"LOG_{service.upper()}_{self.day}" for service in SERVICES), "LOG_CASE", "KV_shoe", "OBJ_shoe"]

    @property
    def streams(self) -> list[str]:
        """The subjects of the shoes."""
        return [f"log.shoe.{self.day}.{shoe}" for shoe in (self.shoe, self.coming)]


@dataclass
class Curious:
    """Whoever holds a credential, and what this brought."""

    name: str
    got: list[bytes] = field(default_factory=list)
    asked: int = 0
    answers: int = 0
    """How many of those messages answer what was asked here."""

    @property
    def everything(self) -> bytes:
        """All that came, and what stands in it once more as base64."""
        raw = b"\n".join(self.got)
        return raw + b"\n" + b"\n".join(_unpacked(raw))


def _unpacked(raw: bytes) -> Iterator[bytes]:
    for found in BASE64.finditer(raw):
        with suppress(ValueError):
            yield base64.b64decode(found[0] + b"=" * (-len(found[0]) % 4))


async def looks_around(url: str, monitor_url: str, credentials: Path, others: Sequence[str], target: Target) -> Curious:
    """Return what the holder of a credential learns who tries everything."""
    curious = Curious(credentials.stem)
    client = await connect(Endpoint(url=url, credentials=credentials, name="somebody curious"))
    # A service of this name is heard here as well, and is never quiet.
    answer = re.compile(rf"_INBOX\.{curious.name}\.(\d+|pushed)")

    async def hear(message: Msg) -> None:
        curious.answers += bool(answer.fullmatch(message.subject))
        curious.got.append(message.subject.encode() + b" " + str(message.headers or "").encode() + b" " + message.data)

    try:
        for subject in (f"_INBOX.{curious.name}.>", *overheard(others, target)):
            # What a client refuses to ask is asked of nobody.
            with suppress(NatsError):
                await client.subscribe(subject, cb=hear)
        for subject, data in (*asked_of_the_server(curious.name, target), *asked_of_services(curious.name, others, target)):
            curious.asked += 1
            await client.publish(subject, data, reply=f"_INBOX.{curious.name}.{curious.asked}")
        await quiet(client, curious)
    finally:
        await close(client)
    curious.got += [await asyncio.to_thread(page, f"{monitor_url}/{name}") for name in PAGES]
    return curious


async def quiet(client: Client, curious: Curious) -> None:
    """Return when no answer comes any more."""

    async def nothing_came() -> bool:
        before = curious.answers
        await client.flush()
        await asyncio.sleep(QUIET_S)
        return curious.answers == before

    await until(nothing_came)


def page(url: str) -> bytes:
    """Return what the server shows to everybody on its monitoring port."""
    with suppress(OSError), urllib.request.urlopen(url, timeout=10) as answer:
        found: bytes = answer.read()
        return found
    return b""


def overheard(others: Sequence[str], target: Target) -> list[str]:
    """Return what somebody may want to listen to."""
    inboxes = [f"_INBOX.{name}.>" for name in others]
    wide = [">", "*.>", "log.>", "log.shoe.>", "cmd.>", "query.>", "view.>", "alarm.>", "_INBOX.>", "_INBOX.*.*"]
    return [*wide, "$JS.>", "$JS.API.>", "$JS.EVENT.>", "$SYS.>", "$KV.>", "$O.>", "view.table.felt.*", *target.streams, *inboxes]


def asked_of_the_server(name: str, target: Target) -> Iterator[tuple[str, bytes]]:
    """Yield every request to JetStream and to the server's system account that could show an entry."""
    for subject in ("INFO", "STREAM.LIST", "STREAM.NAMES"):
        yield f"$JS.API.{subject}", b""
    for ping in ("SERVER.PING", "SERVER.PING.JSZ", "SERVER.PING.CONNZ", "SERVER.PING.SUBSZ", "ACCOUNT.$G.JSZ", "ACCOUNT.$G.CONNZ"):
        yield f"$SYS.REQ.{ping}", b""
    yield "$SYS.REQ.USER.INFO", b""
    inbox = f"_INBOX.{name}.pushed"
    for log in target.logs:
        filters = ">" if log != target.logs[1] else target.streams[0]
        yield f"$JS.API.STREAM.INFO.{log}", _json(subjects_filter=">", deleted_details=True)
        for sequence in range(1, ENTRIES_MAX):
            yield f"$JS.API.STREAM.MSG.GET.{log}", _json(seq=sequence)
            yield f"$JS.API.DIRECT.GET.{log}", _json(seq=sequence)
        yield f"$JS.API.DIRECT.GET.{log}", _json(seq=1, batch=1_000, next_by_subj=">")
        yield f"$JS.API.DIRECT.GET.{log}", _json(multi_last=[">"], batch=1_000)
        for stream in target.streams:
            yield f"$JS.API.STREAM.MSG.GET.{log}", _json(last_by_subj=stream)
            yield f"$JS.API.STREAM.MSG.GET.{log}", _json(seq=1, next_by_subj=stream)
            yield f"$JS.API.DIRECT.GET.{log}", _json(last_by_subj=stream)
            yield f"$JS.API.DIRECT.GET.{log}.{stream}", b""
        yield f"$JS.API.STREAM.SNAPSHOT.{log}", _json(deliver_subject=inbox, no_consumers=True)
        yield f"$JS.API.CONSUMER.LIST.{log}", b""
        yield f"$JS.API.CONSUMER.NAMES.{log}", b""
        push = {"deliver_subject": inbox, "deliver_policy": "all", "ack_policy": "none", "filter_subject": filters}
        yield f"$JS.API.CONSUMER.CREATE.{log}", _json(stream_name=log, config=push)
        yield f"$JS.API.CONSUMER.CREATE.{log}.spy.{filters}", _json(stream_name=log, config=push | {"name": "spy"})
        yield f"$JS.API.CONSUMER.DURABLE.CREATE.{log}.spy", _json(stream_name=log, config=push | {"durable_name": "spy"})
        copy = {"name": "SPY", "sources": [{"name": log}], "allow_direct": True, "republish": {"src": ">", "dest": inbox}}
        yield "$JS.API.STREAM.CREATE.SPY", _json(**copy)
        yield "$JS.API.STREAM.CREATE.SPY", _json(name="SPY", mirror={"name": log}, allow_direct=True)
        yield f"$JS.API.STREAM.UPDATE.{log}", _json(name=log, republish={"src": ">", "dest": inbox})
        for durable in SERVICES:
            yield f"$JS.API.CONSUMER.INFO.{log}.{durable}", b""
            yield f"$JS.API.CONSUMER.MSG.NEXT.{log}.{durable}", _json(batch=1_000, no_wait=True)
    yield "$JS.API.DIRECT.GET.SPY", _json(seq=1, batch=1_000, next_by_subj=">")


def asked_of_services(name: str, others: Sequence[str], target: Target) -> Iterator[tuple[str, bytes]]:
    """Yield every question and every command to a shoe that somebody could think of, under one's own name and under others'."""
    shoes = (target.shoe, target.coming)
    targets = (*shoes, target.table, target.round, "health", "quarantine", "findings", "tables", "balance", "desk", "seed", "key", "order")
    for role, actor in [(role, actor) for role in ("player", "staff", "service") for actor in (name, *others)]:
        for service in (*SERVICES, "provisioner"):
            for about in targets:
                yield f"query.{service}.{role}.{about}.{actor}", b"{}"
        for shoe in shoes:
            for number, command in enumerate(commands(shoe, target)):
                yield f"cmd.shoe.{role}.{shoe}.{actor}", encode_request(f"{actor}-{shoe}-{number}", command)


def commands(shoe: str, target: Target) -> tuple[Any, ...]:
    """Return the commands by which a shoe shows cards, as the house would give them."""
    down = DownHand(box=1, hand=1, indices=(target.hole,), players=("ann",))
    return (
        DrawCards(round=target.round, call_no=99, faces=("up",) * 10),
        PeekHole(round=target.round, index=target.hole),
        TurnCard(round=target.round, index=target.hole),
        ExposeCards(round=target.round, hands=(down,), blackjacks_only=False),
        CutShoe(contributions=()),
        RetireShoe(reason="table_closed"),
        ShuffleShoe(shoe=shoe, table=target.table, decks=8, burns=0, cut=(100, 100), cutting_card=(0, 0)),
    )


def _json(**values: Any) -> bytes:
    return msgspec.json.encode(values)
