"""The published language as the documents have it.

`python -m tests.house.published` writes the glossary's list of messages anew: each message's meaning is the first
sentence of its docstring, so that there is one place to say it.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import shared.contracts
from shared.kernel.messages import Command, Event
from tests.house.tree import ROOT

TAG = re.compile(r"\b[a-z]+\.[A-Z][A-Za-z]*\.v[0-9]+\b")
HEADING = "## Messages\n"
GLOSSARY = ROOT / "GLOSSARY.md"


def _below(base: type[Any]) -> Iterator[type[Any]]:
    for child in base.__subclasses__():
        yield child
        yield from _below(child)


def messages(base: type[Command] | type[Event]) -> dict[str, type[Any]]:
    """Return the published commands or events by their tags, module by module, in the order of their definition."""
    for module in pkgutil.walk_packages(shared.contracts.__path__, "shared.contracts."):
        importlib.import_module(module.name)
    known = [kind for kind in _below(base) if kind.__module__.startswith("shared.contracts.")]
    # Whoever imports a contract first must not say where its messages stand.
    kinds = sorted(known, key=lambda kind: kind.__module__)
    return {str(kind.__struct_config__.tag): kind for kind in kinds}


def owned(base: type[Command] | type[Event], owner: str) -> set[str]:
    """Return the tags of a service's commands or events."""
    return {tag for tag in messages(base) if tag.startswith(f"{owner}.")}


def _meaning(kind: type[Any]) -> str:
    text = " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.?!])\s", text)[0]


def glossary_section() -> str:
    """Return the glossary's list of messages as the contracts have it."""
    kinds = {"command": messages(Command), "event": messages(Event)}
    owners = sorted({tag.partition(".")[0] for known in kinds.values() for tag in known})
    lines = [HEADING, "Written by `make glossary` from the docstrings in `shared/contracts`; a test compares them.\n"]
    for owner in owners:
        lines += [f"### {owner}\n", "| message | kind | meaning |", "| --- | --- | --- |"]
        lines += [
            f"| `{tag}` | {word} | {_meaning(kind)} |"
            for word, known in kinds.items()
            for tag, kind in known.items()
            if tag.startswith(f"{owner}.")
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def written_section() -> str:
    """Return the glossary's list of messages as it stands in the file."""
    return HEADING + GLOSSARY.read_text().partition(HEADING)[2]


if __name__ == "__main__":
    GLOSSARY.write_text(GLOSSARY.read_text().partition(HEADING)[0] + glossary_section())
