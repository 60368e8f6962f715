"""`feltlog replay` on a screen, on paper, step by step and as JSON."""

import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from feltlog.commands.replay import as_json, show, show_rack, wanted
from feltlog.reading import Page, page, stream_pages, told
from feltlog.screen import screen
from feltlog.shoe_story import left_in_front, shoe_lines
from feltlog.story import story
from feltlog.trouble import Trouble
from shared.contracts.rulings import ApproveRuling, GameError, ProposeRuling
from shared.contracts.shoe import CardsDrawn
from shared.contracts.subjects import round_name, shoe_stream
from shared.kernel.entry import Stored
from shared.kernel.identity import digest
from shared.kernel.messages import Actor
from tests.books import Books
from tests.house_log import BEGAN_MS, SPLIT_ROUND, HandMadeLogs, split_round
from tests.rounds import ROUND_ID, begun, scripted
from tests.shoes import house_with_a_cut

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
from shared.contracts.shoe import CardsDrawn
from shared.contracts.subjects import round_name, shoe_stream
from tests.books import Books
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


def shoe_of_the_house(shoe: str) -> list[Any]:
    """The events of a shoe of the house in which two players cut and a third kept the secret."""
    books = Books(house_with_a_cut().stored)
    return [each.event for each in told(asyncio.run(stream_pages(books, shoe_stream("20261130", shoe))))]


def test_replay_says_who_cut_the_shoe_and_what_lay_in_front_of_its_cutting_card(pages):
    """ADR 0018, ON-5.6: above the round, from the shoe's own log."""
    events = shoe_of_the_house("T1-S2")
    first = next(event.round for event in events if isinstance(event, CardsDrawn))
    console = screen(io.StringIO())
    show(console, round_name(first), pages, ZONE, shoes={"T1-S2": events})
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()[3:5]

    assert lines == [
        "T1-S2 was cut behind 43 cards by the dealer, with what ann and bob told; cyd sealed a secret and did not tell it.",
        "40 cards of T1-S2 lay in front of its cutting card before this round, 34 after it.",
    ]


def test_shoe_that_nobody_sealed_anything_for_was_cut_by_the_dealer():
    """ON-5.5: the log says so."""
    events = shoe_of_the_house("T1-S1")
    last = [event.round for event in events if isinstance(event, CardsDrawn)][-1]

    assert next(line.partition(" cards ")[2] for line in shoe_lines("T1-S1", events, last)) == "by the dealer."
    assert left_in_front(events, last)[1] == 0


@pytest.mark.parametrize("events", [[], shoe_of_the_house("T1-S2")[:2]])
def test_shoe_whose_log_says_nothing_has_no_lines(events: list[Any]):
    """A log that is not kept, or a shoe that was never cut."""
    assert list(shoe_lines("T1-S2", events, "T1.20261130-000001")) == []


def rehearsed(*words: str) -> list[Page]:
    """The entries of a round that was rehearsed: three cards burned for a game error, then played."""
    rehearsal = begun("live", "TS 6D 9S TC 2H 3H 4H 5C")
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=GameError()), Actor("staff", "dee", "dealer"))
    rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=1), Actor("staff", "pit", "pit_boss"))
    rehearsal.run(scripted(*words))
    stream = round_name(ROUND_ID).stream
    return [
        page(Stored(log="LOG_TABLE_20261130", stream=stream, sequence=sequence, stored_at_ms=0, data=data, claimed=digest(data)))
        for sequence, data in enumerate(rehearsal.entries, start=1)
    ]


def test_rack_shows_the_top_card_first_and_whose_it_was():
    """LV-3.7: whoever lifts cards off the top meets box 1, the dealer's cards, then what was burned."""
    console = screen(io.StringIO())
    show_rack(console, rehearsed("stand"), json=False)
    assert isinstance(console.file, io.StringIO)
    rows = [line.split() for line in console.file.getvalue().splitlines()[1:]]

    assert [" ".join(row[:4]) for row in rows if row and row[0].isdigit()] == [
        "8 9♠ ann, box",
        "7 10♠ ann, box",
        "6 5♣ The dealer",
        "5 10♣ The dealer",
        "4 6♦ The dealer",
        "3 unseen burned for",
        "2 unseen burned for",
        "1 unseen burned for",
    ]


def test_rack_of_a_replay_keeps_to_a_narrow_screen():
    """As `feltlog rack` does, it leaves out shoe and place, and cuts no name."""
    console = Console(width=50, file=io.StringIO())
    show_rack(console, rehearsed("stand"), json=False)
    assert isinstance(console.file, io.StringIO)

    assert console.file.getvalue().splitlines()[0].split() == ["from", "below", "card", "whose"]


def test_rack_as_json_says_where_each_card_left_its_shoe(capsys):
    """ON-6.6: a machine can hold it against the shoe's log."""
    show_rack(screen(), rehearsed("stand"), json=True)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert rows[0] == {"position": 8, "card": "9S", "box": 1, "hand": 1, "why": None, "shoe": "T7-S1", "index": 2}


def test_rack_of_a_round_that_does_not_say_is_trouble(pages):
    """Rounds of older logs, and those that are still played, say nothing of it."""
    with pytest.raises(Trouble, match="does not say how its cards were picked up"):
        show_rack(screen(), pages, json=False)
