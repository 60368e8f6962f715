"""The picture of a rack: where cards lie in the discard rack, so that a dealer can back a hand up.

Whoever lifts cards off the top meets the first row first.
"""

from collections.abc import Iterable, Iterator, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from feltlog.discard_rack import DiscardRack, Pile
from feltlog.layout import Layout
from feltlog.screen import drawn, plain_table
from feltlog.wording import Card, Sentence, counted, row_of, wall, worth
from services.table.domain.pick_up import Racked

WHY = {
    "face_up": "nobody's: it lay face up in the shoe",
    "exposed": "nobody's: it was exposed",
    "unused": "nobody's: it was exposed, and no hand took it",
    "overdraw": "burned: the dealer drew too much",
    "game_error": "burned for a game error",
}
BURNED = {
    "shuffle": "burned after the shuffle",
    "new_dealer": "burned by a new dealer",
    "game_error": "burned for a game error",
    "house": "burned as the house wished",
}
NARROW = 80
"""On fewer columns only the first ones of a table are shown."""
LABEL_MAX = 30
"""A longer name of a hand does not move the others to the right."""


def rack_table(racked: Sequence[Racked], layout: Layout, *, letters: bool, narrow: bool = False) -> Table:
    """Return a round's cards in the rack, the top one first, with whose they were."""
    table = plain_table()
    headings = ("from below", "card", "whose", "shoe", "place in the shoe")
    for heading in headings[:3] if narrow else headings:
        table.add_column(heading, no_wrap=not narrow)
    for each in reversed(racked):
        cells = (str(each.position), drawn(seen(each), letters=letters), whose(each, layout), each.shoe, str(each.index))
        table.add_row(*cells[: len(table.columns)])
    return table


def whole_rack(rack: DiscardRack, zone: ZoneInfo, *, letters: bool) -> RenderableType:
    """Return a shoe's rack, the top first: round upon round, hand upon hand, and where burned cards lie between them."""
    parts: list[RenderableType] = [heading(rack), Text(size(rack)), *(Text(line, style="yellow") for line in notes(rack))]
    widest = max((len(label(row, pile)) for pile in rack.piles for row in _together(pile)), default=0)
    for pile in reversed(rack.piles):
        title = pile.round or BURNED.get(pile.burned, f"burned: {pile.burned}")
        parts += [
            Text(""),
            Text.assemble((title, "bold"), (f"  {wall(pile.at_ms, zone)[:19]}", "dim")),
            pile_table(pile, min(widest, LABEL_MAX), letters=letters),
        ]
    return Group(*parts)


def round_in_rack(rack: DiscardRack, pile: Pile, *, letters: bool, narrow: bool) -> RenderableType:
    """Return where a round's cards lie, how many to lift off before, and its hands as they are laid out again."""
    above = rack.size - (pile.cards[-1].position if pile.cards else 0)
    lift = f"{counted(above, 'card')} {'lies' if above == 1 else 'lie'} above: lift them off first." if above else "Its cards lie on top."
    parts: list[RenderableType] = [heading(rack), Text(f"{pile.round}: {counted(len(pile.cards), 'card')}. {lift}")]
    parts += [Text(line, style="yellow") for line in notes(rack)]
    if not pile.ordered:
        return Group(*parts, Text(UNORDERED), Text(""), pile_table(pile, letters=letters))
    laid = plain_table()
    for column in ("hand", "cards as they were dealt", "total"):
        laid.add_column(column)
    for (box, hand), cards in pile.hands:
        faces = drawn(row_of(cards), letters=letters) if all(cards) else Text("unseen")
        laid.add_row(pile.layout.owner(box, hand), faces, worth(cards, split=box in pile.layout.split) if all(cards) else "")
    parts += [Text(""), rack_table(pile.cards, pile.layout, letters=letters, narrow=narrow)]
    return Group(*parts, Text(""), Text("Backed up, hand after hand as they come off the top", style="bold"), laid)


UNORDERED = "Its book does not say in which order its cards were picked up, so no hand of it can be backed up."


