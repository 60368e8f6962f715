"""The notebook: what the people at the tables asked for and what they were told, written down by themselves.

It is kept on the line between a client and the house, so it holds what went over the wire and nothing that the house
thinks of it.  Now and then a request is sent twice at once, because impatient people do.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import msgspec

from feltlog.client import Line, Watch
from services.table.views import Felt
from shared.contracts.cage import StaffCommand as AtTheCage
from shared.contracts.decisions import Double, Insure, Split
from shared.contracts.refusals import Reason
from shared.contracts.requests import decode_answer, decode_request
from shared.contracts.rounds import PlayerRequest as AtTheTable
from shared.contracts.subjects import addressed
from shared.contracts.table import StaffCommand as InThePit
from shared.contracts.wagers import PlaceWager
from shared.kernel.messages import Answer

TWICE_ONCE_IN = 8
FELT = msgspec.json.Decoder(Felt)

COMMANDS: dict[tuple[str, str], Any] = {
    ("table", "player"): AtTheTable,
    ("table", "staff"): InThePit,
    ("wallet", "staff"): AtTheCage,
}


class Asked(msgspec.Struct):
    """One request: who asked where for what, how often it was sent, and every reply to it."""

    id: str
    actor: str
    service: str
    target: str
    command: Any
    sent: int = 0
    replies: list[Answer] = msgspec.field(default_factory=list)

    @property
    def told(self) -> str:
        """What the asker was told in the end: accepted, refused, turned away (which is not written down), or nothing that binds."""
        final = {answer.status for answer in self.replies if answer.status != "pending" and answer.final}
        if len(final) > 1:
            return "accepted and refused"
        turned_away = bool(self.replies) and self.replies[-1].status == "refused" and self.replies[-1].code != Reason.BUSY
        return next(iter(final), "turned away" if turned_away else "nothing")


class Notebook:
    """What everybody wrote down."""

    def __init__(self) -> None:
        self.asked: dict[str, Asked] = {}
        self.returned: dict[str, dict[str, int]] = {}
        """What each wager gave back, by player and wager, as the felt showed it."""
        self.shown_otherwise: list[str] = []
        """Wagers that were shown to give back one thing and later another."""

    def see(self, felt: Felt) -> None:
        """Write down what the wagers on a felt gave back."""
        for line in felt.lines:
            before = self.returned.setdefault(line.player, {}).setdefault(line.wager, line.returned_minor)
            if before != line.returned_minor:
                self.shown_otherwise.append(line.wager)

    def refusals(self) -> Counter[str]:
        """Return what was refused, by code."""
        return Counter(asked.replies[-1].code for asked in self.asked.values() if asked.told in ("refused", "turned away"))

    def stakes(self, player: str) -> Iterator[tuple[Asked, int]]:
        """Yield the player's requests that put a stake at risk, each with that stake in minor units.

        A bot always doubles for the full wager, and insures for half of it.
        """
        main: dict[tuple[str, int], int] = {}
        for asked in self.asked.values():
            match asked.command:
                case PlaceWager(round=round, box=box, stake_minor=stake_minor) if asked.actor == player:
                    main[round, box] = stake_minor
                    yield asked, stake_minor
                case Double(round=round, box=box) | Split(round=round, box=box) if asked.actor == player:
                    yield asked, main[round, box]
                case Insure(round=round, box=box) if asked.actor == player:
                    yield asked, main[round, box] // 2
                case _:
                    pass


class NotingLine:
    """A line of one person that writes down what goes over it."""

    def __init__(self, line: Line, notebook: Notebook, chance: Random) -> None:
        self._line = line
        self._notebook = notebook
        self._chance = chance

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Send a request, now and then twice; return the first reply that came, or None."""
        if not subject.startswith("cmd."):
            return self._look(await self._line.request(subject, data, timeout_s=timeout_s))
        asked = self._note(subject, data)
        times = 2 if self._chance.randrange(TWICE_ONCE_IN) == 0 else 1
        asked.sent += times
        replies = await asyncio.gather(*(self._line.request(subject, data, timeout_s=timeout_s) for _ in range(times)))
        heard = [reply for reply in replies if reply is not None]
        asked.replies += [decode_answer(reply) for reply in heard]
        return heard[-1] if heard else None

    async def watch(self, subject: str) -> "NotingWatch":
        """Watch what is shown."""
        return NotingWatch(await self._line.watch(subject), self._notebook)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()

    def _look(self, reply: bytes | None) -> bytes | None:
        if reply is not None:
            # Most questions are about something else than a felt.
            with suppress(msgspec.ValidationError):
                self._notebook.see(FELT.decode(reply))
        return reply

    def _note(self, subject: str, data: bytes) -> Asked:
        to = addressed(subject)
        request = decode_request(data, COMMANDS[to.service, to.role])
        asked = Asked(id=request.id, actor=to.actor, service=to.service, target=to.target, command=request.command)
        return self._notebook.asked.setdefault(request.id, asked)


class NotingWatch:
    """A watch over a felt that writes down what each wager is seen to give back."""

    def __init__(self, watch: Watch, notebook: Notebook) -> None:
        self._watch = watch
        self._notebook = notebook

    async def next(self, *, timeout_s: float) -> bytes | None:
        """Return the next picture, or None if none came in time."""
        picture = await self._watch.next(timeout_s=timeout_s)
        if picture is not None:
            self._notebook.see(FELT.decode(picture))
        return picture

    async def close(self) -> None:
        """Watch no more."""
        await self._watch.close()
