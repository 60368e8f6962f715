"""The house on disk: made at the first start, secrets closed, and only players added later."""

import stat
from pathlib import Path

import pytest

from feltlog.credentials import public_keys
from feltlog.house import House
from feltlog.permissions import HOUSE
from feltlog.trouble import Trouble


def mode(path: Path) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house after its first start."""
    house = House(tmp_path / "house")
    house.prepare()
    return house


def test_secrets_are_their_owners_alone(house: House):
    """Folder 0700, credentials and sealing key 0600."""
    assert (mode(house.secrets), {mode(path) for path in house.secrets.iterdir()}) == (0o700, {0o600})


def test_everybody_of_the_house_has_a_credential_of_their_own(house: House):
    """One key pair for each process and each member of staff."""
    keys = public_keys(house.secrets)
    everybody = HOUSE.keys() | house.staff().keys()

    assert (set(keys), len(set(keys.values()))) == (everybody, len(everybody))


def test_a_house_of_before_there_were_jobs_has_the_pit_alone(house: House):
    """Settings without `[staff]` go on: the pit is a pit boss, and nobody else is staff."""
    house.tables.write_text('[house]\noperator = "feltlog"\nday_starts = "06:00"\nzone = "America/Toronto"\n')

    assert house.staff() == {"pit": "pit_boss"}


def test_a_player_is_never_staff(house: House):
    """The name of somebody who works here is no player's."""
    with pytest.raises(Trouble, match="'supervisor' belongs to the house"):
        house.create_players(["supervisor"])


def test_second_start_keeps_what_the_first_one_made(house: House):
    """Keys that sealed a shoe and settings that an operator changed are never made anew."""
    house.tables.write_text("# mine\n")
    before = {path: path.read_bytes() for path in house.secrets.iterdir()}
    house.prepare()

    assert (house.tables.read_text(), {path: path.read_bytes() for path in house.secrets.iterdir()}) == ("# mine\n", before)


def test_a_copy_that_is_only_read_gets_no_sealing_key(tmp_path: Path):
    """The key of the house that it is a copy of is put there by a person; a new one would only look like it."""
    copy = House(tmp_path / "copy")
    copy.prepare(plays=False)

    assert (copy.sealing_key.exists(), copy.credentials("reader").exists()) == (False, True)


def test_players_are_those_who_do_not_belong_to_the_house(house: House):
    """A player is whoever else holds a credential."""
    house.add_players(["bob", "ann", "ann"])

    assert house.players() == ["ann", "bob"]


@pytest.mark.parametrize("name", ["table", "pit", "provisioner", "", "ann.bob", "*", ">", "../ann", "a b", "x" * 65])
def test_a_name_that_would_be_another_subject_is_no_players(house: House, name: str):
    """A player's name stands in subjects and file names, and must not be somebody of the house."""
    with pytest.raises(Trouble):
        house.add_players([name])

    assert house.players() == []


def test_credential_that_others_can_read_is_refused(house: House):
    """A key that leaked is told before it is used."""
    house.credentials("shoe").chmod(0o644)

    with pytest.raises(Trouble, match="can be read by others"):
        public_keys(house.secrets)


def test_credential_that_nobody_has_is_told(house: House):
    """Asking for a stranger's credential names the stranger and the place."""
    with pytest.raises(Trouble, match="Nobody called 'eve' has a credential"):
        house.credentials("eve")
