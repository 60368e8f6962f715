"""Hidden cards: nothing that a house writes shows a card before it lies open, whoever looks into whichever log."""

import re
from collections.abc import Iterator

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.shoe.app.sealing import SealingKey, unseal
from services.shoe.domain.shoe import SHOE, Made, place
from services.shoe.domain.shuffle import SEED_BYTES, salts
from shared.contracts.shoe import CardsDrawn, CardTurned, Opening, ShoeRetired
from shared.kernel.entry import Stored, decode
from shared.runtime.shelf import profile
from tests.houses import WholeHouse

KEY = SealingKey("test", bytes(32))
FACE = re.compile(rb'"([A2-9TJQK][SHDC])"')
ROUNDS = 3


def evening(seed: int, book: str) -> WholeHouse:
    """Return a house in which some rounds were played from a shoe of one deck, in which each card is there once."""
    house = WholeHouse(seed)
    for player in ("ann", "bob"):
        house.welcome(player)
    house.open_table("T1", book, rules=replace(profile(book), decks=1))
    for _ in range(ROUNDS):
        house.play("T1", ["ann", "bob"])
    return house


def openings(stored: Stored) -> Iterator[Opening]:
    """Yield the cards that a shoe opens in an entry."""
    for decision in decode(SHOE, stored.data).decisions:
        for event in decision.events:
            if isinstance(event, CardsDrawn):
                yield from (card.opening for card in event.cards if card.opening is not None)
            elif isinstance(event, CardTurned):
                yield event.opening


def is_shoe(stored: Stored) -> bool:
    """Return whether an entry is a shoe's."""
    return stored.stream.startswith("log.shoe.")


def retires(stored: Stored) -> bool:
    """Return whether a shoe tells its whole order in an entry."""
    return is_shoe(stored) and any(isinstance(event, ShoeRetired) for each in decode(SHOE, stored.data).decisions for event in each.events)


seeds = st.integers(0, 2**32)
books = st.sampled_from(("ontario", "live", "floor"))


@given(seeds, books)
def test_face_appears_nowhere_before_its_card_lies_open(seed: int, book: str):
    """LV-3.8, LV-4.2: each card is there once, so a face that is written down too early is that card."""
    opened: set[bytes] = set()
    early = []
    for stored in evening(seed, book).stored:
        if is_shoe(stored):
            opened |= {opening.card.encode() for opening in openings(stored)}
        early += [] if opened.issuperset(FACE.findall(stored.data)) else [stored.data]

    assert early == []


@given(seeds, books)
def test_salt_of_a_card_appears_nowhere_before_it_lies_open(seed: int, book: str):
    """Whoever knew a salt could try all faces against the commitment; and the seed from which all are made stands nowhere."""
    house = evening(seed, book)
    secrets: dict[bytes, tuple[str, int]] = {}
    shoes: dict[str, Made] = {}
    for stream in (name for name in house.streams if name.startswith("log.shoe.")):
        made: Made = house.streams[stream].state.made
        shoes[stream] = made
        key = unseal(made.seed, key=KEY, shoe=made.shoe)[:SEED_BYTES]
        secrets[key.hex().encode()] = (made.shoe, -1)
        secrets |= {salt.encode(): (made.shoe, lies) for lies, salt in enumerate(salts(key, made.shoe, made.cards))}
    opened: set[tuple[str, int]] = set()
    early = []
    for stored in house.stored:
        if retires(stored):
            opened |= {where for where in secrets.values() if stored.stream.endswith(f".{where[0]}")}
        if is_shoe(stored):
            opened |= {(shoes[stored.stream].shoe, place(opening.index, shoes[stored.stream])) for opening in openings(stored)}
        early += [where for secret, where in secrets.items() if where not in opened and secret in stored.data]

    assert early == []


def test_faces_are_found_where_they_stand():
    """What looks for faces must find them, or it would prove nothing."""
    assert FACE.findall(msgspec.json.encode({"cards": ("AS", "TD"), "player": "ann", "kind": "main"})) == [b"AS", b"TD"]
