"""Tampering: whatever is done to an entry of a whole house's logs, something is found, and it names the right stream."""

from collections.abc import Sequence
from functools import cache

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from services.surveillance.domain.findings import Finding
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.kernel.entry import Stored
from tests.houses import WholeHouse, little_house
from tests.logs import without_claims

FEW = settings(max_examples=20)


@cache
def house() -> WholeHouse:
    """A house with two tables that played a round each, a day's end, and the next day's books."""
    played = little_house(3, rounds=1)
    played.end_day()
    return played


def entries() -> list[Stored]:
    """Its logs, from a store that does not say under which digest an entry came."""
    return without_claims(house().stored)


def found(stored: Sequence[Stored]) -> list[Finding]:
    """What a run over these logs finds."""
    return list(verify(stored, Watch(Again()), house().ends()).findings)


def streams(findings: list[Finding]) -> set[str]:
    """The streams that breaches name; the log alone where no more is known."""
    return {one.stream or one.log for one in findings if one.severity == "breach"}


def followed(stored: Stored) -> bool:
    """Whether a later entry of the same stream was stored after this one."""
    return stored.sequence < max(one.sequence for one in house().of(stored.stream))


ANY = st.sampled_from(house().stored)
FOLLOWED = ANY.filter(followed)


def test_an_untouched_house_gives_no_finding():
    """Nothing is found where nothing is wrong."""
    assert found(house().stored) == []


@FEW
@given(ANY, st.data())
def test_a_flipped_bit_in_any_entry_is_found(one: Stored, data: st.DataObject):
    """The bytes are not those whose digest they were stored under."""
    flipped = bytearray(one.data)
    flipped[data.draw(st.integers(0, len(flipped) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    tampered = [msgspec.structs.replace(each, data=bytes(flipped)) if each is one else each for each in house().stored]

    assert one.stream in streams(found(tampered))


@FEW
@given(FOLLOWED, st.data())
def test_a_flipped_bit_is_found_by_the_entries_after_it(one: Stored, data: st.DataObject):
    """Also where the digests beside the entries were changed with them, whatever follows tells."""
    flipped = bytearray(one.data)
    flipped[data.draw(st.integers(0, len(flipped) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    place = house().stored.index(one)
    tampered = entries()
    tampered[place] = msgspec.structs.replace(tampered[place], data=bytes(flipped))

    assert one.stream in streams(found(tampered))


@FEW
@given(ANY)
def test_a_missing_entry_is_found(one: Stored):
    """Every message of a log is accounted for."""
    assert {one.stream, one.log} & streams(found([each for each in house().stored if each is not one]))


@FEW
@given(FOLLOWED)
def test_a_missing_entry_is_found_by_what_follows_it(one: Stored):
    """Also where the store's sequences were closed up behind it."""
    closed_up = [
        msgspec.structs.replace(each, sequence=each.sequence - 1) if each.log == one.log and each.sequence > one.sequence else each
        for each in house().stored
        if each is not one
    ]

    assert one.stream in streams(found(closed_up))


@FEW
@given(ANY)
def test_an_entry_that_is_stored_twice_is_found(one: Stored):
    """A revision stands in its stream once."""
    again = msgspec.structs.replace(one, sequence=house().ends()[one.log] + 1)

    assert one.stream in streams(found([*house().stored, again]))


@FEW
@given(FOLLOWED)
def test_swapped_entries_are_found(one: Stored):
    """Two entries of a stream cannot change places."""
    following = next(each for each in house().of(one.stream) if each.sequence > one.sequence)
    swapped = {
        id(one): msgspec.structs.replace(one, data=following.data, claimed=following.claimed),
        id(following): msgspec.structs.replace(following, data=one.data, claimed=one.claimed),
    }

    assert one.stream in streams(found([swapped.get(id(each), each) for each in house().stored]))


@FEW
@given(ANY, ANY)
def test_an_entry_from_another_stream_is_found(one: Stored, other: Stored):
    """An entry of another round, shoe or table does not pass for this one."""
    foreign = msgspec.structs.replace(one, data=other.data, claimed=other.claimed)
    tampered = [foreign if each is one else each for each in house().stored]

    assert other.data == one.data or one.stream in streams(found(tampered))


@FEW
@given(st.sampled_from(sorted({one.stream for one in house().stored if ".round." in one.stream})))
def test_a_missing_round_is_found_whatever_the_sequences_say(stream: str):
    """A table's stream names its rounds, so that a whole missing round is seen."""
    without = [msgspec.structs.replace(each, log=each.log) for each in house().stored if each.stream != stream]
    report = verify(without, Watch(Again(), whole=False))

    assert stream in streams(list(report.findings))
