"""The configuration of nats-server, rendered whole from the house's ports and keys.

The file holds public keys only.  It is written anew at every start and whenever a player is added, and never edited:
what may differ from house to house stands in `tables.toml`, not here.
"""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path

import msgspec

from feltlog.permissions import Permission, permission

HOST = "127.0.0.1"
LOG_BYTES_MAX = "16MB"
LOGS_KEPT = 4
"""Every request that is not permitted is a line in the server's log, and whoever is not permitted much can ask often."""
SUBSCRIPTIONS_MAX = 1_000
"""How many subscriptions one connection may have: far more than anybody needs, far fewer than would fill the memory."""
STORE_BYTES_MAX = "1TB"
"""A promise that JetStream may keep to all streams together; each stream has its own smaller bound."""


class Ports(msgspec.Struct, frozen=True):
    """Where the server listens, on the loopback address."""

    client: int
    monitor: int

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://{HOST}:{self.client}"

    @property
    def monitor_url(self) -> str:
        """Where the server tells how it is."""
        return f"http://{HOST}:{self.monitor}"


def server_config(ports: Ports, store: Path, log: Path, public_keys: Mapping[str, str], staff: Container[str] = ()) -> str:
    """Return the text of `server.conf` for the users in `public_keys` (name to public nkey), of whom some are `staff`."""
    users = "\n".join(user_block(name, key, permission(name, staff)) for name, key in sorted(public_keys.items()))
    return f"""\
# Written by feltlog at every start; changes made here are lost.
server_name: feltlog
listen: "{HOST}:{ports.client}"
http: "{HOST}:{ports.monitor}"
max_payload: 8MB
max_subscriptions: {SUBSCRIPTIONS_MAX}
log_file: {quoted(str(log))}
logfile_size_limit: {LOG_BYTES_MAX}
logfile_max_num: {LOGS_KEPT}
ping_interval: "10s"
ping_max: 2

jetstream {{
  store_dir: {quoted(str(store))}
  max_file_store: {STORE_BYTES_MAX}
  # An acknowledged entry is on the disk: without this an outage of the machine could forget money.
  sync_interval: always
}}

authorization {{
  users: [
{users}
  ]
}}
"""


def user_block(name: str, key: str, may: Permission) -> str:
    """Return the entry of one user, for people to read as well as for the server."""
    return f"""\
    # {name}
    {{
      nkey: {key}
      permissions: {{
        publish: {{
          allow: {listed(may.publish)}
          deny: {listed(may.never_publish)}
        }}
        subscribe: {{
          allow: {listed(may.subscribe)}
        }}
      }}
    }}"""


def listed(subjects: Sequence[str]) -> str:
    """Return a list in the server's notation, one subject a line; an empty allowance would allow everything, so it names none."""
    if not subjects:
        return '["_NOTHING"]'
    return "[\n" + "".join(f"            {quoted(subject)}\n" for subject in subjects) + "          ]"


def quoted(text: str) -> str:
    """Return `text` as a string that the server reads literally, dollar signs and backslashes included."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
