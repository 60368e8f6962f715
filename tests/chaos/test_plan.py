"""The plan: the same seed means the same blows, and none of the targets is forgotten."""

from collections import Counter

from tests.chaos.plan import EVERYTHING, PROCESSES, Plan


def test_plan_is_the_same_for_the_same_seed():
    """What falls, on what and when is known before the house is started."""

    assert Plan(seed=7).blows() == Plan(seed=7).blows() != Plan(seed=8).blows()


def test_plan_counts_kills_alone():
    """Other blows come on top, half as many."""
    counted = Counter(blow.kind == "kill" for blow in Plan(seed=7, kills=200).blows())

    assert counted == {True: 200, False: 100}


def test_plan_of_thirty_kills_every_process_and_all_at_once():
    """Bad luck with a seed leaves nothing untried."""
    killed = [{blow.target for blow in Plan(seed=seed).blows() if blow.kind == "kill"} for seed in range(20)]

    assert killed == [{*PROCESSES, EVERYTHING}] * 20


def test_plan_of_thirty_has_blows_of_every_kind():
    """Processes hang, logs and disk fill up, consumers are deleted."""
    kinds = [{blow.kind for blow in Plan(seed=seed).blows()} for seed in range(20)]

    assert kinds == [{"kill", "pause", "restart", "full log", "full disk", "deleted consumer"}] * 20
