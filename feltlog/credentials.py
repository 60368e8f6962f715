"""Credentials: the house's keys as files that only their owner may read.

`secrets/<user>.nk` holds the seed of a user's nkey; the server is told the public half only.  `secrets/sealing.key`
holds the key that seals the order of a shoe, with an id, so that a later key can stand beside it.
"""

import os
import secrets
import stat
from pathlib import Path

import nkeys  # type: ignore[import-untyped]

from feltlog.trouble import Trouble

SUFFIX = ".nk"


def write_secret(path: Path, content: bytes) -> None:
    """Create the file `path` for its owner's eyes only; do nothing if it is there already."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def create_user_key(folder: Path, user: str) -> Path:
    """Make sure that `user` has a credential in `folder`; return its path."""
    path = folder / f"{user}{SUFFIX}"
    if not path.exists():
        write_secret(path, nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER) + b"\n")
    return path


def create_sealing_key(path: Path) -> None:
    """Make sure that there is a sealing key at `path`."""
    write_secret(path, f'id = "K{secrets.token_hex(4)}"\nkey_hex = "{secrets.token_hex(32)}"\n'.encode())


def public_keys(folder: Path) -> dict[str, str]:
    """Return the public nkey of every user that has a credential in `folder`."""
    return {path.stem: public_key(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}


def public_key(path: Path) -> str:
    """Return the public half of the credential at `path`."""
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise Trouble(f"{path} can be read by others. Run: chmod 600 {path}")
    try:
        key: bytes = nkeys.from_seed(bytearray(path.read_bytes().strip())).public_key
    except (nkeys.NkeysError, ValueError) as error:
        raise Trouble(f"{path} is not an nkey seed. Remove the file to have a new one made.") from error
    return key.decode()
