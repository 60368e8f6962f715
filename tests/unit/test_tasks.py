"""Tasks: one that swallows a cancellation is ended all the same."""

import asyncio

from shared.runtime.tasks import end_all


async def test_task_that_swallows_a_cancellation_is_cancelled_again():
    """Whoever waits for it must not wait for ever."""
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            swallowed += 1
        await asyncio.Event().wait()

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await end_all([task], again_s=0)

    assert (task.cancelled(), swallowed) == (True, 1)
