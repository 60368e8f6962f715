"""The headers of a trace: what is believed of what anybody may send, and what is written for the next hop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.telemetry.headers import DECISION_TRACES_MAX, DECISIONS, TRACEPARENT, Mark, read, read_decisions, write

GOOD = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MARKS = st.builds(Mark, st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1), st.booleans())

BAD = {
    "nothing": "",
    "no trace": "annabel has 9,876.54",
    "a version of its own": GOOD.replace("00-", "ff-", 1),
    "a later version": GOOD.replace("00-", "01-", 1),
    "capital letters": GOOD.upper(),
    "more behind it": GOOD + "-annabel",
    "blanks around it": f" {GOOD} ",
    "a new line": GOOD + "\n",
    "no trace id": "00-" + "0" * 32 + "-b7ad6b7169203331-01",
    "no span id": "00-0af7651916cd43dd8448eb211c80319c-" + "0" * 16 + "-01",
    "other digits": GOOD.replace("0af7", "٠af7"),
    "a megabyte": GOOD * 20_000,
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_context_of_another_form_is_ignored(text: str):
    """Never refused, never complained of: the request is answered as if it had come without."""
    assert read({TRACEPARENT: text}) is None


@given(st.dictionaries(st.text(max_size=20) | st.just(TRACEPARENT) | st.just(DECISIONS), st.text(max_size=200)))
def test_whatever_is_sent_what_is_passed_on_is_three_numbers(headers: dict[str, str]):
    """Nothing that somebody chose freely goes to the next hop."""
    mark = read(headers)

    assert mark is None or [len(text) for text in write(mark).values()] == [len(GOOD)]


@given(st.text(max_size=5_000))
def test_places_of_decisions_are_numbers_or_nothing(text: str):
    """A header of the log that was tampered with names no trace, or some, and does no harm."""
    assert len(read_decisions({DECISIONS: text})) <= DECISION_TRACES_MAX


@given(MARKS, st.dictionaries(st.integers(0, 255), MARKS, max_size=DECISION_TRACES_MAX))
def test_what_is_written_is_read_again(mark: Mark, decisions: dict[int, Mark]):
    """The next hop hangs on the mark that this one has written, each decision on its own."""
    headers = write(mark, decisions)

    assert (read(headers), read_decisions(headers)) == (mark, decisions)


def test_header_of_decisions_is_bounded():
    """However many decisions an entry holds, its headers stay far below what a message may carry."""
    mark = Mark(1, 1, True)

    assert len(write(mark, dict.fromkeys(range(256), mark))[DECISIONS]) < 4096


def test_header_of_decisions_that_is_too_long_is_ignored():
    """It was not written by this house."""
    assert read_decisions({DECISIONS: ",".join(f"{index}={GOOD}" for index in range(200))}) == {}


def test_context_is_found_under_either_name():
    """Libraries write the header's name in lower case or with a capital."""
    assert read({"Traceparent": GOOD}) == read({"traceparent": GOOD}) == Mark(0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331, True)
