"""Folded: an aggregate as its entries leave it, and how the next entry is drafted from commands that wait.

Pure on purpose.  The services, the referee and the simulator all fold and draft with these functions; what sends bytes
anywhere lives elsewhere.  Commands that wait together are decided in order, each on the state after the one before, and
leave as one entry: twenty events then cost one write to the disk.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, TypeVar

import msgspec

from shared.kernel.decider import Decider
from shared.kernel.entry import DECISIONS_MAX, ENTRY_BYTES_MAX, ENTRY_FULL_BYTES, Decision, Entry, Place, Stray, decode_in
from shared.kernel.identity import digest
from shared.kernel.messages import ACCEPTED, Actor, Answer, Cause, Envelope, Refused

S = TypeVar("S")

POISON = (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a decision or an entry can break, and nothing else along with it; anything else is the process's own trouble."""

ENTRY_HEADROOM_BYTES = 2048
"""What an entry needs around its decisions."""

QUARANTINED = Answer("refused", "quarantined", "Something that must hold did not. The house looks into it.", final=False)
ID_REUSED = Answer("refused", "id_reused", "This id was used before with another content. Ask again with an id of its own.")


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """What a command's id stands for: who asked what, and the answer."""

    mark: str
    """The fingerprint of what was asked, where that is written down."""
    answer: Answer
    asked: tuple[Any, Actor] | None = None
    """What was asked, and by whom, where it is not; hardly anybody ever asks again, so it is not worked out before."""

    @property
    def fingerprint(self) -> str:
        """What tells this request from another with the same id; empty if nobody has asked yet."""
        return self.mark or ("" if self.asked is None else fingerprint(*self.asked))

    def answer_to(self, command: Any, actor: Actor) -> Answer:
        """Return the answer to a request that has this id: the one it has, or that the id stands for something else."""
        return self.answer if self.fingerprint == fingerprint(command, actor) else ID_REUSED


