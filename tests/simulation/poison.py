"""Poison: what a service cannot read, cannot react to or cannot decide, and the person who lifts what was quarantined for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from feltlog.rehearsal.house import RehearsedHouse
from feltlog.rehearsal.process import Process
from shared.contracts.subjects import SERVICES, log_of, table_stream
from shared.kernel.reactions import Reaction, Source
from shared.runtime.keepers import Noun
from tests.simulation.auditor import Auditor

POISONED_BYTES = b"these bytes are no entry"
STRAY_BYTES = b'{"type":"io.nats.jetstream.api.v1.consumer_info_response","error":{"code":404}}'
"""What JetStream's own API would answer somebody who asked it to answer onto a log."""


class CannotReact(ValueError):
    """What a version of the software says that does not understand an event."""


class Poison:
    """Spoils subjects of a house and streams of its services, one at a time, and mends them."""

    def __init__(self, house: RehearsedHouse, auditor: Auditor) -> None:
        self.not_understood: set[tuple[str, str]] = set()
        """Services, each with a subject of which it understands nothing."""
        self.broken: set[str] = set()
        """Streams on which every decision breaks an assertion."""
        self.ever_broken: set[str] = set()
        self._house = house
        self._auditor = auditor
        self._choose = house.chooser
        self._lifts = 0
        self._garbage = 0

    @property
    def is_spread(self) -> bool:
        """Whether something is to be mended: also what is held still because whoever lifted it died over that."""
        held = any(subject not in self._auditor.poison for _, subject, _ in self._auditor.quarantines)
        return bool(self.not_understood or self.broken or held)

    def cannot_follow(self, process: Process, follow: Callable[..., list[Reaction]]) -> Callable[..., list[Reaction]]:
        """Return `follow` as a software follows that does not understand what is poisoned."""

        def following(event: object, source: Source) -> list[Reaction]:
            if (process.name, source.stream) in self.not_understood:
                raise CannotReact(f"{type(event).__name__} is not understood")
            return follow(event, source)

        return following

    def breaks(self, noun_of: Callable[[str], Noun]) -> Callable[[str], Noun]:
        """Return `noun_of` as in a software that breaks on the streams that are broken."""

        def breaking(stream: str) -> Noun:
            noun = noun_of(stream)

            def fill(command: Any, state: Any) -> Any:
                assert stream not in self.broken, "something that must hold does not"
                return command if noun.fill is None else noun.fill(command, state)

            return replace(noun, fill=fill)

        return breaking

    def spread(self) -> str:
        """Let a service understand nothing of a subject from now on, or a stream break, or a stranger write what nobody understands."""
        if self.not_understood or self.broken or self._choose.once_in(2) or self._house.store.is_away:
            return ""
        if self._choose.once_in(3):
            return self._write_garbage()
        subjects = self._auditor.recent
        if not subjects:
            return ""
        subject = self._choose.pick(subjects)
        if self._choose.once_in(3) and not subject.endswith(".desk"):
            self.broken.add(subject)
            self.ever_broken.add(subject)
            return "stream_broken"
        hears = {"table": ("table", "shoe", "wallet"), "shoe": ("table",), "wallet": ("table",)}
        services = [service for service, heard in hears.items() if subject.split(".")[1] in heard]
        self.not_understood.add((self._choose.pick(services), subject))
        return "source_not_understood"

    def _write_garbage(self) -> str:
        self._garbage += 1
        subject = table_stream(self._house.today(), f"X{self._garbage}")
        if log_of(subject) not in self._house.logs("table", sealed=False):
            return ""
        self._auditor.poison.add(subject)
        log = self._house.store.log(log_of(subject))
        log.append(subject, POISONED_BYTES, fence=0, now_ms=self._house.clock.now_ms())
        return "garbage"

    def stray(self) -> str:
        """Let an answer of JetStream's own API stand in a stream that is written to."""
        subjects = self._auditor.recent
        if self._house.store.is_away or not subjects:
            return ""
        subject = self._choose.pick(subjects)
        if self._house.store.log(log_of(subject)).is_sealed:
            # Nobody can write there any more.
            return ""
        self._house.store.stray(subject, STRAY_BYTES)
        return "stray"

    def mend(self) -> None:
        """Lift what is quarantined, as a person would who has mended the cause."""
        if self._house.store.is_away:
            return
        self.not_understood.clear()
        self.broken.clear()
        for service in SERVICES[:3]:
            there = [process for process in self._house.of(service) if not hangs(process)]
            for subject, _ in list(there[-1].desk.held) if there else []:
                if there[-1].alive and subject not in self._auditor.poison:
                    self._house.take(there[-1], self._lifting(there[-1], subject))

    def _lifting(self, process: Process, subject: str) -> Callable[[], None]:
        self._lifts += 1
        id = f"lift-{self._lifts}"

        def lift() -> None:
            process.desk.lift(subject, id)

        return lift


def hangs(process: Process) -> bool:
    """Return whether a process does nothing at the moment."""
    return process.hung_until_ms > process.now_ms()
