"""What a log and its durables must look like on the server: the settings that its promises rest on.

One place says it to the provisioner, who makes logs so, and to every service, which compares before it trusts one.
"""

from typing import Any

from shared.contracts.subjects import Service, log_day, log_pattern

LOG_BYTES_MAX = 256 * 1024 * 1024
DUPLICATE_WINDOW_NS = 120 * 10**9
ACK_WAIT_NS = 30 * 10**9
ACK_PENDING_MAX = 16_384

LISTENERS: dict[str, tuple[Service, ...]] = {
    "table": ("table", "shoe", "wallet", "surveillance"),
    "shoe": ("table", "surveillance"),
    "wallet": ("table", "surveillance"),
    "surveillance": (),
}
"""Who hears a service's logs, each by a durable of the listener's name."""

STREAM_SETTINGS: dict[str, Any] = {
    # Everything is kept, on disk, until an archivist takes the whole log away.
    "storage": "file",
    "retention": "limits",
    "max_age": 0,
    "max_msgs": -1,
    "max_msgs_per_subject": -1,
    "max_msg_size": -1,
    "max_consumers": -1,
    "compression": "none",
    # A full log refuses; it never forgets to make room.
    "discard": "new",
    "deny_delete": True,
    "deny_purge": True,
    "allow_direct": True,
    "duplicate_window": DUPLICATE_WINDOW_NS,
}

STREAM_UNSET = (
    "discard_new_per_subject",
    "allow_rollup_hdrs",
    "allow_msg_ttl",
    "allow_msg_counter",
    "allow_msg_schedules",
    "allow_batched",
    "subject_delete_marker_ttl",
    "no_ack",
    "mirror",
    "sources",
    "republish",
    "subject_transform",
    "consumer_limits",
    "persist_mode",
    "first_seq",
)
"""Settings that must be absent, false or empty: each would change, drop or reorder entries."""

CONSUMER_SETTINGS: dict[str, Any] = {
    "ack_policy": "explicit",
    "deliver_policy": "all",
    "replay_policy": "instant",
    "ack_wait": ACK_WAIT_NS,
    "max_deliver": -1,
    "max_ack_pending": ACK_PENDING_MAX,
}

CONSUMER_UNSET = (
    "filter_subject",
    "filter_subjects",
    "inactive_threshold",
    "backoff",
    "headers_only",
    "deliver_subject",
    "opt_start_seq",
    "opt_start_time",
    "rate_limit_bps",
    "mem_storage",
    "pause_until",
    "priority_groups",
    "max_batch",
    "max_expires",
    "max_bytes",
)
"""Settings that must be absent, false or empty: each would hide entries from a listener or let the durable expire."""


def stream_settings(log: str) -> dict[str, Any]:
    """Return what the server must say about the log's JetStream stream; its size limit is the operator's choice."""
    service, day = log_day(log)
    return {"name": log, "subjects": [log_pattern(service, day)], **STREAM_SETTINGS}


def consumer_settings(durable: str) -> dict[str, Any]:
    """Return what the server must say about a durable."""
    return {"durable_name": durable, **CONSUMER_SETTINGS}


def listeners(log: str) -> tuple[Service, ...]:
    """Return the services that hear `log`."""
    return LISTENERS[log_day(log)[0]]


def mismatch(found: dict[str, Any], wanted: dict[str, Any], unset: tuple[str, ...]) -> str | None:
    """Return the first difference as a phrase, None if everything is as it must be.

    >>> mismatch({"discard": "old"}, {"discard": "new"}, ())
    'discard is "old", but must be "new"'
    """
    for key, value in wanted.items():
        if found.get(key) != value:
            return f"{key} is {_said(found.get(key))}, but must be {_said(value)}"
    for key in unset:
        if found.get(key):
            return f"{key} is {_said(found[key])}, but must not be set"
    return None


def _said(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case str():
            return f'"{value}"'
        case _:
            return str(value)
