"""The course of a round: who may say what, and what it means in each phase."""

from services.table.domain.round import COMMANDS, DECIDED, SPEAKERS


def test_every_command_means_something_in_every_phase():
    """Whoever adds a command says who may give it, and what it means before, while and after a round is played."""
    assert [set(SPEAKERS), *map(set, DECIDED.values())] == [set(COMMANDS)] * 5
