"""`round`: whole rounds through all processes of a house: how many, how long a decision waits, and what each process takes.

There is no peer for this; the figures say what a machine carries, and are compared with themselves only.
"""

import asyncio
from statistics import quantiles

import psutil

from feltlog.machine import PROCESSES, Machine
from feltlog.nats_server import SERVER
from tests.benchmarks.house import evening, running_house
from tests.benchmarks.row import Bench, Effort, Row, Tell

TABLES = 4
ROUNDS_MIN = 4
"""With fewer there is nothing to measure between the first and the last."""
MEBIBYTE = 1024 * 1024


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Play so many rounds at four tables of seven boxes."""
    with running_house(TABLES) as machine:
        processes = _processes(machine)
        before = {name: _cpu_s(process) for name, process in processes.items()}
        played = asyncio.run(evening(machine.house, tables=TABLES, rounds=max(ROUNDS_MIN, effort.amount), tell=tell))
        used_s = {name: _cpu_s(process) - before[name] for name, process in processes.items()}
        resident = {name: process.memory_info().rss / MEBIBYTE for name, process in processes.items()}
    hundredths = quantiles([took_s * 1000 for took_s in played.took_s], n=100)
    figures = [
        ("round", played.rounds / played.seconds, "rounds/s"),
        ("round: answer, p50", hundredths[49], "ms"),
        ("round: answer, p99", hundredths[98], "ms"),
    ]
    for name in processes:
        figures.append((f"round: CPU of {name}", 1000 * used_s[name] / (played.rounds + 1), "ms/round"))
        figures.append((f"round: memory of {name}", resident[name], "MiB"))
    return [Row(bench=bench, value=value, unit=unit) for bench, value, unit in figures]


def _processes(machine: Machine) -> dict[str, psutil.Process]:
    pids = {name: machine.pid(name) for name in (SERVER, *(process.name for process in PROCESSES if not process.first))}
    return {name: psutil.Process(pid) for name, pid in pids.items() if pid is not None}


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


ROUND = Bench(run=run, amount=120, times=1, about="whole rounds through all processes")
