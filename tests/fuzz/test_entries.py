"""Whatever stands in a log: whoever reads it says so in the ways that are declared, and nobody falls over."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from feltlog.auditing import audit_all, audit_round
from feltlog.commands import reconcile, replay, rounds, statement
from feltlog.reading import Damaged, round_pages, told
from feltlog.reconciling.report import reconciled
from feltlog.rehearsal.door import stepped
from feltlog.rows import Choice
from feltlog.screen import screen
from feltlog.sheet import csv_of, objects_of, sheet_of
from feltlog.story import story
from feltlog.trouble import Trouble
from services.shoe import reactions as shoe_reactions
from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from services.surveillance.views import finding_row, round_row
from services.table import reactions as table_reactions
from services.wallet import reactions as wallet_reactions
from services.wallet.rows import LogChanged, Rows
from shared.contracts.following import planned
from shared.contracts.language import types_of
from shared.contracts.subjects import round_of
from shared.kernel.entry import Stored, Unreadable, decode_as
from shared.kernel.folded import POISON, empty, fold
from shared.kernel.identity import digest
from tests.forgery import read, written
from tests.fuzz.examples import fuzz
from tests.fuzz.states import house, known
from tests.fuzz.strategies import near, of
from tests.houses import decider_of

ZONE = ZoneInfo("America/Toronto")
FOLLOWERS: tuple[Callable[..., list[Any]], ...] = (table_reactions.follow, shoe_reactions.follow, wallet_reactions.follow)

any_entry = st.sampled_from(house().stored)


class Logs:
    """The reading half of a store over a house's logs, of which one entry is another."""

    def __init__(self, stored: Sequence[Stored], other: Stored) -> None:
        self.stored = stored
        self._other = other

    def __repr__(self) -> str:
        return f"Logs with {self._other}"

    async def logs(self, service: str) -> list[str]:
        """Return the logs of a service."""
        return sorted({one.log for one in self.stored if one.log.startswith(f"LOG_{service.upper()}_")})

    async def end(self, log: str) -> int:
        """Return the sequence of the last entry of a log."""
        return max((one.sequence for one in self.stored if one.log == log), default=0)

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the entries of a log."""
        wanted = (pattern or ">").replace("*", "").split(".")
        for one in self.stored:
            parts = one.stream.split(".")
            fits = pattern is None or (len(parts) == len(wanted) and all(w in ("", p) for w, p in zip(wanted, parts, strict=True)))
            if one.log == log and one.sequence > after and (upto is None or one.sequence <= upto) and fits:
                yield one


@st.composite
def stored_bytes(draw: st.DrawFn) -> Stored:
    """Return a message with bytes near to those of an entry, with or without the digest that it should be stored under."""
    one = draw(any_entry)
    data = draw(near(one.data))
    return msgspec.structs.replace(one, data=data, claimed=draw(st.sampled_from((digest(data), one.claimed, ""))))


@st.composite
def lying_logs(draw: st.DrawFn) -> Logs:
    """Return a house's logs in which one entry says something else and all are linked anew, as somebody could do who knows how."""
    one = draw(any_entry)
    entry = read(one)
    decision = draw(st.sampled_from(entry.decisions))
    match draw(st.sampled_from(("events", "events", "command", "head"))):
        case "events":
            place = draw(st.integers(0, len(decision.events) - 1))
            kind = draw(st.sampled_from((type(decision.events[place]), types_of(one.stream)[1])))
            events = [*decision.events]
            events[place] = draw(of(kind, known(one.stream)))
            changed = msgspec.structs.replace(decision, events=tuple(events))
        case "command":
            changed = msgspec.structs.replace(decision, command=draw(of(types_of(one.stream)[0], known(one.stream))))
        case _:
            changed = decision
            entry = msgspec.structs.replace(entry, **draw(of(Head)).fields())
    entry = msgspec.structs.replace(entry, decisions=tuple(changed if each is decision else each for each in entry.decisions))
    stored = relinked([written(each, entry) if each is one else each for each in house().stored])
    return Logs(stored, stored[house().stored.index(one)])


@st.composite
def broken_logs(draw: st.DrawFn) -> Logs:
    """Return a house's logs in which other bytes stand in place of one entry."""
    one = draw(stored_bytes())
    return Logs([one if (each.log, each.sequence) == (one.log, one.sequence) else each for each in house().stored], one)


