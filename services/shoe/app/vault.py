"""The vault: the one place that opens a sealed order, and only as far as a command needs it.

It fills commands in immediately before they are decided, on the state that `decide` sees, and again after a conflict.
What it opens stays in memory for a bounded number of shoes and is written nowhere.  It answers only for the next cards
and for cards that lie face down: no command, however it got here, makes it look further into a shoe.

Discards that are shuffled inside a round leave out the hole card on the layout, whose face is a secret too.  It is sealed
behind their seed, so that each shoe opens by itself from then on.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from services.shoe.app.scanned_cards import ScannedCards
from services.shoe.app.sealing import NONCE_BYTES, Entropy, SealBroken, SealingKey, check_key, seal, sealing_key, unseal
from services.shoe.domain.blackjacks import are_blackjack, makes_blackjack
from services.shoe.domain.scanned_state import PutAway, Scanned
from services.shoe.domain.shoe import Made, Ready, Shoe, Uncut, Unprepared, committed_order, may_retire, place, unseen
from services.shoe.domain.shuffle import SEED_BYTES, leaves, order, salts
from shared.contracts.dealing import DownHand
from shared.contracts.shoe import (
    DrawCards,
    ExposeCards,
    Opening,
    OwnHand,
    PeekHole,
    RetireShoe,
    ScannedBefore,
    ShoeCommand,
    ShowBurned,
    ShuffleShoe,
    TurnCard,
)
from shared.kernel.cards import DECK
from shared.kernel.commitment import Tree
from shared.runtime.event_store import StoreRefusal

OPEN_MAX = 128
"""Orders kept in memory, some 200 KB each."""


class HoleUnknown(StoreRefusal):
    """A hole card that is to be left out does not lie in the other shoe, as far as that is known: another process may have dealt it."""

    code = "hole_unknown"


@dataclass(frozen=True, repr=False)
class _Order:
    """An opened order.  It has no readable form, so that no traceback shows it."""

    seed: bytes
    hole: str
    cards: tuple[str, ...]
    salts: tuple[str, ...]
    tree: Tree

    def opening(self, index: int, made: Made) -> Opening:
        """Return the card that leaves the shoe at `index`, with its proof."""
        at = place(index, made)
        return Opening(index=index, card=self.cards[at], salt=self.salts[at], path=self.tree.path(at))


def _laid(shoe: str, cards: tuple[str, ...], seed: bytes, hole: str) -> _Order:
    salted = salts(seed, shoe, len(cards))
    return _Order(seed, hole, cards, salted, Tree(leaves(shoe, cards, salted)))


class Vault:
    """Fills in what only the house may know.

    `other_shoe` returns the state of a shoe that is in use, by its id: the one whose hole card lies on the layout while
    its discards are shuffled.  `before` returns what came before the scanned shoe that a table calls.
    """

    def __init__(
        self,
        key: SealingKey,
        entropy: Entropy,
        *,
        other_shoe: Callable[[str], Shoe],
        before: Callable[[str], ScannedBefore] = lambda table: ScannedBefore(),
    ) -> None:
        self.scanned = ScannedCards(key, entropy)
        self._before = before
        self._key = key
        self._entropy = entropy
        self._other_shoe = other_shoe
        self._open: OrderedDict[tuple[str, str], _Order] = OrderedDict()

    @classmethod
    def from_file(cls, path: Path, entropy: Entropy, *, other_shoe: Callable[[str], Shoe], before: Callable[[str], ScannedBefore]) -> Self:
        """Return a vault with the house's sealing key; raise `KeyMissing` if there is none."""
        return cls(sealing_key(path), entropy, other_shoe=other_shoe, before=before)

    def check(self, shoe: Shoe) -> None:
        """Raise `KeyWrong` if a shoe that is in use was sealed with another key."""
        if isinstance(shoe, Scanned):
            self.scanned.check(shoe)
        if isinstance(shoe, Uncut | Ready):
            check_key(shoe.made.seed, key=self._key, shoe=shoe.made.shoe)

    def fill(self, command: ShoeCommand, shoe: Shoe) -> ShoeCommand:
        """Return `command` with what it takes to decide it on `shoe`; what the rules will refuse comes back as it is.

        Raise `KeyWrong` if the order was sealed with another key, `SealBroken` if it does not open or does not give the
        committed root: an order is never made anew.  Raise `HoleUnknown` if what is known of another shoe is too old.
        """
        match command, shoe:
            case ShuffleShoe(device="scanned"), Unprepared():
                cards = command.decks * len(DECK) - len(command.without) - (command.without_hole is not None)
                return replace(command, cards=cards, before=self._before(command.table))
            case RetireShoe(), Scanned():
                return self.scanned.fill(replace(command, hole=self._left_out(shoe)), shoe)
            case _, Scanned():
                return self.scanned.fill(command, shoe)
            case ShuffleShoe(), Unprepared():
                return self._shuffled(command)
            case DrawCards(), Ready():
                laid = self._opened(shoe.made)
                drawn = zip(command.faces, range(shoe.drawn, len(laid.cards)), strict=False)
                return replace(command, openings=tuple(laid.opening(index, shoe.made) if face == "up" else None for face, index in drawn))
            case PeekHole(), Ready() if command.index in shoe.down:
                return replace(command, blackjack=makes_blackjack(self._at(command.index, shoe.made)))
            case TurnCard(), Ready() if command.index in shoe.down:
                return replace(command, opening=self._opened(shoe.made).opening(command.index, shoe.made))
            case ExposeCards(), Ready() if all(index in shoe.down for hand in command.hands for index in hand.indices):
                laid = self._opened(shoe.made)
                return replace(command, openings=tuple(laid.opening(index, shoe.made) for index in _exposed(command, laid, shoe.made)))
            case ShowBurned(), Ready():
                laid = self._opened(shoe.made)
                return replace(command, openings=tuple(laid.opening(index, shoe.made) for index in unseen(shoe)))
            case RetireShoe(), (Uncut() | Ready()) if may_retire(command, shoe):
                laid = self._opened(shoe.made)
                return replace(command, seed=laid.seed.hex(), hole=laid.hole)
            case _:
                return command

    def look(self, hands: tuple[DownHand, ...], shoe: Ready | Scanned) -> list[OwnHand]:
        """Return the cards of hands that lie face down, each with its proof, for who may look at them and nobody else."""
        assert all(shoe.down.get(index) for hand in hands for index in hand.indices), "what may be looked at lies face down"
        return [
            OwnHand(
                round=shoe.down[hand.indices[0]],
                box=hand.box,
                hand=hand.hand,
                cards=tuple(self._opening(index, shoe) for index in hand.indices),
            )
            for hand in hands
        ]

    def _opening(self, index: int, shoe: Ready | Scanned) -> Opening:
        if isinstance(shoe, Scanned):
            return self.scanned.opening(index, shoe)
        return self._opened(shoe.made).opening(index, shoe.made)

    def _shuffled(self, command: ShuffleShoe) -> ShuffleShoe:
        hole = self._hole(*command.without_hole) if command.without_hole else ""
        seed = self._entropy.token_bytes(SEED_BYTES)
        cards = order(seed, command.shoe, command.decks, (*command.without, hole) if hole else command.without)
        laid = _laid(command.shoe, cards, seed, hole)
        return replace(
            command,
            seed=seal(seed + hole.encode(), key=self._key, shoe=command.shoe, nonce=self._entropy.token_bytes(NONCE_BYTES)),
            root=laid.tree.root,
            cards=len(cards),
        )

    def _left_out(self, shoe: Scanned) -> str:
        """Return the face of the hole card that was left out of a scanned shoe, empty if there is none or nobody could read it."""
        if shoe.loaded.without_hole is None:
            return ""
        name, index = shoe.loaded.without_hole
        match self._other_shoe(name):
            case PutAway(faces=faces):
                return faces[index]
            case Scanned() as other:
                return self.scanned.face(index, other)
            case _:
                raise HoleUnknown(f"card {index} of {name} is not known here")

    def _hole(self, shoe: str, index: int) -> str:
        """Return the face of a card that lies face down in another shoe."""
        other = self._other_shoe(shoe)
        if not isinstance(other, Ready) or index not in other.down:
            raise HoleUnknown(f"card {index} of {shoe} does not lie face down, as far as is known here")
        return self._at(index, other.made)

    def _at(self, index: int, made: Made) -> str:
        """Return the face of the card that leaves a shoe at `index`."""
        return self._opened(made).cards[place(index, made)]

    def _opened(self, made: Made) -> _Order:
        mark = (made.shoe, made.root)
        found = self._open.get(mark)
        if found is None:
            found = self._open[mark] = self._read(made)
            if len(self._open) > OPEN_MAX:
                self._open.popitem(last=False)
        self._open.move_to_end(mark)
        return found

    def _read(self, made: Made) -> _Order:
        secret = unseal(made.seed, key=self._key, shoe=made.shoe)
        seed, hole = secret[:SEED_BYTES], secret[SEED_BYTES:].decode()
        laid = _laid(made.shoe, committed_order(made, seed, hole=hole), seed, hole)
        if laid.tree.root != made.root:
            raise SealBroken(f"the sealed order of shoe {made.shoe} is not the one that was committed")
        return laid


def _exposed(command: ExposeCards, laid: _Order, made: Made) -> Iterator[int]:
    """Yield the cards that a command wants open; what is no blackjack stays closed where only those are wanted."""
    for hand in command.hands:
        if not command.blackjacks_only or are_blackjack([laid.cards[place(index, made)] for index in hand.indices]):
            yield from hand.indices
