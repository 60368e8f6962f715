"""Scanned shoes: whatever order cards, calls and people come in, each card is dealt once and nothing is known too early."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from services.shoe.domain.scanned_state import Scanned
from shared.contracts.dealing import Face
from shared.contracts.shoe import CancelCall, CardDrawn, ReadCard
from shared.kernel.cards import DECK
from tests.unit.test_scanned_shoe import RETIRE, Shoes, draws

ROUNDS = tuple(f"T7.20261130-{number:06d}" for number in range(1, 40))
SAW = st.lists(st.sampled_from([*DECK, "??"]), min_size=1, max_size=40)
FACES: st.SearchStrategy[list[list[Face]]] = st.lists(st.lists(st.sampled_from(["up", "up", "down"]), min_size=1, max_size=8), max_size=12)


def played(shoes: Shoes, saw: list[str], calls: list[list[Face]], order: list[bool]) -> list[tuple[int, str, str]]:
    """Scan and call in some order; return what was dealt: index, face, and as what it was called."""
    dealt: list[tuple[int, str, str]] = []
    cards, called = iter(saw), iter(enumerate(calls))
    for scans in [*order, *[True] * len(saw), *[False] * len(calls)]:
        events = []
        if scans and (card := next(cards, None)) is not None:
            events = shoes.scan(card)
        elif not scans and shoes.shoe.call is None and (call := next(called, None)) is not None:
            events = shoes.does(draws(*call[1], round=ROUNDS[call[0]]))
        if shoes.shoe.missing is not None:
            events += shoes.does(ReadCard(index=shoes.shoe.missing.index, card="AS"))
        drawn = [event.card for event in events if isinstance(event, CardDrawn)]
        dealt += [(card.index, card.opening.card if card.opening else "", "up" if card.opening else "down") for card in drawn]
    return dealt


@settings(deadline=None)
@given(SAW, FACES, st.lists(st.booleans(), max_size=60))
def test_cards_and_calls_meet_the_same_in_every_order(saw: list[str], calls: list[list[Face]], order: list[bool]):
    """The nth card that leaves the shoe goes to the nth place that was called, whichever came first."""
    shoes = Shoes()
    shoes.scan("2C")
    faces = [face for call in calls for face in call]
    expected = [
        (index, ("AS" if card == "??" else card) if face == "up" else "", face)
        for index, (card, face) in enumerate(zip(saw, faces, strict=False), start=1)
    ]

    # A call that waits keeps the next one waiting, as it does at a table.
    assert played(shoes, saw, calls, order) == expected


@settings(deadline=None)
@given(SAW, FACES, st.lists(st.booleans(), max_size=60))
def test_hidden_cards_of_a_scanned_shoe_stand_in_nothing_that_is_written(saw: list[str], calls: list[list[Face]], order: list[bool]):
    """Face down, waiting or burned: until they are opened no command and no event names them."""
    shoes = Shoes()
    shoes.scan("2C")
    played(shoes, saw, calls, order)
    state = shoes.shoe
    open_cards = {card for card in state.faces if card} | {"AS"}
    hidden = {shoes.vault.scanned.face(index, state) for index in state.hidden} - open_cards - {""}
    written = msgspec.json.encode(shoes.written).decode()

    assert [card for card in hidden if f'"{card}"' in written] == []


@settings(deadline=None)
@given(SAW, FACES, st.lists(st.booleans(), max_size=60))
def test_scanned_shoe_is_opened_whole_in_the_end(saw: list[str], calls: list[list[Face]], order: list[bool]):
    """Every card that could be read is known then, by index, and as it was scanned."""
    shoes = Shoes()
    shoes.scan("2C")
    played(shoes, saw, calls, order)
    shoes.does(CancelCall(round=ROUNDS[0]))
    told = {index for index, card in enumerate(["2C", *saw]) if card == "??"}
    assert isinstance(shoes.states[shoes.at], Scanned)
    shoes.does(RETIRE)
    faces = shoes.states[shoes.at].faces  # type: ignore[union-attr]

    assert [card for index, card in enumerate(faces) if index not in told] == [
        card for index, card in enumerate(["2C", *saw]) if index not in told
    ]
