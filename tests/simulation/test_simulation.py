"""The simulation finds nothing in the house as it is, finds what is planted, and is the same every time."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.replays.golden import Line, Story
from tests.simulation.planted import PLANTED, Planted
from tests.simulation.run import KINDS, Plan, Simulation
from tests.simulation.shrinking import shrink, write

DIGEST = "from tests.simulation.run import Plan, Simulation; print(Simulation(Plan(seed=5, rounds=8)).run().digest)"


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_found_under_faults(seed: int):
    """House page, guarantees: whatever goes wrong around the services, nothing false is written down and all of it ends."""
    outcome = Simulation(Plan(seed=seed, rounds=12)).run()

    assert outcome.message == ""


def test_nothing_is_found_without_faults():
    """A house that nothing goes wrong in settles everything."""
    outcome = Simulation(Plan(seed=3, rounds=12, faults=())).run()

    assert outcome.message == ""


def test_same_seed_gives_the_same_bytes():
    """One seed is the whole story, in any process: no set, no hash and no clock has a word in it."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }

    assert len(digests) == 1


def test_another_seed_gives_other_bytes():
    """What is chosen depends on the seed."""
    digests = {Simulation(Plan(seed=seed, rounds=1, tables=1, faults=())).run().digest for seed in (1, 2)}

    assert len(digests) == 2


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_planted_bug_is_found(planted: Planted):
    """A simulation that finds nothing proves nothing until it is known to find something."""
    outcome = Simulation(Plan(seed=1, rounds=300), wrap=planted.wrap, make_store=planted.make_store).run()

    assert outcome.code != ""


def test_failing_run_is_shrunk_to_fewer_faults():
    """The smallest run that fails in the same way is the one to look at."""
    planted = next(planted for planted in PLANTED if planted.name == "pay_double_singly")

    def make(plan: Plan) -> Simulation:
        return Simulation(plan, wrap=planted.wrap)

    smallest = shrink(make, make(Plan(seed=1, rounds=60)).run())

    assert (smallest.code, smallest.plan.faults) == ("outcome", ())


def test_log_of_a_run_is_written_as_a_golden_log(tmp_path: Path):
    """What was found once is decided again for ever: the file holds each entry byte for byte."""
    simulation = Simulation(Plan(seed=1, rounds=1, tables=1, faults=()))
    path = write(simulation, simulation.run(), tmp_path)
    lines = [msgspec.json.decode(line, type=Story | Line) for line in path.read_bytes().splitlines()]

    assert [line.data.encode() for line in lines if isinstance(line, Line)] == [stored.data for _, stored in simulation.logged]


def test_plan_names_the_command_that_repeats_it():
    """Whoever sees a failure can make it happen again."""
    command = Plan(seed=7, rounds=40, tables=2, faults=KINDS[:2]).command

    assert command == "make simulate SEED=7 ROUNDS=40 TABLES=2 FAULTS=duplicate,delay"
