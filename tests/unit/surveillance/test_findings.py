"""Findings: every code is explained where a person looks for it."""

from pathlib import Path

from services.surveillance.domain.findings import MEANINGS, Code

PAGE = Path(__file__).parents[3] / "docs" / "disputes.md"


def test_every_code_has_a_meaning():
    """No finding says something that nobody explains."""
    assert list(MEANINGS) == list(Code)


def test_the_page_on_disputes_explains_every_code():
    """The table in docs/disputes.md is the one in the source."""
    told = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]

    assert told == [f"| `{code.value}` | {weight} | {meaning} |" for code, (weight, meaning) in MEANINGS.items()]
