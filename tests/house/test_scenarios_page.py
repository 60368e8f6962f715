"""The scenarios page says what the code does: its codes, its words, and its example."""

import json
import re

from feltlog.scenario.irregular import TAKES
from feltlog.scenario.text import CODES
from shared.contracts.refusals import Reason
from shared.contracts.rulings import KINDS
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


def kinds() -> dict[str, list[str]]:
    """Return the cells behind each kind of irregularity."""
    table = PAGE[PAGE.index("| `kind` | needs |") :].split("\n\n", 1)[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_every_kind_of_irregularity_stands_there_with_the_cards_that_it_takes():
    """Kinds, their fields, and which of them take a card from the list are documented in one table."""
    assert {kind: cells[-1] for kind, cells in kinds().items()} == TAKES


def test_kinds_take_the_fields_that_stand_there():
    """What a kind needs is what its ruling has."""
    fields = {kind: list(KINDS[kind].__struct_fields__) for kind in KINDS}

    assert {kind: re.findall(r"`(\w+)`", cells[0]) for kind, cells in kinds().items()} == fields


def test_example_is_the_file_beside_it():
    """What the page shows is what is run."""
    shown = PAGE[PAGE.index("```json\n") + len("```json\n") :].split("```", 1)[0]

    assert json.loads(shown) == json.loads((ROOT / "docs" / "examples" / "eights.json").read_text())
