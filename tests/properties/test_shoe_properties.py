"""Shoes drawn to their end: whatever is called, each card leaves once, with a proof, and the opened seed tells the same."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from services.shoe.app.sealing import SealingKey
from services.shoe.app.vault import Vault
from services.shoe.domain.shoe import SHOE, Retired, Shoe, Unprepared, committed_order, place
from shared.contracts.cutting import Contribution
from shared.contracts.dealing import Face
from shared.contracts.shoe import (
    CardsBurned,
    CardsDrawn,
    CardTurned,
    CutShoe,
    DrawCards,
    HolePeeked,
    Opening,
    PeekHole,
    RetireShoe,
    ShoeCommand,
    ShoeEvent,
    ShuffleShoe,
    TurnCard,
)
from shared.kernel.cards import DECK, POINTS
from shared.kernel.commitment import verify
from shared.kernel.cutting import seal
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty, fold
from shared.kernel.messages import HOUSE

STREAM = "log.shoe.20261130.T7-S1"
PEN = Pen("w", 1, "t")
FACES: list[Face] = ["up", "up", "up", "down"]


@dataclass
class Bytes:
    """Entropy from a seed of hypothesis: every seed another shoe."""

    seed: int

    def token_bytes(self, count: int) -> bytes:
        """Return the next bytes."""
        self.seed += 1
        return self.seed.to_bytes(16, "big").rjust(count, b"s")[-count:]


@st.composite
def evenings(draw: st.DrawFn) -> list[ShoeCommand]:
    """A shoe, calls of some rounds, a look at and a turn of every card that may lie face down, and its end."""
    burns = draw(st.integers(0, 6))
    without = draw(st.lists(st.sampled_from(DECK), unique=True, max_size=20))
    told = draw(st.dictionaries(st.sampled_from(["ann", "bob", "cyd"]), st.tuples(st.binary(min_size=32, max_size=32), st.booleans())))
    contributions = tuple(
        Contribution(player=player, seal=seal("T7-S1", player, secret.hex()), secret=secret.hex() if tells else "")
        for player, (secret, tells) in sorted(told.items())
    )
    commands: list[ShoeCommand] = [
        ShuffleShoe(shoe="T7-S1", table="T7", decks=1, without=tuple(without), burns=burns, cut=(3, 9), cutting_card=(0, 20)),
        CutShoe(contributions=contributions),
    ]
    index = burns
    for number in range(draw(st.integers(1, 5))):
        round = f"T7.20261130-{number:06}"
        for call_no in range(1, draw(st.integers(1, 4)) + 1):
            faces = tuple(draw(st.lists(st.sampled_from(FACES), min_size=1, max_size=8)))
            commands.append(DrawCards(round=round, call_no=call_no, faces=faces))
            down = [index + place for place, face in enumerate(faces) if face == "down" and index + place < 52 - len(without)]
            commands += [PeekHole(round=round, index=place) for place in down if draw(st.booleans())]
            commands += [TurnCard(round=round, index=place) for place in down if draw(st.booleans())]
            index += len(faces)
    return [*commands, RetireShoe(reason="table_closed")]


@settings(max_examples=20)
@given(evenings(), st.integers(0, 2**64), st.data())
def test_each_card_of_a_shoe_leaves_it_once_and_is_proved(commands: list[ShoeCommand], seed: int, data: st.DataObject) -> None:
    """Drafted in entries of any size, each command asked up to three times; then everything is checked against the seed."""
    vault = Vault(SealingKey("K1", bytes(32)), Bytes(seed), other_shoe=lambda _: Unprepared())
    live: Folded[Shoe] = empty(SHOE, STREAM)
    asked = [Asked(f"id{number}", command, HOUSE, 1) for number, command in enumerate(commands)]
    waiting = [again for each in asked for again in [each] * data.draw(st.integers(1, 3))]
    entries: list[bytes] = []
    events: list[ShoeEvent] = []
    while waiting:
        batch = waiting[: data.draw(st.integers(1, 9))]
        drafted = draft(SHOE, live, batch, PEN, now_ms=5, fill=vault.fill)
        assert not drafted.broken
        assert {answer.status for answer in drafted.answers} == {"accepted"}
        if drafted.entry is not None:
            commit(live, drafted, len(entries) + 1)
            entries.append(drafted.data)
            events += [event for decision in drafted.entry.decisions for event in decision.events]
        waiting = waiting[drafted.taken :]

    state = live.state
    assert isinstance(state, Retired)
    made = state.made
    placed = committed_order(made, bytes.fromhex(state.seed))
    order = placed[made.cut_at :] + placed[: made.cut_at]
    assert sorted((*order, *made.without)) == sorted(DECK)

    drawn = [card for event in events if isinstance(event, CardsDrawn) for card in event.cards]
    burned = sum(event.count for event in events if isinstance(event, CardsBurned))
    assert [card.index for card in drawn] == list(range(burned, state.drawn))

    openings: list[Opening] = [card.opening for card in drawn if card.opening] + [
        event.opening for event in events if isinstance(event, CardTurned)
    ]
    assert all(
        verify(made.root, made.cards, made.shoe, opening, place=place(opening.index, made)) and order[opening.index] == opening.card
        for opening in openings
    )
    assert len({opening.index for opening in openings}) == len(openings)

    peeks = [event for event in events if isinstance(event, HolePeeked)]
    assert [event.blackjack for event in peeks] == [POINTS[order[event.index]] == 10 for event in peeks]

    read: Folded[Shoe] = empty(SHOE, STREAM)
    for number, entry in enumerate(entries):
        fold(SHOE, read, entry, number + 1)
    assert read == live
    assert draft(SHOE, read, asked, PEN, now_ms=9, fill=vault.fill).entry is None
