"""The server's configuration: loopback only, on the disk before it is acknowledged, and public keys alone."""

from pathlib import Path

from feltlog.credentials import public_keys
from feltlog.house import House
from feltlog.nats_config import Ports, quoted, server_config
from feltlog.permissions import CHANGE, HOUSE, REMOVAL, permission

PORTS = Ports(4222, 8222)
LOG = Path("/data/logs/nats-server.log")


def test_config_listens_on_the_loopback_address_only():
    """Nobody from another machine gets as far as being refused."""
    text = server_config(PORTS, Path("/data/store"), LOG, {})

    assert [line for line in text.splitlines() if line.startswith(("listen", "http"))] == [
        'listen: "127.0.0.1:4222"',
        'http: "127.0.0.1:8222"',
    ]


def test_config_forces_every_entry_to_the_disk():
    """What was acknowledged survives a power cut."""
    assert "  sync_interval: always\n" in server_config(PORTS, Path("/data/store"), LOG, {})


def test_config_bounds_what_anybody_who_may_connect_can_use_up():
    """A line for every request that is not permitted would fill the disk that the logs lie on, and subscriptions the memory."""
    text = server_config(PORTS, Path("/data/store"), LOG, {})
    bounds = {line.partition(":")[0] for line in text.splitlines()}

    assert {"log_file", "logfile_size_limit", "logfile_max_num", "max_subscriptions", "max_payload"} <= bounds


def test_config_is_the_same_for_the_same_house():
    """Users stand in the order of their names, so that two configurations can be compared."""
    keys = {"table": "UA", "ann": "UB"}

    assert server_config(PORTS, Path("/s"), LOG, keys) == server_config(PORTS, Path("/s"), LOG, dict(reversed(keys.items())))


def test_config_holds_no_secret(tmp_path: Path):
    """Seeds stay in their files; the server is told public keys."""
    house = House(tmp_path)
    house.prepare()
    text = server_config(PORTS, house.store, LOG, public_keys(house.secrets))
    seeds = [path.read_text().strip() for path in house.secrets.glob("*.nk")]

    assert [seed for seed in seeds if seed in text] == []


def test_config_quotes_a_path_with_odd_signs():
    """A directory may be called anything."""
    assert quoted('a "b" \\c $d') == '"a \\"b\\" \\\\c $d"'


def test_everybody_of_the_house_who_reads_is_denied_removal_by_name():
    """The second lock is on every door that leads to the logs."""
    readers = [name for name, may in HOUSE.items() if may.reads]

    assert [name for name in readers if not set(REMOVAL) <= set(permission(name).never_publish)] == []


def test_only_the_provisioner_lacks_the_lock_on_changes():
    """One process makes logs and consumers, and no other."""
    assert [name for name, may in HOUSE.items() if may.reads and not set(CHANGE) <= set(permission(name).never_publish)] == ["provisioner"]


def test_nobody_may_listen_to_all_inboxes():
    """Answers are for whoever asked."""
    heard = [
        subject for name in [*HOUSE, "ann"] for subject in permission(name).subscribe if subject.startswith("_INBOX") or subject == ">"
    ]

    assert sorted(heard) == sorted(f"_INBOX.{name}.>" for name in [*HOUSE, "ann"])
