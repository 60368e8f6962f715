"""No undealt card can be learned: everything that was said on the server is searched for what was opened only afterwards.

The search knows the seeds and orders, because the evening is over; it looks for them in all that was said before.
"""

import dataclasses
import tomllib
from collections import Counter
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from feltlog.commands.connection import reading
from feltlog.house import House
from feltlog.machine import run_apart
from services.shoe.domain.shuffle import leaves, order, salts
from shared.contracts.language import types_of
from shared.contracts.shoe import CardsDrawn, CardTurned, ShoeCut, ShoeRetired, ShoeShuffled
from shared.contracts.subjects import log_name
from shared.kernel.commitment import Tree
from shared.kernel.entry import decode_as
from shared.kernel.messages import Event
from tests.integration.recorded_evening import Evening
from tests.integration.secret_forms import forms, runs
from tests.predicting import Published, score

NO_SALT = "0" * 32


@dataclass
class Opened:
    """A shoe whose order is open, and when each of its cards was shown; times are places in what was heard.

    Cards, salts and what was shown are counted in places of the committed order.
    """

    name: str
    seed: bytes
    cards: tuple[str, ...]
    salts: tuple[str, ...]
    retired_at: int
    shown_at: dict[int, int]
    published: Published
    cut_by: str

    @property
    def undealt(self) -> list[int]:
        """The cards that nobody has seen before the order was opened."""
        return [index for index in range(len(self.cards)) if self.shown_at.get(index, self.retired_at) >= self.retired_at]


@pytest.fixture(scope="module")
def shoes(evening: Evening) -> list[Opened]:
    """All shoes of the evening."""
    prefix = f"log.shoe.{evening.day}."
    heard: dict[str, list[tuple[int, Event]]] = {}
    known: set[tuple[str, bytes]] = set()
    for place, (subject, data) in enumerate(evening.heard):
        if subject.startswith(prefix) and not subject.endswith(".desk") and (subject, data) not in known:
            # Who hears a log is given its entries under their own subject: the first time is the writing itself.
            known.add((subject, data))
            entry = decode_as(*types_of(subject), data)
            heard.setdefault(subject, []).extend((place, event) for decision in entry.decisions for event in decision.events)
    return [opened(events) for events in heard.values()]


def opened(events: list[tuple[int, Event]]) -> Opened:
    """Return a shoe as its entries show it."""
    kinds = {type(event): (place, event) for place, event in events}
    shuffled, parted = kinds[ShoeShuffled][1], kinds.get(ShoeCut, (0, ShoeCut(cards_in_front=0, by="dealer")))[1]
    retired_at, retired = kinds[ShoeRetired]
    assert isinstance(shuffled, ShoeShuffled)
    assert isinstance(parted, ShoeCut)
    assert isinstance(retired, ShoeRetired)
    seed = bytes.fromhex(retired.seed)
    without = (*shuffled.without, retired.hole) if retired.hole else shuffled.without
    shown = {
        (opening.index + parted.cards_in_front) % shuffled.cards: place
        for place, event in events
        if isinstance(event, CardsDrawn | CardTurned)
        for opening in ([event.opening] if isinstance(event, CardTurned) else [card.opening for card in event.cards if card.opening])
    }
    cards = order(seed, shuffled.shoe, shuffled.decks, without)
    openings = tuple(
        opening
        for _, event in events
        if isinstance(event, CardsDrawn | CardTurned)
        for opening in ([event.opening] if isinstance(event, CardTurned) else [card.opening for card in event.cards if card.opening])
    )
    published = Published(shuffled.shoe, shuffled.cards, Counter(cards), parted.cards_in_front, openings)
    return Opened(shuffled.shoe, seed, cards, salts(seed, shuffled.shoe, len(cards)), retired_at, shown, published, parted.by)


def said_before(evening: Evening, place: int) -> bytes:
    """Return all that was said on the server before a moment, subjects included."""
    return b"\n".join(subject.encode() + b" " + data for subject, data in evening.heard[:place])


def test_search_finds_what_is_there(evening: Evening, shoes: list[Opened]):
    """The searches below rest on this: what was opened is found in the forms in which it was opened."""
    everything = said_before(evening, len(evening.heard))
    first = shoes[0]
    known = sorted(first.shown_at)[0]

    assert [first.seed.hex().encode() in everything, first.salts[known].encode() in everything, len(shoes) >= 4] == [True] * 3


def test_seed_is_said_nowhere_before_its_shoe_is_retired(evening: Evening, shoes: list[Opened]):
    """Log page, secrets: nobody needs the seed before it is opened at retirement, and nobody gets it."""
    leaks = [shoe.name for shoe in shoes if any(form in said_before(evening, shoe.retired_at) for form in forms(shoe.seed))]

    assert leaks == []


