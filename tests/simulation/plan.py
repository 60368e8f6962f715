"""The plan: everything that a run follows from, and the one command that repeats it."""

from dataclasses import dataclass

KINDS = (
    "duplicate",
    "delay",
    "reorder",
    "redeliver",
    "lost_ack",
    "crash",
    "crash_after_append",
    "lost_answer",
    "dropped",
    "ghost",
    "second_owner",
    "clock_jump",
    "hang",
    "service_away",
    "store_away",
    "day_roll",
    "poison",
    "stray",
    "silent_player",
    "lost_message",
    "irregularity",
    "order",
)
"""What may be let go wrong, or left out."""

HAPPENINGS = (
    "duplicate",
    "delay",
    "reorder",
    "redeliver",
    "lost_ack",
    "crash",
    "crash_after_append",
    "lost_answer",
    "dropped",
    "ghost",
    "ghost_stored",
    "second_owner",
    "conflict",
    "stepped_down",
    "clock_jump",
    "hang",
    "wallet_away",
    "shoe_away",
    "store_away",
    "day_roll",
    "shoe_ran_out",
    "source_not_understood",
    "stream_broken",
    "garbage",
    "stray",
    "quarantine",
    "silent_player",
    "card_fault",
    "cut_by_players",
    "secret_missing",
    "lost_request",
    "lost_reply",
    "asked_again",
    "ruling",
    "card_astray",
    "hand_dead",
    "correction",
    "adjusted",
    "blocked_stake",
    "cut_refused",
    "new_dealer",
    "burned",
    "burned_shown",
    "shuffled_early",
    "shuffled_by_device",
)
"""What comes of them and is counted when it truly happens: a simulation in which one of these is rare proves little about it."""

TABLES_MAX = 3


@dataclass(frozen=True)
class Plan:
    """Everything that a run follows from.  `planted` names a bug that is put into the house, if any."""

    seed: int = 1
    rounds: int = 100
    tables: int = TABLES_MAX
    faults: tuple[str, ...] = KINDS
    planted: str = ""

    @property
    def command(self) -> str:
        """The one command that repeats the run."""
        words = ["make simulate", f"SEED={self.seed}", f"ROUNDS={self.rounds}"]
        if self.tables != TABLES_MAX:
            words.append(f"TABLES={self.tables}")
        if self.faults != KINDS:
            words.append(f"FAULTS={','.join(self.faults) or 'none'}")
        if self.planted:
            words.append(f"PLANTED={self.planted}")
        return " ".join(words)
