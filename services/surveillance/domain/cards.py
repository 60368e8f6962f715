"""Cards: whether every card on the felt is the one that the shoe gave, and every place of a shoe left it once.

The shoe's log says which index went to which call, and proves each open card against the root that was committed before
the cut.  The round's log says where the card came to rest.  Both must tell the same of each index.  The table's log says
what players gave towards the cut, and the shoe must have been cut by all of it.
"""

from dataclasses import dataclass, field

import msgspec

from services.surveillance.domain.facts import Fact
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from services.surveillance.domain.scanned_cards import Scanned
from shared.contracts.burns import BurnCalled
from shared.contracts.cutting import CutRevealed, CutSealed, OrderNoted
from shared.contracts.dealing import (
    CardDealt,
    CardDiscarded,
    CardExposed,
    DealCard,
    DealCards,
    FaceDownCardDealt,
    HandExposed,
    HoleCardDealt,
    HoleCardTurned,
    PeekTaken,
    ShoeChanged,
)
from shared.contracts.rounds import RoundOpened, RoundSettled, RoundVoided
from shared.contracts.shoe import (
    BurnedShown,
    BurnRefused,
    CardDrawn,
    CardsBurned,
    CardScanned,
    CardsDrawn,
    CardsExposed,
    CardTurned,
    CuttingCardPlaced,
    HolePeeked,
    Opening,
    OrderCommitted,
    ShoeCut,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
)
from shared.contracts.subjects import round_name, round_of
from shared.contracts.table import RetirementNoted, RoundCalled, ShoeMounted
from shared.kernel.commitment import verify
from shared.kernel.cutting import cut_and_marker, place_of, seal


class Given(msgspec.Struct, frozen=True):
    """A card as one of the two logs tells it; `call_no` is 0 and `card` empty where that log does not say."""

    round: str
    call_no: int
    card: str


@dataclass
class Shoe:
    """What both logs tell of a shoe."""

    next_index: int = 0
    root: str = ""
    size: int = 0
    shuffled: ShoeShuffled | None = None
    marker: int = 0
    """Index of the first card behind the cutting card."""
    cut: ShoeCut | None = None
    cut_where: Where | None = None
    seals: dict[str, str] = field(default_factory=dict)
    """What players sealed towards the cut, as the table's log has it."""
    secrets: dict[str, str] = field(default_factory=dict)
    drawn: dict[int, tuple[Given, Where]] = field(default_factory=dict)
    laid: dict[int, tuple[Given, Where]] = field(default_factory=dict)
    opened: dict[int, tuple[str, Where]] = field(default_factory=dict)
    turned: dict[int, tuple[str, Where]] = field(default_factory=dict)
    peeked: dict[str, bool] = field(default_factory=dict)
    looked: dict[str, tuple[bool, Where]] = field(default_factory=dict)
    told: list[tuple[str, Where]] = field(default_factory=list)
    """Roots that tables and rounds were told."""
    exposed: set[int] = field(default_factory=set)
    """Cards drawn in error that lie open beside the hands (ON-11.3)."""
    settled: set[str] = field(default_factory=set)
    burned: set[int] = field(default_factory=set)
    burns: dict[int, tuple[int, Where]] = field(default_factory=dict)
    """Cards that were burned for a call of the table, by its number; 0 if there were too few."""
    burns_called: dict[int, tuple[int, Where]] = field(default_factory=dict)
    scanned: Scanned | None = None
    """What was scanned, if the shoe stands under a scanner."""
    retired: bool = False
    noted: bool = False


Key = tuple[str, str]
"""A gaming day and a shoe's id."""


