"""Persons: whether whoever asks the cage has a job that may ask for that, and whether what they note can be kept."""

from shared.contracts.cage import MAY, CageCommand
from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import NOTE_MAX
from shared.contracts.staff import JOBS, Job, job_in_words
from shared.kernel.messages import Envelope


def job_for(command: CageCommand, envelope: Envelope) -> Job:
    """Return the asker's job, as the house filled it in; raise `Refused` if that job may not ask for this."""
    may = MAY[type(command)]
    for job in JOBS:
        if job == envelope.actor.job and job in may:
            return job
    listed = ", ".join(map(job_in_words, may))
    raise refused(Reason.JOB_NOT_ALLOWED, f"{envelope.actor.id} is {job_in_words(envelope.actor.job)} here; these may: {listed}.")


def check_note(note: str) -> None:
    """Raise `Refused` for what would not lie in one line of a statement or a list: nothing written may look like the house's own."""
    if len(note) > NOTE_MAX or not note.isprintable():
        raise refused(Reason.BAD_REQUEST, f"a note is one line of at most {NOTE_MAX} characters that can be printed.")
