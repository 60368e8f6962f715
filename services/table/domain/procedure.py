"""The procedure of the cards: what staff do with them, step by step, before the table calls for its shoe.

A book's steps have an order, and each is done once: shoe and rack for a gaming day, inspection and presentation for as long as
the same cards stay at the table, wash and shuffle for each shoe.  A step that finds a fault is written down and does not count,
and what rested on it begins anew.  Other cards are brought between two shoes, and they begin from the first step (FL-3.4).
"""

from typing import TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.approval import check_note
from shared.contracts.procedure import (
    IN_WORDS,
    OF_EACH_SHOE,
    OF_THE_CARDS,
    REPLACE,
    STEP_OF,
    STEPS,
    CardFault,
    CardsPresented,
    CardsReplaced,
    CardsShuffled,
    CardsStacked,
    CardsWashed,
    DecksInspected,
    InspectDecks,
    InspectionVerified,
    InspectShoe,
    PresentCards,
    ProcedureEvent,
    ReplaceCards,
    ShoeInspected,
    ShuffleCards,
    StackCards,
    Step,
    StepCommand,
    StepDone,
    StepEvent,
    StepRule,
    VerifyInspection,
    WashCards,
    for_whom,
    rule_of,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.staff import Job, job_in_words
from shared.contracts.table import TableOpened
from shared.kernel.messages import Actor, Envelope
from shared.kernel.profile import Profile

F = TypeVar("F")

DECKS_COUNTED_MAX = 99
FAULTS_MAX = 6
"""As many as there are kinds of."""


class Rejected(Struct, frozen=True, gc=False):
    """The latest step that found a fault, as long as it is not done again without one."""

    done: StepDone
    faults: tuple[str, ...]
    note: str = ""


class Procedure(Struct, frozen=True, gc=False):
    """What is done with the cards of a table."""

    today: tuple[StepDone, ...] = ()
    """The inspection of shoe and rack: of this gaming day (LV-1.5)."""
    cards: tuple[StepDone, ...] = ()
    """Steps done with the cards that lie at this table, whatever was dealt from them."""
    mixed: tuple[StepDone, ...] = ()
    """Steps done towards the shoe that comes next."""
    dealt: tuple[StepDone, ...] = ()
    """The same steps, as they were done towards the shoe that was called last."""
    rejected: Rejected | None = None

    def done(self, step: Step) -> StepDone | None:
        """Return who has done a step and when, if somebody has."""
        return next((each for each in (*self.today, *self.cards, *self.mixed) if each.step == step), None)


NONE = Procedure()


def next_step(procedure: Procedure, profile: Profile) -> StepRule | None:
    """Return the step that comes next; None once the cards may go into the shoe."""
    if profile.shoe.procedure == "house":
        return None
    return next((rule for rule in STEPS[profile.book] if procedure.done(rule.step) is None), None)


def take(command: StepCommand, procedure: Procedure, opened: TableOpened, envelope: Envelope, *, in_shoe: bool) -> StepEvent:
    """Return what is done; raise `Refused` for a job, a book or a moment that does not allow it, and for a step that is not next."""
    profile = opened.profile
    _check_staff(profile)
    rule = rule_of(profile.book, STEP_OF[type(command)])
    if rule is None:
        raise refused(Reason.NOT_IN_THIS_BOOK, f"it does not ask anybody to {IN_WORDS[STEP_OF[type(command)]]}.")
    _check_job(envelope.actor, rule.jobs, rule.source)
    _check_turn(rule, procedure, opened, in_shoe=in_shoe)
    return _done(command, rule, procedure, decks=profile.decks, envelope=envelope)


def _check_turn(rule: StepRule, procedure: Procedure, opened: TableOpened, *, in_shoe: bool) -> None:
    """Raise `Refused` unless a step is the one that comes next."""
    if in_shoe and rule.step in OF_EACH_SHOE:
        raise refused(Reason.CARDS_IN_SHOE)
    done = procedure.done(rule.step)
    if done is not None:
        raise refused(Reason.STEP_DONE, f"{IN_WORDS[rule.step]}: {done.by} did, as {job_in_words(done.job)}.")
    missing = next_step(procedure, opened.profile)
    assert missing is not None, "a step that is not done is missing"
    if missing.step != rule.step:
        raise step_missing(missing, opened.table)


def _done(command: StepCommand, rule: StepRule, procedure: Procedure, *, decks: int, envelope: Envelope) -> StepEvent:
    """Return a step as it was done, with what was found; raise `Refused` for what it must say and does not."""
    by, job, at_ms = envelope.actor.id, envelope.actor.job, envelope.received_at_ms
    match command:
        case InspectShoe():
            _check_said(command, rule)
            return ShoeInspected(by=by, job=job, at_ms=at_ms, faults=_once(command.faults), video=command.video, note=command.note)
        case InspectDecks():
            _check_said(command, rule)
            if not 0 <= command.decks <= DECKS_COUNTED_MAX:
                raise refused(Reason.BAD_REQUEST, f"0 to {DECKS_COUNTED_MAX} decks can be counted.")
            # ON-2.1, FL-3.1: as many decks as the table is to have; another number is a fault, whoever says that all is well.
            counted: tuple[CardFault, ...] = () if command.decks == decks else ("wrong_number_of_decks",)
            return DecksInspected(
                by=by,
                job=job,
                at_ms=at_ms,
                decks=command.decks,
                faults=_once((*command.faults, *counted)),
                video=command.video,
                note=command.note,
            )
        case VerifyInspection():
            inspected = procedure.done("inspect_decks")
            if inspected is not None and inspected.by == by:
                # ON-4.1: the inspection is verified by somebody else.
                raise refused(Reason.OWN_INSPECTION)
            _check_said(command, rule)
            return InspectionVerified(by=by, job=job, at_ms=at_ms, faults=_once(command.faults), note=command.note)
        case PresentCards():
            _check_said(command, rule)
            return CardsPresented(by=by, job=job, at_ms=at_ms, faults=_once(command.faults), video=command.video, note=command.note)
        case WashCards():
            return CardsWashed(by=by, job=job, at_ms=at_ms)
        case StackCards():
            return CardsStacked(by=by, job=job, at_ms=at_ms)
        case ShuffleCards():
            return CardsShuffled(by=by, job=job, at_ms=at_ms)
        case _:
            assert_never(command)


def replace_cards(command: ReplaceCards, procedure: Procedure, opened: TableOpened, envelope: Envelope, *, in_shoe: bool) -> CardsReplaced:
    """Return that other cards come; raise `Refused` for a job or a moment that does not allow it (FL-3.4).

    `in_shoe` says whether they lie where nobody takes them out: in a shoe, or in a device while a round is played.
    """
    _check_staff(opened.profile)
    jobs, source = REPLACE[opened.profile.book]
    _check_job(envelope.actor, jobs, source)
    check_note(command.note)
    if in_shoe and opened.profile.shoe.device == "shuffling_device":
        raise refused(Reason.NO_REPLACEMENT_NOW, "they are replaced when the round is over.")
    if in_shoe:
        raise refused(Reason.NO_REPLACEMENT_NOW, "they are in the shoe until the round is over in which the cutting card came out.")
    if procedure.done("shuffle") is not None:
        raise refused(Reason.NO_REPLACEMENT_NOW, "they are shuffled; now the round must be over in which the cutting card came out.")
    if not procedure.cards:
        raise refused(Reason.ALREADY_SO)
    return CardsReplaced(by=envelope.actor.id, job=envelope.actor.job, at_ms=envelope.received_at_ms, note=command.note)


def step_missing(rule: StepRule, table: str) -> Exception:
    """Return the refusal of whatever must wait for a step: it names the step, who may do it and how it is said."""
    word = rule.step.replace("_", "-")
    video = " --video WHERE" if rule.video else ""
    how = f"`feltlog table step {table} {word}{video} --as NAME`"
    return refused(Reason.STEP_MISSING, f"{IN_WORDS[rule.step]} ({rule.source}). That is for {for_whom(rule.jobs)} to do: {how}.")


def _check_staff(profile: Profile) -> None:
    if profile.shoe.procedure == "house":
        raise refused(Reason.STEPS_OF_THE_HOUSE)


def _check_job(actor: Actor, jobs: tuple[Job, ...], source: str) -> None:
    if actor.job not in jobs:
        raise refused(Reason.JOB_NOT_ALLOWED, f"{for_whom(jobs)} ({source}).")


def _check_said(command: InspectShoe | InspectDecks | VerifyInspection | PresentCards, rule: StepRule) -> None:
    """Raise `Refused` if a step says too much beside it, or does not say where its video is that the book wants."""
    video = "" if isinstance(command, VerifyInspection) else command.video
    check_note(video)
    check_note(command.note)
    if len(command.faults) > FAULTS_MAX:
        raise refused(Reason.BAD_REQUEST, "each fault is named once.")
    if rule.video and not video.strip():
        raise refused(Reason.VIDEO_MISSING, f"({rule.source}).")


def _once(faults: tuple[F, ...]) -> tuple[F, ...]:
    return tuple(dict.fromkeys(faults))


def remember(procedure: Procedure, event: ProcedureEvent) -> Procedure:
    """Return what is done after `event`."""
    if isinstance(event, CardsReplaced):
        return replace(procedure, cards=(), mixed=(), dealt=(), rejected=None)
    step = STEP_OF[type(event)]
    done = StepDone(step=step, by=event.by, job=event.job, at_ms=event.at_ms, video=getattr(event, "video", ""))
    faults: tuple[str, ...] = getattr(event, "faults", ())
    if faults:
        rejected = Rejected(done, faults, getattr(event, "note", ""))
        # What was wrong with the cards was not seen by those who looked before.
        return replace(procedure, cards=() if step in OF_THE_CARDS else procedure.cards, rejected=rejected)
    if step in OF_EACH_SHOE:
        return replace(procedure, mixed=(*procedure.mixed, done))
    if step in OF_THE_CARDS:
        return replace(procedure, cards=(*procedure.cards, done), rejected=None)
    return replace(procedure, today=(done,), rejected=None)


def after_call(procedure: Procedure) -> Procedure:
    """Return what is done once a shoe was called: the cards go in, and are washed and shuffled again when they come out.

    A device calls again and again with the same cards in it, and keeps the steps with which it was loaded (FL-4.6).
    """
    return replace(procedure, mixed=(), dealt=procedure.mixed or procedure.dealt)


def after_closing(procedure: Procedure) -> Procedure:
    """Return what is done once the table is closed: its cards are taken away, and inspected anew when they come back (LV-3.1)."""
    return replace(procedure, cards=(), mixed=(), dealt=(), rejected=None)


def carried(procedure: Procedure) -> tuple[StepDone, ...]:
    """Return what is still done on the next gaming day at a table that goes on: its cards lie where they lay."""
    return procedure.cards