@dataclass
class Cards:
    """The shoes in use; `only` limits the comparison to some rounds."""

    only: frozenset[str] | None = None
    shoes: dict[Key, Shoe] = field(default_factory=dict)
    roots: dict[Key, str] = field(default_factory=dict)
    """What each shoe of the days that are held was committed to, also when it is dropped: an earlier one may be opened later."""
    in_use: dict[str, str] = field(default_factory=dict)
    """The shoe of each round that is played."""
    scanned: dict[Key, Scanned] = field(default_factory=dict)
    """What was scanned of each shoe of the days that are held."""
    compared: int = 0
    """How many cards of the shoes that are dropped stood in both logs."""

    @property
    def matched(self) -> int:
        """How many cards stand in both logs: those of the shoes that are in use count as well."""
        return self.compared + sum(_in_both(shoe) for shoe in self.shoes.values())

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of a shoe's, a table's or a round's stream; return what does not fit."""
        name = round_of(heard.stream)
        found = []
        for fact in heard.facts():
            if heard.stream.startswith("log.shoe."):
                found += self._shoe_event(heard, fact)
            elif name is not None:
                found += self._round_event(heard, fact, name.id)
            else:
                self._table_event(heard, fact)
            if isinstance(fact.event, ShoeRetired | RetirementNoted):
                found += self._drop(heard.day)
        return found

    def left(self) -> list[Finding]:
        """Return what has no other half, now that all there is has been heard."""
        return [found for shoe in self.shoes.values() for found in self._compare(shoe)]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.compared += sum(_in_both(shoe) for key, shoe in self.shoes.items() if key[0] == day)
        self.shoes = {key: shoe for key, shoe in self.shoes.items() if key[0] != day}
        self.roots = {key: root for key, root in self.roots.items() if key[0] != day}
        self.scanned = {key: scanned for key, scanned in self.scanned.items() if key[0] != day}
        self.in_use = {round_id: shoe for round_id, shoe in self.in_use.items() if round_name(round_id).day != day}

    def _shoe(self, day: str, shoe: str) -> Shoe:
        return self.shoes.setdefault((day, shoe), Shoe())

    def _within(self, round_id: str) -> bool:
        return self.only is None or round_id in self.only

    def _shoe_event(self, heard: Heard, fact: Fact) -> list[Finding]:
        name = heard.stream.rsplit(".", 1)[1]
        shoe = self._shoe(heard.day, name)
        event = fact.event
        match event:
            case ShoeShuffled():
                shoe.size, shoe.shuffled = event.cards, event
                if event.device == "scanned":
                    shoe.scanned = self.scanned[heard.day, name] = Scanned(event)
                    return [heard.where.found(Code.WRONG_CARDS, message) for message in self._before(heard.day, event)]
            case _ if shoe.scanned is not None and (messages := shoe.scanned.hear(event)):
                return [heard.where.found(Code.CARD_MISMATCH, message) for message in messages]
            case CardScanned():
                return self._leave(heard, shoe, event.index, 1)
            case CardsBurned() if shoe.scanned is not None:
                shoe.burned.update(range(event.first_index, event.first_index + event.count))
                if event.number:
                    shoe.burns[event.number] = (event.count, heard.where)
            case BurnedShown() if shoe.scanned is not None:
                return _unburned(heard, name, shoe, event)
            case CardDrawn():
                face = event.card.opening.card if event.card.opening else ""
                if self._within(event.round):
                    shoe.drawn[event.card.index] = (Given(event.round, event.call_no, face), heard.where)
            case CardTurned() if shoe.scanned is not None:
                shoe.opened[event.opening.index] = (event.opening.card, heard.where)
            case CardsExposed() if shoe.scanned is not None:
                shoe.opened.update({opening.index: (opening.card, heard.where) for opening in event.openings})
            case ShoeCut():
                shoe.cut, shoe.cut_where = event, heard.where
                return [heard.where.found(Code.WRONG_CUT, message) for message in _not_sealed(name, event)]
            case CuttingCardPlaced():
                shoe.marker = shoe.size - event.cards_behind
                return [heard.where.found(Code.WRONG_CUT, message) for message in _not_there(name, shoe, event.cards_behind)]
            case OrderCommitted():
                shoe.root = self.roots[heard.day, name] = event.root
            case ShoePrepared() if (event.root, event.cards) != (shoe.root, shoe.size):
                return [
                    heard.where.found(Code.ROOT_MISMATCH, f"{name} was committed to {shoe.root[:16]} and prepared with {event.root[:16]}")
                ]
            case CardsBurned():
                shoe.burned.update(range(event.first_index, event.first_index + event.count))
                if event.number:
                    shoe.burns[event.number] = (event.count, heard.where)
                    if event.cutting_card_out != (_tells_marker(shoe) and event.first_index + event.count >= shoe.marker):
                        return [heard.where.found(Code.WRONG_CUT, f"the cutting card of {name} is not where a burn says")]
                return self._leave(heard, shoe, event.first_index, event.count)
            case CardsDrawn():
                return self._draw(heard, name, shoe, event)
            case BurnRefused():
                shoe.burns[event.number] = (0, heard.where)
            case BurnedShown():
                found = _unburned(heard, name, shoe, event)
                return [*found, *(each for opening in event.openings for each in _proved(heard, name, shoe, opening))]
            case CardTurned():
                shoe.opened[event.opening.index] = (event.opening.card, heard.where)
                return _proved(heard, name, shoe, event.opening)
            case CardsExposed():
                shoe.opened.update({opening.index: (opening.card, heard.where) for opening in event.openings})
                return [found for opening in event.openings for found in _proved(heard, name, shoe, opening)]
            case HolePeeked():
                shoe.peeked[event.round] = event.blackjack
            case ShoeRetired():
                shoe.retired = True
                if shoe.scanned is not None:
                    return [heard.where.found(Code.WRONG_CARDS, message) for message in shoe.scanned.ended(event)]
                if event.reason == "replaced" and self.only is None and not self._is_committed(heard.day, event):
                    message = f"{name} was opened while {event.next_shoe or 'no shoe'} was not committed to what was said of it"
                    return [heard.where.found(Code.OPENED_EARLY, message)]
                if event.drawn != shoe.next_index:
                    return [heard.where.found(Code.CARD_TWICE, f"{name} says that {event.drawn} cards left it; {shoe.next_index} did")]
            case _:
                pass
        return []

    def _before(self, day: str, event: ShoeShuffled) -> list[str]:
        """Return what a shoe says otherwise of the one before it than that one's own log."""
        before = None if event.before is None else self.scanned.get((day, event.before.shoe))
        if before is None or event.before is None:
            return []
        cards = enumerate(event.before.cards)
        wrong = [index for index, card in cards if card and card != before.faces.get(index)]
        return [f"{event.shoe} names cards {wrong} of {event.before.shoe} that were others, or hidden"] if wrong else []

    def _draw(self, heard: Heard, name: str, shoe: Shoe, event: CardsDrawn) -> list[Finding]:
        found = [heard.where.found(Code.WRONG_CUT, message) for message in _marked(name, shoe, event)]
        for card in event.cards:
            found += self._leave(heard, shoe, card.index, 1)
            opening = card.opening
            if opening is not None:
                found += _proved(heard, name, shoe, opening)
                if opening.index != card.index:
                    found.append(heard.where.found(Code.CARD_MISMATCH, f"card {card.index} carries the proof of card {opening.index}"))
            if self._within(event.round):
                face = opening.card if opening else ""
                shoe.drawn[card.index] = (Given(event.round, event.call_no, face), heard.where)
        return found

    def _leave(self, heard: Heard, shoe: Shoe, first: int, count: int) -> list[Finding]:
        expected, shoe.next_index = shoe.next_index, first + count
        if first == expected:
            return []
        what = "a second time" if first < expected else f"before card {expected}"
        return [heard.where.found(Code.CARD_TWICE, f"card {first} left the shoe {what}")]

    def _is_committed(self, day: str, event: ShoeRetired) -> bool:
        """Return whether the shoe that replaces one is committed to what was said of it; its commitment stands earlier in the same log."""
        return self.roots.get((day, event.next_shoe)) == event.next_root and event.next_shoe != event.shoe

    def _round_event(self, heard: Heard, fact: Fact, round_id: str) -> list[Finding]:
        event = fact.event
        if not self._within(round_id):
            return []
        match event:
            case RoundOpened():
                self.in_use[round_id] = event.shoe
                self._shoe(heard.day, event.shoe).told.append((event.root, heard.where))
            case ShoeChanged():
                self.in_use[round_id] = event.shoe
                self._shoe(heard.day, event.shoe).told.append((event.root, heard.where))
            case CardDealt() | HoleCardDealt() | FaceDownCardDealt() | CardDiscarded() | CardExposed():
                return self._came_to_rest(heard, fact, round_id)
            case HoleCardTurned():
                self._shoe(heard.day, event.shoe).turned[event.index] = (event.card, heard.where)
            case HandExposed():
                faces = zip(event.indices, event.cards, strict=False)
                self._shoe(heard.day, event.shoe).turned.update({index: (card, heard.where) for index, card in faces})
            case PeekTaken():
                self._shoe(heard.day, self.in_use.get(round_id, "")).looked[round_id] = (event.blackjack, heard.where)
            case RoundSettled():
                for shoe in event.shoes:
                    self._shoe(heard.day, shoe).settled.add(round_id)
                self.in_use.pop(round_id, None)
            case RoundVoided():
                self.in_use.pop(round_id, None)
            case _:
                pass
        return []

    def _came_to_rest(self, heard: Heard, fact: Fact, round_id: str) -> list[Finding]:
        event = fact.event
        call_no = fact.command.call_no if isinstance(fact.command, DealCards | DealCard) else 0
        given = Given(round_id, call_no, getattr(event, "card", ""))
        shoe = self._shoe(heard.day, event.shoe)
        if event.index in shoe.exposed:
            return _moved_on(heard, shoe, event.index, given)
        if isinstance(event, CardExposed):
            shoe.exposed.add(event.index)
        return self._lay(heard, shoe, event.index, given)

    def _lay(self, heard: Heard, shoe: Shoe, index: int, given: Given) -> list[Finding]:
        before = shoe.laid.get(index)
        shoe.laid[index] = (given, heard.where)
        if before is None:
            return []
        return [heard.where.found(Code.CARD_TWICE, f"card {index} was dealt in {before[0].round} and again in {given.round}")]

    def _table_event(self, heard: Heard, fact: Fact) -> None:
        event = fact.event
        match event:
            case OrderNoted() if self.only is None:
                self._shoe(heard.day, event.shoe).told.append((event.root, heard.where))
            case ShoeMounted():
                self._shoe(heard.day, event.shoe).told.append((event.root, heard.where))
            case CutSealed():
                self._shoe(heard.day, event.shoe).seals[event.player] = event.seal
            case CutRevealed():
                self._shoe(heard.day, event.shoe).secrets[event.player] = event.secret
            case RoundCalled() if self._within(event.round):
                self._shoe(heard.day, event.shoe).told.append((event.root, heard.where))
            case BurnCalled() if self.only is None:
                self._shoe(heard.day, event.shoe).burns_called[event.number] = (event.cards, heard.where)
            case RetirementNoted():
                self._shoe(heard.day, event.shoe).noted = True
            case _:
                pass

    def _drop(self, day: str) -> list[Finding]:
        """Compare and forget the shoes of which neither log will tell anything more."""
        over = [key for key, shoe in self.shoes.items() if key[0] == day and shoe.retired and shoe.noted]
        found = []
        for key in over:
            shoe = self.shoes.pop(key)
            self.compared += _in_both(shoe)
            found += self._compare(shoe)
        return found

    def _compare(self, shoe: Shoe) -> list[Finding]:
        found = [*_left_out(shoe), *(_not_burned(shoe) if self.only is None else ())]
        for root, where in shoe.told:
            if shoe.root != root:
                found.append(where.found(Code.ROOT_MISMATCH, f"{root[:16]} was told, {shoe.root[:16] or 'nothing'} was committed"))
        for index in sorted(shoe.drawn.keys() | shoe.laid.keys()):
            found += _same_card(index, shoe.drawn.get(index), shoe.laid.get(index), shoe.settled)
        for index in sorted(shoe.turned):
            found += _same_face(index, shoe)
        for round_id, (blackjack, where) in shoe.looked.items():
            if shoe.peeked.get(round_id) != blackjack:
                found.append(where.found(Code.CARD_MISMATCH, f"the look at the hole card said otherwise in the shoe's log of {round_id}"))
        return found


