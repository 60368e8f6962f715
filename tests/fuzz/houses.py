"""Directories that somebody may name as a house and that are none, each in its own way; no process is ever started on one."""

from pathlib import Path

from feltlog.settings import DEFAULT

NAMES = (
    "nowhere",
    "nowhere/deep",
    "empty",
    "file",
    "file/within",
    "closed",
    "settled",
    "nonsense",
    "tables_is_a_folder",
    "secrets_is_a_file",
    "spoiled_keys",
    "spoiled_note",
    "x" * 300,
    "",
    ".",
    "[bold]",
    "é 🂡",
    "a\0b",
    "line\nbreak",
)

IMPOSSIBLE = ("file", "file/within", "secrets_is_a_file", "x" * 300, "a\0b")
"""Where nothing can be started: the commands that start a house are given these alone."""


def furnish(root: Path) -> None:
    """Make those of the directories that can be made."""
    for name in ("empty", "closed", "settled", "nonsense", "tables_is_a_folder", "secrets_is_a_file", "spoiled_keys", "spoiled_note"):
        (root / name).mkdir()
    (root / "file").write_text("no house\n")
    (root / "nonsense" / "tables.toml").write_bytes(b"[house\n\xff")
    (root / "tables_is_a_folder" / "tables.toml").mkdir()
    for name in ("settled", "secrets_is_a_file", "spoiled_keys", "spoiled_note"):
        (root / name / "tables.toml").write_text(DEFAULT)
    (root / "secrets_is_a_file" / "secrets").write_text("no folder\n")
    (root / "spoiled_keys" / "secrets").mkdir()
    for user in ("pit", "reader", "ann"):
        (root / "spoiled_keys" / "secrets" / f"{user}.nk").write_bytes(b"\xffno key\n")
    (root / "spoiled_note" / "run").mkdir()
    (root / "spoiled_note" / "run" / "machine.json").write_bytes(b'{"pid":' + b"9" * 400)
    (root / "spoiled_note" / "surveillance.sqlite").write_bytes(b"no database at all")
    (root / "closed").chmod(0)
