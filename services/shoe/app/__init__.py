"""How messages get in and out of the shoe service.  Its vault is the only place that ever sees an order before its time."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from services.shoe import reactions
from services.shoe.app.scanners import Scanners
from services.shoe.app.vault import HoleUnknown, Vault
from services.shoe.domain.scanned_state import PutAway
from services.shoe.domain.shoe import SHOE, Retired, Shoe, Unprepared, may_look
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.shoe import OwnHand, ScannedBefore
from shared.contracts.subjects import Addressed, round_name, shoe_stream
from shared.kernel.entry import Entry, Place
from shared.kernel.messages import Answer
from shared.kernel.reactions import Reaction, Source
from shared.runtime.entropy import SystemEntropy
from shared.runtime.event_store import StoreRefusal
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Noun
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

READ_FOR_MAX = 128
"""Of how many rounds it is remembered that the shoe in play was read anew for them."""


class ShoeApp:
    """The shoe service's edge."""

    name = "shoe"
    hears = ("table",)

    def __init__(self, settings: ServiceSettings) -> None:
        self._house: Process | None = None
        self._vault = Vault.from_file(settings.sealing_key, SystemEntropy(), other_shoe=self._state_of, before=self._before)
        self._scanners = Scanners(settings.scanners, self._vault.scanned)
        self._shoe = Noun(SHOE, over=lambda state: isinstance(state, Retired | PutAway), fill=self._fill)
        self._read_for: deque[str] = deque(maxlen=READ_FOR_MAX)
        """The rounds for which the shoe in play was read anew."""

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a shoe's stream."""
        return self._shoe

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event of a table."""
        return reactions.follow(event, source)

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Leave the position to the durable: this service writes many streams."""
        return None

    def ready_for(self, log_name: str) -> bool:
        """Hear every log as soon as it is there."""
        return True

    async def start(self, house: Process) -> None:
        """Know the process, see that every shoe in use can be opened, and hear the scanners."""
        self._house = house
        for keeper in house.keepers.open():
            if not keeper.stream.endswith(".desk"):
                self._vault.check(keeper.state)
        await self._scanners.start(house)

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Refuse: nobody asks a shoe for anything but through a table."""
        raise refused(Reason.NOT_ALLOWED_FOR_ROLE)

    async def question(self, to: Addressed) -> Any:
        """Show a player the own cards that lie face down on a table, and nobody anything else (FL-3.5, decision 25).

        The subject says who asks, the server's permissions hold on to it, and the answer goes into that player's inbox alone.
        """
        if to.role != "player" or self._house is None:
            return {"error": sentence(Reason.NOT_ALLOWED_FOR_ROLE)}
        found: list[OwnHand] = []
        for keeper in self._house.keepers.open():
            if not keeper.stream.endswith(".desk") and (hands := may_look(keeper.state, to.target, to.actor)):
                found += self._vault.look(hands, keeper.state)
        return found

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Nothing is shown; a scanner may have waited for this."""
        if self._house is None:
            return
        for decision in entry.decisions:
            for event in decision.events:
                self._scanners.stored(self._house, keeper, event)

    def _fill(self, command: Any, shoe: Any) -> Any:
        try:
            return self._vault.fill(command, shoe)
        except HoleUnknown as unknown:
            # No fence says whether another shoe's state is the newest.  What is asked is heard again when that shoe is read anew.
            if command.round not in self._read_for:
                assert self._house is not None, "the service has started"
                stream = shoe_stream(round_name(command.round).day, command.without_hole[0])
                self._house.spawn(self._read_other(stream, command.round), "read another shoe")
                raise
            # A person who lifts the quarantine that follows has it read anew once more.
            self._read_for.remove(command.round)
            raise AssertionError(str(unknown)) from unknown

    async def _read_other(self, stream: str, round: str) -> None:
        assert self._house is not None, "the service has started"
        with suppress(StoreRefusal):
            if await self._house.keepers.catch_up(stream) and round not in self._read_for:
                self._read_for.append(round)

    def _before(self, table: str) -> ScannedBefore:
        assert self._house is not None, "the service has started"
        return self._scanners.before(self._house, table)

    def _state_of(self, shoe: str) -> Shoe:
        assert self._house is not None, "the service has started"
        found = [keeper.state for keeper in self._house.keepers.known() if keeper.stream.endswith(f".{shoe}")]
        # Names of shoes come again every day; of those in use there is one, because a day ends with all of its shoes retired.
        return found[-1] if found else Unprepared()
