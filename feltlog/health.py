"""Health: a service is ready when it says so itself, to the same question on which operators keep an eye."""

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from shared.contracts.subjects import query_subject
from shared.runtime.line import Line, Unreachable, open_line

LOOK_AGAIN_S = 0.1
ANSWER_S = 2.0


async def unready(url: str, credentials: Path, services: Iterable[str], *, patience_s: float, lost: Callable[[str], bool]) -> list[str]:
    """Wait until all `services` are ready; return those that are not after `patience_s`, or when one is `lost` for good."""
    waiting = list(services)
    try:
        async with asyncio.timeout(patience_s):
            line = await open_line(url, user=credentials.stem, credentials=credentials, patience_s=patience_s)
            try:
                while waiting and not any(lost(name) for name in waiting):
                    said = await asyncio.gather(*(health(line, name, credentials.stem) for name in waiting))
                    waiting = [name for name, facts in zip(waiting, said, strict=True) if not facts.get("ready")]
                    await asyncio.sleep(LOOK_AGAIN_S if waiting else 0)
            finally:
                await line.close()
    except (TimeoutError, Unreachable):
        pass
    return waiting


async def health(line: Line, service: str, actor: str) -> dict[str, Any]:
    """Return what a service says about itself, nothing if it does not answer."""
    reply = await line.request(query_subject(service, "staff", "health", actor), b"", timeout_s=ANSWER_S)
    try:
        facts = json.loads(reply or b"{}")
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
