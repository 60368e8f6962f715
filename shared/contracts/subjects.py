"""Subjects: the one place where names on the wire are built and taken apart.

A stream (one aggregate's entries) is a subject; all streams of one service and gaming day lie in one JetStream stream,
the log.  Permissions, routing and the actor check all rest on these shapes, so nobody else spells them out.
"""

import re
from functools import lru_cache
from typing import Literal

import msgspec

TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
ASKED = re.compile(r"[A-Za-z0-9_-]{1,80}")
"""What a question is about: a name, with a word in front."""

Service = Literal["table", "shoe", "wallet", "surveillance"]
SERVICES: tuple[Service, ...] = ("table", "shoe", "wallet", "surveillance")
ROUND_DIGITS = 6


class BadSubject(ValueError):
    """A name that cannot stand in a subject, or a subject of no known shape."""


def token(text: str) -> str:
    """Return `text` if it may stand as one token of a subject; raise `BadSubject` otherwise."""
    if not TOKEN.fullmatch(text):
        raise BadSubject(f"{text!r} is not a name: use letters, digits, '_' and '-' only, 64 at most")
    return text


def day_token(text: str) -> str:
    """Return `text` if it is a gaming day such as `20261130`; raise `BadSubject` otherwise."""
    if not re.fullmatch(r"[0-9]{8}", text):
        raise BadSubject(f"{text!r} is not a gaming day: write it as YYYYMMDD")
    return text


@lru_cache(maxsize=1024)
def log_name(service: str, day: str) -> str:
    """Return the JetStream stream of a service's gaming day.

    >>> log_name("table", "20261130")
    'LOG_TABLE_20261130'
    """
    return f"LOG_{token(service).upper()}_{day_token(day)}"


def log_pattern(service: str, day: str) -> str:
    """Return the subject filter of a log: `log.table.20261130.>`."""
    return f"log.{token(service)}.{day_token(day)}.>"


@lru_cache(maxsize=4096)
def log_of(stream: str) -> str:
    """Return the JetStream stream that holds `stream`.

    >>> log_of("log.shoe.20261130.T7-S12")
    'LOG_SHOE_20261130'
    """
    parts = stream.split(".")
    if len(parts) < 4 or parts[0] != "log":
        raise BadSubject(f"{stream!r} is not a stream: expected log.<service>.<day>.<name>")
    return log_name(parts[1], parts[2])


@lru_cache(maxsize=1024)
def log_day(log: str) -> tuple[str, str]:
    """Return the service and the gaming day of a log.

    >>> log_day("LOG_TABLE_20261130")
    ('table', '20261130')
    """
    match = re.fullmatch(r"LOG_([A-Z]+)_([0-9]{8})", log)
    if match is None:
        raise BadSubject(f"{log!r} is not a log: expected LOG_<SERVICE>_<YYYYMMDD>")
    return match[1].lower(), match[2]


def stream_day(stream: str) -> str:
    """Return the gaming day that `stream` belongs to."""
    return log_day(log_of(stream))[1]


def table_stream(day: str, table: str) -> str:
    """Return `log.table.20261130.T7.table`."""
    return f"log.table.{day_token(day)}.{token(table)}.table"


def round_stream(day: str, table: str, number: int) -> str:
    """Return `log.table.20261130.T7.round.000123`."""
    return f"{_rounds_of(day, table)}.{str(number).zfill(ROUND_DIGITS)}"


@lru_cache(maxsize=1024)
def _rounds_of(day: str, table: str) -> str:
    return f"log.table.{day_token(day)}.{token(table)}.round"


def shoe_stream(day: str, shoe: str) -> str:
    """Return `log.shoe.20261130.T7-S12`."""
    return f"log.shoe.{day_token(day)}.{token(shoe)}"


@lru_cache(maxsize=1024)
def ledger_stream(day: str, shard: int = 0) -> str:
    """Return `log.wallet.20261130.ledger.0`."""
    return f"log.wallet.{day_token(day)}.ledger.{shard}"


def desk_stream(service: str, day: str) -> str:
    """Return the stream on which a service writes down what it has quarantined."""
    return f"log.{token(service)}.{day_token(day)}.desk"


class RoundName(msgspec.Struct, frozen=True):
    """A round, taken apart: `T7.20261130-000123`."""

    table: str
    day: str
    number: int

    @property
    def id(self) -> str:
        """The id that people use."""
        return f"{self.table}.{self.day}-{str(self.number).zfill(ROUND_DIGITS)}"

    @property
    def stream(self) -> str:
        """The stream that holds the round."""
        return round_stream(self.day, self.table, self.number)


