"""The tree as the house tests see it: what is committed, and which rooms are pure."""

import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PURE = (
    "shared/kernel/**/*.py",
    "shared/contracts/**/*.py",
    "services/*/domain/**/*.py",
    "services/*/reactions.py",
    "services/*/rows.py",
    "services/*/views.py",
)
EXACT = ("shared/kernel/**/*.py", "shared/contracts/**/*.py", "services/*/domain/**/*.py")
"""Rooms in which amounts, totals and ratios are worked out: no number there is a float."""


@cache
def kept_files() -> tuple[Path, ...]:
    """Return every file that is committed or would be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return tuple(sorted(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()))


def documents() -> list[Path]:
    """Return every Markdown file of the project."""
    return [path for path in kept_files() if path.suffix == ".md"]


def sources(patterns: tuple[str, ...]) -> list[Path]:
    """Return the Python files of the rooms that `patterns` name."""
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


@cache
def contract(number: int) -> dict[str, Any]:
    """Return the import contract with this number, as pyproject.toml has it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return next(each for each in contracts if each["name"].startswith(f"{number}."))


def name_of(path: Path) -> str:
    """Return the path as people write it, from the root of the project."""
    return str(path.relative_to(ROOT))
