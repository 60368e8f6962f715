"""The vault's part for scanned shoes: it seals each card as it is scanned, and opens it when a command needs that.

What a scanner saw is told to it in memory, beside the command and never in it; nothing of it stays here, for whoever opens a
card later finds it sealed in the shoe's own log.
"""

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from services.shoe.app.sealing import NONCE_BYTES, SALT_BYTES, Entropy, SealingKey, check_key, seal_card, unseal_card
from services.shoe.domain.blackjacks import are_blackjack, makes_blackjack
from services.shoe.domain.scanned import meeting, seen, takes
from services.shoe.domain.scanned_burns import unseen
from services.shoe.domain.scanned_state import Look, Scanned, evolve, unread
from shared.contracts.shoe import (
    CardRead,
    CardsAwaited,
    DrawCards,
    ExposeCards,
    Opening,
    PeekHole,
    ReadCard,
    RetireShoe,
    ScanCard,
    SealedCard,
    ShoeCommand,
    ShoeEvent,
    ShowBurned,
    TurnCard,
)
from shared.kernel.commitment import card_leaf

AnyLook = TypeVar("AnyLook", bound=Look)


class ScannedCards:
    """Seals scanned cards and opens them."""

    def __init__(self, key: SealingKey, entropy: Entropy) -> None:
        self._key = key
        self._entropy = entropy
        self._told: dict[tuple[str, int], str] = {}
        """What scanners saw and is being stored: the card by scanner and number."""

    def tell(self, scanner: str, n: int, card: str) -> None:
        """Know what a scanner saw, until `forget`."""
        self._told[scanner, n] = card

    def forget(self, scanner: str, n: int) -> None:
        """Know it no longer."""
        self._told.pop((scanner, n), None)

    def check(self, shoe: Scanned) -> None:
        """Raise `KeyWrong` if hidden cards of a shoe were sealed with another key."""
        for hidden in shoe.hidden.values():
            if hidden.sealed is not None:
                check_key(hidden.sealed, key=self._key, shoe=shoe.loaded.shoe)

    def face(self, index: int, shoe: Scanned) -> str:
        """Return the face of a card that was scanned, empty if nobody could read it."""
        if shoe.faces[index] or unread(shoe, index):
            return shoe.faces[index]
        return self.opening(index, shoe).card

    def opening(self, index: int, shoe: Scanned) -> Opening:
        """Return the opening of a hidden card: salt and face, and no path, for it is committed to by itself."""
        sealed = shoe.hidden[index].sealed
        assert sealed is not None, f"card {index} could be read"
        card, salt = unseal_card(sealed, key=self._key, shoe=shoe.loaded.shoe, index=index)
        return Opening(index=index, card=card, salt=salt, path=())

    def fill(self, command: ShoeCommand, shoe: Scanned) -> ShoeCommand:
        """Return `command` with what it takes to decide it on `shoe`; what the rules will refuse comes back as it is."""
        match command:
            case ScanCard() if takes(shoe, command.saw):
                return self._scanned(command, shoe)
            case DrawCards() if shoe.prepared and command.faces:
                awaited = CardsAwaited(round=command.round, call_no=command.call_no, faces=command.faces)
                return replace(command, openings=self._met(shoe, awaited))
            case ReadCard() if shoe.missing is not None and shoe.missing.index == command.index and shoe.missing.may_be_told:
                return self._read(command, shoe)
            case PeekHole() | TurnCard() | ExposeCards():
                return self._looked(command, shoe)
            case ShowBurned():
                return replace(command, openings=self._openings(unseen(shoe), shoe))
            case RetireShoe():
                hidden = (index for index in sorted(shoe.hidden) if not unread(shoe, index))
                return replace(command, openings=self._openings(hidden, shoe))
            case _:
                return command

    def _scanned(self, command: ScanCard, shoe: Scanned) -> ScanCard:
        if command.saw == "card":
            commitment, sealed = self._sealed(self._told[command.scanner, command.n], shoe.scanned, shoe)
            command = replace(command, commitment=commitment, sealed=sealed)
        return replace(command, openings=self._met(shoe, seen(command, shoe)))

    def _read(self, command: ReadCard, shoe: Scanned) -> ReadCard:
        commitment, sealed = self._sealed(command.card, command.index, shoe)
        told = CardRead(index=command.index, commitment=commitment, sealed=sealed)
        after = evolve(shoe, told)
        assert isinstance(after, Scanned) and shoe.missing is not None, "a shoe of which a card is told is in use"
        look = shoe.missing.look
        looked = self._looked(look, after) if isinstance(look, TurnCard | ExposeCards) else None
        openings = () if looked is not None else self._met(shoe, told)
        return replace(command, commitment=commitment, sealed=sealed, openings=openings, looked=looked)

    def _looked(self, command: AnyLook, shoe: Scanned) -> AnyLook:
        """Return a look with what it finds, as it is if it cannot be made now."""
        indices = [index for hand in command.hands for index in hand.indices] if isinstance(command, ExposeCards) else [command.index]
        if any(index not in shoe.down or unread(shoe, index) for index in indices):
            return command
        match command:
            case PeekHole():
                return replace(command, blackjack=makes_blackjack(self.opening(command.index, shoe).card))
            case TurnCard():
                return replace(command, opening=self.opening(command.index, shoe))
            case ExposeCards():
                return replace(command, openings=self._openings(self._exposed(command, shoe), shoe))

    def _exposed(self, command: ExposeCards, shoe: Scanned) -> Iterable[int]:
        """Yield the cards that a command wants open; what is no blackjack stays closed where only those are wanted."""
        for hand in command.hands:
            if not command.blackjacks_only or are_blackjack([self.opening(index, shoe).card for index in hand.indices]):
                yield from hand.indices

    def _met(self, shoe: Scanned, event: ShoeEvent) -> tuple[Opening, ...]:
        """Return the openings of the cards that lie face up once `event` has happened."""
        after = evolve(shoe, event)
        assert isinstance(after, Scanned), "a shoe that gives cards is in use"
        return self._openings((index for index, face in meeting(after) if face == "up"), after)

    def _openings(self, indices: Iterable[int], shoe: Scanned) -> tuple[Opening, ...]:
        return tuple(self.opening(index, shoe) for index in indices)

    def _sealed(self, card: str, index: int, shoe: Scanned) -> tuple[str, SealedCard]:
        """Return what a card is committed to, and its seal."""
        salt, name = self._entropy.token_bytes(SALT_BYTES), shoe.loaded.shoe
        sealed = seal_card(card, salt, key=self._key, shoe=name, index=index, nonce=self._entropy.token_bytes(NONCE_BYTES))
        return card_leaf(name, 0, salt=salt.hex(), card=card).hex(), sealed
