"""The simulation finds nothing in the house as it is, lets everything go wrong that it names, and is the same every time."""

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.simulation.plan import HAPPENINGS, KINDS, Plan
from tests.simulation.run import Outcome, Simulation

SEEDS = (1, 5, 8)
DIGEST = """
from tests.simulation.plan import Plan
from tests.simulation.run import Simulation
print(Simulation(Plan(seed=5, rounds=8)).run().digest)
"""


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """How a few seeds end."""
    return [Simulation(Plan(seed=seed, rounds=40)).run() for seed in SEEDS]


def test_nothing_is_found_under_faults(outcomes: list[Outcome]):
    """House page, guarantees: whatever goes wrong around the services, nothing false is written down and all of it ends."""
    assert [outcome.message for outcome in outcomes] == [""] * len(SEEDS)


def test_everything_goes_wrong_that_is_named(outcomes: list[Outcome]):
    """A fault that never comes true proves nothing."""
    happened: Counter[str] = Counter()
    for outcome in outcomes:
        happened.update(outcome.happened)

    assert [what for what in HAPPENINGS if not happened[what]] == []


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


def test_plan_names_the_command_that_repeats_it():
    """Whoever sees a failure can make it happen again."""
    command = Plan(seed=7, rounds=40, tables=2, faults=KINDS[:2], planted="pay_double_singly").command

    assert command == "make simulate SEED=7 ROUNDS=40 TABLES=2 FAULTS=duplicate,delay PLANTED=pay_double_singly"