def _moved_on(heard: Heard, shoe: Shoe, index: int, given: Given) -> list[Finding]:
    """Let an exposed card come to rest, at a hand or in the rack: it left the shoe when it was exposed."""
    shoe.exposed.discard(index)
    before = shoe.laid[index][0]
    if (before.round, before.card) == (given.round, given.card):
        return []
    return [heard.where.found(Code.CARD_MISMATCH, f"card {index} was exposed as {before.card} and came to rest as {given.card}")]


def _in_both(shoe: Shoe) -> int:
    return len(shoe.drawn.keys() & shoe.laid.keys())


def _same_card(index: int, drawn: tuple[Given, Where] | None, laid: tuple[Given, Where] | None, settled: set[str]) -> list[Finding]:
    if laid is None:
        # A void round may leave cards that were on their way; a settled one may not.
        if drawn is None or drawn[0].round not in settled:
            return []
        return [drawn[1].found(Code.CARD_MISMATCH, f"card {index} was given to {drawn[0].round}, where it was never dealt")]
    given, where = laid
    if drawn is None:
        return [where.found(Code.CARD_MISMATCH, f"card {index} was dealt in {given.round}; the shoe never gave it")]
    if drawn[0] != given:
        shoes = f"{drawn[0].card or 'face down'} to call {drawn[0].call_no} of {drawn[0].round}"
        felt = f"{given.card or 'face down'} for call {given.call_no} of {given.round}"
        return [where.found(Code.CARD_MISMATCH, f"card {index}: the shoe gave {shoes}, on the felt lies {felt}")]
    return []


