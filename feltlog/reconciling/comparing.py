"""The comparison: each wager's way through its round held against its way through the ledger, and the other way round."""

from collections.abc import Iterator, Mapping
from typing import Any

from feltlog.reconciling.ledger import Book, Moved
from feltlog.reconciling.place import Difference, Place, differs
from feltlog.reconciling.postings import of, rounding
from feltlog.reconciling.rounds import Round, Wager
from shared.contracts.wallet import CarriedStake

NOTHING = Moved()


def compared(book: Book, rounds: Mapping[str, Round]) -> Iterator[Difference]:
    """Yield where a day's book and the rounds of the day do not fit, round by round."""
    for id_, round_ in rounds.items():
        for name, wager in round_.wagers.items():
            for place, code, message in wager_apart(book, name, wager, book.wagers.get((id_, name), NOTHING), round_.over):
                yield differs(place, code, message, round=id_, wager=name)
        yield from _corrections(book, round_)
        yield from _booking(book, round_)
        yield from _escrow(book, round_)
    yield from _unheard_of(book, rounds)


def wager_apart(book: Book, name: str, wager: Wager, moved: Moved, over: tuple[Place, str] | None) -> Iterator[tuple[Place, str, str]]:
    """Yield where one wager's money went otherwise than the wager, with a code and a sentence."""
    if wager.placed is None:
        if moved.place is not None:
            yield moved.place, "not_placed", f"the ledger moved money for wager {name}, which was never placed"
        return
    placed_at, placed = wager.placed
    if moved.reserved is not None:
        there, stake = moved.reserved
        if (stake.player, stake.currency, stake.minor) != (placed.player, placed.currency, placed.stake_minor):
            said = f"{placed.stake_minor} {placed.currency} of {placed.player} were wagered"
            yield there, "stake_differs", f"wager {name}: {said}, {stake.minor} {stake.currency} of {stake.player} set aside"
    elif moved.answered is None and book.has_heard(placed_at):
        yield placed_at, "not_set_aside", f"wager {name} was placed, and the ledger neither set its stake aside nor refused it"
    if wager.fate is not None:
        yield from _fate(book, name, *wager.fate, moved)
    yield from _line(book, name, wager, moved, over)


def _fate(book: Book, name: str, place: Place, fate: str, moved: Moved) -> Iterator[tuple[Place, str, str]]:
    if fate == "accepted" and moved.reserved is None:
        yield place, "not_set_aside", f"wager {name} is in the round, and no stake was set aside for it"
    elif fate == "accepted" and moved.released is not None:
        yield moved.released, "released_wrongly", f"wager {name} is in the round, and its stake was given back"
    elif fate == "refused" and moved.reserved is not None:
        yield moved.reserved[0], "refused_differs", f"wager {name} was refused at the table, and its stake was set aside"
    elif fate == "refused" and moved.answered is None:
        yield place, "refused_differs", f"wager {name} was refused at the table, and the ledger did not refuse it"
    elif fate == "lapsed" and moved.lies_there and book.has_heard(place):
        yield place, "not_released", f"wager {name} lapsed, and its stake was not given back"
    if fate != "lapsed" and fate != "accepted" and moved.released is not None:
        yield moved.released, "released_wrongly", f"wager {name} did not lapse, and its stake was given back"


def _line(book: Book, name: str, wager: Wager, moved: Moved, over: tuple[Place, str] | None) -> Iterator[tuple[Place, str, str]]:
    if wager.line is None:
        if moved.settled is not None:
            yield moved.settled[0], "settled_differs", f"wager {name} was settled in the ledger and not in the round"
        elif over is not None and wager.fate is not None and wager.fate[1] == "accepted":
            yield over[0], "never_settled", f"the round is over, and wager {name} was never settled"
        return
    place, currency, line = wager.line
    if moved.settled is None:
        if book.has_heard(place):
            yield place, "not_settled", f"wager {name} gives back {line.returned_minor} {currency}, and the ledger did not settle it"
        return
    there, settled = moved.settled
    due, done = _told(line), _told(settled)
    if due[:3] == done[:3] and due != done:
        yield there, "settled_differs", f"wager {name}: chips round up {due[3]} of what it gives back, in the ledger {done[3]}"
    elif due != done:
        said = f"gives back {line.returned_minor} of {line.stake_minor} to {line.player}"
        done_ = f"the ledger gave back {settled.returned_minor} of {settled.stake_minor} to {settled.player}"
        yield there, "settled_differs", f"wager {name} {said}, {done_}"


