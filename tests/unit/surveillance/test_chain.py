"""The chain: one stream's stored entries, held against one another."""

import msgspec
import pytest

from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code, Finding
from shared.contracts.desk import LiftQuarantine, QuarantineLifted
from shared.contracts.subjects import desk_stream, ledger_stream
from shared.contracts.wallet import BookOpened, OpenBook
from shared.kernel.entry import Place, Stored
from shared.kernel.folded import Pen
from tests.logs import PEN, House, changed, stored, without_claims

DESK = desk_stream("table", "20261130")
LOG = "LOG_TABLE_20261130"


def desk(revisions: int = 4) -> House:
    """A desk with that many entries."""
    house = House()
    for number in range(revisions):
        lift(house, number)
    return house


def lift(house: House, number: int, *, pen: Pen = PEN, position: dict[str, Place] | None = None, after_ms: int = 10) -> None:
    """One more entry."""
    event = QuarantineLifted(log=LOG, subject=f"log.table.20261130.T{number}.table", sequence=number + 1)
    command = LiftQuarantine(subject=event.subject)
    house.write(DESK, command, event, position=position, pen=pen, after_ms=after_ms)


def run(stream: str, entries: list[Stored]) -> list[Finding]:
    """Everything that is found in a stream."""
    chain = Chain(stream)
    return [found for one in entries for found in check(chain, one).findings]


def codes(entries: list[Stored]) -> list[tuple[Code, int]]:
    """What is found in the desk, and at which revision."""
    return [(found.code, found.revision) for found in run(DESK, entries)]


def test_an_untouched_stream_gives_no_finding():
    """What was written as it should be is not complained about."""
    assert run(DESK, desk().stored) == []


def test_a_changed_byte_breaks_the_link_of_the_entry_after_it():
    """`prev` is the digest of the stored bytes before."""
    entries = without_claims(desk().stored)
    entries[1] = changed(entries[1], '"sequence":2', '"sequence":7')

    assert codes(entries) == [(Code.BROKEN_LINK, 3)]


def test_a_changed_byte_in_the_last_entry_is_seen_by_the_digest_it_was_stored_under():
    """The store keeps the digest of an entry beside it (`Nats-Msg-Id`)."""
    entries = desk().stored
    entries[3] = changed(entries[3], '"sequence":4', '"sequence":7')

    assert codes(entries) == [(Code.WRONG_DIGEST, 4)]


def test_bytes_that_do_not_belong_to_the_entry_are_foreign():
    """Nothing can be smuggled in beside what an entry says, not even white space or an unknown field."""
    house = desk(1)
    entries = [
        stored(DESK, house.stored[0].data + b" ", 1, house.now_ms),
        stored(DESK, house.stored[0].data.replace(b'"revision":1', b'"revision":1,"note":"x"'), 1, house.now_ms),
        stored(DESK, house.stored[0].data.replace(b'"writer":"hand"', b'"writer":"h\\u0061nd"'), 1, house.now_ms),
    ]

    assert [codes([one])[0] for one in entries] == [(Code.FOREIGN_BYTES, 1)] * 3


def test_an_entry_of_older_software_may_lack_a_field_that_has_a_default():
    """A new field has a default; entries written before it are still what they were."""
    house = House()
    ledger = ledger_stream("20261130")
    house.write(ledger, OpenBook(day="20261130"), BookOpened(day="20261130", semantics=1, shard=0, shards=1))
    older = stored(ledger, house.stored[0].data.replace(b',"follows":""}', b"}"), 1, house.now_ms)

    assert run(ledger, [older]) == []


def test_a_missing_entry_is_named():
    """Revisions are contiguous."""
    entries = desk().stored
    del entries[1]

    assert codes(entries) == [(Code.MISSING_ENTRY, 2)]


def test_a_stream_that_does_not_begin_at_one_misses_its_first_entry():
    """Revisions begin at 1."""
    assert codes(desk().stored[1:]) == [(Code.MISSING_ENTRY, 1)]


def test_two_swapped_entries_are_named():
    """An entry that comes after a later one was moved."""
    entries = desk().stored
    entries[1], entries[2] = entries[2], entries[1]

    assert (Code.SWAPPED, 2) in codes(entries)


def test_an_entry_that_stands_there_twice_is_named():
    """A revision stands in its stream once."""
    entries = desk().stored
    entries.insert(2, msgspec.structs.replace(entries[1], sequence=3))

    assert (Code.REPEATED_ENTRY, 2) in codes(entries)


def test_an_entry_of_another_stream_is_named():
    """An entry says in which stream it belongs."""
    other = House()
    elsewhere = desk_stream("table", "20261201")
    event = QuarantineLifted(log=LOG, subject="log.table.20261130.T9.table", sequence=1)
    other.write(elsewhere, LiftQuarantine(subject=event.subject), event)
    entries = desk().stored
    entries[1] = stored(DESK, other.stored[0].data, 2, entries[1].stored_at_ms)

    assert codes(entries)[0] == (Code.WRONG_STREAM, 2)


