"""Requests: the client's side, where a trace begins, and the service's, which takes it up if it can be believed."""

import time
from contextvars import Token
from types import TracebackType
from typing import Any, Self

from nats.aio.msg import Msg

from shared.kernel.messages import Answer
from shared.runtime.telemetry import names
from shared.runtime.telemetry.headers import read, write
from shared.runtime.telemetry.meters import known_role, outcome, tag
from shared.runtime.telemetry.trail import Trail, Within, come_out, end, go_into, mark_of


class Asking:
    """A client's request, however often it is sent."""

    def __init__(self, trail: Trail, service: str, command: Any) -> None:
        about = {names.ASKED_SERVICE.name: service, names.COMMAND_TYPE.name: tag(command)}
        self._span = trail.begin(names.ASK, type(command).__name__, about, after=None)
        self._answer: Answer | None = None
        self._token: Token[Within | None]

    def __enter__(self) -> Self:
        mark = mark_of(self._span)
        self._token = go_into(Within(mark, write(mark)))
        return self

    def answered(self, answer: Answer | None) -> Answer | None:
        """Take note of an answer, and return it; the last one counts."""
        self._answer = answer
        return answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        come_out(self._token)
        end(self._span, outcome(self._answer), failed=self._answer is None)


class Answering:
    """A request that a service answers."""

    def __init__(self, trail: Trail, message: Msg) -> None:
        self._role = role_in(message.subject)
        self._meters = trail.meters
        self._span = trail.begin(names.ANSWER, self._role, {names.ROLE.name: self._role}, after=read(message.headers))
        self._answer: Answer | None = None
        self._began_s = time.perf_counter()
        self._token: Token[Within | None]

    def __enter__(self) -> Self:
        self._token = go_into(Within(mark_of(self._span), request=self._span))
        return self

    def answered(self, answer: Answer) -> Answer:
        """Take note of the answer, and return it."""
        self._answer = answer
        return answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        come_out(self._token)
        end(self._span, outcome(self._answer), failed=self._answer is None)
        self._meters.request(self._role, self._answer, time.perf_counter() - self._began_s)


def role_in(subject: str) -> str:
    """Return the role in which somebody asks; the rest of the subject is nobody's business here.

    >>> role_in("cmd.table.player.T7.ann"), role_in("cmd.table.nobody.T7.ann"), role_in("cmd")
    ('player', 'other', 'other')
    """
    return known_role((subject.split(".") + [""] * 3)[2])
