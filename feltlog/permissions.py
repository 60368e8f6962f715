"""Permissions: one table of who may say and hear what, enforced by the server and denied by default.

Every service has its own user, so a fault or a break-in in one of them cannot write another's log.  `HOUSE` below is
the table for people to read; the rest of the module spells it out in the server's subjects.  Three facts about the
server shape it, all tried on 2.15.1:

- `allow_responses` overrides every other permission: a player who names a log as the reply subject of a command would
  have the service's answer stored in that log.  So nobody has it; services answer to `_INBOX.*.>` and nowhere else.
- A JetStream stream is one token (`LOG_TABLE_20261130`) and wildcards match whole tokens, so a request to read cannot be
  limited to one service's logs.  Whoever may read may read every log; no log holds anything that others must not know.
- A consumer that exists is changed by creating it again, so nobody but the provisioner creates any, and a service takes
  messages only from the durables that carry its own name.

What permissions cannot hold: whoever may ask the JetStream API may name any subject for its answer, a log's too.  Such an
entry is no entry: the next append of the log's owner meets the fence, and surveillance finds bytes that decode to nothing.
"""

from collections.abc import Container

import msgspec

from shared.contracts.subjects import inbox, token

API = "$JS.API"

REMOVAL = (
    f"{API}.STREAM.DELETE.>",
    f"{API}.STREAM.PURGE.>",
    f"{API}.STREAM.RESTORE.>",
    f"{API}.STREAM.MSG.DELETE.>",
    f"{API}.CONSUMER.DELETE.>",
)
"""Requests that make something recorded disappear; nobody may."""

CHANGE = (f"{API}.STREAM.CREATE.>", f"{API}.STREAM.UPDATE.>", f"{API}.CONSUMER.CREATE.>", f"{API}.CONSUMER.DURABLE.>")
"""Requests by which a log could be made to forget, or a service to miss something; only the provisioner may."""


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """What one user may do, in the house's own words."""

    says: tuple[str, ...] = ()
    """Subjects that it may publish."""
    listens: tuple[str, ...] = ()
    """Subjects that it may subscribe to, besides its own inbox."""
    answers: bool = False
    """Whether it may answer into other people's inboxes."""
    reads: bool = False
    """Whether it may read the logs, all of them, from any point."""
    hears: bool = False
    """Whether it works off the durable consumers that carry its name."""
    provisions: bool = False
    """Whether it may create and change JetStream streams and consumers."""


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """What one user may do, in the server's words."""

    publish: tuple[str, ...]
    never_publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def service(name: str, *, listens: tuple[str, ...] = ()) -> Rights:
    """Return the rights of a service: it writes its own log, answers whoever asks it, and hears and reads the other logs."""
    return Rights(
        says=(f"log.{name}.>", f"view.{name}.>", f"alarm.{name}.>"),
        listens=(f"cmd.{name}.>", f"query.{name}.>", *listens),
        answers=True,
        reads=True,
        hears=True,
    )


def staff(name: str) -> Rights:
    """Return the rights of a member of staff: to speak under their own name, to watch the felt and to hear alarms."""
    speaks = (f"cmd.*.staff.*.{token(name)}", f"query.*.staff.*.{token(name)}")
    return Rights(says=speaks, listens=("view.table.felt.*", "alarm.>"))


HOUSE: dict[str, Rights] = {
    "provisioner": Rights(
        says=("alarm.provisioner.>",),
        listens=("cmd.provisioner.>", "query.provisioner.>"),
        answers=True,
        reads=True,
        provisions=True,
    ),
    "shoe": service("shoe"),
    "wallet": service("wallet"),
    "table": service("table"),
    "surveillance": service("surveillance", listens=("alarm.>",)),
    "reader": Rights(reads=True),
    "pit": staff("pit"),
}
"""Everybody who belongs to every house.  Whoever else holds a credential is staff if the house's settings say so, else a player."""


def player(name: str) -> Rights:
    """Return the rights of a player: to speak under their own name and to watch the felt."""
    return Rights(says=(f"cmd.*.player.*.{token(name)}", f"query.*.player.*.{token(name)}"), listens=("view.table.felt.*",))


def rights(user: str, employed: Container[str] = ()) -> Rights:
    """Return the rights of `user`, who is staff if `employed`; raise `BadSubject` if that cannot be anybody's name."""
    return HOUSE.get(user) or (staff(user) if user in employed else player(user))


def permission(user: str, employed: Container[str] = ()) -> Permission:
    """Return what the server lets `user` do, who is staff if `employed`."""
    may = rights(user, employed)
    return Permission(
        publish=(*may.says, *answering(may), *reading(may), *hearing(user, may), *provisioning(may)),
        never_publish=forbidden(may),
        subscribe=(*may.listens, f"{inbox(user)}.>"),
    )


def answering(may: Rights) -> tuple[str, ...]:
    """Return the subjects on which answers go out."""
    return ("_INBOX.*.>",) if may.answers else ()


def reading(may: Rights) -> tuple[str, ...]:
    """Return the requests that reading a log from any point takes; they leave nothing behind on the server."""
    if not may.reads:
        return ()
    return (
        f"{API}.STREAM.LIST",
        f"{API}.STREAM.NAMES",
        f"{API}.STREAM.INFO.*",
        f"{API}.STREAM.MSG.GET.*",
        f"{API}.DIRECT.GET.*",
        f"{API}.CONSUMER.INFO.*.*",
    )


def hearing(user: str, may: Rights) -> tuple[str, ...]:
    """Return the requests that working off the durable consumers named `user` takes; an acknowledgement is one of them."""
    if not may.hears:
        return ()
    # The server writes acknowledgement subjects with or without a domain and an account in front of the stream.
    return (f"{API}.CONSUMER.MSG.NEXT.*.{user}", f"$JS.ACK.*.{user}.>", f"$JS.ACK.*.*.*.{user}.>")


def provisioning(may: Rights) -> tuple[str, ...]:
    """Return the requests that make the streams and consumers of a gaming day; none of them removes anything."""
    if not may.provisions:
        return ()
    return (
        f"{API}.INFO",
        f"{API}.STREAM.CREATE.*",
        f"{API}.STREAM.UPDATE.*",
        f"{API}.CONSUMER.NAMES.*",
        f"{API}.CONSUMER.LIST.*",
        f"{API}.CONSUMER.CREATE.*.*",
    )


def forbidden(may: Rights) -> tuple[str, ...]:
    """Return a second lock on what would destroy a log: it holds even if a pattern above were one day too wide."""
    if may.provisions:
        return REMOVAL
    return (*REMOVAL, *CHANGE)
