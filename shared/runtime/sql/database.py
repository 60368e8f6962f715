"""The database that rows are kept in: an SQLite file, or PostgreSQL where a URL says so.

A URL may hold a password, and a refused statement may hold a player's name: neither is ever shown.  A database that is away
is waited for by whoever can wait; one that cannot be used says so in a sentence, for no waiting will make it better.
"""

import logging
import re
import ssl
import struct
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from shared.runtime.settings import SettingMissing

BUSY_S = 10
"""How long one process waits while another writes."""
SILENCE_S = 60
"""How long a server on the network may take to answer."""
LINE_BROKE = (OSError, EOFError, struct.error)
"""What the driver of a server raises of its own where the line ends in the middle of a word."""
NO_PATH = re.compile(r"[^/]*[:=@]|.*:.*@", re.DOTALL)
"""What somebody meant as a URL, or as words for another driver: as a path it would be shown, and it may hold a password."""
SSL_MODES = ("disable", "require", "verify-full")
AWAY = ("08", "53", "57", "40")
"""Classes of SQLSTATE that tell of a server that is not reached, is full, is going down, or wants to be asked again."""
AWAY_FILE = ("SQLITE_BUSY", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")

Where = Path | URL
"""An SQLite file, or a database on a server."""

Failure = DBAPIError
"""What the database could not do; `Index.trouble` says it in a sentence."""


class DatabaseUnusable(SettingMissing):
    """The database is none that rows can be kept in: it is not there, it lets nobody in, or it holds something else."""

    def __init__(self, where: Where, why: object) -> None:
        super().__init__(f"The database {shown(where)} cannot be used: {str(why).rstrip('.')}.")


class DatabaseAway(DatabaseUnusable):
    """The database does not answer now, or cannot write now; it may in a while."""


def where_of(text: str, *, setting: str, beside: Path = Path()) -> Where:
    """Return the database that `text` names: a path, `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST:PORT/NAME`.

    A path that does not begin at the root begins at `beside`.
    A server's URL may end in `?sslmode=require`, or in `?sslmode=verify-full` with `&sslrootcert=PATH`.
    Raise `SettingMissing` for anything else, with a sentence that begins with `setting` and shows nothing of the text.
    """
    if "://" not in text:
        if not text.strip() or NO_PATH.match(text):
            raise SettingMissing(f"{setting} is neither a path nor a URL. Write one such as postgresql://USER:PASSWORD@HOST:5432/NAME.")
        return beside / text
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise SettingMissing(f"{setting} is no URL of a database. Write one such as postgresql://USER:PASSWORD@HOST:5432/NAME.") from None
    if url.drivername == "sqlite" and url.database and not (url.host or url.query):
        return beside / url.database
    if url.drivername not in ("postgresql", "postgres", "postgresql+pg8000") or not url.database:
        raise SettingMissing(f"{setting} names no database that rows can be kept in. Write sqlite:///PATH or postgresql://USER@HOST/NAME.")
    if "@" in f"{url.host}{url.database}" or "#" in url.database:
        # A password with such a sign ends too early, and the rest of it would be shown as the name of a host.
        raise SettingMissing(f"{setting} is not to be understood: write an @ in a password as %40, a / as %2F and a # as %23.")
    unknown = sorted(set(url.query) - {"sslmode", "sslrootcert"})
    if unknown or url.query.get("sslmode", "disable") not in SSL_MODES:
        raise SettingMissing(f"{setting}: behind the ? may stand sslmode={'|'.join(SSL_MODES)} and sslrootcert=PATH, and nothing else.")
    return url.set(drivername="postgresql+pg8000")


def shown(where: Where) -> str:
    """Return a database as people may see it: without its password, and without what else stands behind the `?`."""
    if isinstance(where, Path):
        return str(where)
    return where.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def engine_of(where: Where) -> Engine:
    """Return the way to a database; nothing is reached for yet."""
    return _file(where) if isinstance(where, Path) else _server(where)


def trouble(where: Where, error: DBAPIError) -> DatabaseUnusable:
    """Return what is wrong with a database, in a sentence; `DatabaseAway` if that may pass."""
    origin: Any = error.orig
    if isinstance(where, Path):
        name = getattr(origin, "sqlite_errorname", "") or ""
        return (DatabaseAway if name.startswith(AWAY_FILE) else DatabaseUnusable)(where, origin)
    said = origin.args[0] if origin is not None and origin.args else origin
    if isinstance(said, dict):
        away = str(said.get("C", "")).startswith(AWAY)
        return (DatabaseAway if away else DatabaseUnusable)(where, said.get("M", "it says nothing more"))
    # What has no code was not said by the server: it was not reached, or went away in the middle of a sentence.
    return DatabaseAway(where, f"it is not reached ({str(said or 'no answer').partition(' (timeout')[0]})")


def _file(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": BUSY_S}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        # The driver's own transactions begin with the first change; ours begin where we say so, and reading has one too.
        connection.isolation_level = None
        # Readers see the last whole state while one process writes; what a power cut takes is built again from the logs.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _server(url: URL) -> Engine:
    arguments: dict[str, Any] = {"timeout": SILENCE_S, "application_name": "feltlog"}
    mode = url.query.get("sslmode", "disable")
    if mode != "disable":
        root = url.query.get("sslrootcert")
        try:
            context = ssl.create_default_context(cafile=root if isinstance(root, str) else None)
        except OSError as error:
            raise DatabaseUnusable(url, f"the certificates of sslrootcert cannot be read ({error.strerror})") from None
        if mode == "require":
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        arguments["ssl_context"] = context
    # What the pool has to say of a connection that broke is a traceback; whoever asked says it in a sentence.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    engine = create_engine(url.set(query={}), connect_args=arguments, pool_pre_ping=True, pool_size=2, hide_parameters=True)

    @event.listens_for(engine, "do_connect")
    def _reach(dialect: Any, _record: Any, ways: Any, chosen: Any) -> Any:
        # A server that dies while somebody reaches for it leaves the driver with bare errors of the line.
        try:
            return dialect.connect(*ways, **chosen)
        except LINE_BROKE as error:
            raise dialect.dbapi.InterfaceError(str(error)) from error

    @event.listens_for(engine, "handle_error")
    def _line_broke(context: Any) -> None:
        if isinstance(context.original_exception, LINE_BROKE):
            raise OperationalError(None, None, context.original_exception) from context.original_exception

    return engine
