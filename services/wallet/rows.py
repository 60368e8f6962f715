"""Rows: the ledger's entries as a database is asked for them, movements, postings and balances.

Whatever has a currency and postings is a movement, whichever event it is; so an event that is new has its rows without a line
here.  A player's or a round's balance is a row; what the house and the outside have is the sum over their postings, for a row
that every movement changes would be waited for by all of them.  What a book takes over from the book before is no movement, as
long as that book is in the rows; the first one that is kept begins with it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from shared.contracts.accounts import Posting, escrow_account
from shared.contracts.language import read_entry
from shared.contracts.subjects import BadSubject, ledger_stream, log_of, stream_day, stream_kind
from shared.contracts.wallet import CarriedForward
from shared.kernel.entry import Entry, Stored, Stray, Unreadable
from shared.kernel.identity import digest
from shared.kernel.rows import Kind

NUMBER_MAX = 10**18
"""More than any account can hold, and what a column of numbers still adds up; a log may say anything."""
Account = tuple[str, str]
"""A currency and an account's name."""


class MovementRow(Struct, frozen=True, gc=False, kw_only=True):
    """An event of the ledger that moved money, and where it stands: decisions and events are counted from 0 in their entry.

    `currency` is empty where several were taken over at once.  What the event does not say is empty, or 0.
    """

    stream: str
    revision: int
    decision: int
    event: int
    sequence: int
    tag: str
    at_ms: int
    day: str
    currency: str
    player: str
    round: str
    wager: str
    number: int


class PostingRow(Struct, frozen=True, gc=False, kw_only=True):
    """One leg of a movement, counted from 0."""

    stream: str
    revision: int
    decision: int
    event: int
    leg: int
    currency: str
    account: str
    minor: int


class BalanceRow(Struct, frozen=True, gc=False, kw_only=True):
    """What lies in an account of a player or a round; where nothing lies there is no row."""

    currency: str
    account: str
    minor: int


class HeadRow(Struct, frozen=True, gc=False, kw_only=True):
    """The last entry of a book that is in the rows, by the digest of its bytes."""

    stream: str
    revision: int
    sequence: int
    digest: str


MOVEMENTS, POSTINGS, BALANCES, HEADS = "movements", "postings", "balances", "heads"
PLACE = ("stream", "revision", "decision", "event")

TABLES = {
    MOVEMENTS: Kind(MovementRow, PLACE, asked_by=("player", "round")),
    POSTINGS: Kind(PostingRow, (*PLACE, "leg"), asked_by=("account",)),
    BALANCES: Kind(BalanceRow, ("currency", "account"), adds=("minor",)),
    HEADS: Kind(HeadRow, ("stream",)),
}
"""The tables, by name."""


class LogChanged(ValueError):
    """A book does not go on as the rows know it: acknowledged entries are missing, or others stand in their place."""

    def __init__(self, stream: str, revision: int) -> None:
        super().__init__(
            f"{stream} does not go on behind revision {revision} as it is in the rows: acknowledged entries are missing, or others stand "
            "in their place. Bring the log back from its backup, and ask `feltlog verify --all`"
        )
        self.stream = stream
        self.revision = revision


class RowsContradict(ValueError):
    """The rows are not what anybody has written who keeps them: how far a log is in them is not where they end."""

    def __init__(self, log: str, position: int, head: "HeadRow") -> None:
        super().__init__(
            f"the rows contradict themselves: positions has {log} at sequence {position}, and heads has revision {head.revision} of "
            f"{head.stream} at sequence {head.sequence} as the last that is in them"
        )


