"""The rulings page: its table of kinds, with who may propose and approve each, is the contracts'."""

import re

from shared.contracts.rulings import IN_CHARGE, KINDS, RULES, Persons
from shared.contracts.staff import JOBS, Job, job_in_words
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "rulings.md"
HEADING = "| kind | may propose | may approve | where it is written |\n| --- | --- | --- | --- |\n"


def written() -> str:
    """Return the page with the table as it must be."""
    named = f"In charge of a table are {', '.join(map(job_in_words, IN_CHARGE[:-1]))} and {job_in_words(IN_CHARGE[-1])}."
    before, _, rest = re.sub("^In charge of a table are .*$", named, PAGE.read_text(), flags=re.MULTILINE).partition(HEADING)
    _, _, after = rest.partition("\n\n")
    table = "".join(_row(word, RULES[kind]) for word, kind in KINDS.items())
    return before + HEADING + table + (f"\n{after}" if after else "")


def _row(word: str, rule: Persons) -> str:
    approve = _jobs(rule.approve) + "".join(f"; at a table of book {book} {_jobs(jobs)}" for book, jobs in rule.approve_in.items())
    return f"| `{word}` | {_jobs(rule.propose)} | {approve} | {rule.source} |\n"


def _jobs(jobs: tuple[Job, ...]) -> str:
    """Return jobs in words; where most may, who may not."""
    if jobs == IN_CHARGE:
        return "whoever is in charge"
    left = [job for job in JOBS if job not in jobs]
    if len(left) <= 1:
        return "everybody" + "".join(f" but {job_in_words(job)}" for job in left)
    return ", ".join(map(job_in_words, jobs))


if __name__ == "__main__":
    PAGE.write_text(written())
