"""The procedure page: its table of steps, with who may do each under which book, is the contracts'."""

from shared.contracts.procedure import IN_WORDS, STEPS, StepRule, for_whom
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "procedure.md"
HEADING = "| book | step | what is done | for | where it is written |\n| --- | --- | --- | --- | --- |\n"


def written() -> str:
    """Return the page with the table as it must be."""
    before, _, rest = PAGE.read_text().partition(HEADING)
    after = rest[rest.index("\n") :] if rest.startswith("\n") else rest.partition("\n\n")[2]
    table = "".join(_row(book, rule) for book, rules in STEPS.items() for rule in rules)
    return f"{before}{HEADING}{table}\n{after.lstrip()}"


def _row(book: str, rule: StepRule) -> str:
    video = ", on video" if rule.video else ""
    return f"| {book} | `{rule.step.replace('_', '-')}` | {IN_WORDS[rule.step]}{video} | {for_whom(rule.jobs)} | {rule.source} |\n"


if __name__ == "__main__":
    PAGE.write_text(written())
