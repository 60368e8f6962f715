"""How entries get into surveillance, and findings out of it.  It follows every log of every open day from the first entry on."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from services.surveillance.domain.chain import Stored
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.watch import Watch
from services.surveillance.redecide import Again
from shared.contracts.refusals import Reason, sentence
from shared.contracts.subjects import SERVICES, Addressed
from shared.kernel.entry import Entry, Place
from shared.kernel.messages import Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.hearing import hear
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Noun
from shared.runtime.quarantine import DESK_NOUN
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

FINDINGS_KEPT_MAX = 1_000


class SurveillanceApp:
    """Surveillance's edge."""

    name = "surveillance"
    hears = ()

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._watch = Watch(Again())
        self._findings: list[Finding] = []
        self._house: Process | None = None

    def noun_of(self, stream: str) -> Noun:
        """Surveillance writes nothing but its desk."""
        return DESK_NOUN

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Nothing follows from what is watched."""
        return []

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Keep no position: the watch begins at the first entry of each open day."""
        return None

    def ready_for(self, log_name: str) -> bool:
        """Follow no log by reactions."""
        return False

    async def start(self, house: Process) -> None:
        """Follow every log of every open day."""
        self._house = house
        house.follow_days(SERVICES[:3], self._follow)

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Refuse: surveillance decides nothing."""
        return Answer("refused", Reason.NOT_ALLOWED_FOR_ROLE.value, sentence(Reason.NOT_ALLOWED_FOR_ROLE), final=False)

    async def question(self, to: Addressed) -> Any:
        """Tell staff what was found."""
        if to.role == "staff" and to.target == "findings":
            return self._findings
        return {"error": sentence(Reason.NOT_ALLOWED_FOR_ROLE)}

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Nothing is shown."""

    async def _follow(self, log_name: str) -> None:
        assert self._house is not None, "the service has started"
        async with aclosing(hear(self._house.store, log_name, self.name, after=0)) as hearing:
            async for heard in hearing:
                stored = heard.stored
                found = self._watch.hear(
                    Stored(
                        log=log_name,
                        subject=stored.stream,
                        sequence=stored.sequence,
                        stored_at_ms=stored.stored_at_ms,
                        data=stored.data,
                        claimed=stored.claimed,
                    )
                )
                heard.done()
                for finding in found:
                    self._findings.append(finding)
                    await self._house.alarm("finding", code=finding.code, log=finding.log, stream=finding.stream, revision=finding.revision)
                del self._findings[:-FINDINGS_KEPT_MAX]