def _same_face(index: int, shoe: Shoe) -> list[Finding]:
    face, where = shoe.turned[index]
    opened = shoe.opened.get(index)
    if opened is not None and opened[0] == face:
        return []
    return [where.found(Code.CARD_MISMATCH, f"card {index}: the shoe opened {opened[0] if opened else 'nothing'}, on the felt lies {face}")]


def _unburned(heard: Heard, name: str, shoe: Shoe, event: BurnedShown) -> list[Finding]:
    """Return which cards were shown as burned ones and were not burned."""
    indices = [opening.index for opening in event.openings if opening.index not in shoe.burned]
    return [heard.where.found(Code.CARD_MISMATCH, f"card {index} of {name} was shown, and not burned") for index in indices]


def _proved(heard: Heard, name: str, shoe: Shoe, opening: Opening) -> list[Finding]:
    cut_at = shoe.cut.cards_in_front if shoe.cut else 0
    if shoe.size and verify(shoe.root, shoe.size, name, opening, place=place_of(opening.index, cut_at=cut_at, cards=shoe.size)):
        return []
    return [heard.where.found(Code.CARD_MISMATCH, f"nothing proves that card {opening.index} of {name} is {opening.card}")]


def _not_sealed(name: str, cut: ShoeCut) -> list[str]:
    """Return whose secrets are not those that they sealed."""
    return [
        f"{given.player} sealed another secret for {name} than the one it was cut by"
        for given in cut.contributions
        if given.secret and seal(name, given.player, given.secret) != given.seal
    ]


