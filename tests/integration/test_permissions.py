"""Permissions, tried on the real server: what nobody may do stands in the server's way, whatever the client is."""

import asyncio
from collections.abc import Iterator

import msgspec
import pytest
from nats.aio.msg import Msg

from feltlog.credentials import create_user_key
from feltlog.house import House
from feltlog.machine import Machine
from shared.runtime.connection import Endpoint, connect
from shared.runtime.event_store import StoreUnavailable
from tests.integration.permission_bench import acting, may_publish, may_subscribe, settle

DAY = "20261130"
SERVICES = ["shoe", "wallet", "table", "surveillance"]
ALL_BUT_PROVISIONER = [*SERVICES, "reader", "pit", "ann"]
EVERYBODY = ["provisioner", *ALL_BUT_PROVISIONER]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A real server with the house's users, its staff and two players, ann and bob."""
    folder = tmp_path_factory.mktemp("house")
    House(folder).prepare()
    with Machine(folder, processes=()) as machine:
        machine.add_players(["ann", "bob"])
        yield machine


@pytest.mark.parametrize(
    ("user", "subject"),
    [
        ("ann", "cmd.table.player.T1.ann"),
        ("ann", "query.wallet.player.balance.ann"),
        ("pit", "cmd.table.staff.T1.pit"),
        ("pit", "query.shoe.staff.health.pit"),
        ("supervisor", "cmd.table.staff.T1.supervisor"),
        ("supervisor", "cmd.wallet.staff.ledger.supervisor"),
        ("inspector", "query.table.staff.T1.inspector"),
        ("shoe", f"log.shoe.{DAY}.T1-S1"),
        ("wallet", f"log.wallet.{DAY}.ledger.0"),
        ("table", f"log.table.{DAY}.T1.round.000001"),
        ("surveillance", f"log.surveillance.{DAY}.desk"),
        ("table", "view.table.felt.T1"),
        ("table", "alarm.table.broken"),
        ("table", "_INBOX.ann.x"),
        ("table", f"$JS.API.CONSUMER.MSG.NEXT.LOG_WALLET_{DAY}.table"),
        ("table", f"$JS.ACK.LOG_WALLET_{DAY}.table.1.1.1.1.0"),
        ("reader", f"$JS.API.DIRECT.GET.LOG_TABLE_{DAY}"),
        ("provisioner", f"$JS.API.STREAM.CREATE.LOG_TABLE_{DAY}"),
        ("provisioner", f"$JS.API.CONSUMER.CREATE.LOG_TABLE_{DAY}.wallet"),
    ],
)
async def test_a_user_may_publish_what_its_work_takes(server: Machine, user: str, subject: str):
    """Least privilege is still enough to work."""
    allowed = await may_publish(server.url, server.credentials(user), subject)

    assert allowed


