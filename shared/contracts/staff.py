"""Staff: the jobs that the rule books name, and how the house says who has which.

A job belongs to a credential: the house's own settings say who has it, and the service that is asked fills it in.  What a
person sends never names it.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

Job = Literal[
    "dealer",
    "game_supervisor",
    "casino_supervisor",
    "duty_manager",
    "pit_boss",
    "inspector",
    "designated_representative",
    "support",
]
"""What a member of staff does at the tables, as the rule books call it."""

JOBS: tuple[Job, ...] = get_args(Job)
PIT: dict[str, Job] = {"pit": "pit_boss"}
"""Who is staff in every house: the user with whose credential the house's own commands speak."""


class BadStaff(ValueError):
    """A list of staff that says nothing: what is wrong with it."""


def job_in_words(job: str) -> str:
    """Return a job as people read it; nobody's is `no job`.

    >>> job_in_words("pit_boss"), job_in_words("")
    ('pit boss', 'no job')
    """
    return job.replace("_", " ") or "no job"


def staff_line(staff: Mapping[str, Job]) -> str:
    """Return a list of staff as it stands in a process's environment.

    >>> staff_line({"pit": "pit_boss", "manager": "duty_manager"})
    'manager=duty_manager,pit=pit_boss'
    """
    return ",".join(f"{name}={job}" for name, job in sorted(staff.items()))


def staff_of(line: str) -> dict[str, Job]:
    """Return who has which job; raise `BadStaff` for anything that `staff_line` does not write.

    >>> staff_of("manager=duty_manager,pit=pit_boss")
    {'manager': 'duty_manager', 'pit': 'pit_boss'}
    """
    named: dict[str, Job] = {}
    known = {str(job): job for job in JOBS}
    for each in filter(None, line.split(",")):
        found = re.fullmatch(r"([A-Za-z0-9_-]{1,64})=([a-z_]+)", each)
        if found is None or found[2] not in known or found[1] in named:
            raise BadStaff(f"{each!r} is not NAME=JOB, each name once; jobs are {', '.join(JOBS)}")
        named[found[1]] = known[found[2]]
    return named
