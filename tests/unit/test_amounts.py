"""Amounts on a command line: a number that can be worked off, or a sentence."""

from collections.abc import Callable

import pytest

from tests.chaos.__main__ import parser as chaos
from tests.simulation.__main__ import parser as simulation


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--rounds", "-3"], ["--rounds", "x"]])
def test_simulation_of_no_rounds_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]):
    """A run that plays nothing would be told as a table that is stuck: it is used wrongly, and nothing is found."""
    assert refused(lambda: simulation().parse_args(words), capsys) == (2, f"{words[1]!r} is no whole number above zero")


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.5", "٣"])
def test_kills_are_counted_in_whole_numbers(text: str, capsys: pytest.CaptureFixture[str]):
    """What is said is a sentence, not the name of a function."""
    assert refused(lambda: chaos().parse_args(["--kills", text]), capsys) == (2, f"{text!r} is no whole number above zero")


@pytest.mark.parametrize("text", ["nan", "inf", "0", "-1", "1e9", "much"])
def test_scale_of_a_bench_is_a_number(text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Nothing is measured before it is known how much of it is wanted."""
    from tests.benchmarks import __main__ as benches

    monkeypatch.setattr("sys.argv", ["bench", "engine", "--scale", text])

    assert refused(benches.main, capsys) == (2, f"{text!r} is no number above zero, up to 100")


def refused(work: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """Return the exit status of work that is refused, and what is said last."""
    with pytest.raises(SystemExit) as ended:
        work()
    return ended.value.code, capsys.readouterr().err.strip().rpartition(": ")[2]