def _told(line: Any) -> tuple[str, int, int, int]:
    return line.player, line.stake_minor, line.returned_minor, of(line, "rounding_minor")


def _corrections(book: Book, round_: Round) -> Iterator[Difference]:
    for number, (place, event) in round_.corrected.items():
        found = book.corrected.get((round_.id, number))
        if found is None:
            if book.has_heard(place):
                yield differs(place, "not_corrected", f"correction {number} of {round_.id} is not in the ledger", round=round_.id)
        elif _lines(event) != _lines(found[1]):
            what = f"correction {number} of {round_.id} moved otherwise in the ledger than the round says"
            yield differs(found[0], "corrected_differs", what, round=round_.id)


def _lines(event: Any) -> Any:
    lines = ((line.wager, line.player, line.settled_minor, line.returned_minor, rounding([line])) for line in event.lines)
    return event.currency, sorted(lines)


def _booking(book: Book, round_: Round) -> Iterator[Difference]:
    booked = book.booked.get(round_.id)
    if round_.over is None:
        if booked is not None:
            yield differs(booked[0], "booked_early", f"{round_.id} is booked, and the round is not over", round=round_.id)
        return
    place, outcome = round_.over
    if booked is None:
        if book.has_heard(place):
            yield differs(place, "not_booked", f"{round_.id} is over, and not booked", round=round_.id)
    elif booked[1].outcome != outcome:
        yield differs(booked[0], "booked_differs", f"{round_.id} is {outcome}, and booked as {booked[1].outcome}", round=round_.id)


def _escrow(book: Book, round_: Round) -> Iterator[Difference]:
    """Yield where the escrow of a round that is not booked is not what its log says is set aside; a booked one's is nothing."""
    if round_.id in book.booked:
        return
    due: dict[str, int] = {}
    for name, wager in round_.wagers.items():
        if wager.placed is not None and book.wagers.get((round_.id, name), NOTHING).lies_there:
            placed = wager.placed[1]
            due[placed.currency] = due.get(placed.currency, 0) + placed.stake_minor
    held = book.held_for(round_.id)
    for currency in sorted(due.keys() | held.keys()):
        if due.get(currency, 0) != held.get(currency, 0):
            what = f"{held.get(currency, 0)} {currency} lie in the escrow of {round_.id}, whose log says {due.get(currency, 0)}"
            place = book.touched.get(round_.id) or book.end
            assert place is not None, "what lies in an escrow was moved by an entry"
            yield differs(place, "escrow_differs", what, round=round_.id)


def _unheard_of(book: Book, rounds: Mapping[str, Round]) -> Iterator[Difference]:
    """Yield what the ledger has moved for wagers, corrections and rounds of which no round's log knows."""
    for (id_, name), moved in book.wagers.items():
        place = moved.place
        # What was carried over belongs to a round of an earlier day.
        carried = moved.reserved is not None and isinstance(moved.reserved[1], CarriedStake)
        if place is not None and not carried and (id_ not in rounds or name not in rounds[id_].wagers):
            what = f"the ledger knows wager {name} of {id_}, which was never placed there"
            yield differs(place, "not_placed", what, round=id_, wager=name)
    for (id_, number), (place, _) in book.corrected.items():
        if id_ not in rounds or number not in rounds[id_].corrected:
            yield differs(place, "corrected_differs", f"correction {number} of {id_} is in the ledger and not in the round", round=id_)
    for id_, (place, _) in book.booked.items():
        if id_ not in rounds:
            yield differs(place, "booked_early", f"{id_} is booked, and there is no such round", round=id_)
