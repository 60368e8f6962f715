"""The sealing key: what keeps the seed of an order secret while it lies in the log.

AES-256-GCM with the key's id and the shoe's id as associated data, so that a sealed seed opens for no other shoe.  The id
that is written beside it names the key and eight digits of its fingerprint: a wrong key of the right name is told from
bytes that somebody changed.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.contracts.shoe import SealedCard, SealedSeed
from shared.runtime.settings import SettingMissing

KEY_BYTES = 32
NONCE_BYTES = 12
SALT_BYTES = 16
ENVIRONMENT = "FELTLOG_SEALING_SECRET"


class Entropy(Protocol):
    """Where unforeseeable bytes come from."""

    def token_bytes(self, count: int, /) -> bytes:
        """Return so many of them."""


class KeyMissing(SettingMissing):
    """There is no sealing key, or it cannot be read: no shoe can be prepared, and none that is sealed can be used."""


class KeyWrong(SettingMissing):
    """The sealing key at hand is not the one that the order was sealed with."""


class SealBroken(AssertionError):
    """A sealed seed that does not open, or gives another order than was committed: the log or the vault was changed."""


@dataclass(frozen=True, repr=False)
class SealingKey:
    """A key with its name.  It has no readable form, so that no traceback shows it."""

    id: str
    key: bytes

    @property
    def key_id(self) -> str:
        """What is written beside a sealed seed."""
        return f"{self.id}-{hashlib.sha256(b'feltlog sealing key' + self.key).hexdigest()[:8]}"


def sealing_key(path: Path, environment: Mapping[str, str] = os.environ) -> SealingKey:
    """Return the house's sealing key: from `FELTLOG_SEALING_SECRET` (`ID:HEX`) if that is set, else from the file at `path`.

    The file is TOML with `id` and `key_hex`, 32 bytes in hexadecimal.  Raise `KeyMissing` if neither holds a key.
    """
    text = environment.get(ENVIRONMENT)
    if text is not None:
        name, _, key_hex = text.partition(":")
        return _key(name, key_hex, f"the environment's {ENVIRONMENT}", "ID:HEX, with 32 bytes in hexadecimal")
    try:
        found = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise KeyMissing(
            f"There is no sealing key at {path}. Without it no shoe can be opened: bring the file back from its backup, "
            f"or set {ENVIRONMENT}. A new key helps only a house that has no shoe in use."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise KeyMissing(f"The sealing key at {path} cannot be read: {type(error).__name__}. Bring it back from its backup.") from None
    return _key(found.get("id", ""), found.get("key_hex", ""), f"the file {path}", 'id = "NAME" and key_hex = "64 digits"')


def seal(secret: bytes, *, key: SealingKey, shoe: str, nonce: bytes) -> SealedSeed:
    """Return `secret` sealed for `shoe`; a nonce is used once."""
    sealed = AESGCM(key.key).encrypt(nonce, secret, _bound_to(key.key_id, shoe))
    return SealedSeed(key_id=key.key_id, nonce=nonce.hex(), sealed=sealed.hex())


def unseal(sealed: SealedSeed, *, key: SealingKey, shoe: str) -> bytes:
    """Return what is sealed for `shoe`; raise `KeyWrong` under another key and `SealBroken` if the seal was changed."""
    check_key(sealed, key=key, shoe=shoe)
    try:
        return AESGCM(key.key).decrypt(bytes.fromhex(sealed.nonce), bytes.fromhex(sealed.sealed), _bound_to(sealed.key_id, shoe))
    except (InvalidTag, ValueError):
        raise SealBroken(f"the sealed order of shoe {shoe} was changed since it was written") from None


def seal_card(card: str, salt: bytes, *, key: SealingKey, shoe: str, index: int, nonce: bytes) -> SealedCard:
    """Return a scanned card and its salt, sealed for its place in `shoe`; a nonce is used once."""
    sealed = AESGCM(key.key).encrypt(nonce, salt + card.encode(), _bound_to_place(key.key_id, shoe, index))
    return SealedCard(key_id=key.key_id, nonce=nonce.hex(), sealed=sealed.hex())


def unseal_card(sealed: SealedCard, *, key: SealingKey, shoe: str, index: int) -> tuple[str, str]:
    """Return the card and its salt in hexadecimal; raise `KeyWrong` under another key and `SealBroken` if the seal was changed."""
    check_key(sealed, key=key, shoe=shoe)
    try:
        secret = AESGCM(key.key).decrypt(
            bytes.fromhex(sealed.nonce), bytes.fromhex(sealed.sealed), _bound_to_place(sealed.key_id, shoe, index)
        )
    except (InvalidTag, ValueError):
        raise SealBroken(f"the sealed card {index} of shoe {shoe} was changed since it was written") from None
    return secret[SALT_BYTES:].decode(), secret[:SALT_BYTES].hex()


def check_key(sealed: SealedSeed | SealedCard, *, key: SealingKey, shoe: str) -> None:
    """Raise `KeyWrong` if `key` is not the one that the order or a card of `shoe` was sealed with."""
    if sealed.key_id != key.key_id:
        raise KeyWrong(
            f"The order of shoe {shoe} was sealed with the key {sealed.key_id}, and this house holds {key.key_id}. "
            "Put the other key back until the shoe is retired; the order cannot be made again."
        )


def _bound_to(key_id: str, shoe: str) -> bytes:
    return f"feltlog seed 1\n{key_id}\n{shoe}".encode()


def _bound_to_place(key_id: str, shoe: str, index: int) -> bytes:
    return f"feltlog scanned card 1\n{key_id}\n{shoe}\n{index}".encode()


def _key(name: object, key_hex: object, where: str, form: str) -> SealingKey:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", name):
        raise KeyMissing(f"The sealing key in {where} has no name. Write {form}.")
    if not isinstance(key_hex, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", key_hex):
        raise KeyMissing(f"The sealing key in {where} is not {KEY_BYTES} bytes. Write {form}.")
    return SealingKey(name, bytes.fromhex(key_hex))
