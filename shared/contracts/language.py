"""The language: which commands and events may stand in which stream, and the reading of what stands there."""

from typing import Any

from shared.contracts.desk import DeskCommand, DeskEvent
from shared.contracts.rounds import RoundCommand, RoundEvent
from shared.contracts.shoe import ShoeCommand, ShoeEvent
from shared.contracts.subjects import BadSubject
from shared.contracts.table import TableCommand, TableEvent
from shared.contracts.wallet import LedgerCommand, LedgerEvent
from shared.kernel.entry import Entry, Stray, decode_in


def read_entry(stream: str, data: bytes, *, claimed: str) -> Entry[Any, Any]:
    """Return the entry that a message of `stream` holds; `claimed` is the digest that it was stored under.

    Raise `Stray` if the message has no place in the stream, `Unreadable` if it has one but cannot be decoded, and `BadSubject`
    if there is no such kind of stream.
    """
    try:
        kinds = types_of(stream)
    except BadSubject as error:
        if claimed:
            raise
        raise Stray(str(error)) from error
    return decode_in(stream, *kinds, data, claimed=claimed)


def types_of(stream: str) -> tuple[Any, Any]:
    """Return the unions of commands and events of the entries in `stream`; raise `BadSubject` for an unknown kind of stream."""
    match stream.split("."):
        case ["log", _, _, "desk"]:
            return DeskCommand, DeskEvent
        case ["log", "table", _, _, "table"]:
            return TableCommand, TableEvent
        case ["log", "table", _, _, "round", _]:
            return RoundCommand, RoundEvent
        case ["log", "shoe", _, _]:
            return ShoeCommand, ShoeEvent
        case ["log", "wallet", _, "ledger", _]:
            return LedgerCommand, LedgerEvent
        case _:
            raise BadSubject(f"{stream!r} is a stream of no known kind")
