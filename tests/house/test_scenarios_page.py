"""The scenarios page says what the code does: its codes, its words, and its example."""

import json
import re

from feltlog.scenario.text import CODES
from shared.contracts.refusals import Reason
from tests.house.tree import ROOT

PAGE = (ROOT / "docs" / "scenarios.md").read_text()
CELLS = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def rows_below(heading: str) -> set[str]:
    """Return the words in the first column of the table with this heading."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n", 1)[0]
    return {word for cell in CELLS.findall(table) for word in re.findall(r"\w+", cell)}


def test_every_code_of_an_invalid_file_stands_there():
    """Codes are stable and documented in one table."""
    assert rows_below("code of an invalid file") == set(CODES)


def test_refusals_that_stand_there_exist():
    """Refusals have the codes of the live table."""
    assert rows_below("code of a refusal") - {reason.value for reason in Reason} == set()


def test_example_is_the_file_beside_it():
    """What the page shows is what is run."""
    shown = PAGE[PAGE.index("```json\n") + len("```json\n") :].split("```", 1)[0]

    assert json.loads(shown) == json.loads((ROOT / "docs" / "examples" / "eights.json").read_text())
