"""Findings: what surveillance may say about a log, each with a code that never changes its meaning.

A breach is something that must not be; a warning is something that a person should look at; a note is neither.
The table at the end is what documentation and dashboards read.
"""

from enum import StrEnum
from typing import Literal

import msgspec

Severity = Literal["breach", "warning", "note"]


class Code(StrEnum):
    """The stable codes."""

    # One stream
    UNREADABLE = "unreadable"
    STRAY = "stray"
    WRONG_LOG = "wrong_log"
    WRONG_STREAM = "wrong_stream"
    MISSING_ENTRY = "missing_entry"
    SWAPPED = "swapped"
    REPEATED_ENTRY = "repeated_entry"
    BROKEN_LINK = "broken_link"
    WRONG_DIGEST = "wrong_digest"
    FOREIGN_BYTES = "foreign_bytes"
    OVERSIZED = "oversized"
    REPEATED_ID = "repeated_id"
    TIME_BACK = "time_back"
    EPOCH_BACK = "epoch_back"
    TWO_WRITERS = "two_writers"
    POSITION_BACK = "position_back"
    SEQUENCE_BACK = "sequence_back"
    CLOCK_APART = "clock_apart"
    # One log
    SEQUENCE_GAP = "sequence_gap"
    TAIL_MISSING = "tail_missing"
    # Deciding again
    DIFFERS = "differs"
    OTHER_VERSION = "other_version"
    WRONG_ORDER = "wrong_order"
    # The referee
    RULES = "rules"
    UNJUDGED = "unjudged"
    # Between logs
    MISSING_ROUND = "missing_round"
    UNRECORDED_ROUND = "unrecorded_round"
    WRONG_FINAL_DIGEST = "wrong_final_digest"
    UNENDED_ROUND = "unended_round"
    CAUSE_MISSING = "cause_missing"
    WRONG_CAUSE = "wrong_cause"
    CARD_MISMATCH = "card_mismatch"
    CARD_TWICE = "card_twice"
    ROOT_MISMATCH = "root_mismatch"
    WRONG_CUT = "wrong_cut"
    WRONG_CARDS = "wrong_cards"
    OPENED_EARLY = "opened_early"
    STAKE_MISMATCH = "stake_mismatch"
    STAKE_MISSING = "stake_missing"
    STAKE_TWICE = "stake_twice"
    SETTLEMENT_MISMATCH = "settlement_mismatch"
    SETTLEMENT_MISSING = "settlement_missing"
    SETTLEMENT_TWICE = "settlement_twice"
    RELEASE_MISSING = "release_missing"
    UNBALANCED = "unbalanced"
    ESCROW_LEFT = "escrow_left"
    DAY_CHAIN_BROKEN = "day_chain_broken"
    AFTER_CLOSE = "after_close"
    # The cage
    ADJUSTED = "adjusted"
    UNAPPROVED = "unapproved"
    BLOCKED_STAKE = "blocked_stake"
    UNKNOWN_ROUND = "unknown_round"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that surveillance saw, and the place where a person should look; `clause` names the rule that was broken."""

    severity: Severity
    code: Code
    log: str
    stream: str
    revision: int
    sequence: int
    message: str
    clause: str = ""


MEANINGS: dict[Code, tuple[Severity, str]] = {
    Code.UNREADABLE: ("breach", "The bytes are no entry of this kind of stream, or of a version that this software does not know."),
    Code.STRAY: ("breach", "A message that is no entry, and was not stored as one, stands in the stream; it takes no place in it."),
    Code.WRONG_LOG: ("breach", "The subject does not belong into the log in which it was found."),
    Code.WRONG_STREAM: ("breach", "An entry names another stream than the one in which it stands."),
    Code.MISSING_ENTRY: ("breach", "A revision is not there: the stream jumps over it."),
    Code.SWAPPED: ("breach", "An entry stands after one that came later."),
    Code.REPEATED_ENTRY: ("breach", "A revision stands in the stream a second time."),
    Code.BROKEN_LINK: ("breach", "An entry does not name the digest of the bytes before it: one of the two was changed."),
    Code.WRONG_DIGEST: ("breach", "The bytes are not those whose digest they were stored under."),
    Code.FOREIGN_BYTES: ("breach", "The entry holds bytes that are not part of what it says: written again, it is another text."),
    Code.OVERSIZED: ("breach", "The entry is larger, or holds more decisions, than any entry may."),
    Code.REPEATED_ID: (
        "breach",
        "Two decisions of one stream, or of two days' books, carry the same id: something may have happened twice.",
    ),
    Code.TIME_BACK: ("breach", "An entry is older than the one before it."),
    Code.EPOCH_BACK: ("breach", "A process wrote after it had been replaced."),
    Code.TWO_WRITERS: ("breach", "Two processes wrote under one epoch."),
    Code.POSITION_BACK: ("breach", "An entry says that less of an upstream log is worked off than the one before it."),
    Code.SEQUENCE_BACK: ("breach", "The store gave an entry a lower sequence than the one before it."),
    Code.CLOCK_APART: ("warning", "The store's clock and the writer's are further apart than they may be."),
    Code.SEQUENCE_GAP: ("breach", "A message of the log is not there: its sequences jump."),
    Code.TAIL_MISSING: ("breach", "The log ends before the last message that is known to have been stored."),
    Code.DIFFERS: ("breach", "Decided again, the command has other events than those that were recorded."),
    Code.OTHER_VERSION: ("note", "The stream pins decisions of another version than this software knows: they were not decided again."),
    Code.WRONG_ORDER: ("breach", "The seed of a retired shoe does not give the order that was committed or dealt."),
    Code.RULES: ("breach", "The round did not go as its rule book says; `clause` names the rule."),
    Code.UNJUDGED: (
        "note",
        "The referee does not know this rule book or version, or cannot follow what was ruled; that much was not judged.",
    ),
    Code.MISSING_ROUND: ("breach", "The table called a round that is not in the log."),
    Code.UNRECORDED_ROUND: ("breach", "A round is in the log that its table never called, or never wrote down."),
    Code.WRONG_FINAL_DIGEST: ("breach", "A round does not end with the entry that its table wrote down."),
    Code.UNENDED_ROUND: ("breach", "A table's day is closed while one of its rounds has no end."),
    Code.CAUSE_MISSING: ("breach", "A decision names a cause that is not in the log."),
    Code.WRONG_CAUSE: ("breach", "A decision does not say what the event that it follows from says."),
    Code.CARD_MISMATCH: ("breach", "A card on the felt is not the one that the shoe gave for this call."),
    Code.CARD_TWICE: ("breach", "A place of a shoe was dealt or burned twice, or left out."),
    Code.ROOT_MISMATCH: ("breach", "A shoe in use is not committed to the root that the table was told."),
    Code.WRONG_CUT: ("breach", "A shoe was not cut where its root and the players' contributions say, or not by all that they gave."),
    Code.WRONG_CARDS: ("breach", "What was scanned of a shoe is not told to its end, or its cards cannot be those of its decks."),
    Code.OPENED_EARLY: ("breach", "The order of a shoe was opened before the one that replaced it was committed."),
    Code.STAKE_MISMATCH: ("breach", "The ledger set aside another stake than the wager's."),
    Code.STAKE_MISSING: ("breach", "A wager is in a round and nothing was set aside for it."),
    Code.STAKE_TWICE: ("breach", "A stake was set aside or given back more than once."),
    Code.SETTLEMENT_MISMATCH: ("breach", "The ledger moved another amount than the round says."),
    Code.SETTLEMENT_MISSING: ("breach", "A wager was settled at the table and not in the ledger, or the other way round."),
    Code.SETTLEMENT_TWICE: ("breach", "A wager was settled more than once."),
    Code.RELEASE_MISSING: ("breach", "A stake that is not in the round was set aside and not given back, or the ledger never let it go."),
    Code.UNBALANCED: ("breach", "A movement of the ledger does not sum to zero, or does not move what it says."),
    Code.ESCROW_LEFT: ("breach", "A round is booked while money is left in its escrow."),
    Code.DAY_CHAIN_BROKEN: ("breach", "A day's book does not follow the closing entry of the day before."),
    Code.AFTER_CLOSE: ("breach", "Something was written into the book of a day that was closed."),
    Code.ADJUSTED: ("warning", "Two persons moved money by an adjustment; somebody who was not asked should look at it."),
    Code.UNAPPROVED: ("breach", "An adjustment or a block is not what persons who may have said."),
    Code.BLOCKED_STAKE: ("breach", "A stake was set aside for a player who was blocked."),
    Code.UNKNOWN_ROUND: ("breach", "An adjustment puts a round right that was never played."),
}
"""What each code means, and how much it weighs."""


def finding(
    code: Code, message: str, *, log: str = "", stream: str = "", revision: int = 0, sequence: int = 0, clause: str = ""
) -> Finding:
    """Return a finding with the weight of its code."""
    return Finding(
        severity=MEANINGS[code][0],
        code=code,
        log=log,
        stream=stream,
        revision=revision,
        sequence=sequence,
        message=message,
        clause=clause,
    )
