"""Subjects: what stands on the wire is built and taken apart in one place, and comes out as it went in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts import subjects

TOKENS = st.from_regex(subjects.TOKEN, fullmatch=True)
DAYS = st.from_regex(r"[0-9]{8}", fullmatch=True)
NUMBERS = st.integers(0, 10**9 - 1)


@pytest.mark.parametrize("text", ["", "a.b", "a b", "*", ">", "tåble", "T7\n", "x" * 65])
def test_token_that_could_widen_a_subject_is_refused(text):
    """A name with a dot, a wildcard or a blank would change what a permission means."""
    with pytest.raises(subjects.BadSubject):
        subjects.token(text)


@given(table=TOKENS, day=DAYS, number=NUMBERS)
def test_round_id_comes_back_as_the_round_that_it_names(table, day, number):
    """What people read off the felt is enough to find the stream."""
    name = subjects.RoundName(table, day, number)

    assert subjects.round_name(name.id) == name


@given(table=TOKENS, day=DAYS, number=NUMBERS)
def test_round_stream_comes_back_as_its_round(table, day, number):
    """A stream says which round it holds."""
    name = subjects.RoundName(table, day, number)

    assert subjects.round_of(name.stream) == name


@pytest.mark.parametrize("stream", ["log.table.20261130.T7.table", "log.shoe.20261130.T7-S12", "log.table.20261130.T7.round.12"])
def test_stream_of_anything_else_holds_no_round(stream):
    """Tables and shoes are not taken for rounds, nor is a number of another width."""
    assert subjects.round_of(stream) is None


@given(service=TOKENS, role=TOKENS, target=TOKENS, actor=TOKENS)
def test_command_subject_comes_back_as_its_parts(service, role, target, actor):
    """The server's permissions bind the actor, so the service reads it from the subject."""
    subject = subjects.command_subject(service, role, target, actor)

    assert subjects.addressed(subject) == subjects.Addressed(service, role, target, actor)


@pytest.mark.parametrize("subject", ["cmd.table.player.T7", "view.table.felt.T7.ann", "cmd.table.player.T7.ann.more"])
def test_subject_without_an_actor_is_no_address(subject):
    """Whoever does not say who speaks is not heard."""
    with pytest.raises(subjects.BadSubject):
        subjects.addressed(subject)


def test_streams_of_one_day_lie_in_one_log():
    """Table and rounds of a gaming day share a JetStream stream."""
    streams = [subjects.table_stream("20261130", "T7"), subjects.round_stream("20261130", "T7", 123)]

    assert [subjects.log_of(stream) for stream in streams] == ["LOG_TABLE_20261130", "LOG_TABLE_20261130"]
