"""Answering: a command's way from the wire to its answer.

Each is answered in a task of its own, so that commands can wait together and leave as one entry.  How many may wait is
bounded, for everybody together and for each asker: whoever sends more takes the time of others.
"""

import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from shared.contracts.refusals import Reason, refused
from shared.contracts.requests import BadRequest
from shared.contracts.subjects import Addressed, BadSubject, addressed, is_inbox_of
from shared.kernel.folded import QUARANTINED
from shared.kernel.messages import Answer, Refused
from shared.runtime import telemetry
from shared.runtime.event_store import DayClosed, StoreRefusal
from shared.runtime.keeper import Overrun, SteppedDown

WAITING_MAX = 5_000
WAITING_EACH_MAX = 100

log = logging.getLogger(__name__)

Decide = Callable[[Addressed, bytes], Awaitable[Answer]]


class Answering:
    """Answers commands with what `decide` returns or raises, whatever that is."""

    def __init__(self, decide: Decide, alarm: Callable[..., Awaitable[None]], spawn: Callable[[Awaitable[Any], str], Any]) -> None:
        self._decide = decide
        self._alarm = alarm
        self._spawn = spawn
        self._waiting: Counter[str] = Counter()
        """How many requests of each asker wait for their answers."""

    @property
    def idle(self) -> bool:
        """Whether nobody waits for an answer."""
        return not self._waiting

    async def take(self, message: Msg) -> None:
        """Take a command; it is answered as soon as what follows from it is stored."""
        asker = message.subject.rpartition(".")[2]
        if message.reply and not is_inbox_of(asker, message.reply):
            # Whoever wants somebody else to hear the answer gets none, and nothing is done.
            return
        if self._waiting[asker] >= WAITING_EACH_MAX or self._waiting.total() >= WAITING_MAX:
            answer = refused(Reason.BUSY).answer
            telemetry.turned_away(message.subject, answer)
            await _reply(message, answer)
            return
        self._waiting[asker] += 1
        self._spawn(self._answer(message, asker), "answer")

    async def _answer(self, message: Msg, asker: str) -> None:
        try:
            with telemetry.answering(message) as hop:
                await _reply(message, hop.answered(await self._decided(message)))
        finally:
            self._waiting[asker] -= 1
            if not self._waiting[asker]:
                del self._waiting[asker]

    async def _decided(self, message: Msg) -> Answer:
        try:
            return await self._decide(addressed(message.subject), message.data)
        except Refused as why:
            return why.answer
        except (BadSubject, BadRequest) as error:
            return refused(Reason.BAD_REQUEST, str(error)).answer
        except DayClosed:
            return refused(Reason.DAY_CLOSED).answer
        except (StoreRefusal, Overrun) as error:
            await self._alarm("cannot_store", what=str(error))
            return refused(Reason.BUSY).answer
        except SteppedDown:
            # Another process serves this now, and the same request finds it.
            return refused(Reason.BUSY).answer
        except Exception as error:
            # One asker's request must not end the process for all others.
            log.exception("a request on %s failed", message.subject)
            await self._alarm("broken", stream=message.subject, id="", what=str(error) or type(error).__name__)
            return QUARANTINED


async def _reply(message: Msg, answer: Answer) -> None:
    # Who gets no answer asks again with the same id.
    with contextlib.suppress(NatsError, OSError):
        if message.reply:
            await message.respond(msgspec.json.encode(answer))
