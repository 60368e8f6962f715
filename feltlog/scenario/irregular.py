"""Irregularities in a scenario: who says that something went wrong, who agrees, and at which card it happens.

What they do is the table's business; here a step becomes a proposal and an approval by two members of staff, at the moment
that the file names.
"""

from typing import Any

import msgspec
from msgspec import UNSET

from feltlog.scenario.text import Invalid, Irregularity
from shared.contracts.rulings import KINDS, AnyRuling, DealerOverdraw, MissedBox
from shared.contracts.staff import JOBS
from shared.kernel.messages import Actor

TAKES = {
    "void": "none",
    "misdeal": "none",
    "device_malfunction": "none",
    "face_up_card": "one",
    "unexposed_card": "none: it is the next one anyway",
    "exposed_card": "one, the next card for whoever draws; none of its own in the deal, where it is the next card anyway",
    "dealer_overdraw": "one, under `live` four, when the dealer must stand",
    "missed_box": "none",
    "dead_hand": "none",
    "wrong_position": "none",
    "game_error": "three",
    "misread": "none",
}
"""How many cards of the list each kind takes."""

OWN = ("box", "hand", "card", "found", "cards")
"""Fields of a step that belong to some kinds alone."""


def person(text: str, path: str) -> Actor:
    """Return who a step names: a job, or a name and a job as in `lee/pit_boss`; raise `Invalid` for anything else."""
    name, _, job = text.rpartition("/")
    if job not in JOBS or (not name and "/" in text):
        raise Invalid("bad_value", path, f"{text!r} is no job, nor NAME/JOB; jobs are {', '.join(JOBS)}.")
    return Actor("staff", name or job, job)


def ruling(step: Irregularity, at: int) -> AnyRuling:
    """Return what a step asks for; raise `Invalid` if its fields are not those of its kind."""
    path = f"$.steps[{at}]"
    kind = KINDS.get(step.kind)
    if kind is None:
        raise Invalid("bad_value", f"{path}.kind", f"There is no kind {step.kind!r}; kinds are {', '.join(KINDS)}.")
    given: dict[str, Any] = {name: value for name in OWN if (value := getattr(step, name)) is not UNSET}
    for name in given.keys() - set(kind.__struct_fields__):
        raise Invalid("unknown_field", f"{path}.{name}", f"{step.kind} has no {name}.")
    try:
        found: AnyRuling = msgspec.convert({"kind": step.kind, **msgspec.to_builtins(given)}, AnyRuling)
    except msgspec.ValidationError as error:
        code = "missing_field" if "missing required field" in str(error) else "bad_value"
        raise Invalid(code, path, f"{error}.") from error
    return found


def check(step: Irregularity, at: int) -> None:
    """Raise `Invalid` for a step that means nothing, whatever the rules would say to it."""
    ruling(step, at)
    person(step.by, f"$.steps[{at}].by")
    if step.approved_by is not None:
        person(step.approved_by, f"$.steps[{at}].approved_by")


def before_the_deal(step: Irregularity) -> bool:
    """Return whether a step is for the moment before the first card, wherever it stands."""
    return step.kind == MissedBox.__struct_config__.tag or (step.at_card == 0 and not when_the_cards_are_called(step))


def when_the_cards_are_called(step: Irregularity) -> bool:
    """Return whether a step must be known before the dealer plays, wherever it stands."""
    return step.kind == DealerOverdraw.__struct_config__.tag
