"""The report: how much was checked, and what was found.  It is what `feltlog verify` prints."""

import msgspec

from services.surveillance.domain.findings import Finding


class Counts(msgspec.Struct, kw_only=True):
    """How often each check was made.  What was not checked is not proved."""

    entries: int = 0
    streams: int = 0
    decisions_same: int = 0
    decisions_other_version: int = 0
    rounds_judged: int = 0
    rounds_matched: int = 0
    cards_matched: int = 0
    stakes_matched: int = 0
    settlements_matched: int = 0
    corrections_matched: int = 0
    reactions_matched: int = 0
    movements: int = 0
    adjustments: int = 0
    shoes_opened: int = 0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run over logs ended with."""

    counts: Counts
    findings: tuple[Finding, ...]

    @property
    def fine(self) -> bool:
        """Whether nothing was found that must not be; warnings and notes do not count."""
        return not any(found.severity == "breach" for found in self.findings)