def test_a_subject_in_the_wrong_log_is_named():
    """A service's streams of a day lie in one log."""
    house = desk(1)

    assert codes([msgspec.structs.replace(house.stored[0], log="LOG_SHOE_20261130")]) == [(Code.WRONG_LOG, 1)]


def test_bytes_that_are_no_entry_are_unreadable_and_keep_their_place():
    """The next entry is held against the bytes that stand before it, whatever they are."""
    entries = desk().stored
    entries[1] = stored(DESK, b"{", 2, entries[1].stored_at_ms)

    assert codes(entries) == [(Code.UNREADABLE, 2), (Code.BROKEN_LINK, 3)]


def test_an_entry_of_an_unknown_version_is_unreadable():
    """A tag that this software does not know stops the stream with a clear word."""
    entries = without_claims(desk(1).stored)
    entries[0] = changed(entries[0], "desk.QuarantineLifted.v1", "desk.QuarantineLifted.v9")

    assert codes(entries) == [(Code.UNREADABLE, 1)]


def test_bytes_that_nest_deeper_than_any_entry_are_unreadable():
    """Whatever lies in a log, the watch goes on."""
    house = desk(1)
    deep = house.stored[0].data[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"

    assert codes([stored(DESK, deep, 1, house.now_ms)]) == [(Code.UNREADABLE, 1)]


def test_time_that_goes_back_is_named():
    """`at_ms` never goes back in a stream."""
    house = desk(2)
    lift(house, 2, after_ms=-1)

    assert codes(house.stored) == [(Code.TIME_BACK, 3)]


def test_an_epoch_that_goes_back_is_named():
    """A process that was replaced writes no more."""
    house = desk(1)
    lift(house, 1, pen=Pen("newer", 2, "test"))
    lift(house, 2, pen=Pen("hand", 1, "test"))

    assert codes(house.stored) == [(Code.EPOCH_BACK, 3)]


def test_two_writers_in_one_epoch_are_named():
    """An epoch belongs to one process."""
    house = desk(1)
    lift(house, 1, pen=Pen("other", 1, "test"))

    assert codes(house.stored) == [(Code.TWO_WRITERS, 2)]


def test_a_position_that_goes_back_is_named():
    """What is worked off stays worked off."""
    house = House()
    lift(house, 0, position={"LOG_SHOE_20261130": (5, 0, 0)})
    lift(house, 1, position={"LOG_SHOE_20261130": (5, 0, 1)})
    lift(house, 2, position={"LOG_SHOE_20261130": (4, 0, 0)})

    assert codes(house.stored) == [(Code.POSITION_BACK, 3)]


def test_a_sequence_that_goes_back_is_named():
    """The store counts upwards."""
    entries = desk(2).stored
    entries[1] = msgspec.structs.replace(entries[1], sequence=1)

    assert codes(entries) == [(Code.SEQUENCE_BACK, 2)]


@pytest.mark.parametrize("apart_ms", [251, -251])
def test_clocks_that_are_too_far_apart_are_worth_a_warning(apart_ms: int):
    """The store's own timestamp is the independent witness of an entry's time."""
    entries = desk(1).stored
    entries[0] = msgspec.structs.replace(entries[0], stored_at_ms=entries[0].stored_at_ms + apart_ms)

    assert [(found.severity, found.code) for found in run(DESK, entries)] == [("warning", Code.CLOCK_APART)]


def test_a_decision_that_stands_there_twice_is_named():
    """The same id gets the same answer and happens once."""
    house = House()
    for number in (1, 2):
        event = QuarantineLifted(log=LOG, subject="log.table.20261130.T9.table", sequence=number)
        house.write(DESK, LiftQuarantine(subject=event.subject), event, id="same")

    assert codes(house.stored) == [(Code.REPEATED_ID, 2)]


def test_a_first_entry_that_follows_something_its_command_does_not_name_is_a_broken_link():
    """Only a stream that carries on from the day before names bytes before its first entry."""
    entries = without_claims(desk(1).stored)
    entries[0] = changed(entries[0], '"prev":""', '"prev":"ab"')

    assert codes(entries) == [(Code.BROKEN_LINK, 1)]


def test_a_message_that_no_writer_stored_takes_no_place():
    """It is named, and the entry behind it follows the one before it."""
    house = desk(3)
    answer = msgspec.structs.replace(stored(DESK, b'{"total":0}', 3, house.now_ms), claimed="")
    last = msgspec.structs.replace(house.stored[2], sequence=4)

    assert codes([*house.stored[:2], answer, last]) == [(Code.STRAY, 3)]
