"""`entries`: how many times something is forced to the disk for one round of seven boxes, over all services.

A whole house plays rounds, and what all logs have gained is divided by their number: so the shoes that were shuffled
meanwhile are in it.  Clients say something as soon as they see that they may; what comes together leaves as one entry.
"""

import asyncio

from feltlog.commands.connection import reading
from feltlog.house import House
from tests.benchmarks.house import evening, running_house
from tests.benchmarks.row import Bench, Effort, Row, Tell

AT_MOST = 45


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Play so many rounds at one table."""
    with running_house(1) as machine:
        entries, rounds = asyncio.run(_entries(machine.house, effort.amount, tell))
    a_round = entries / rounds
    return [
        Row(bench="entries", value=a_round, unit="entries/round", peer="at most", peer_value=AT_MOST, ratio=AT_MOST / a_round, at_least=1.0)
    ]


async def _entries(house: House, amount: int, tell: Tell) -> tuple[int, int]:
    before = await _stored(house)
    played = await evening(house, tables=1, rounds=amount, tell=tell)
    return await _stored(house) - before, played.rounds + 1


async def _stored(house: House) -> int:
    """Return how many entries all logs of all services hold."""
    async with reading(house) as store:
        return sum([await store.end(log) for log in await store.logs()])


ENTRIES = Bench(run=run, amount=60, times=1, about="durable entries of a seven-box round over all services")
