"""`feltlog replay` on a screen, on paper, step by step and as JSON."""

import io
import os
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from feltlog.commands.replay import as_json, show, wanted
from feltlog.reading import Page, page, told
from feltlog.screen import screen
from feltlog.story import story
from feltlog.trouble import Trouble
from shared.contracts.subjects import round_name
from tests.house_log import BEGAN_MS, SPLIT_ROUND, HandMadeLogs, split_round

ZONE = ZoneInfo("America/Toronto")
GOLDEN = Path(__file__).parent / "golden"
NAME = round_name(SPLIT_ROUND)


@pytest.fixture
def pages() -> list[Page]:
    """The entries of the split round."""
    logs = HandMadeLogs()
    split_round(logs)
    return [page(stored) for stored in logs.stored]


def shown(pages: list[Page], console: Console) -> str:
    """Return what a console shows of a round."""
    show(console, NAME, pages, ZONE)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_replay_on_paper_is_told_word_for_word(pages):
    """Heading, lines, outcomes, money and digest."""
    expected = (GOLDEN / "replay_on_paper.txt").read_text()

    assert expected == shown(pages, screen(io.StringIO()))


def test_replay_on_a_narrow_terminal_folds_its_sentences(pages):
    """Nothing runs over the edge of a terminal."""
    console = Console(file=io.StringIO(), force_terminal=True, width=60, color_system=None, highlight=False)
    lines = shown(pages, console).splitlines()

    assert max(len(line) for line in lines) <= 60


def test_replay_stops_when_the_person_says_so(pages):
    """`--step` and q: what was shown stays, what comes after is not told."""
    console = screen(io.StringIO())
    pauses = iter([True, False])
    show(console, NAME, pages, ZONE, pause=lambda: next(pauses))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()

    assert ("ann places 10.00 CAD" in text, "bob places" in text, "stopped here" in text) == (True, False, True)


def test_replay_says_where_its_chain_is_broken(pages):
    """A missing entry is named in capitals instead of a digest."""
    text = shown(pages[:3] + pages[4:], screen(io.StringIO()))

    assert "THE CHAIN IS BROKEN. In log.table.20261130.T1.round.000042 revision 5 stands where revision 4 belongs." in text


def test_an_event_as_json_carries_the_log_and_the_sentence(pages):
    """One object for each event."""
    line = story(told(pages))[0][1]
    value = as_json(NAME, line, ZONE)
    value.pop("digest")

    assert value == {
        "round": SPLIT_ROUND,
        "place": 2,
        "stream": "log.table.20261130.T1.round.000042",
        "revision": 2,
        "sequence": 2,
        "at": "2026-11-30T21:00:01.250-05:00",
        "at_ms": BEGAN_MS + 1_250,
        "offset_ms": 1_250,
        "who": "ann",
        "role": "player",
        "event": "table.WagerPlaced.v1",
        "text": "ann places 10.00 CAD on box 2",
        "data": {
            "wager": "w1",
            "player": "ann",
            "box": 2,
            "hand": 1,
            "kind": "main",
            "stake_minor": 1000,
            "currency": "CAD",
            "reserve_by_ms": BEGAN_MS + 2_000,
        },
    }


PROGRAM = """
from zoneinfo import ZoneInfo
from feltlog.commands.replay import replay_json, show
from feltlog.reading import page
from feltlog.screen import screen
from shared.contracts.subjects import round_name
from tests.house_log import SPLIT_ROUND, HandMadeLogs, split_round
logs = HandMadeLogs()
split_round(logs)
pages = [page(stored) for stored in logs.stored]
show(screen(), round_name(SPLIT_ROUND), pages, ZoneInfo("America/Toronto"))
replay_json(round_name(SPLIT_ROUND), pages, ZoneInfo("America/Toronto"))
"""


def replayed(**environment: str) -> bytes:
    """Return what a process with this environment writes."""
    here = Path(__file__).parents[2]
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=here, env=kept | environment, capture_output=True, check=True)
    return done.stdout


def test_replay_is_byte_identical_elsewhere():
    """Another zone, language, hash seed and window width change nothing."""
    here = replayed(TZ="UTC", LC_ALL="C.UTF-8", PYTHONHASHSEED="0")
    elsewhere = replayed(TZ="Asia/Kathmandu", LC_ALL="C", PYTHONIOENCODING="latin-1", PYTHONHASHSEED="4711", COLUMNS="41", FORCE_COLOR="1")

    assert here == elsewhere


@pytest.mark.parametrize("text", ["T1", "T1.2026-000001", "../etc"])
def test_a_round_that_cannot_be_one_is_trouble(text):
    """The sentence shows how a round's id looks."""
    with pytest.raises(Trouble, match="such as T7"):
        wanted(text)
