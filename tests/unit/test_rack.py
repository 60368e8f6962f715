"""`feltlog rack`: the discard rack of a shoe, from its burned cards up to the round that was played last."""

import asyncio
import io
import json
from functools import cache
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from rich.console import Console

from feltlog.commands.rack import show
from feltlog.discard_rack import DiscardRack, discard_rack, rack_of
from feltlog.reading import page, round_pages, stream_pages
from feltlog.screen import screen
from feltlog.trouble import Trouble
from services.table.domain.pick_up import rack
from shared.contracts.shoe import CardsDrawn
from shared.contracts.subjects import round_name, shoe_stream
from tests.books import Books
from tests.houses import DAY
from tests.replays.golden import load
from tests.shoes import house_with_a_cut

ZONE = ZoneInfo("UTC")
RAN_OUT = "T1.20261130-000005"


@cache
def played() -> DiscardRack:
    """The rack of a shoe of one deck that was played to its cutting card."""
    return asyncio.run(rack_of(Books(house_with_a_cut().stored), "T1-S2"))[0]


def golden_rack(shoe: str) -> DiscardRack:
    """The rack of a shoe of the golden log in which one ran out inside a round; what the log leaves out is not there."""
    by_stream: dict[str, list[Any]] = {}
    for stored in load("shoe_that_ended_inside_a_round").stored():
        by_stream.setdefault(stored.stream, []).append(page(stored))
    pages = by_stream[shoe_stream(DAY, shoe)]
    return discard_rack(DAY, shoe, pages, {RAN_OUT: by_stream[round_name(RAN_OUT).stream]})


def on(console: Console, found: DiscardRack, **asked: Any) -> list[str]:
    """Return the lines that a console shows of a rack."""
    show(console, found, ZONE, **asked)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_rack_holds_every_card_that_left_the_shoe_once():
    """Decision 26: burned cards at the bottom, then each round's; nothing else and nothing twice."""
    found = played()
    indices = [card.index for pile in found.piles for card in pile.cards]

    assert (sorted(indices), found.left) == (list(range(52 - found.left)), 52 - len(indices))


def test_positions_count_from_the_bottom_of_the_whole_rack():
    """LV-3.7: whoever lifts cards off counts them."""
    found = played()

    assert [card.position for pile in found.piles for card in pile.cards] == list(range(1, found.size + 1))


def test_rounds_lie_in_the_order_in_which_they_were_picked_up_on_the_burned_cards():
    """ON-6.6: the round that was played last lies on top."""
    found = played()

    assert [(found.piles[0].burned, len(found.piles[0].cards)), all(one.round < other.round for one, other in pairwise(found.piles))] == [
        ("shuffle", 2),
        True,
    ]


def test_cards_of_a_round_lie_as_its_own_log_says():
    """ON-6.6: the whole rack and `feltlog replay --rack` tell the same."""
    pile = played().piles[1]
    pages = asyncio.run(round_pages(Books(house_with_a_cut().stored), round_name(pile.round)))
    events = [event for each in pages for decision in each.entry.decisions for event in decision.events]

    assert [(card.card, card.box, card.hand, card.position - 2) for card in pile.cards] == [
        (card.card, card.box, card.hand, card.position) for card in rack(events)
    ]


def test_round_is_shown_with_what_lies_above_it_and_its_hands_laid_out_again():
    """LV-3.7: backing up reads the rack backwards, and gives each hand in the order in which it was dealt."""
    found = played()
    pile = found.piles[-2]
    lines = on(screen(io.StringIO()), found, round=pile.round)
    backed = lines[lines.index("Backed up, hand after hand as they come off the top") + 3 :]

    assert (f"{len(found.piles[-1].cards)} cards lie above: lift them off first." in lines[1], backed[0][:10], backed[-1][:10]) == (
        True,
        "ann, box 1",
        "The dealer",
    )


def test_last_round_lies_on_top():
    """Nothing needs to be lifted off."""
    found = played()

    assert "Its cards lie on top." in on(screen(io.StringIO()), found, round=found.piles[-1].round)[1]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_rack_keeps_to_the_width_of_a_terminal(width: int):
    """Nothing runs over the edge, and nothing is cut off."""
    found = played()
    lines = []
    for round in ("", found.piles[-1].round):
        console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None, highlight=False)
        lines += on(console, found, round=round)

    assert (max(len(line) for line in lines) <= width, any("…" in line for line in lines)) == (True, False)


