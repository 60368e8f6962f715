"""The simulation's auditor shares no code with those whom it audits."""

import ast

import pytest

from tests.house import tree

AUDITORS = ("auditor", "breach", "card_count", "outcome", "till")
THEIR_OWN = frozenset(f"tests.simulation.{name}" for name in AUDITORS)
LIBRARIES = frozenset({"collections", "dataclasses", "hashlib", "msgspec", "typing"})


def imported(source: str) -> set[str]:
    """Return the modules that a source names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found.update(alias.name for alias in names)
            case ast.ImportFrom(module=str(module)):
                found.add(module)
            case _:
                pass
    return found


@pytest.mark.parametrize("name", AUDITORS)
def test_auditor_imports_nothing_of_the_house(name: str):
    """A checker that shares the code shares the bug: no service, and no money, no card and no rule of `shared` either."""
    names = imported((tree.ROOT / f"tests/simulation/{name}.py").read_text())

    assert names - THEIR_OWN - LIBRARIES == set()
