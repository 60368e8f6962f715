"""Scenario files of this repository: rounds written down, each with the right outcome."""

from pathlib import Path

import pytest

from feltlog.scenario.run import run
from feltlog.scenario.text import read_json, texts_of

ROOM = Path(__file__).parents[2] / "scenarios"
FILES = sorted(ROOM.glob("*.jsonl"))
SCENARIOS = [pytest.param(text, id=read_json(text).name) for path in FILES for _, text in texts_of(path, path.read_bytes())]


@pytest.mark.parametrize("text", SCENARIOS)
def test_scenario_comes_out_as_expected(text):
    """Each names in its own words what went wrong elsewhere, or what a book says."""
    ran = run("", text, read_json, ROOM)

    assert (ran.is_valid, ran.differences) == (True, ())


@pytest.mark.parametrize("text", SCENARIOS)
def test_scenario_expects_something(text):
    """A scenario that expects nothing cannot fail."""
    assert read_json(text).expect != {}
