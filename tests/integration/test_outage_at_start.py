"""A server that goes away while somebody starts: whoever was cut off begins anew and is there when the server is."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from feltlog.credentials import create_user_key
from feltlog.health import unready
from feltlog.provisioner import provide
from services.surveillance.app import SurveillanceApp
from shared.runtime.main import serve
from shared.runtime.settings import ServiceSettings
from shared.runtime.tasks import end_all
from tests.integration.nats_server import NatsServer


@contextmanager
def monitoring(*answers: int) -> Iterator[str]:
    """Yield the address of a monitoring port that answers with these statuses in turn, and with the last one from then on."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(left.pop(0) if len(left) > 1 else left[0])
            self.end_headers()
            self.wfile.write(b'{"config":{"sync_always":true}}')

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


async def test_whoever_is_cut_off_at_the_start_begins_anew(nats_server: NatsServer, tmp_path: Path):
    """The server does not tell how it stores, and a moment later it does: neither provisioner nor service has ended."""
    pit = create_user_key(tmp_path, "pit")
    working: list[asyncio.Task[None]] = []
    unready_ones: list[str] = []
    for name, work in (("provisioner", provide), ("surveillance", lambda settings: serve(SurveillanceApp, settings))):
        with monitoring(503, 200) as url:
            settings = ServiceSettings(
                nats_url=nats_server.url,
                monitor_url=url,
                credentials=create_user_key(tmp_path, name),
                data=tmp_path,
                day_starts="06:00",
                zone="UTC",
                sealing_key=tmp_path,
            )
            working.append(asyncio.create_task(work(settings)))
            unready_ones += await unready(
                nats_server.url, pit, [name], patience_s=30, lost=lambda name: any(task.done() for task in working)
            )
    ended = [task.done() for task in working]
    await end_all(working)

    assert (unready_ones, ended) == ([], [False, False])
