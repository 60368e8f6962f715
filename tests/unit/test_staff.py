"""Staff: who has which job is the house's to say, and nobody's who asks."""

import pytest

from shared.contracts.staff import JOBS, BadStaff, staff_line, staff_of
from shared.contracts.subjects import addressed
from shared.kernel.folded import fingerprint
from shared.kernel.messages import Actor, Refused
from shared.runtime.settings import SettingMissing, from_environment
from tests.service import NotingApp, World

ENVIRONMENT = {"FELTLOG_NATS_URL": "nats://x", "FELTLOG_MONITOR_URL": "http://x", "FELTLOG_CREDENTIALS": "x.nk", "FELTLOG_DATA": "x"}


def test_staff_of_a_line_is_what_was_written():
    """What the house hands to a process comes out of its environment as it was."""
    staff = dict(zip([f"n{number}" for number in range(len(JOBS))], JOBS, strict=True))

    assert staff_of(staff_line(staff)) == staff


@pytest.mark.parametrize("line", ["pit", "pit=", "pit=boss", "pit=pit_boss,pit=dealer", "p t=dealer", "pit=dealer;ann=dealer"])
def test_staff_of_anything_else_is_nobody(line: str):
    """A list that is half understood would give somebody no job, or another's."""
    with pytest.raises(BadStaff):
        staff_of(line)


def test_a_process_knows_the_staff_of_its_environment():
    """The pit is a pit boss unless the house says otherwise."""
    found = [from_environment(ENVIRONMENT | more).staff for more in ({}, {"FELTLOG_STAFF": "ann=dealer"}, {"FELTLOG_STAFF": "pit=dealer"})]

    assert found == [{"pit": "pit_boss"}, {"pit": "pit_boss", "ann": "dealer"}, {"pit": "dealer"}]


def test_a_process_does_not_start_with_staff_that_it_does_not_understand():
    """The setting is named."""
    with pytest.raises(SettingMissing, match="FELTLOG_STAFF: 'ann=boss' is not NAME=JOB"):
        from_environment(ENVIRONMENT | {"FELTLOG_STAFF": "ann=boss"})


async def test_a_request_of_staff_carries_the_job_that_the_house_gave():
    """Who asks stands in the subject; which job that is stands in the house's settings."""
    async with World().running(NotingApp()) as process:
        asked = [process.actor(addressed(f"cmd.table.{who}")) for who in ("staff.T1.pit", "staff.T1.ann", "player.T1.pit")]

    assert asked == [Actor("staff", "pit", "pit_boss"), Actor("staff", "ann"), Actor("player", "pit")]


async def test_a_request_comes_from_people_alone():
    """The house does not ask itself through the door."""
    async with World().running(NotingApp()) as process:
        with pytest.raises(Refused) as refused:
            process.actor(addressed("cmd.table.house.T1.pit"))

    assert refused.value.code == "not_allowed_for_role"


def test_a_request_is_the_same_after_its_asker_has_another_job():
    """A repeated request is answered as it was, also when the house was started anew in between."""
    assert fingerprint("command", Actor("staff", "ann", "dealer")) == fingerprint("command", Actor("staff", "ann"))