@pytest.mark.parametrize(
    ("user", "subject"),
    [
        # Players speak under their own name and in their own role.
        ("ann", "cmd.table.player.T1.bob"),
        ("ann", "cmd.wallet.player.ledger.bob"),
        ("ann", "query.wallet.player.balance.bob"),
        ("ann", "cmd.table.staff.T1.ann"),
        ("ann", "cmd.table.staff.T1.pit"),
        # Nobody proposes or approves an adjustment under another's name.
        ("ann", "cmd.wallet.staff.ledger.ann"),
        ("ann", "cmd.wallet.staff.ledger.pit"),
        ("supervisor", "cmd.wallet.staff.ledger.pit"),
        ("ann", "view.table.felt.T1"),
        ("ann", "alarm.table.broken"),
        ("ann", "_INBOX.bob.x"),
        ("ann", f"log.table.{DAY}.T1.table"),
        ("ann", f"$JS.API.STREAM.INFO.LOG_TABLE_{DAY}"),
        # Staff speak as staff.
        ("pit", "cmd.table.player.T1.ann"),
        ("pit", "cmd.table.staff.T1.ann"),
        ("pit", "cmd.table.staff.T1.supervisor"),
        ("supervisor", "cmd.table.staff.T1.pit"),
        ("supervisor", "cmd.table.player.T1.supervisor"),
        ("pit", f"log.wallet.{DAY}.ledger.0"),
        # A service writes its own log and no other.
        ("shoe", f"log.wallet.{DAY}.ledger.0"),
        ("shoe", f"log.table.{DAY}.T1.table"),
        ("wallet", f"log.table.{DAY}.T1.table"),
        ("table", f"log.wallet.{DAY}.ledger.0"),
        ("table", f"log.shoe.{DAY}.T1-S1"),
        ("surveillance", f"log.table.{DAY}.T1.table"),
        ("provisioner", f"log.table.{DAY}.T1.table"),
        # Services call nobody, and raise nobody else's alarms.
        ("table", "cmd.wallet.staff.ledger.pit"),
        ("wallet", "cmd.table.player.T1.ann"),
        ("shoe", "alarm.table.broken"),
        # What another service has not heard yet cannot be taken from it.
        ("shoe", f"$JS.API.CONSUMER.MSG.NEXT.LOG_TABLE_{DAY}.wallet"),
        ("shoe", f"$JS.ACK.LOG_TABLE_{DAY}.wallet.1.1.1.1.0"),
        ("reader", f"$JS.API.CONSUMER.MSG.NEXT.LOG_TABLE_{DAY}.wallet"),
        # Readers only read.
        ("reader", f"log.table.{DAY}.T1.table"),
        ("reader", "cmd.table.staff.T1.reader"),
        ("reader", "_INBOX.ann.x"),
    ],
)
async def test_a_user_may_not_publish_what_is_not_its_own(server: Machine, user: str, subject: str):
    """Nobody speaks for another: not a player, not a service, not a member of staff."""
    allowed = await may_publish(server.url, server.credentials(user), subject)

    assert not allowed


@pytest.mark.parametrize("user", EVERYBODY)
@pytest.mark.parametrize(
    "request_",
    ["STREAM.DELETE.LOG_X", "STREAM.PURGE.LOG_X", "STREAM.RESTORE.LOG_X", "STREAM.MSG.DELETE.LOG_X", "CONSUMER.DELETE.LOG_X.table"],
)
async def test_nobody_may_make_recorded_things_disappear(server: Machine, user: str, request_: str):
    """The log is append-only for everybody, the provisioner included."""
    allowed = await may_publish(server.url, server.credentials(user), f"$JS.API.{request_}")

    assert not allowed


@pytest.mark.parametrize("user", ALL_BUT_PROVISIONER)
@pytest.mark.parametrize(
    "request_",
    [
        "STREAM.CREATE.LOG_X",
        "STREAM.UPDATE.LOG_X",
        "CONSUMER.CREATE.LOG_X.table",
        "CONSUMER.CREATE.LOG_X.spy.log.table.>",
        "CONSUMER.DURABLE.CREATE.LOG_X.table",
    ],
)
async def test_only_the_provisioner_may_change_a_log(server: Machine, user: str, request_: str):
    """A changed limit deletes entries and a changed durable loses them, so that right lies with one process."""
    allowed = await may_publish(server.url, server.credentials(user), f"$JS.API.{request_}")

    assert not allowed


@pytest.mark.parametrize(
    ("user", "subject"), [("ann", "view.table.felt.T1"), ("ann", "_INBOX.ann.>"), ("table", "cmd.table.>"), ("pit", "alarm.>")]
)
async def test_a_user_may_listen_to_what_concerns_it(server: Machine, user: str, subject: str):
    """Players see the felt, services hear what is asked of them, staff hear alarms."""
    allowed = await may_subscribe(server.url, server.credentials(user), subject)

    assert allowed


@pytest.mark.parametrize(
    ("user", "subject"),
    [
        ("ann", "log.>"),
        ("ann", f"log.table.{DAY}.T1.table"),
        ("ann", "cmd.table.>"),
        ("ann", "alarm.>"),
        ("ann", "_INBOX.bob.>"),
        ("ann", "_INBOX.>"),
        ("ann", ">"),
        ("pit", "cmd.table.>"),
        ("pit", "_INBOX.ann.>"),
        ("table", "cmd.wallet.>"),
        ("table", "_INBOX.>"),
        ("table", "_INBOX.wallet.>"),
        ("shoe", "log.wallet.>"),
        ("reader", "log.>"),
        ("reader", "_INBOX.>"),
        ("provisioner", "_INBOX.>"),
    ],
)
async def test_a_user_may_not_listen_to_what_does_not_concern_it(server: Machine, user: str, subject: str):
    """Nobody overhears another's answers, and logs are heard through durables only."""
    allowed = await may_subscribe(server.url, server.credentials(user), subject)

    assert not allowed


