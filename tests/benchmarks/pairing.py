"""Pairing: ours and the peer's in turn, A B A B, and a ratio from each pair.

Machines are shared and warm up, cool down and are interrupted.  What disturbs a while disturbs both halves of a pair, so the
median of the pairs' ratios stays put where neither side's own figure does.
"""

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

from tests.benchmarks.row import Row, Tell

Timed = Callable[[], float]
"""Does its work once and returns how much of it would be done in a second."""


def paired(bench: str, unit: str, ours: Timed, peer: str, theirs: Timed, *, at_least: float | None, times: int, tell: Tell) -> Row:
    """Return the row of a bench whose sides were run in turn `times` times, after one turn that does not count."""
    pairs: list[tuple[float, float]] = []
    for turn in range(times + 1):
        tell(f"pair {turn} of {times}" if turn else "warming up")
        pairs.append((_quietly(ours), _quietly(theirs)))
    counted = pairs[1:]
    return Row(
        bench=bench,
        value=median(mine for mine, _ in counted),
        unit=unit,
        peer=peer,
        peer_value=median(other for _, other in counted),
        ratio=median(mine / other for mine, other in counted),
        at_least=at_least,
    )


def per_second(amount: int, work: Callable[[], object]) -> float:
    """Return how many would be done in a second, if `work` does `amount`; whatever it waits for counts."""
    began_s = perf_counter()
    work()
    return amount / (perf_counter() - began_s)


def per_cpu_second(amount: int, work: Callable[[], object]) -> float:
    """Return how many would be done in a second of this process's own, if `work` waits for nothing: neighbours do not count."""
    began_s = process_time()
    work()
    return amount / (process_time() - began_s)


def _quietly(side: Timed) -> float:
    # Nobody pays for what the other side has left lying about.
    gc.collect()
    return side()
