"""A run that fails says how to repeat it, is made smaller, and leaves a log that can be moved to the golden ones."""

import re
import shlex
from pathlib import Path

import pytest

from tests.replays.golden import load
from tests.simulation import __main__ as command
from tests.simulation.plan import Plan
from tests.simulation.planted import PLANTED, simulation_of
from tests.simulation.run import Outcome
from tests.simulation.shrinking import shrink, write

PLAN = Plan(seed=1, rounds=60, planted="pay_double_singly")


@pytest.fixture(scope="module")
def failed() -> Outcome:
    """A run that fails."""
    return simulation_of(PLAN).run()


@pytest.fixture(scope="module")
def smallest(failed: Outcome) -> Outcome:
    """The smallest run that fails in the same way."""
    return shrink(simulation_of, failed)


@pytest.mark.parametrize("name", [planted.name for planted in PLANTED])
def test_planted_bug_is_found(name: str):
    """A simulation that finds nothing proves nothing until it is known to find something."""
    outcome = simulation_of(Plan(seed=2, rounds=300, planted=name)).run()

    assert outcome.code != ""


def test_failing_run_is_shrunk_to_fewer_faults(smallest: Outcome):
    """The smallest run that fails in the same way is the one to look at."""
    assert (smallest.code, smallest.plan.faults) == ("outcome", ())


def test_printed_command_repeats_the_failure_byte_for_byte(
    failed: Outcome, smallest: Outcome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """What is printed is the whole story: run again, it stores the same bytes and ends with the same words."""
    monkeypatch.setattr(command, "BUILD", tmp_path)
    monkeypatch.setattr(command, "watched", lambda plan, console: (simulation_of(plan), failed))
    monkeypatch.setattr(command, "shrink", lambda make, found: smallest)
    command.main([])
    printed = re.findall(r"^(?:Again|Small): (make .*)$", capsys.readouterr().out, re.MULTILINE)
    again = [simulation_of(planned(line)).run() for line in printed]

    assert [(run.digest, run.message) for run in again] == [(run.digest, run.message) for run in (failed, smallest)]


def test_log_of_a_run_is_a_golden_log(smallest: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What was found once is decided again for ever: moved to the golden logs, the file is one of them, byte for byte."""
    simulation = simulation_of(smallest.plan)
    path = write(simulation, tmp_path, name="what_went_wrong", about=simulation.run().message)
    monkeypatch.setattr("tests.replays.golden.HERE", tmp_path)

    assert [stored.data for stored in load(path.stem).stored()] == [stored.data for stored in simulation.logged]


def planned(line: str) -> Plan:
    """Return the plan that a printed command stands for, as the Makefile passes it on."""
    words = [word.partition("=") for word in shlex.split(line)[2:]]
    told = command.parser().parse_args([part for name, _, value in words for part in (f"--{name.lower()}", value)])
    return command.plan_of(told)