class Folded(msgspec.Struct, Generic[S]):
    """An aggregate after its last entry: the domain's state and what the log around it needs to go on."""

    stream: str
    state: S
    revision: int = 0
    fence: int = 0
    """JetStream sequence of the last entry; the next append is fenced by it."""
    digest: str = ""
    at_ms: int = 0
    epoch: int = 0
    writer: str = ""
    answers: dict[str, Recorded] = {}
    """What the ids stand for that people chose."""
    done: set[str] = set()
    """The ids of what the house asked of itself.  Anybody can work those out, so they are kept apart: no person uses one up."""
    position: dict[str, Place] = {}


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A command that waits for its decision.

    `log` and `place` are where upstream it comes from, in services that keep their position in their own entries; both are
    left out elsewhere.
    """

    id: str
    command: Any
    actor: Actor
    received_at_ms: int
    cause: Cause | None = None
    log: str = ""
    place: Place | None = None


class Pen(msgspec.Struct, frozen=True):
    """Who writes."""

    writer: str
    epoch: int
    software: str


class Draft(msgspec.Struct, Generic[S]):
    """What would be appended, what everybody would then be told, and the state after it.

    `taken` counts the commands that this draft covers; the rest must wait for the next entry.  `judged` says whether any of
    them is answered by the state alone: such an answer is only as good as the state is new.  `broken` names the
    commands on which an assertion failed, with what it said: nothing follows from them and they touch nothing.
    """

    entry: Entry[Any, Any] | None
    data: bytes
    state: S
    answers: list[Answer]
    recorded: dict[str, Recorded]
    done: set[str]
    taken: int
    judged: bool
    broken: dict[str, str]


class BrokenChain(ValueError):
    """An entry that does not continue the stream it stands in."""


def fingerprint(command: Any, actor: Actor) -> str:
    """Return what tells one request from another that carries the same id: what is asked, and by whom, whatever their job is now."""
    return digest(msgspec.json.encode((Actor(actor.role, actor.id) if actor.job else actor, command)))


def empty(decider: Decider[S, Any, Any], stream: str) -> Folded[S]:
    """Return a stream of which nothing is written yet."""
    return Folded(stream=stream, state=decider.initial)


def fold(decider: Decider[S, Any, Any], folded: Folded[S], data: bytes, sequence: int, *, claimed: str = "unknown") -> Entry[Any, Any]:
    """Fold one stored entry into `folded` and return it.

    Raise `Unreadable` if it cannot be decoded, `BrokenChain` if it does not continue the stream, and `Stray` if it is none of
    this stream's: then nothing has changed but that the next append goes behind it.
    """
    try:
        entry = decode_in(folded.stream, decider.command_type, decider.event_type, data, claimed=claimed)
    except Stray:
        folded.fence = sequence
        raise
    if entry.revision != folded.revision + 1:
        raise BrokenChain(f"revision {entry.revision} follows revision {folded.revision}")
    if folded.revision and entry.prev != folded.digest:
        raise BrokenChain(f"revision {entry.revision} does not follow the bytes of revision {folded.revision}")
    state, evolve = folded.state, decider.evolve
    for decision in entry.decisions:
        # What carries its place needs no memory of its id, nor what was heard again beside it: there each obligation is met once.
        _remember(decision, folded.answers, folded.answers, folded.done, keep=not (entry.position and decision.cause))
        state = reduce(evolve, decision.events, state)
    folded.state = state
    settle(folded, entry, data, sequence)
    return entry


def settle(folded: Folded[S], entry: Entry[Any, Any], data: bytes, sequence: int) -> None:
    """Move the marks of `folded` to an entry whose events are already in its state."""
    folded.revision = entry.revision
    folded.fence = sequence
    folded.digest = digest(data)
    folded.at_ms = entry.at_ms
    if entry.epoch > folded.epoch:
        folded.epoch = entry.epoch
    folded.writer = entry.writer
    if entry.position:
        folded.position.update(entry.position)


def draft(
    decider: Decider[S, Any, Any],
    folded: Folded[S],
    waiting: Sequence[Asked],
    pen: Pen,
    *,
    now_ms: int,
    fill: Callable[[Any, S], Any] | None = None,
) -> Draft[S]:
    """Decide as many of the waiting commands as one entry holds, in order, and return the entry that would record them.

    `fill` completes a command with what only the service's own edge may know (openings of cards, a profile by value), on
    the state that `decide` sees.  Nothing changes in `folded`.
    """
    drafting = _Drafting(decider, folded, max(now_ms, folded.at_ms), fill)
    for asked in waiting:
        if not drafting.take(asked):
            break
    return drafting.draft(pen)


class _Drafting(Generic[S]):
    """A draft in the making: where the stream would stand after the decisions so far."""

    def __init__(self, decider: Decider[S, Any, Any], folded: Folded[S], at_ms: int, fill: Callable[[Any, S], Any] | None) -> None:
        self._decider = decider
        self._folded = folded
        self._at_ms = at_ms
        self._fill = fill
        self._state = folded.state
        self._recorded: dict[str, Recorded] = {}
        self._done: set[str] = set()
        self._moved: dict[str, Place] = {}
        """How far upstream logs are worked off, where that is further than before."""
        self._answers: list[Answer] = []
        self._decided: list[Decision[Any, Any]] = []
        self._raw: list[msgspec.Raw] = []
        self._size = ENTRY_HEADROOM_BYTES
        self._judged = False
        self._broken: dict[str, str] = {}

    def take(self, asked: Asked) -> bool:
        """Answer a command, unless the entry is too full for it; return whether another may follow."""
        known = self._known(asked)
        if known is not None:
            self._answers.append(known)
            return True
        self._judged = True
        try:
            decision, encoded, after = self._decide(asked)
        except Refused as refused:
            self._answers.append(refused.answer)
            return True
        except POISON as error:
            self._broken[asked.id] = str(error) or type(error).__name__
            self._answers.append(QUARANTINED)
            # No position may pass it before somebody has written down that its source is held.
            return asked.place is None
        if not decision.events:
            self._answers.append(ACCEPTED)
            return True
        if self._decided and self._size + len(encoded) > ENTRY_FULL_BYTES:
            return False
        self._size += len(encoded)
        self._decided.append(decision)
        self._raw.append(msgspec.Raw(encoded))
        self._state = after
        if asked.place is not None:
            self._moved[asked.log] = asked.place
        self._answers.append(_remember(decision, self._folded.answers, self._recorded, self._done, keep=asked.place is None))
        return len(self._decided) < DECISIONS_MAX

    def draft(self, pen: Pen) -> Draft[S]:
        """Return what was drafted; without a decision there is no entry."""
        entry, data = self._entry(pen) if self._decided else (None, b"")
        return Draft(
            entry=entry,
            data=data,
            state=self._state,
            answers=self._answers,
            recorded=self._recorded,
            done=self._done,
            taken=len(self._answers),
            judged=self._judged,
            broken=self._broken,
        )

    def _known(self, asked: Asked) -> Answer | None:
        """Return the answer that `asked` already has, if it was decided before."""
        if asked.actor.role == "house":
            return ACCEPTED if asked.id in self._done or asked.id in self._folded.done or self._is_worked_off(asked) else None
        before = self._recorded.get(asked.id) or self._folded.answers.get(asked.id)
        if before is None:
            return None
        return before.answer_to(asked.command, asked.actor)

    def _is_worked_off(self, asked: Asked) -> bool:
        if asked.place is None:
            return False
        reached = self._moved.get(asked.log) or self._folded.position.get(asked.log)
        return reached is not None and asked.place <= reached

    def _decide(self, asked: Asked) -> tuple[Decision[Any, Any], bytes, S]:
        """Return what follows from a command, as it is and as it is written down, and the state after it."""
        state = self._state
        command = asked.command if self._fill is None else self._fill(asked.command, state)
        envelope = Envelope(asked.id, asked.actor, asked.received_at_ms, self._at_ms)
        events = self._decider.decide(command, state, envelope)
        decision: Decision[Any, Any] = Decision(
            id=asked.id,
            command=command,
            cause=asked.cause,
            asked=fingerprint(asked.command, asked.actor) if command is not asked.command else "",
            actor=asked.actor,
            received_at_ms=asked.received_at_ms,
            events=tuple(events),
        )
        encoded = msgspec.json.encode(decision)
        assert len(encoded) <= ENTRY_BYTES_MAX - ENTRY_HEADROOM_BYTES, "a decision must fit into an entry"
        return decision, encoded, self._decider.after(state, events)

    def _entry(self, pen: Pen) -> tuple[Entry[Any, Any], bytes]:
        """Return the entry and its bytes; what was encoded already is not encoded again."""
        folded = self._folded
        head: Entry[Any, Any] = Entry(
            stream=folded.stream,
            revision=folded.revision + 1,
            at_ms=self._at_ms,
            writer=pen.writer,
            epoch=pen.epoch,
            software=pen.software,
            prev=folded.digest or getattr(self._decided[0].command, "follows", ""),
            position=self._moved,
            decisions=tuple(self._raw),  # type: ignore[arg-type]
        )
        return msgspec.structs.replace(head, decisions=tuple(self._decided)), msgspec.json.encode(head)


def owned_by_another(folded: Folded[Any], pen: Pen) -> bool:
    """Return whether the last writer of a stream goes before `pen`: it came later, and whoever holds `pen` must not write any more."""
    theirs, ours = (folded.epoch, folded.writer), (pen.epoch, pen.writer)
    return bool(folded.writer) and folded.writer != pen.writer and theirs > ours


def raised(pen: Pen, entry: Entry[Any, Any]) -> Pen:
    """Return the pen to go on with behind an entry: in an epoch of its own, where another writer had the same one.

    Two processes that began before either had written anything, or one that began while an entry of the one before it was
    still on its way, have the same epoch; whichever of the two may go on must not write under it as well.
    """
    same = entry.epoch == pen.epoch and entry.writer != pen.writer
    return Pen(pen.writer, pen.epoch + 1, pen.software) if same and pen.writer > entry.writer else pen


def commit(folded: Folded[S], drafted: Draft[S], sequence: int) -> None:
    """Take over a draft that is stored: `folded` now stands after it."""
    assert drafted.entry is not None, "only an entry can be committed"
    folded.state = drafted.state
    folded.answers.update(drafted.recorded)
    folded.done |= drafted.done
    settle(folded, drafted.entry, drafted.data, sequence)


def _remember(
    decision: Decision[Any, Any], known: Mapping[str, Recorded], answers: dict[str, Recorded], done: set[str], *, keep: bool
) -> Answer:
    """Write down in `answers` and `done` what ids now stand for, where `known` holds what they stood for; return the decision's answer.

    These are the decision's own id, and those that its events answer or bring along.
    """
    answer, by_house = ACCEPTED, decision.actor.role == "house"
    for event in decision.events:
        if event.is_silent:
            continue
        for id, mark, given in event.older_answers():
            answers[id] = Recorded(mark, given)
        told = event.answer()
        if told is None:
            continue
        about, what = told
        if not about or (about == decision.id and not by_house):
            answer = what
        else:
            before = answers.get(about) or known.get(about)
            answers[about] = msgspec.structs.replace(before, answer=what) if before else Recorded("", what)
    if not by_house:
        answers[decision.id] = Recorded(decision.asked, answer, None if decision.asked else (decision.command, decision.actor))
    elif keep:
        done.add(decision.id)
    return answer