@dataclass
class Rows:
    """What is to be written next, and where the logs stand with it; begun with what is written."""

    positions: dict[str, int]
    heads: dict[str, HeadRow]
    movements: list[MovementRow] = field(default_factory=list)
    postings: list[PostingRow] = field(default_factory=list)
    moved: dict[Account, int] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    """The streams of which there are further entries."""

    def hear(self, stored: Stored) -> None:
        """Take in the next message of a wallet's log.

        Raises `LogChanged` if an entry does not follow the one before it, and `Unreadable` for one that cannot be read.
        """
        self.positions[stored.log] = stored.sequence
        if stream_kind(stored.stream) != "ledger":
            return
        try:
            entry = read_entry(stored.stream, stored.data, claimed=stored.claimed)
        except Stray:
            return
        self._check(entry)
        for row, postings in moves(entry, stored.sequence, known=self.heads):
            if max(abs(number) for number in (row.at_ms, row.number, *(posting.minor for _, posting in postings))) > NUMBER_MAX:
                raise Unreadable(f"revision {entry.revision} of {entry.stream} holds a number that no account can hold")
            self.movements.append(row)
            for leg, (currency, posting) in enumerate(postings):
                self.postings.append(_leg(row, leg, currency, posting))
                if has_balance(posting.account):
                    account = (currency, posting.account)
                    self.moved[account] = self.moved.get(account, 0) + posting.minor
        head = HeadRow(stream=entry.stream, revision=entry.revision, sequence=stored.sequence, digest=digest(stored.data))
        self.heads[entry.stream] = head
        self.changed.add(entry.stream)

    def written(self) -> dict[str, list[Any]]:
        """Return the rows by table, in the order in which they are to be written."""
        return {
            MOVEMENTS: self.movements,
            POSTINGS: self.postings,
            BALANCES: [BalanceRow(currency=currency, account=name, minor=minor) for (currency, name), minor in self.moved.items() if minor],
            HEADS: [self.heads[stream] for stream in sorted(self.changed)],
        }

    def contradiction(self) -> RowsContradict | None:
        """Return where the rows know an entry of a book that lies behind their position in its log, None if they do nowhere."""
        for _, head in sorted(self.heads.items()):
            log = log_of_head(head)
            if head.sequence > self.positions.get(log, 0):
                return RowsContradict(log, self.positions.get(log, 0), head)
        return None

    def _check(self, entry: Entry[Any, Any]) -> None:
        before = self.heads.get(entry.stream)
        if before is not None:
            if (entry.revision, entry.prev) != (before.revision + 1, before.digest):
                raise LogChanged(entry.stream, before.revision)
            return
        # A book that nothing is known of begins behind the book of the day before, where that one is known.
        shard = entry.stream.rpartition(".")[2]
        earlier = [stream for stream in self.heads if stream < entry.stream and stream.rpartition(".")[2] == shard]
        if entry.revision != 1 or (earlier and self.heads[max(earlier)].digest != entry.prev):
            raise LogChanged(max(earlier, default=entry.stream), self.heads[max(earlier)].revision if earlier else 0)


def moves(entry: Entry[Any, Any], sequence: int, *, known: Mapping[str, Any]) -> Iterator[tuple[MovementRow, list[tuple[str, Posting]]]]:
    """Yield the movements of an entry, each with its legs and their currencies; `known` are the books that are in the rows."""
    for decision_no, decision in enumerate(entry.decisions):
        for event_no, event in enumerate(decision.events):
            legs = _legs(event, entry.stream, known)
            if legs:
                row = MovementRow(
                    stream=entry.stream,
                    revision=entry.revision,
                    decision=decision_no,
                    event=event_no,
                    sequence=sequence,
                    tag=event.__struct_config__.tag,
                    at_ms=entry.at_ms,
                    day=stream_day(entry.stream),
                    currency=getattr(event, "currency", ""),
                    player=getattr(event, "player", ""),
                    round=getattr(event, "round", ""),
                    wager=getattr(event, "wager", ""),
                    number=getattr(event, "number", 0),
                )
                yield row, legs


def log_of_head(head: HeadRow) -> str:
    """Return the log that a book lies in; what somebody wrote there that names no book is its own log, which is not there."""
    try:
        return log_of(head.stream)
    except BadSubject:
        return head.stream


def has_balance(account: str) -> bool:
    """Return whether what lies in an account is a row: a player's and a round's is, the house's and the outside's is a sum.

    >>> has_balance("player/ann/cash"), has_balance("round/T7.20261130-000123/escrow"), has_balance("house/win")
    (True, True, False)
    """
    return account.startswith(("player/", "round/"))


def _legs(event: Any, stream: str, known: Mapping[str, Any]) -> list[tuple[str, Posting]]:
    if not isinstance(event, CarriedForward):
        return [(event.currency, posting) for posting in getattr(event, "postings", ())]
    if ledger_stream(event.from_day, int(stream.rpartition(".")[2])) in known:
        return []
    carried = [(row.currency, Posting(account=row.account, minor=row.minor)) for row in event.accounts if row.minor]
    return carried + [(row.currency, Posting(account=escrow_account(row.round), minor=row.minor)) for row in event.stakes]


def _leg(row: MovementRow, leg: int, currency: str, posting: Posting) -> PostingRow:
    return PostingRow(
        stream=row.stream,
        revision=row.revision,
        decision=row.decision,
        event=row.event,
        leg=leg,
        currency=currency,
        account=posting.account,
        minor=posting.minor,
    )
