"""Whatever somebody sends to a service: it is answered in the words of the contract or not at all, and a refusal writes nothing down."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts import cage, rounds, table, wagers
from shared.contracts.desk import LiftQuarantine
from shared.contracts.refusals import Reason
from shared.contracts.requests import encode_request
from shared.kernel.messages import Answer
from tests.fuzz.examples import fuzz
from tests.fuzz.services import DAY, ROUND, SETTINGS, TABLE, Edges, running
from tests.fuzz.strategies import near, of, texts

KNOWN: dict[str, tuple[Any, ...]] = {
    "round": (ROUND, f"T8.{DAY}-000001", f"{TABLE}.{DAY}-000002"),
    "table": (TABLE, "T8"),
    "profile_name": ("live", "ontario", "nothing"),
    "player": ("ann", "bob", "cyd"),
    "operator": ("house",),
    "currency": ("CAD", "EUR"),
    "box": (1, 2, 3),
    "hand": (1, 2),
    "stake_minor": (100, 200, 500),
    "minor": (100, 2_000),
    **{name: (getattr(SETTINGS, name),) for name in SETTINGS.__struct_fields__},
}
MEANT: tuple[tuple[str, str, str, Any], ...] = (
    ("table", "player", TABLE, rounds.PlayerRequest),
    ("table", "player", TABLE, wagers.PlaceWager),
    ("table", "staff", TABLE, table.StaffCommand),
    ("table", "staff", "desk", LiftQuarantine),
    ("wallet", "staff", "ledger", cage.StaffCommand),
    ("wallet", "staff", "desk", LiftQuarantine),
    ("shoe", "staff", "desk", LiftQuarantine),
    ("surveillance", "staff", "desk", LiftQuarantine),
)
"""Who may be asked what, and where."""
TARGETS = (TABLE, "T8", "ledger", "desk", "balance_ann", "")
ACTORS = ("ann", "bob", "pit", "cyd", "house")


class Sent(msgspec.Struct, frozen=True):
    """What somebody sends."""

    service: str
    subject: str
    data: bytes
    reply: str
    id: str


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """Return a request, more often than not one that could be meant, or bytes and subjects near to one."""
    service, role, target, kind = draw(st.sampled_from(MEANT))
    actor = draw(st.sampled_from(ACTORS))
    id = draw(st.sampled_from(("one", "two", "three")) | st.integers(0, 10**6).map(str))
    meant = encode_request(id, draw(of(kind, KNOWN)))
    data = draw(st.just(meant) | st.just(meant) | near(meant))
    other = st.tuples(st.sampled_from(("player", "staff", "house")), st.sampled_from(TARGETS)) | st.tuples(texts, texts)
    role, target = draw(st.just((role, target)) | st.just((role, target)) | other)
    reply = draw(st.sampled_from((*(4 * [f"_INBOX.{actor}.x1"]), "_INBOX.ann.x1", "", "log.table.20261130.T7.table")))
    return Sent(service, f"cmd.{service}.{role}.{target}.{actor}", data, reply, id)


class Told(msgspec.Struct):
    """What came of everything that was sent."""

    strange: list[str] = []
    alarms: list[str] = []


@fuzz(share=4)
@given(st.lists(requests(), min_size=5, max_size=30))
def test_whatever_is_sent_is_answered_in_the_words_of_the_contract(several: list[Sent]):
    """House page: one bad request is one refusal; no alarm, no traceback, and nobody else's answer."""
    # The folder outlasts the loop, which ends only when its threads have written what they were writing.
    with TemporaryDirectory() as folder:
        assert asyncio.run(sent(several, Path(folder))) == Told()


async def sent(several: list[Sent], folder: Path) -> Told:
    """Send everything to services that have just started; return what was otherwise than it must be."""
    told = Told()
    async with running(folder) as edges:
        for one in several:
            before = len(edges.entries())
            message = await edges.hear(one.service, one.subject, one.data, one.reply)
            told.strange += strange(one, message.replies, edges, before)
        told.alarms = edges.client.alarms
    return told


def strange(one: Sent, replies: list[bytes], edges: Edges, before: int) -> list[str]:
    """Return what is not as it must be about the answer to a request."""
    asker = one.subject.rpartition(".")[2]
    is_theirs = one.reply.startswith(f"_INBOX.{asker}.")
    if len(replies) != is_theirs:
        return [f"{one} has {len(replies)} answers"]
    if not replies:
        return []
    answer, found = msgspec.json.decode(replies[0], type=Answer), []
    if answer.status == "refused" and (answer.code not in set(Reason) - {Reason.QUARANTINED} or not answer.message):
        found.append(f"{one} is refused as {answer}")
    written = [msgspec.json.decode(data)["decisions"] for data in edges.entries()[before:]]
    if answer.status == "refused" and not answer.final and any(each["id"] == one.id for decisions in written for each in decisions):
        found.append(f"{one} is refused and written down")
    return found
