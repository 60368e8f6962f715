"""The house on disk: one directory with everything that must outlive a process.

tables.toml          what the operator may tune
nats/server.conf     written by us at every start      nats/store/   the logs themselves
secrets/<user>.nk    who may connect                   secrets/sealing.key   what seals a shoe's order
run/machine.json     what runs here now                logs/<process>.log    what the processes said
surveillance.sqlite  an index that can be built again from the logs
books.sqlite         the rows of the ledger, if they are not kept elsewhere
"""

from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

from feltlog.credentials import SUFFIX, create_sealing_key, create_user_key, public_keys
from feltlog.files import held, replace_file
from feltlog.nats_config import Ports, server_config
from feltlog.nats_server import SERVER, reload
from feltlog.permissions import HOUSE
from feltlog.running import Running, running_on
from feltlog.settings import DEFAULT, Settings, read_settings
from feltlog.trouble import Trouble
from shared.contracts.cage import RESERVED_NAMES
from shared.contracts.staff import PIT, Job
from shared.contracts.subjects import BadSubject, token
from shared.kernel.toml import quoted


class House:
    """A data directory.  Looking at it changes nothing; `Trouble` if no directory can have that name."""

    def __init__(self, data: Path | str) -> None:
        self.data = Path(data).absolute()
        try:
            self.data.stat()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            # Whoever needs it there says so.
            pass
        except (OSError, ValueError) as error:
            raise Trouble(f"{quoted(str(data))} cannot be a house's directory: {error.args[-1]}. Name another with --data.") from error

    @property
    def tables(self) -> Path:
        """The operator's settings."""
        return self.data / "tables.toml"

    @property
    def secrets(self) -> Path:
        """The folder of credentials and keys, closed to everybody but its owner."""
        return self.data / "secrets"

    @property
    def sealing_key(self) -> Path:
        """The key that seals the order of a shoe."""
        return self.secrets / "sealing.key"

    @property
    def server_conf(self) -> Path:
        """The configuration of nats-server."""
        return self.data / "nats" / "server.conf"

    @property
    def store(self) -> Path:
        """Where nats-server keeps the logs."""
        return self.data / "nats" / "store"

    @property
    def index(self) -> Path:
        """Surveillance's index."""
        return self.data / "surveillance.sqlite"

    @property
    def run(self) -> Path:
        """Where the machine that runs here notes itself down."""
        return self.data / "run"

    @property
    def running(self) -> Running | None:
        """What runs here now, or None."""
        return running_on(self.run)

    @property
    def machine_json(self) -> Path:
        """The note itself: ports and process ids."""
        return self.run / "machine.json"

    @property
    def exists(self) -> bool:
        """Whether this directory has ever been a house."""
        return self.store.is_dir()

    def log(self, process: str) -> Path:
        """Return the file that `process` writes its output to."""
        return self.data / "logs" / f"{process}.log"

    def credentials(self, user: str) -> Path:
        """Return the path of a user's credential; raise `Trouble` if there is none."""
        path = self.secrets / f"{user}{SUFFIX}"
        if not path.exists():
            raise Trouble(f"Nobody called {user!r} has a credential in {self.secrets}.")
        return path

    def players(self) -> list[str]:
        """Return everybody who holds a credential and does not belong to the house."""
        house = HOUSE.keys() | self.staff().keys()
        return sorted(name for name in public_keys(self.secrets) if name not in house)

    def staff(self) -> dict[str, Job]:
        """Return who works here as what; raise `Trouble` if `tables.toml` is not to be understood.

        Where there is none, as on another machine from which somebody only speaks to the house, it is the pit alone.
        """
        return PIT | self.settings().staff if self.tables.exists() else dict(PIT)

    def settings(self) -> Settings:
        """Return what `tables.toml` says; raise `Trouble` if it is not to be understood."""
        return read_settings(self.tables)

    def prepare(self, *, plays: bool = True) -> None:
        """Make whatever is missing: folders, a first `tables.toml`, the house's credentials, and to play the sealing key.

        A copy that is only read gets none: it would look as if it could open the shoes of the house that it is a copy of.
        """
        try:
            for folder in (self.data, self.store, self.run, self.data / "logs"):
                folder.mkdir(parents=True, exist_ok=True)
            self.secrets.mkdir(mode=0o700, exist_ok=True)
            self.secrets.chmod(0o700)
        except OSError as error:
            raise self._unfit(error) from error
        self.furnish(DEFAULT)
        for user in HOUSE:
            create_user_key(self.secrets, user)
        if plays:
            create_sealing_key(self.sealing_key)
            # Settings that are not to be understood stop whoever needs them, with a sentence of their own.
            with suppress(Trouble):
                for user in self.staff():
                    create_user_key(self.secrets, user)

    def furnish(self, tables: str) -> None:
        """Write a first `tables.toml` if there is none; raise `Trouble` if the directory cannot be one."""
        try:
            if not self.tables.exists():
                self.data.mkdir(parents=True, exist_ok=True)
                replace_file(self.tables, tables)
        except OSError as error:
            raise self._unfit(error) from error

    def _unfit(self, error: OSError) -> Trouble:
        return Trouble(f"{self.data} cannot hold the house: {error.strerror or error}. Choose another directory with --data.")

    def add_players(self, names: Iterable[str]) -> None:
        """Make sure that everybody in `names` can connect as a player; raise `Trouble` for a name that cannot be one."""
        self.create_players(names)
        running = self.running
        if running is not None and running.server_pid is not None:
            # One at a time: a reload that began before our key was written must not pass for ours.
            with held(self.secrets / "reload.lock"):
                self.write_server_conf(running.ports, self.staff())
                reload(running.ports, running.server_pid, self.server_conf)

    def create_players(self, names: Iterable[str]) -> None:
        """Make credentials for everybody in `names` who has none; no server is told."""
        for name in names:
            if name in HOUSE or name.lower() in RESERVED_NAMES or name in self.staff():
                raise Trouble(f"{name!r} belongs to the house and cannot be a player's name. Choose another.")
            try:
                create_user_key(self.secrets, token(name))
            except BadSubject as error:
                raise Trouble(f"{error}.") from error

    def write_server_conf(self, ports: Ports, staff: Container[str]) -> None:
        """Write the configuration for a server on `ports` that knows everybody who holds a credential now, some as `staff`."""
        replace_file(self.server_conf, server_config(ports, self.store, self.log(SERVER), public_keys(self.secrets), staff))
