"""A stand-in for a service: says that it is ready, and can be told to fall, to step down or to be deaf to SIGTERM."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import nats
from nats.aio.msg import Msg


async def main() -> None:
    """Answer the question after health until SIGTERM."""
    credentials = Path(os.environ["FELTLOG_CREDENTIALS"])
    name = credentials.stem
    told = os.environ.get(f"STAND_IN_{name.upper()}", "")
    if told == "falls":
        sys.exit("the stand-in falls, as it was told")
    if told == "steps_down":
        sys.exit(3)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, (lambda: None) if told == "deaf" else stop.set)
    client = await nats.connect(
        os.environ["FELTLOG_NATS_URL"], nkeys_seed=str(credentials), inbox_prefix=f"_INBOX.{name}", max_reconnect_attempts=-1
    )

    async def health(message: Msg) -> None:
        await message.respond(json.dumps({"service": name, "ready": True, "pid": os.getpid()}).encode())

    await client.subscribe(f"query.{name}.staff.health.*", cb=health)
    await stop.wait()
    await client.close()


if __name__ == "__main__":
    asyncio.run(main())
