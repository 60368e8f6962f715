"""Copies of logs that lost their line ends: what is malformed is called so at its place, and not taken for something missing.

Logs are handed on as lines, one entry each, and come back with two of them glued together, one cut in half, or with what an
editor adds.  A copy here is a house of its own, as in `test_tampered_copies.py`, and each damage is in another round.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shared.contracts.subjects import log_name, round_of
from tests.integration.recorded_evening import Evening
from tests.integration.test_tampered_copies import Logs, copied, revision_of, with_data
from tests.integration.test_tampered_copies import logs as logs  # a fixture

Damage = Callable[[bytes, bytes], list[bytes]]
"""What becomes of a line and the next one."""

DAMAGES: dict[str, tuple[Damage, str, int]] = {
    "glued to the next": (lambda one, following: [one + b"\n" + following], "unreadable", 3),
    "glued without a line end": (lambda one, following: [one + following], "unreadable", 3),
    "cut in half": (lambda one, following: [one[: len(one) // 2], following], "unreadable", 3),
    "said twice": (lambda one, following: [one, one, following], "repeated_entry", 3),
    "an empty line between": (lambda one, following: [one, b"\n", following], "unreadable", 4),
    "behind a byte order mark": (lambda one, following: [b"\xef\xbb\xbf" + one, following], "unreadable", 3),
    "before a foreign line end": (lambda one, following: [one + b"\r\n", following], "foreign_bytes", 3),
}
"""What is done to revisions 3 and 4 of a round, and the first that must be said of it: a code, and at which revision."""

DIFFERENCES = {"unreadable": "unreadable", "repeated_entry": "not_following", "foreign_bytes": "not_following"}
"""What `reconcile` calls what `verify` calls so; it looks at no bytes but through the links."""

First = dict[str, tuple[str, int, int]]
"""By damage, the first that is said of its round: a code, a revision and a sequence."""


@dataclass(frozen=True)
class Damaged:
    """A copy, the damage of each of some rounds, and the sequence at which that stands."""

    data: Path
    rounds: dict[str, str]
    sequences: dict[str, int]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory, evening: Evening, logs: Logs) -> Damaged:
    """A copy of the evening with every damage in it."""
    name = log_name("table", evening.day)
    lines = list(logs[name])
    streams = list({each.stream: None for each in lines if round_of(each.stream) and revision_of(each)[1] == 6})
    rounds = dict(zip(streams, DAMAGES, strict=False))
    assert len(rounds) == len(DAMAGES), "there is a round for each damage"
    for stream, what in rounds.items():
        one, following = [each for each in lines if each.stream == stream and revision_of(each)[1] in (3, 4)]
        lines.remove(following)
        place = lines.index(one)
        lines[place : place + 1] = [with_data(one, data) for data in DAMAGES[what][0](one.data, following.data)]
    sequences = {}
    for stream, what in rounds.items():
        places = [place for place, each in enumerate(lines, 1) if each.stream == stream]
        first = DAMAGES[what]
        sequences[what] = places[first[2] - 1 + (first[1] == "repeated_entry")]
    return Damaged(copied(tmp_path_factory.mktemp("malformed"), evening, {**logs, name: lines}), rounds, sequences)


def said(copy: Damaged, *command: str) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit status of a command with `--json`, the objects that it wrote, and what it said to a person."""
    whole = [sys.executable, "-m", "feltlog", *command, "--json", "--data", str(copy.data)]
    done = subprocess.run(whole, capture_output=True, check=False)
    return done.returncode, [msgspec.json.decode(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_malformed_line_is_called_so_at_its_place(copy: Damaged):
    """mvm: two lines that were glued together were said not to be there.  The first finding in each round is what happened to it."""
    status, findings, _ = said(copy, "verify", "--all")
    first: First = {}
    for found in findings:
        if found.get("severity") == "breach" and found["stream"] in copy.rounds:
            first.setdefault(copy.rounds[found["stream"]], (found["code"], found["revision"], found["sequence"]))

    assert (status, first) == (1, {what: (code, revision, copy.sequences[what]) for what, (_, code, revision) in DAMAGES.items()})


def test_malformed_line_does_not_add_up(copy: Damaged):
    """Whoever reconciles is told of each of them, by a code and in a sentence, and of the money that hangs on them after it."""
    status, (day, _), _ = said(copy, "reconcile")
    first: dict[str, str] = {}
    for found in day["differences"]:
        if found["stream"] in copy.rounds:
            first.setdefault(copy.rounds[found["stream"]], found["code"])

    assert (status, first) == (1, {what: DIFFERENCES[code] for what, (_, code, _) in DAMAGES.items()})


def test_round_with_a_malformed_line_is_not_told(copy: Damaged):
    """Half a story would be another one: the command says which entry it cannot read, and why."""
    stream = next(stream for stream, what in copy.rounds.items() if what == "glued to the next")
    name = round_of(stream)
    assert name is not None
    status, told, sentence = said(copy, "replay", name.id)
    where = f"The entry at sequence {copy.sequences['glued to the next']} of {stream} cannot be read"

    assert (status, told, where in " ".join(sentence.split())) == (1, [], True)