def round_name(round_id: str) -> RoundName:
    """Return the parts of a round's id; raise `BadSubject` for anything else.

    >>> round_name("T7.20261130-000123").stream
    'log.table.20261130.T7.round.000123'
    """
    match = re.fullmatch(r"([A-Za-z0-9_-]{1,64})\.([0-9]{8})-([0-9]{6,9})", round_id)
    if match is None:
        raise BadSubject(f"{round_id!r} is not a round: expected TABLE.YYYYMMDD-NNNNNN, such as T7.20261130-000123")
    return RoundName(match[1], match[2], int(match[3]))


@lru_cache(maxsize=4096)
def round_of(stream: str) -> RoundName | None:
    """Return the round that `stream` holds, or None if it holds something else."""
    match = re.fullmatch(r"log\.table\.([0-9]{8})\.([A-Za-z0-9_-]+)\.round\.([0-9]{6,9})", stream)
    return RoundName(match[2], match[1], int(match[3])) if match else None


def stream_kind(stream: str) -> str:
    """Return what kind of thing a stream holds, in one word; `other` for what is no stream.

    >>> [stream_kind(f"log.{each}") for each in ("table.20261130.T7.round.000123", "table.20261130.T7.table", "shoe.20261130.T7-S1")]
    ['round', 'table', 'shoe']
    >>> [stream_kind(f"log.{each}") for each in ("wallet.20261130.ledger.0", "shoe.20261130.desk", "T7")]
    ['ledger', 'desk', 'other']
    """
    match stream.split("."):
        case ["log", _, _, "desk"]:
            return "desk"
        case ["log", "table", _, _, "round", _]:
            return "round"
        case ["log", "table", _, _, "table"]:
            return "table"
        case ["log", "shoe", _, _]:
            return "shoe"
        case ["log", "wallet", _, "ledger", _]:
            return "ledger"
        case _:
            return "other"


def stream_table(stream: str) -> str:
    """Return the table that a stream of the table service belongs to, empty for any other stream.

    >>> stream_table("log.table.20261130.T7.round.000123"), stream_table("log.wallet.20261130.ledger.0")
    ('T7', '')
    """
    return stream.split(".")[3] if stream_kind(stream) in ("round", "table") else ""


def command_subject(service: str, role: str, target: str, actor: str) -> str:
    """Return where `actor` sends commands: `cmd.table.player.T7.ann`.

    Role and actor stand in the subject because the server's permissions can hold on to nothing else.
    """
    return f"cmd.{token(service)}.{token(role)}.{token(target)}.{token(actor)}"


class Addressed(msgspec.Struct, frozen=True):
    """A command's or query's subject, taken apart."""

    service: str
    role: str
    target: str
    actor: str


def addressed(subject: str) -> Addressed:
    """Return the parts of a command's or a query's subject."""
    parts = subject.split(".")
    if len(parts) != 5 or parts[0] not in ("cmd", "query"):
        raise BadSubject(f"{subject!r} is not the address of a command or a query")
    return Addressed(*parts[1:])


def query_subject(service: str, role: str, target: str, actor: str) -> str:
    """Return where `actor` asks a question: `query.wallet.player.balance.ann`, `query.table.player.T7.ann`."""
    if not ASKED.fullmatch(target):
        raise BadSubject(f"{target!r} is nothing that can be asked about: use letters, digits, '_' and '-' only, 80 at most")
    return f"query.{token(service)}.{token(role)}.{target}.{token(actor)}"


def inbox(user: str) -> str:
    """Return the prefix of the inboxes on which `user`, and nobody else, receives answers.

    >>> inbox("ann")
    '_INBOX.ann'
    """
    return f"_INBOX.{token(user)}"


def is_inbox_of(user: str, subject: str) -> bool:
    """Return whether `subject` is an inbox of `user`: an answer goes to whoever asked and nowhere else.

    >>> is_inbox_of("ann", "_INBOX.ann.x7"), is_inbox_of("ann", "_INBOX.bob.x7"), is_inbox_of("ann", "_INBOX.ann.>")
    (True, False, False)
    """
    first, *rest = subject.removeprefix("_INBOX.").split(".")
    return subject.startswith("_INBOX.") and first == user and bool(rest) and all(TOKEN.fullmatch(part) for part in rest)


def felt_view(table: str) -> str:
    """Return where a table's felt is shown: `view.table.felt.T7` (core NATS, for eyes only)."""
    return f"view.table.felt.{token(table)}"


def alarm(service: str, kind: str) -> str:
    """Return where a service raises an alarm: `alarm.table.source_quarantined`."""
    return f"alarm.{token(service)}.{token(kind)}"
