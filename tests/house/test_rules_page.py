"""The rules page: every clause has its rows, what is done is proved, and every key is explained."""

import re

import pytest

from shared.kernel.profile_text import flat
from shared.runtime.shelf import profile
from tests.house.traceability import CLAUSE, PAGE, STATES, cited, keys, proofs, rows, written
from tests.house.tree import ROOT

OPEN_AT_MOST = 60
"""Rows that are not done yet.  This number only falls."""


def test_page_is_as_found():
    """Keys, code and tests stand where they cite the clause now; `make rules` writes them down."""
    assert PAGE.read_text() == written()


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.clause} {row.kind}")
def test_what_is_done_is_proved(row):
    """A row that is done has a test that cites its clause."""
    assert STATES.fullmatch(row.state) is not None
    assert row.state != "done" or proofs(row.clause) != []


def test_open_rows_only_fall():
    """Nothing that was done is undone."""
    left = sum(row.state != "done" for row in rows())
    print(f"{left} of {len(rows())} rows are open")

    assert left <= OPEN_AT_MOST


def test_every_clause_that_is_cited_has_a_row():
    """A misspelt clause id would prove nothing."""
    known = {row.clause for row in rows()}
    chapters = {clause.rsplit(".", 1)[0] for clause in known}

    assert (cited("services", "shared", "tests").keys() | keys().keys()) - known - chapters - {"ON-3", "FL-3", "LV-3"} == set()


def test_every_decision_that_is_cited_is_told():
    """Where the books are silent, a number without a sentence would prove nothing."""
    page = PAGE.read_text()
    told = re.findall(r"^([0-9]+)\. ", page[page.index("## Decisions") :], flags=re.MULTILINE)
    files = [path for room in ("services", "shared", "feltlog", "docs") for path in (ROOT / room).rglob("*.*")]
    said = "".join(path.read_text() for path in files if path.suffix in {".py", ".toml", ".md"})
    cited_here = {number for each in re.findall(r"\b[Dd]ecisions? ([0-9, and]+)", said) for number in re.findall(r"\b[0-9]{1,2}\b", each)}

    assert cited_here - set(told) == set()


def test_every_key_is_explained():
    """A key that nobody describes cannot be chosen by anybody."""
    explained = set(re.findall(r"`([\w.]+)`", "".join(line.split(" | ")[0] for line in _below("## Keys"))))

    assert explained == set(flat(profile("live")))


def _below(heading: str) -> list[str]:
    page = PAGE.read_text()
    return [line for line in page[page.index(heading) :].splitlines() if line.startswith("| `")]


def test_short_sentences_cite_nothing():
    """What a clause asks for stands in its own row."""
    assert [row.clause for row in rows() if CLAUSE.search(row.short)] == []
