"""The vault: the one place that opens a sealed order, and only as far as a command needs it.

It fills commands in immediately before they are decided, on the state that `decide` sees, and again after a conflict.
What it opens stays in memory for a bounded number of shoes and is written nowhere.  It answers only for the next cards
and for cards that lie face down: no command, however it got here, makes it look further into a shoe.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from services.shoe.app.sealing import NONCE_BYTES, SealBroken, SealingKey, seal, unseal
from services.shoe.domain.shoe import Made, Ready, Retired, Shoe, Unprepared, committed_order, makes_blackjack
from services.shoe.domain.shuffle import SEED_BYTES, WORD_BYTES, below, cut, leaves, order, salts
from shared.contracts.refusals import Reason, refused
from shared.contracts.shoe import DrawCards, Opening, PeekHole, PrepareShoe, RetireShoe, ShoeCommand, TurnCard
from shared.kernel.commitment import paths, root

OPEN_MAX = 128
"""Orders kept in memory, some 200 KB each."""


class Entropy(Protocol):
    """Where unforeseeable bytes come from."""

    def token_bytes(self, count: int, /) -> bytes:
        """Return so many of them."""


@dataclass(frozen=True, repr=False)
class _Order:
    """An opened order.  It has no readable form, so that no traceback shows it."""

    seed: bytes
    cards: tuple[str, ...]
    salts: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]

    def opening(self, index: int) -> Opening:
        """Return the card at `index` with its proof."""
        return Opening(index=index, card=self.cards[index], salt=self.salts[index], path=self.paths[index])


class Vault:
    """Fills in what only the house may know.

    `state_of` returns the state of another shoe of the same gaming day, which the caller has loaded: `needs` says which.
    """

    def __init__(self, key: SealingKey, entropy: Entropy, state_of: Callable[[str], Shoe]) -> None:
        self._key = key
        self._entropy = entropy
        self._state_of = state_of
        self._open: OrderedDict[tuple[str, str], _Order] = OrderedDict()

    def needs(self, command: ShoeCommand, shoe: Shoe) -> tuple[str, ...]:
        """Return the other shoes whose states `fill` will ask for."""
        if isinstance(command, PrepareShoe):
            return (command.without_hole[0],) if command.without_hole else ()
        if isinstance(shoe, Ready) and shoe.made.without_hole:
            return (shoe.made.without_hole[0],)
        return ()

    def fill(self, command: ShoeCommand, shoe: Shoe) -> ShoeCommand:
        """Return `command` with what it takes to decide it on `shoe`; what the rules will refuse comes back as it is.

        Raise `KeyWrong` if the order was sealed with another key, and `SealBroken` if it does not open or does not give
        the committed root: an order is never made anew.
        """
        match command, shoe:
            case PrepareShoe(), Unprepared():
                return self._prepared(command)
            case DrawCards(), Ready():
                laid = self._opened(shoe.made)
                drawn = zip(command.faces, range(shoe.drawn, len(laid.cards)), strict=False)
                return replace(command, openings=tuple(laid.opening(index) if face == "up" else None for face, index in drawn))
            case PeekHole(), Ready() if command.index in shoe.down:
                return replace(command, blackjack=makes_blackjack(self._opened(shoe.made).cards[command.index]))
            case TurnCard(), Ready() if command.index in shoe.down:
                return replace(command, opening=self._opened(shoe.made).opening(command.index))
            case RetireShoe(), Ready():
                return replace(command, seed=self._opened(shoe.made).seed.hex(), hole=self._hole(shoe.made.without_hole))
            case _:
                return command

    def _prepared(self, command: PrepareShoe) -> PrepareShoe:
        if command.without_hole is not None:
            shoe, index = command.without_hole
            other = self._state_of(shoe)
            if not isinstance(other, Ready) or index not in other.down:
                raise refused(Reason.OUT_OF_ORDER, f"card {index} of {shoe} does not lie face down")
        hole = self._hole(command.without_hole)
        seed = self._entropy.token_bytes(SEED_BYTES)
        laid = order(seed, command.shoe, command.decks, (*command.without, hole) if hole else command.without)
        cut_at = self._between(*command.cut)
        laid = cut(laid, cut_at)
        return replace(
            command,
            seed=seal(seed, key=self._key, shoe=command.shoe, nonce=self._entropy.token_bytes(NONCE_BYTES)),
            cut_at=cut_at,
            cards_behind=self._between(*command.cutting_card),
            root=root(leaves(command.shoe, laid, salts(seed, command.shoe, len(laid)))),
            cards=len(laid),
        )

    def _hole(self, place: tuple[str, int] | None) -> str:
        """Return the face of a card that lies, or lay, face down in another shoe; nothing if there is none."""
        if place is None:
            return ""
        shoe, index = place
        other = self._state_of(shoe)
        assert isinstance(other, Ready | Retired), f"shoe {shoe}, where a card lies face down, must have been prepared"
        return self._opened(other.made).cards[index]

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
        seed = unseal(made.seed, key=self._key, shoe=made.shoe)
        cards = committed_order(made, seed, hole=self._hole(made.without_hole))
        salted = salts(seed, made.shoe, len(cards))
        leaved = leaves(made.shoe, cards, salted)
        if root(leaved) != made.root:
            raise SealBroken(f"the sealed order of shoe {made.shoe} is not the one that was committed")
        return _Order(seed, cards, salted, paths(leaved))

    def _between(self, low: int, high: int) -> int:
        if not 0 <= low <= high:
            raise refused(Reason.OUT_OF_ORDER, f"nothing lies between {low} and {high}")
        return low + below(high - low + 1, self._words())

    def _words(self) -> Iterator[int]:
        while True:
            yield int.from_bytes(self._entropy.token_bytes(WORD_BYTES), "big")