class Head(msgspec.Struct):
    """What stands at the head of an entry and could be anything."""

    at_ms: int
    epoch: int
    writer: str

    def fields(self) -> dict[str, Any]:
        """Return the fields by name."""
        return msgspec.structs.asdict(self)


def relinked(stored: Sequence[Stored]) -> list[Stored]:
    """Return logs with each entry naming the bytes before it."""
    heads: dict[str, str] = {}
    found = []
    for one in stored:
        entry = read(one)
        again = written(one, msgspec.structs.replace(entry, prev=heads.get(one.stream, entry.prev)))
        heads[one.stream] = again.claimed
        found.append(again)
    return found


@fuzz()
@given(stored_bytes())
def test_bytes_are_an_entry_or_unreadable(one: Stored):
    """Log page, poison: an entry that cannot be decoded is one error, whatever is wrong with it."""
    with suppress(Unreadable):
        decode_as(*types_of(one.stream), one.data)


@fuzz()
@given(stored_bytes())
def test_what_is_folded_fails_as_poison_alone(one: Stored):
    """A keeper lets go of a stream that cannot be read, and of nothing else."""
    folded = empty(decider_of(one.stream), one.stream)
    for before in house().of(one.stream):
        if before.sequence < one.sequence:
            fold(decider_of(one.stream), folded, before.data, before.sequence)
    with suppress(*POISON):
        fold(decider_of(one.stream), folded, one.data, one.sequence, claimed=one.claimed)


@fuzz()
@given(stored_bytes(), st.sampled_from(FOLLOWERS))
def test_what_is_heard_fails_as_poison_alone(one: Stored, follow: Callable[..., list[Any]]):
    """A listener holds the one subject that it cannot hear."""
    with suppress(*POISON):
        planned(one.log, one.stream, one.sequence, one.data, follow, claimed=one.claimed)


@fuzz()
@given(st.lists(stored_bytes(), min_size=1, max_size=4))
def test_a_chain_takes_any_bytes(several: list[Stored]):
    """Surveillance has to say what is wrong, so it may fall over nothing."""
    chain = Chain(several[0].stream)
    for one in several:
        check(chain, msgspec.structs.replace(one, stream=chain.stream))


@fuzz(share=8)
@given(broken_logs() | lying_logs())
def test_the_watch_takes_any_entry(logs: Logs):
    """Bytes that are no entry, or one that is well formed and makes no sense: everything else is still checked, and shown."""
    watch = Watch(Again())
    for found in verify(logs.stored, watch).findings:
        msgspec.json.encode(finding_row(found))
    for seen in watch.changed():
        msgspec.json.encode(round_row(seen))
    for day in watch.days():
        watch.forget_day(day)


@fuzz(share=8)
@given(broken_logs() | lying_logs())
def test_the_front_door_reads_any_logs(logs: Logs):
    """`verify`, `rounds`, `replay` and `statement` say what they cannot read, and show the rest."""
    console = screen(StringIO())
    names = [name for stream in dict.fromkeys(one.stream for one in house().stored) if (name := round_of(stream)) is not None]
    stepped(audit_all(logs))
    stepped(audit_round(logs, names[0]))
    found, _ = stepped(rounds.chosen_rows(logs, Choice(empty=True), 20, []))
    if found:
        console.print(rounds.listing(found, ZONE))
    for row in found:
        msgspec.json.encode(rounds.as_json(row, ZONE))
    for name in names:
        with suppress(Damaged):
            pages = stepped(round_pages(logs, name))
            replay.show(console, name, pages, ZONE)
            for line in story(told(pages))[0]:
                msgspec.json.encode(replay.as_json(name, line, ZONE))
    reconcile.show(console, stepped(reconciled(logs, "")))
    with suppress(*POISON, LogChanged):
        rows = Rows({}, {})
        for one in logs.stored:
            if one.log.startswith("LOG_WALLET_"):
                rows.hear(one)
    for player in ("ann", "bob"):
        with suppress(Trouble):
            moved, end = stepped(statement.player_rows(logs, player))
            stated = sheet_of(player, moved, ZONE, end=end, day=None, limit=0)
            statement.show(stated, None)
            csv_of(stated)
            msgspec.json.encode(list(objects_of(stated)))
