"""The memory twin's switches: what a caller sees when an append is lost, late, or only its answer is."""

import itertools

import pytest

from shared.runtime.event_store import Appended, Conflict, StoreUnavailable, Unknown
from shared.runtime.memory_store import MemoryStore, matches

LOG = "LOG_TABLE_20261130"
TABLE = "log.table.20261130.T7.table"


@pytest.fixture
def store() -> MemoryStore:
    """A store with one empty log, whose clock counts from 1."""
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log(LOG)
    return store


async def test_lost_answer_is_unknown_and_the_entry_is_stored(store: MemoryStore):
    """The caller cannot know it, but the entry stands in the log."""
    store.lose_answer_next()
    answer = await store.append(TABLE, b"entry", fence=0)

    assert (type(answer), await store.end(LOG)) == (Unknown, 1)


async def test_lost_answer_is_recognised_when_the_same_bytes_come_again(store: MemoryStore):
    """Sending again tells what became of the first attempt."""
    store.lose_answer_next()
    await store.append(TABLE, b"entry", fence=0)

    assert await store.append(TABLE, b"entry", fence=0) == Appended(1)


async def test_dropped_append_is_stored_when_the_same_bytes_come_again(store: MemoryStore):
    """Sending again also stores what was lost on its way."""
    store.drop_next()
    await store.append(TABLE, b"entry", fence=0)

    assert await store.append(TABLE, b"entry", fence=0) == Appended(1)


async def test_ghost_arrives_later(store: MemoryStore):
    """An unconfirmed append may be stored after everybody gave it up."""
    store.ghost_next()
    await store.append(TABLE, b"entry", fence=0)
    before = await store.last(TABLE)
    store.deliver_ghosts()
    after = await store.last(TABLE)

    assert (before, after and after.data) == (None, b"entry")


async def test_ghost_of_a_repeated_append_changes_nothing(store: MemoryStore):
    """The fence keeps out the copy that comes second."""
    store.ghost_next()
    await store.append(TABLE, b"entry", fence=0)
    await store.append(TABLE, b"entry", fence=0)
    store.deliver_ghosts()

    assert await store.end(LOG) == 1


async def test_ghost_takes_the_place_of_whoever_comes_second(store: MemoryStore):
    """Other bytes meet a conflict once the ghost is there."""
    store.ghost_next()
    await store.append(TABLE, b"entry", fence=0)
    store.deliver_ghosts()

    assert await store.append(TABLE, b"other", fence=0) == Conflict()


async def test_append_while_the_store_is_away_is_unknown(store: MemoryStore):
    """An outage is never a no."""
    store.is_away = True

    assert isinstance(await store.append(TABLE, b"entry", fence=0), Unknown)


async def test_questions_while_the_store_is_away_are_refused(store: MemoryStore):
    """A question that cannot be answered says so."""
    store.is_away = True
    with pytest.raises(StoreUnavailable):
        await store.last(TABLE)


async def test_entries_are_stamped_by_the_given_clock(store: MemoryStore):
    """The store has no clock of its own."""
    await store.append(TABLE, b"entry", fence=0)
    last = await store.last(TABLE)

    assert last is not None
    assert last.stored_at_ms == 1


def test_store_is_stepped_without_an_event_loop(store: MemoryStore):
    """A simulator drives the store by hand: nothing in it waits."""
    with pytest.raises(StopIteration) as finished:
        store.append(TABLE, b"entry", fence=0).send(None)

    assert finished.value.value == Appended(1)


@pytest.mark.parametrize(
    ("pattern", "subject", "falls_under"),
    [
        ("a.b", "a.b", True),
        ("a.b", "a.b.c", False),
        ("a.*", "a.b", True),
        ("a.*", "a.b.c", False),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        (">", "a", True),
        ("*.b", "a.b", True),
        ("a.b.c", "a.b", False),
    ],
)
def test_patterns_follow_the_rules_of_nats(pattern: str, subject: str, falls_under: bool):
    """`*` is one token, `>` is one or more at the end."""
    assert matches(pattern, subject) == falls_under
