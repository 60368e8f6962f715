"""The beginning and the end of a process: settings, loop, signals, exit status.

Exit status 0 after a stop that was asked for, 1 when something failed, 2 when a setting is missing or wrong, 3 when another
process owns the streams.
"""

import asyncio
import contextlib
import logging
import resource
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import uvloop
from nats.errors import Error as NatsError

from shared.runtime import telemetry
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, Outages, connect, while_open
from shared.runtime.event_store import LogMisconfigured, StoreRefusal, StoreUnavailable
from shared.runtime.garbage import look_seldom
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keeper import SteppedDown
from shared.runtime.questions import questions
from shared.runtime.service import STEPPED_DOWN, App, Process
from shared.runtime.settings import ServiceSettings, SettingMissing, demand_assertions, from_environment
from shared.runtime.settings_check import check_consumer, check_log, check_payload, check_server
from shared.runtime.tasks import end_all

AGAIN_S = 0.5
DRAIN_S = 2.0
STOP_S = 5.0
"""How long a service may take to put everything away."""

log = logging.getLogger(__name__)


def main(make_app: Callable[[ServiceSettings], App]) -> NoReturn:
    """Run a service until SIGTERM or Ctrl-C."""
    try:
        run(lambda settings: serve(make_app, settings))
    finally:
        telemetry.stop()


def run(work: Callable[[ServiceSettings], Coroutine[Any, Any, None]]) -> NoReturn:
    """Do what `work` makes of the process's settings, until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    # A core dump would hold the seeds of shoes in play.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        demand_assertions()
        working = work(from_environment())
    except SettingMissing as error:
        log.error("%s", error)
        sys.exit(2)
    look_seldom()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.exit(runner.run(_status(working)))


async def _status(working: Coroutine[Any, Any, None]) -> int:
    """Return the exit status with which the work ends."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    running = asyncio.create_task(working)
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    await end_all([running], again_s=STOP_S)
    try:
        await running
    except asyncio.CancelledError:
        return 0
    except SteppedDown as why:
        log.error("stepping down: %s", why)
        return STEPPED_DOWN
    except (LogMisconfigured, SettingMissing) as error:
        log.error("%s", error)
        return 2
    except StoreRefusal as error:
        log.error("%s", error)
        return 1
    except Exception:
        log.exception("the process failed")
        return 1
    return 0


async def serve(make_app: Callable[[ServiceSettings], App], settings: ServiceSettings) -> None:
    """Serve until cancelled.  A service that was cut off before it was ready has read half of its logs, and begins anew."""
    while True:
        await serve_once(make_app(settings), settings)
        await asyncio.sleep(AGAIN_S)


async def serve_once(app: App, settings: ServiceSettings) -> None:
    """Connect, check what money rests on, and serve until cancelled; return only if the store went away before that began."""
    telemetry.start(app.name)
    endpoint = Endpoint(url=settings.nats_url, credentials=settings.credentials, name=app.name)
    outages = Outages()
    client = await connect(endpoint, outages, patience_s=None)

    async def check(log_name: str, durable: str | None) -> None:
        await check_log(client, log_name)
        if durable is not None:
            await check_consumer(client, log_name, durable)

    process = Process(app, settings, client, JetStreamStore(client), SystemClock(), check)
    outages.down = process.keepers.away
    outages.up = process.keepers.there
    broker = questions(endpoint, app.name, process.question)
    try:
        await check_server(settings.monitor_url, allow_volatile=settings.allow_volatile)
        check_payload(client)
        await while_open(outages, process.run(broker.start))
    except StoreUnavailable as error:
        if process.ready:
            raise
        log.warning("%s; beginning anew", error)
    finally:
        await process.stop()
        await broker.stop()
        with contextlib.suppress(NatsError, TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await client.drain()
