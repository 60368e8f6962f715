"""The check of the server's settings: what is not as the log needs it is refused with its name."""

import logging
from pathlib import Path
from typing import Any

import pytest

from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import DayClosed, LogMisconfigured, StoreUnavailable
from shared.runtime.hearing import ConsumerMissing
from shared.runtime.log_making import LogMaker
from shared.runtime.settings_check import check_consumer, check_log, check_payload, check_server
from tests.integration.jetstream_bench import JetStreamBench
from tests.integration.nats_server import NatsServer
from tests.store_suite import LOG, TABLE, continued


async def made(jetstream: JetStreamBench) -> None:
    """Make a log as the provisioner does, with its consumers."""
    maker = LogMaker(jetstream.client)
    await maker.make(LOG)
    await maker.mend(LOG)


async def test_server_that_forces_entries_to_the_disk_passes(nats_server: NatsServer):
    """A server with `sync_interval: always` may hold money."""
    await check_server(nats_server.monitor_url)


async def test_server_that_does_not_force_entries_to_the_disk_is_refused(volatile_server: NatsServer):
    """A confirmed entry that a power cut can take away is no entry."""
    with pytest.raises(LogMisconfigured, match="sync_always is false, but must be true"):
        await check_server(volatile_server.monitor_url)


async def test_volatile_server_is_allowed_by_name_and_the_log_says_so(volatile_server: NatsServer, caplog: pytest.LogCaptureFixture):
    """Who allows a volatile server reads it in every log."""
    with caplog.at_level(logging.WARNING):
        await check_server(volatile_server.monitor_url, allow_volatile=True)

    assert "VOLATILE" in caplog.text


async def test_server_that_takes_no_large_entry_is_refused(tmp_path: Path):
    """A round that is played on it could be larger than it takes, and would never be settled."""
    server = NatsServer(tmp_path, more="max_payload: 1MB")
    server.start()
    try:
        client = await connect(Endpoint(url=server.url))
        with pytest.raises(LogMisconfigured, match="max_payload is 1048576, but must be at least"):
            check_payload(client)
        await close(client)
    finally:
        server.stop()


async def test_server_that_does_not_tell_is_refused(nats_server: NatsServer):
    """No answer is not a yes."""
    nats_server.stop()
    with pytest.raises(StoreUnavailable, match="does not tell"):
        await check_server(nats_server.monitor_url)


async def test_log_as_the_provisioner_makes_it_passes(jetstream: JetStreamBench):
    """What the provisioner makes is what the services want, with entries in it too."""
    await made(jetstream)
    await continued(jetstream, range(3))
    await check_log(jetstream.client, LOG)


async def test_consumers_as_the_provisioner_makes_them_pass(jetstream: JetStreamBench):
    """The same holds for every listener's durable."""
    await made(jetstream)
    for durable in ("table", "shoe", "wallet", "surveillance"):
        await check_consumer(jetstream.client, LOG, durable)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"discard": "old"}, 'LOG_TABLE_20261130: discard is "old", but must be "new"'),
        ({"max_age": 10**12}, "LOG_TABLE_20261130: max_age is 1000000000000, but must be 0"),
        ({"max_msgs": 5}, "LOG_TABLE_20261130: max_msgs is 5, but must be -1"),
        ({"max_bytes": -1}, "LOG_TABLE_20261130: max_bytes is -1, but must be an explicit limit"),
        ({"allow_direct": False}, "LOG_TABLE_20261130: allow_direct is False, but must be True"),
        ({"republish": {"src": ">", "dest": "copy.>"}}, "LOG_TABLE_20261130: republish is .*, but must not be set"),
        ({"allow_rollup_hdrs": True, "deny_purge": False}, "LOG_TABLE_20261130: deny_purge is False, but must be True"),
        ({"storage": "memory"}, 'LOG_TABLE_20261130: storage is "memory", but must be "file"'),
        ({"compression": "s2"}, 'LOG_TABLE_20261130: compression is "s2", but must be "none"'),
        ({"allow_msg_ttl": True}, "LOG_TABLE_20261130: allow_msg_ttl is True, but must not be set"),
    ],
)
async def test_log_with_other_settings_is_refused(jetstream: JetStreamBench, settings: dict[str, Any], told: str):
    """The refusal names log, setting, what is wanted and what was found."""
    wanted = {"deny_delete": True, "deny_purge": True, "duplicate_window": 120 * 10**9}
    await jetstream.make_log(LOG, **(wanted | settings))
    with pytest.raises(LogMisconfigured, match=told):
        await check_log(jetstream.client, LOG)


async def test_log_without_its_first_entries_is_refused(jetstream: JetStreamBench):
    """A log begins with its entry 1: lowering a limit takes entries away though deleting is denied."""
    await made(jetstream)
    await continued(jetstream, range(5))
    await jetstream.change_log(LOG, discard="old", max_msgs=2)
    await jetstream.change_log(LOG, discard="new", max_msgs=-1)
    with pytest.raises(LogMisconfigured, match="first_seq is 4, but must be 1"):
        await check_log(jetstream.client, LOG)


async def test_log_with_a_hole_is_refused(jetstream: JetStreamBench):
    """An entry missing in the middle is seen before anybody reads."""
    wanted = {"deny_purge": True, "duplicate_window": 120 * 10**9}
    await jetstream.make_log(LOG, deny_delete=False, **wanted)
    await continued(jetstream, range(3))
    await jetstream.erase(LOG, 2)
    await jetstream.change_log(LOG, deny_delete=True)
    with pytest.raises(LogMisconfigured, match="num_deleted is 1, but must be 0"):
        await check_log(jetstream.client, LOG)


async def test_missing_log_is_a_closed_day(jetstream: JetStreamBench):
    """A log that does not exist has no settings to be wrong."""
    with pytest.raises(DayClosed):
        await check_log(jetstream.client, LOG)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"ack_wait": 10**9}, "consumer wallet: ack_wait is 1000000000, but must be 30000000000"),
        ({"max_deliver": 3}, "consumer wallet: max_deliver is 3, but must be -1"),
        ({"filter_subject": TABLE}, "consumer wallet: filter_subject is .*, but must not be set"),
        ({"inactive_threshold": 10**12}, "consumer wallet: inactive_threshold is 1000000000000, but must not be set"),
    ],
)
async def test_consumer_with_other_settings_is_refused(jetstream: JetStreamBench, settings: dict[str, Any], told: str):
    """A durable that would skip, give up or expire is refused."""
    await made(jetstream)
    await jetstream.change_consumer(LOG, "wallet", **settings)
    with pytest.raises(LogMisconfigured, match=told):
        await check_consumer(jetstream.client, LOG, "wallet")


async def test_missing_consumer_is_told(jetstream: JetStreamBench):
    """A durable that does not exist has its own word."""
    await made(jetstream)
    with pytest.raises(ConsumerMissing):
        await check_consumer(jetstream.client, LOG, "nobody")
