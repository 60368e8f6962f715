"""The discard rack of a shoe: what lies in it, from the burned cards at its bottom to the round that was played last.

A round's own log says in which order its cards were picked up; the shoe's log says which rounds it dealt, and when cards were
burned.  Both together give each card's position in the whole rack, so that a dealer knows how many cards to lift off before a
hand can be backed up (ON-6.6, LV-3.7, decision 26).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from feltlog.layout import Layout
from feltlog.reading import Logs, Page, round_pages, shoe_pages, told
from feltlog.story import story
from feltlog.trouble import Trouble
from services.table.domain.pick_up import Racked, backed_up, rack
from shared.contracts.dealing import CardDealt, CardDiscarded, FaceDownCardDealt, HoleCardDealt, ReshuffleCalled
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.shoe import BurnedShown, CardDrawn, CardsBurned, CardScanned, CardsDrawn, ShoeRetired, ShoeShuffled
from shared.contracts.subjects import round_name


class Pile(Struct, frozen=True, kw_only=True):
    """Cards that came to the rack together, the lowest first; positions count from the bottom of the whole rack."""

    cards: tuple[Racked, ...]
    at_ms: int
    """When they came there."""
    round: str = ""
    """Empty for cards that were burned."""
    burned: str = ""
    """Why they were burned."""
    ordered: bool = True
    """Whether the log says in which order the round's cards were picked up."""
    layout: Layout = Layout()

    @property
    def hands(self) -> tuple[tuple[tuple[int, int], tuple[str, ...]], ...]:
        """The hands as they come off the top, each with its cards as they were dealt."""
        return backed_up(self.cards)


class DiscardRack(Struct, frozen=True, kw_only=True):
    """The rack of one shoe."""

    shoe: str
    table: str
    day: str
    piles: tuple[Pile, ...]
    """The lowest first."""
    left: int
    """Cards that are left in the shoe, those behind the cutting card among them."""
    retired: bool
    device: str = "manual"
    playing: str = ""
    """The round whose cards still lie on the layout."""
    emptied: ReshuffleCalled | None = None
    """The rack was emptied into the shuffle of another shoe, inside a round or before its first card (FL-4.1, ON-11.5)."""
    emptied_in: str = ""

    @property
    def size(self) -> int:
        """How many cards lie there."""
        return sum(len(pile.cards) for pile in self.piles)

    def pile(self, round: str) -> Pile:
        """Return a round's cards; raise `Trouble` if they do not lie here."""
        found = next((pile for pile in self.piles if pile.round == round), None)
        if found is not None:
            return found
        if round == self.playing:
            raise Trouble(f"The cards of {round} still lie on the layout: they are picked up when the round is over.")
        if self.emptied is not None and round == self.emptied_in:
            after = self.emptied.next_shoe
            if self.emptied.whole:
                raise Trouble(
                    f"The cutting card of {self.shoe} came before the first card of {round}, which was dealt from {after}: "
                    f"`feltlog rack {after} --round {round}`."
                )
            raise Trouble(
                f"{self.shoe} ran out inside {round}, whose cards lie in the rack of {after}: `feltlog rack {after} --round {round}`."
            )
        raise Trouble(f"{round} was not dealt from {self.shoe}. `feltlog replay {round}` names the shoe that it was dealt from.")


def discard_rack(day: str, shoe: str, pages: Iterable[Page], rounds: Mapping[str, Sequence[Page]]) -> DiscardRack:
    """Return the rack of a shoe from the entries of its own stream and of the rounds that it dealt, by their ids."""
    piles: list[Pile] = []
    shuffled: ShoeShuffled | None = None
    shown: dict[int, str] = {}
    drawn, retired = 0, False
    for each in told(pages):
        match each.event:
            case ShoeShuffled():
                shuffled = each.event
            case CardsBurned(first_index=first, count=count, reason=reason):
                cards = tuple(Racked(0, 0, 0, "", shoe, index) for index in range(first, first + count))
                piles.append(Pile(cards=cards, at_ms=each.page.entry.at_ms, burned=reason))
                drawn = max(drawn, first + count)
            case CardsDrawn():
                drawn += len(each.event.cards)
            case CardScanned(index=index):
                drawn = index + 1
            case BurnedShown():
                shown.update((opening.index, opening.card) for opening in each.event.openings)
            case ShoeRetired():
                retired = True
            case _:
                pass
    assert shuffled is not None, "a shoe's stream begins with its shuffle"
    playing, emptied, emptied_in = "", None, ""
    for round, entries in rounds.items():
        events = [each.event for each in told(entries)]
        moved = next((event for event in events if isinstance(event, ReshuffleCalled) and event.shoe == shoe), None)
        if moved is not None:
            emptied, emptied_in = moved, round
        elif any(isinstance(event, RoundSettled | RoundVoided) for event in events):
            piles.append(_picked_up(round, entries))
        else:
            playing = round
    return DiscardRack(
        shoe=shoe,
        table=shuffled.table,
        day=day,
        piles=_stacked(sorted((_with_faces(pile, shown) for pile in piles), key=lambda pile: pile.at_ms)),
        left=shuffled.cards - drawn,
        retired=retired,
        device=shuffled.device,
        playing=playing,
        emptied=emptied,
        emptied_in=emptied_in,
    )


def dealt_rounds(pages: Iterable[Page]) -> tuple[str, ...]:
    """Return the rounds that a shoe dealt cards to, in their order."""
    return tuple(dict.fromkeys(each.event.round for each in told(pages) if isinstance(each.event, CardsDrawn | CardDrawn)))


async def rack_of(store: Logs, shoe: str, day: str = "") -> tuple[DiscardRack, list[list[Page]]]:
    """Return the rack of a shoe of a day, or of the latest that has one of that name, and all entries that it was read from.

    Raise `Trouble` if there is none.
    """
    found, pages = await shoe_pages(store, shoe, day)
    rounds = {round: await round_pages(store, round_name(round)) for round in dealt_rounds(pages)}
    return discard_rack(found, shoe, pages, rounds), [pages, *rounds.values()]


def _picked_up(round: str, entries: Sequence[Page]) -> Pile:
    happened = told(entries)
    at_ms = next(each.page.entry.at_ms for each in happened if isinstance(each.event, RoundSettled | RoundVoided))
    _, layout = story(happened)
    events = [each.event for each in happened]
    racked = rack(events)
    return Pile(cards=racked or _dealt(events), at_ms=at_ms, round=round, ordered=bool(racked), layout=layout)


def _dealt(events: Iterable[Any]) -> tuple[Racked, ...]:
    """Return a round's cards where nothing says how they were picked up: on which box, and no more."""
    return tuple(
        Racked(0, getattr(event, "box", 0), 0, getattr(event, "card", ""), event.shoe, event.index)
        for event in events
        if isinstance(event, CardDealt | FaceDownCardDealt | HoleCardDealt | CardDiscarded)
    )


def _with_faces(pile: Pile, shown: Mapping[int, str]) -> Pile:
    """Return a pile with the faces of the burned cards that somebody had shown (ON-6.2, LV-3.5)."""
    if not pile.burned:
        return pile
    return replace(pile, cards=tuple(replace(card, card=shown.get(card.index, "")) for card in pile.cards))


def _stacked(piles: Iterable[Pile]) -> tuple[Pile, ...]:
    """Return the piles one upon the other, with each card's position from below."""
    found: list[Pile] = []
    below = 0
    for pile in piles:
        cards = tuple(replace(card, position=below + place) for place, card in enumerate(pile.cards, start=1))
        found.append(replace(pile, cards=cards))
        below += len(cards)
    return tuple(found)
