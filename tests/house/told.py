"""The dictionary of telemetry as the document has it.

`python -m tests.house.told` writes it anew from `shared/runtime/telemetry/names.py`, so that there is one place to declare.
"""

from collections.abc import Iterable

from shared.runtime.telemetry import names
from tests.house.tree import ROOT

HEADING = "## Dictionary\n"
PAGE = ROOT / "docs" / "telemetry.md"


def _names(attributes: Iterable[names.Attribute]) -> str:
    return ", ".join(f"`{each.name}`" for each in attributes)


def _metric(metric: names.Metric) -> str:
    return f"| `{metric.name}` | {metric.instrument} | `{metric.unit}` | {metric.meaning} | {_names(metric.attributes)} |"


def _attributes() -> list[names.Attribute]:
    used = {each.name: each for told in (*names.SPANS, *names.METRICS) for each in told.attributes}
    return [used[name] for name in sorted(used)]


def dictionary() -> str:
    """Return the dictionary as the declarations have it."""
    lines = [HEADING, "Written by `make glossary` from `shared/runtime/telemetry/names.py`; a test compares them.\n"]
    lines += ["### Spans\n", "| span | kind | what it is | attributes |", "| --- | --- | --- | --- |"]
    lines += [f"| `{each.verb}` and {each.about} | {each.kind} | {each.meaning} | {_names(each.attributes)} |" for each in names.SPANS]
    lines += ["", "### Metrics\n", "| metric | instrument | unit | what it says | attributes |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{each.name}` | {each.instrument} | `{each.unit}` | {each.meaning} | {_names(each.attributes)} |" for each in names.METRICS
    ]
    lines += ["", "### Attributes\n", "| attribute | what it says |", "| --- | --- |"]
    lines += [f"| `{each.name}` | {each.meaning} |" for each in _attributes()]
    lines += ["", "### Processes\n", "Every span and every metric says of its process, beside what `OTEL_RESOURCE_ATTRIBUTES` adds:\n"]
    lines += ["| attribute | what it says |", "| --- | --- |"]
    lines += [f"| `{each.name}` | {each.meaning} |" for each in names.RESOURCE]
    return "\n".join(lines) + "\n"


def written() -> str:
    """Return the dictionary as it stands in the page."""
    return HEADING + PAGE.read_text().partition(HEADING)[2]


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().partition(HEADING)[0] + dictionary())