def test_rack_as_json_is_a_card_a_line_from_the_top(capsys):
    """A machine can hold it against the shoe's log and the rounds'."""
    found = played()
    show(screen(), found, ZONE, json=True)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert (len(rows), rows[0]["round"], rows[-1]) == (
        found.size,
        found.piles[-1].round,
        {"round": "", "position": 1, "card": "", "box": 0, "hand": 0, "why": "shuffle", "shoe": "T1-S2", "index": 0},
    )


def test_cards_that_still_lie_on_the_layout_are_not_in_the_rack():
    """ON-6.6: they are picked up when the round is over."""
    books = Books(house_with_a_cut().stored)
    pile = played().piles[-1]
    pages = asyncio.run(stream_pages(books, shoe_stream(DAY, "T1-S2")))
    entries = asyncio.run(round_pages(books, round_name(pile.round)))
    found = discard_rack(DAY, "T1-S2", pages, {pile.round: entries[:-1]})

    assert (found.playing, [each.round for each in found.piles]) == (pile.round, [""])
    with pytest.raises(Trouble, match="still lie on the layout"):
        found.pile(pile.round)


def test_rack_of_a_shoe_that_ran_out_was_emptied_into_the_next_one():
    """ON-11.5: the discards were shuffled; the round's cards of both shoes lie in the rack of the second."""
    first, second = golden_rack("T1-S1"), golden_rack("T1-S1b")
    shoes = {card.shoe for card in second.pile(RAN_OUT).cards}

    assert (first.emptied_in, shoes, "was shuffled into T1-S1b" in " ".join(on(screen(io.StringIO()), first))) == (
        RAN_OUT,
        {"T1-S1", "T1-S1b"},
        True,
    )
    with pytest.raises(Trouble, match="feltlog rack T1-S1b --round"):
        first.pile(RAN_OUT)


def test_rack_of_a_shuffling_device_is_empty_again_when_the_shoe_is_retired():
    """FL-4.6: the cards return to the device after the round, so the picture is of what lay there."""
    told = on(screen(io.StringIO()), msgspec.structs.replace(played(), device="shuffling_device"))

    assert "The device took these cards back after the round: they cannot be lifted off any more." in told


def test_round_whose_book_says_no_order_keeps_its_place_in_the_rack():
    """Decision 26: a round of an older log counts with its cards, and nobody says where each of them lies."""
    books = Books(house_with_a_cut().stored)
    pages = asyncio.run(stream_pages(books, shoe_stream(DAY, "T1-S2")))
    rounds = {pile.round: asyncio.run(round_pages(books, round_name(pile.round))) for pile in played().piles[1:]}
    silent = {name: [without_pick_up(each) for each in entries] for name, entries in rounds.items()}
    found = discard_rack(DAY, "T1-S2", pages, silent)
    text = "\n".join(on(screen(io.StringIO()), found))

    assert (found.size, {pile.ordered for pile in found.piles[1:]}, "in no order that is known" in text) == (played().size, {False}, True)


def without_pick_up(of: Any) -> Any:
    """Return a page whose entry does not say how cards were picked up."""
    decisions = tuple(
        msgspec.structs.replace(each, events=tuple(event for event in each.events if type(event).__name__ != "CardsPickedUp"))
        for each in of.entry.decisions
    )
    return msgspec.structs.replace(of, entry=msgspec.structs.replace(of.entry, decisions=decisions))


@pytest.mark.parametrize(
    ("shoe", "says"),
    [("T9-S1", "There is no shoe 'T9-S1' in these logs"), ("no shoe", "is not a name"), ("T1-S2", "was not dealt from T1-S2")],
)
def test_what_is_not_there_is_trouble(shoe: str, says: str):
    """A sentence that says what to do, and exit status 2."""

    def asked() -> None:
        found, _ = asyncio.run(rack_of(Books(house_with_a_cut().stored), shoe))
        found.pile("T1.20261130-000001")

    with pytest.raises(Trouble, match=says):
        asked()


def test_every_round_that_a_shoe_dealt_is_read():
    """The rounds come from the shoe's own log, so none can be left out of its rack."""
    books = Books(house_with_a_cut().stored)
    pages = asyncio.run(stream_pages(books, shoe_stream(DAY, "T1-S2")))
    called = {
        event.round for each in pages for decision in each.entry.decisions for event in decision.events if isinstance(event, CardsDrawn)
    }

    assert {pile.round for pile in played().piles if pile.round} == called