def heading(rack: DiscardRack) -> Text:
    """Return whose rack this is."""
    return Text.assemble((" DISCARD RACK ", "bold reverse"), f" shoe {rack.shoe}, table {rack.table}, {rack.day}", style="bold")


def size(rack: DiscardRack) -> str:
    """Return how many cards lie there and how many are left in the shoe."""
    burned = sum(len(pile.cards) for pile in rack.piles if not pile.round)
    rounds = sum(bool(pile.round) for pile in rack.piles)
    what = [f"{burned} burned"] if burned else []
    what += [f"{rack.size - burned} of {counted(rounds, 'round')}"] if rounds else []
    told = f"{counted(rack.size, 'card')} in the rack{': ' if what else ''}{', '.join(what)}; the top first."
    if rack.retired:
        return f"{told} The shoe is out of use with {counted(rack.left, 'card')} left in it."
    return f"{told} {counted(rack.left, 'card')} left in the shoe."


def notes(rack: DiscardRack) -> Iterator[str]:
    """Yield what somebody must know who wants to lift cards off."""
    if rack.device == "shuffling_device" and rack.retired:
        yield "The device took these cards back after the round: they cannot be lifted off any more."
    if rack.playing:
        yield f"The cards of {rack.playing} still lie on the layout."
    if rack.emptied is not None and rack.emptied.whole:
        yield f"Its cutting card came before the first card of {rack.emptied_in}: all cards were shuffled into {rack.emptied.next_shoe}."
    elif rack.emptied is not None:
        yield (
            f"The shoe ran out inside {rack.emptied_in}: what lay here was shuffled into {rack.emptied.next_shoe}, "
            "and cannot be lifted off any more."
        )


def pile_table(pile: Pile, labels: int = 0, *, letters: bool) -> Table:
    """Return a pile, a hand to a row, the top one first; `labels` is how wide its hands' names are at least."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, min_width=7)
    table.add_column(min_width=labels)
    table.add_column()
    for together in _together(pile):
        low, high = together[-1].position, together[0].position
        faces = [part for card in together for part in (*seen(card), " ")][:-1]
        unseen = f"{counted(len(together), 'card')} that nobody saw" if not any(card.card for card in together) else ""
        place = f"{low}-{high}" if high > low else str(high)
        table.add_row(place, label(together, pile), unseen or drawn(tuple(faces), letters=letters))
    return table


def label(together: Sequence[Racked], pile: Pile) -> str:
    """Return whose the cards of a row were."""
    if pile.burned:
        return "burned"
    return whose(together[0], pile.layout) if pile.ordered else "in no order that is known"


def _together(pile: Pile) -> Iterator[list[Racked]]:
    """Yield the cards of a pile that belong together, the top ones first."""
    row: list[Racked] = []
    for card in reversed(pile.cards):
        if row and pile.ordered and (row[-1].box, row[-1].hand, row[-1].why) != (card.box, card.hand, card.why):
            yield row
            row = []
        row.append(card)
    if row:
        yield row


def seen(racked: Racked) -> Sentence:
    """Return the face of a card, if anybody ever saw it."""
    return (Card(racked.card),) if racked.card else ("unseen",)


def whose(racked: Racked, layout: Layout) -> str:
    """Return whose card this was, or why it was nobody's."""
    return WHY[racked.why] if racked.why is not None else layout.owner(racked.box, racked.hand)


def as_json(racked: Racked) -> dict[str, object]:
    """Return a card in the rack for machines."""
    return {
        "position": racked.position,
        "card": racked.card,
        "box": racked.box,
        "hand": racked.hand,
        "why": racked.why,
        "shoe": racked.shoe,
        "index": racked.index,
    }


def rack_as_json(piles: Iterable[Pile]) -> Iterator[dict[str, object]]:
    """Yield the cards of some piles for machines, the top one first; a position is null where the log does not say it."""
    for pile in reversed(tuple(piles)):
        for card in reversed(pile.cards):
            known = as_json(card) | ({"why": pile.burned} if pile.burned else {}) | ({} if pile.ordered else {"position": None})
            yield {"round": pile.round, **known}
