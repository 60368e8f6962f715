"""Decisions: the records of what was decided follow one form, so that they can be read side by side."""

import re
from pathlib import Path

import pytest

from tests.house import tree

FOLDER = tree.ROOT / "docs" / "adr"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))
PARTS = ["Status", "Context", "Decision", "Consequences", "Rejected"]


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])


@pytest.mark.parametrize("record", [*RECORDS, FOLDER / "template.md"], ids=lambda path: path.stem)
def test_record_has_the_five_parts(record):
    """Status, context, decision, consequences, rejected: in this order, and nothing else."""
    assert re.findall(r"^## (.+)$", record.read_text(), re.MULTILINE) == PARTS


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_record_carries_its_number_in_its_title(record):
    """The file's number and the title's are the same."""
    assert re.findall(r"^# ([0-9]{4})\. \S", record.read_text(), re.MULTILINE) == [f"{_number(record):04d}"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_record_says_how_it_stands(record):
    """A record is proposed, accepted, or replaced by another one."""
    assert re.search(r"^## Status\n\n(Proposed|Accepted|Replaced by \[[0-9]{4}\]\()", record.read_text(), re.MULTILINE)


def test_no_number_is_used_twice():
    """A record is cited by its number; records that are written at the same time may leave a gap."""
    numbers = [_number(record) for record in RECORDS]

    assert numbers == sorted(set(numbers))
