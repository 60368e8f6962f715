"""Traceability: from each clause of the three rule books to the key, the code and the test that honour it.

`docs/rules.md` says by hand what each clause asks for and whether that is done; keys, code and tests are found where they
cite the clause, and written into the page by `make rules`.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from shared.runtime.shelf import names, text
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "rules.md"
CLAUSE = re.compile(r"\b(?:ON|FL|LV)-(?:SB|[0-9]+(?:\.[0-9]+)*)\b")
HEADING = "| clause | kind | in short | key | decided in | test | state |\n| --- | --- | --- | --- | --- | --- | --- |\n"
STATES = re.compile(r"done|open: (?:table|shoe|wallet|surveillance|staff|screens)")
CODE = ("services/table", "services/shoe", "services/wallet", "shared", "services/surveillance")
PROOF = ("tests/unit", "tests/properties", "tests/oracle", "tests/integration", "tests/house")
"""Where is looked first stands in the page."""


class Row(Struct, frozen=True):
    """A clause in one of its kinds."""

    clause: str
    kind: str
    short: str
    state: str


def rows() -> list[Row]:
    """Return the rows of the page, as far as they are written by hand."""
    found = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and CLAUSE.fullmatch(cells[0]):
            found.append(Row(cells[0], cells[1], cells[2], cells[6]))
    return found


@cache
def keys() -> dict[str, list[str]]:
    """Return the profile keys that cite each clause."""
    found: dict[str, list[str]] = {}
    for name in names():
        table = ""
        for line in text(name).splitlines():
            if line.startswith("["):
                table = line.strip("[]") + "."
            for clause in CLAUSE.findall(line.partition("#")[2]) if " = " in line else ():
                key = table + line.split(" = ")[0]
                if key not in found.setdefault(clause, []):
                    found[clause].append(key)
    return found


@cache
def cited(*rooms: str) -> dict[str, list[str]]:
    """Return where in these rooms each clause is cited: the function or class, with its file."""
    found: dict[str, list[str]] = {}
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            for name, said in _said(path):
                for clause in CLAUSE.findall(said):
                    place = f"{path.relative_to(ROOT).as_posix()}{f'::{name}' if name else ''}"
                    if place not in found.setdefault(clause, []):
                        found[clause].append(place)
    return found


def _said(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each function and class of a file with its source; the rest of the file has no name and comes last."""
    source = path.read_text()
    lines = source.splitlines()
    taken: set[int] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            span = range(first - 1, node.end_lineno or first)
            taken.update(span)
            yield node.name, "\n".join(lines[at] for at in span)
    yield "", "\n".join(line for at, line in enumerate(lines) if at not in taken)


def written() -> str:
    """Return the page as it must be: what was written by hand, and what was found."""
    page = PAGE.read_text()
    before, after = page[: page.index(HEADING)], page[page.index("\n## ", page.index(HEADING)) :]
    code = cited(*CODE)
    lines = []
    for row in rows():
        places = [place for place in code.get(row.clause, ()) if "::" in place] or code.get(row.clause, [])
        cells = (
            row.clause,
            row.kind,
            row.short,
            ", ".join(f"`{key}`" for key in keys().get(row.clause, ())),
            _few(places) if row.state == "done" else "",
            _few(proofs(row.clause)) if row.state == "done" else "",
            row.state,
        )
        lines.append("| " + " | ".join(cells) + " |\n")
    return before + HEADING + "".join(lines) + after


def proofs(clause: str) -> list[str]:
    """Return the tests that cite a clause."""
    return [place for place in cited(*PROOF).get(clause, ()) if "::test_" in place]


def _few(places: list[str]) -> str:
    """Return the first place as a link, and how many more there are."""
    if not places:
        return ""
    path, _, name = places[0].partition("::")
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"[{name or path.rsplit('/', 1)[-1]}](../{path}){more}"


if __name__ == "__main__":
    PAGE.write_text(written())
