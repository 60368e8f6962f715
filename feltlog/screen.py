"""The screen: what this terminal can show, and how sentences with cards are drawn on it.

To a file or a pipe everything goes as UTF-8 with a fixed width and no colours, whatever the machine's language, so that
the same log gives the same bytes everywhere.  A terminal gets coloured suits, or letters where it has no suits.  What is
printed is text and nothing else: a name from a log, or a path, gives no colours and no pictures, whatever brackets it has.
"""

import shutil
import sys
from typing import Any, TextIO

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from feltlog.wording import RED, Card, Sentence, face

PAPER_WIDTH = 120
WIDTH_MAX = 10_000
"""More columns than any table of ours has."""
WIDE = 100
"""On fewer columns a list of many columns shows those without which a person cannot go on."""
PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}


def screen(file: TextIO | None = None) -> Console:
    """Return a console for `file`, or for standard output."""
    out = sys.stdout if file is None else file
    if out.isatty():
        return Console(file=out, **PLAIN)
    reconfigure = getattr(out, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return Console(file=out, width=PAPER_WIDTH, color_system=None, force_terminal=False, legacy_windows=False, **PLAIN)


def has_suits(console: Console) -> bool:
    """Return whether the console can show the signs of the suits."""
    return console.encoding.lower().replace("-", "").startswith("utf")


def drawn(sentence: Sentence, *, letters: bool = False, style: str = "") -> Text:
    """Return a sentence for a console, red suits in red."""
    text = Text(style=style)
    for part in sentence:
        if isinstance(part, Card):
            text.append(face(part, letters=letters), style="bold red" if part[1:] in RED else "bold")
        else:
            text.append(part)
    return text


def write_json(value: Any, file: TextIO | None = None) -> None:
    """Write one object as one line of JSON, in UTF-8 whatever the machine's language is."""
    write_text(msgspec.json.encode(value).decode() + "\n", file)


def write_text(text: str, file: TextIO | None = None) -> None:
    """Write a text byte for byte as it is, in UTF-8, with its own ends of lines."""
    out = sys.stdout if file is None else file
    binary = getattr(out, "buffer", None)
    if binary is None:
        out.write(text)
        return
    out.flush()
    binary.write(text.encode())
    binary.flush()


def called() -> str:
    """Return how this command is typed here: `feltlog` where it is on the path, else as it was typed now."""
    if shutil.which("feltlog"):
        return "feltlog"
    return "python -m feltlog" if sys.argv[0].endswith("__main__.py") else sys.argv[0]


def fitting(console: Console, wide: Table, narrow: Table) -> Table:
    """Return the wide table if the console shows it without folding or cutting anything, else the narrow one."""
    # rich measures no table wider than the console that is asked, so it is asked about one without an edge.
    boundless = console.options.update(max_width=WIDTH_MAX)
    return wide if Measurement.get(console, boundless, wide).maximum <= console.width else narrow


def plain_table(**options: Any) -> Table:
    """Return an empty table with as little ink as can be: a line under its headings and nothing at its edges."""
    return Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold", **options)