async def test_a_player_cannot_have_a_services_answer_stored_in_a_log(server: Machine):
    """A command whose reply subject is a log's gets no answer there: services answer to inboxes and nowhere else."""
    stream, subject = "LOG_WALLET_20261201", "log.wallet.20261201.ledger.0"
    async with (
        acting(server.url, server.credentials("provisioner")) as (provisioner, _),
        acting(server.url, server.credentials("table")) as (table, violations),
        acting(server.url, server.credentials("ann")) as (ann, _),
    ):
        await provisioner.jetstream().add_stream(name=stream, subjects=["log.wallet.20261201.>"])
        heard = asyncio.Event()

        async def answer(message: Msg) -> None:
            await message.respond(b"an answer")
            await settle(table)
            heard.set()

        await table.subscribe("cmd.table.>", cb=answer)
        await settle(table)
        await ann.publish("cmd.table.player.T1.ann", b"{}", reply=subject)
        await asyncio.wait_for(heard.wait(), 10)
        stored = (await provisioner.jetstream().stream_info(stream)).state.messages

    assert (stored, len(violations)) == (0, 1)


async def test_a_player_is_answered_in_an_inbox_of_their_own(server: Machine):
    """The way from a command to its answer is open."""
    async with acting(server.url, server.credentials("shoe")) as (shoe, _), acting(server.url, server.credentials("ann")) as (ann, _):

        async def answer(message: Msg) -> None:
            await message.respond(b"an answer")

        await shoe.subscribe("query.shoe.>", cb=answer)
        await settle(shoe)
        reply = await ann.request("query.shoe.player.T1.ann", b"", timeout=10)

    assert reply.data == b"an answer"


async def test_a_service_hears_its_durable_and_can_acknowledge(server: Machine):
    """Fetching and acknowledging under its own name is all that a service needs, on the subjects that this server uses."""
    async with (
        acting(server.url, server.credentials("provisioner")) as (provisioner, _),
        acting(server.url, server.credentials("shoe")) as (shoe, violations),
    ):
        management = provisioner.jetstream()
        await management.add_stream(name="LOG_SHOE_20261202", subjects=["log.shoe.20261202.>"])
        config = {"name": "shoe", "durable_name": "shoe", "ack_policy": "explicit", "deliver_policy": "all"}
        body = msgspec.json.encode({"stream_name": "LOG_SHOE_20261202", "config": config})
        await provisioner.request("$JS.API.CONSUMER.CREATE.LOG_SHOE_20261202.shoe", body)
        await shoe.jetstream().publish("log.shoe.20261202.T1-S1", b"{}")
        line = await shoe.jetstream().pull_subscribe_bind("shoe", stream="LOG_SHOE_20261202")
        [message] = await line.fetch(1, timeout=10)
        await message.ack_sync(timeout=10)
        waiting = (await management.consumer_info("LOG_SHOE_20261202", "shoe")).num_ack_pending

    assert (waiting, violations) == (0, [])


async def test_a_stranger_is_not_let_in(server: Machine, tmp_path_factory: pytest.TempPathFactory):
    """A key that the house did not make opens nothing."""
    stranger = create_user_key(tmp_path_factory.mktemp("elsewhere"), "ann")

    with pytest.raises(StoreUnavailable, match=r"[Aa]uthorization"):
        await connect(Endpoint(url=server.url, credentials=stranger), patience_s=2)


async def test_adding_a_player_leaves_open_connections_alone(server: Machine):
    """A new player is let in at once, and nobody else notices."""
    async with acting(server.url, server.credentials("bob")) as (bob, violations):
        await asyncio.to_thread(server.add_players, ["zoe"])
        allowed = await may_publish(server.url, server.credentials("zoe"), "cmd.table.player.T1.zoe")
        await bob.publish("cmd.table.player.T1.bob", b"{}")
        await settle(bob)
        found = (allowed, bob.is_connected, bob.stats["reconnects"], violations)

    assert found == (True, True, 0, [])
