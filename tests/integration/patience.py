"""Patience: how long a test waits for what must come about by itself, and what it says when it does not."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

PATIENCE_S = 60.0
LOOK_AGAIN_S = 0.03


async def until(condition: Callable[[], Awaitable[Any]], what: str = "", *, patience_s: float = PATIENCE_S) -> Any:
    """Return what `condition` returns as soon as that holds; fail with a sentence, of which `what` is the end, if it never does."""
    found = await comes_about(condition, patience_s)
    assert found, f"within {patience_s:.0f} s it did not come about that {what or condition.__qualname__}"
    return found


async def comes_about(condition: Callable[[], Awaitable[Any]], patience_s: float) -> Any:
    """Return what `condition` returns as soon as that holds, or None if it does not in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            while not (found := await condition()):
                await asyncio.sleep(LOOK_AGAIN_S)
            return found
    return None
