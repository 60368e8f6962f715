"""Tasks that run beside one another, and how they are ended for certain."""

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_S = 0.1


async def end_all(tasks: Iterable["asyncio.Task[Any]"], *, again_s: float = AGAIN_S) -> None:
    """Cancel tasks until they have ended, whatever they end with; each is given `again_s` before it is cancelled once more.

    Once is not enough: `asyncio.wait_for` of Python 3.11 swallows a cancellation that comes together with what it waits
    for, and the client of the server is built on it.
    """
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=again_s)


async def first_of(tasks: Iterable["asyncio.Task[Any]"]) -> None:
    """Wait until one of the tasks ends, and raise what it failed with."""
    done, _ = await asyncio.wait(list(tasks), return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