def test_salt_of_a_card_is_said_nowhere_before_the_card_is_shown(evening: Evening, shoes: list[Opened]):
    """Log page, secrets: without its salt a card cannot be found out from the commitment."""
    leaks = []
    for shoe in shoes:
        before = said_before(evening, shoe.retired_at)
        for index in shoe.undealt:
            leaks += [(shoe.name, index) for form in forms(bytes.fromhex(shoe.salts[index])) if form in before]
        for index in set(shoe.shown_at).difference(shoe.undealt):
            shown = shoe.salts[index].encode()
            first = next(place for place, (_, data) in enumerate(evening.heard) if shown in data)
            leaks += [(shoe.name, index)] if first < shoe.shown_at[index] else []

    assert leaks == []


def test_order_is_said_nowhere_before_its_shoe_is_retired(evening: Evening, shoes: list[Opened]):
    """Log page, secrets: no run of undealt cards stands anywhere, forwards or backwards, as text or as numbers."""
    leaks = []
    for shoe in shoes:
        before = said_before(evening, shoe.retired_at)
        leaks += [shoe.name for form in runs([shoe.cards[index] for index in shoe.undealt]) if form in before]

    assert leaks == []


def test_no_card_is_predicted_better_than_by_chance(evening: Evening, shoes: list[Opened]):
    """ADR 0018: paths show leaves of cards that are still to come, and those tell nothing."""
    better = [shoe.name for shoe in shoes if score(shoe.published).is_better_than_chance]

    assert better == []


def test_cards_of_the_same_evening_without_salts_are_predicted(evening: Evening, shoes: list[Opened]):
    """The search above can fail: had the house salted nothing, the very same cards would have been guessed."""
    longest = max(shoes, key=lambda shoe: len(shoe.published.openings))

    assert (score(longest.published).is_better_than_chance, score(unsalted(longest)).is_better_than_chance) == (False, True)


def unsalted(shoe: Opened) -> Published:
    """Return what would have been published of a shoe whose cards have all the same salt."""
    tree = Tree(leaves(shoe.name, shoe.cards, (NO_SALT,) * len(shoe.cards)))
    places = [(opening.index + shoe.published.cut_at) % len(shoe.cards) for opening in shoe.published.openings]
    openings = tuple(
        replace(opening, salt=NO_SALT, path=tree.path(place)) for opening, place in zip(shoe.published.openings, places, strict=True)
    )
    return dataclasses.replace(shoe.published, openings=openings)


def test_players_cut_a_shoe_of_the_evening(evening: Evening, shoes: list[Opened]):
    """ADR 0018: what clients give by themselves reaches the shoe."""
    assert any(shoe.cut_by == "players" for shoe in shoes)


def test_keys_are_said_nowhere(evening: Evening, shoes: list[Opened]):
    """Log page, secrets: the sealing key and everybody's credentials stay in their files."""
    house = House(evening.data)
    key = bytes.fromhex(tomllib.loads(house.sealing_key.read_text())["key_hex"])
    keys = [*forms(key), *(path.read_bytes().strip() for path in house.secrets.glob("*.nk"))]
    everything = said_before(evening, len(evening.heard)) + stored(evening) + written_by_processes(evening) + b"\n".join(evening.told)

    assert [form in everything for form in keys] == [False] * len(keys)


def test_processes_and_answers_tell_nothing_of_an_order(evening: Evening, shoes: list[Opened]):
    """Log page, secrets: traces and logs carry no command bodies, and no question is answered with a card to come."""
    told = written_by_processes(evening) + b"\n".join(evening.told)
    secrets = [form for shoe in shoes for secret in (shoe.seed, *map(bytes.fromhex, shoe.salts)) for form in forms(secret)]
    orders = [form for shoe in shoes for form in runs(shoe.cards)]

    assert [form for form in (*secrets, *orders) if form in told] == []


def written_by_processes(evening: Evening) -> bytes:
    """Return what all processes wrote into their logs."""
    return b"\n".join(path.read_bytes() for path in sorted((evening.data / "logs").iterdir()))


def stored(evening: Evening) -> bytes:
    """Return all bytes of all logs of the evening."""

    async def read() -> bytes:
        async with reading(House(evening.data)) as store:
            names = [log_name(service, evening.day) for service in ("table", "shoe", "wallet", "surveillance")]
            return b"\n".join([each.data for name in names async for each in store.read(name)])

    return run_apart(read())