def _not_there(name: str, shoe: Shoe, cards_behind: int) -> list[str]:
    """Return whether cut and cutting card lie elsewhere than root and contributions say."""
    if shoe.shuffled is None or shoe.cut is None:
        return [f"{name} was cut before it was shuffled"]
    told = [(given.player, given.secret) for given in shoe.cut.contributions if given.secret]
    right = cut_and_marker(name, shoe.root, told, cut=shoe.shuffled.cut, cutting_card=shoe.shuffled.cutting_card)
    there = (shoe.cut.cards_in_front, cards_behind)
    if there == right:
        return []
    return [f"{name} was cut at {there[0]} with {there[1]} behind the cutting card; {right[0]} and {right[1]} follow from what was given"]


def _tells_marker(shoe: Shoe) -> bool:
    """Return whether it is written down where the cutting card of a shoe comes out."""
    return shoe.cut is not None and (bool(shoe.cut.cutter) or shoe.cut.staff is not None)


def _marked(name: str, shoe: Shoe, event: CardsDrawn) -> list[str]:
    """Return whether the cutting card is said to have come out elsewhere than it lies."""
    last = event.cards[-1].index + 1 if event.cards else shoe.size
    out = last >= shoe.marker
    due = (out, shoe.marker if out and _tells_marker(shoe) else -1)
    if shoe.cut is None or (event.cutting_card_out, event.marker) == due:
        return []
    return [f"the cutting card of {name} lies in front of card {shoe.marker}, and came out otherwise than that"]


def _not_burned(shoe: Shoe) -> list[Finding]:
    """Return which calls to burn were not followed, or what was burned without one (ON-6.2, LV-3.5)."""
    found = []
    for number in sorted(shoe.burns.keys() | shoe.burns_called.keys()):
        called, done = shoe.burns_called.get(number), shoe.burns.get(number)
        if called is not None and (done is None or done[0] not in (0, called[0])):
            burned = done[0] if done else "none"
            found.append(called[1].found(Code.CARD_MISMATCH, f"{called[0]} cards were to be burned, and {burned} were"))
        elif called is None and done is not None:
            found.append(done[1].found(Code.CARD_MISMATCH, f"{done[0]} cards were burned that nobody had called for"))
    return found


def _left_out(shoe: Shoe) -> list[Finding]:
    """Return what players gave towards the cut and the shoe was not cut by, or the other way round."""
    if shoe.cut is None or shoe.cut_where is None or not shoe.told:
        return []
    given = {each.player: (each.seal, each.secret) for each in shoe.cut.contributions}
    table = {player: (sealed, shoe.secrets.get(player, "")) for player, sealed in shoe.seals.items()}
    wrong = sorted(player for player in given.keys() | table.keys() if given.get(player) != table.get(player))
    return [shoe.cut_where.found(Code.WRONG_CUT, f"what {player} gave at the table is not what the shoe was cut by") for player in wrong]
