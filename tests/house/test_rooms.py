"""Rooms: who may know whom, and what a pure room may not touch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import tree

# Each of these asks the world, or answers differently in another process.
WORLDLY = frozenset({"__import__", "breakpoint", "eval", "exec", "hash", "id", "input", "open", "print"})


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case _:
                pass


def _floats(path: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Constant(value=float() | complex()) | ast.Name(id="float" | "complex"):
                yield node.lineno
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield node.lineno
            case _:
                pass


def _called(path: Path) -> set[str]:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return {func.id for func in calls if isinstance(func, ast.Name)}


def _forbidden(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in tree.contract(4)["forbidden_modules"])


def test_import_contracts_hold():
    """Nobody imports whom the contracts in pyproject.toml forbid."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache", "--no-logo"], cwd=tree.ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", tree.sources(tree.PURE), ids=tree.name_of)
def test_pure_room_imports_nothing_of_the_world(path):
    """Read from the source itself: also what stands inside a function or under a condition."""
    assert [module for module in _imported(path) if _forbidden(module)] == []


@pytest.mark.parametrize("path", tree.sources(tree.PURE), ids=tree.name_of)
def test_pure_room_calls_nothing_that_asks_the_world(path):
    """A fold gives the same state in every process: no file, no terminal, no hash that a seed changes."""
    assert _called(path) & WORLDLY == set()


@pytest.mark.parametrize("path", tree.sources(tree.EXACT), ids=tree.name_of)
def test_exact_room_knows_no_float(path):
    """Money is whole minor units and ratios are pairs of integers: no float, and no division that makes one."""
    assert list(_floats(path)) == []
