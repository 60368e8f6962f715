"""Documents that run: the code blocks of a Markdown file, taken out and executed.

A block with the info word `python` or `console` is run.  A comment on the line before it says where:

    <!-- run: integration -->   needs a server: tests/integration runs it, with `run(block, environment)`
    <!-- run: ci -->            takes minutes: `.ci/run` has it as a step

Without a comment it is run by the house tests.  A `python` block with prompts is a doctest that
goes on from those before it; one without is plain code.  In a
`console` block a line after `$ ` is a command and the lines below it are its output, in which `...` stands for anything.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.house.tree import ROOT, name_of

_BLOCK = re.compile(r"(?:^<!-- run: (?P<where>\w+) -->\n+)?^```(?P<language>python|console)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n?)*)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A code block, where it stands, and where it is to be run."""

    name: str
    language: str
    code: str
    where: str
    before: str = ""
    """The prompts that stand earlier in the document: a page is one conversation."""

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, each with the output that the document promises."""
        return [(match["command"], match["output"]) for match in _COMMAND.finditer(self.code)]


def blocks(path: Path, where: str = "here") -> list[Block]:
    """Return the blocks of a document that are to be run at `where`: `here`, `integration` or `ci`."""
    text = path.read_text() if path.exists() else ""
    found: list[Block] = []
    said = ""
    for match in _BLOCK.finditer(text):
        place = match["where"] or "here"
        name = f"{name_of(path)}:{text.count(chr(10), 0, match.start('code'))}"
        found.append(Block(name, match["language"], match["code"], place, said))
        if place == "here" and ">>>" in match["code"]:
            said += match["code"]
    return [block for block in found if block.where == where]


def run(block: Block, environment: Mapping[str, str] | None = None) -> list[str]:
    """Run a block in the root of the project and return what differs from the document: nothing, if it tells the truth."""
    if block.language == "console":
        return [report for command, output in block.commands if (report := _run_command(command, output, environment or {}))]
    if ">>>" in block.code:
        return _run_prompts(block)
    return _run_plain(block, environment or {})


def _surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}", "NO_COLOR": "1", "COLUMNS": "140", **environment}


def _run_command(command: str, output: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=_surroundings(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    promised = output.strip() or "..."
    kept = doctest.OutputChecker().check_output(
        promised + "\n", done.stdout.strip() + "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    if kept and done.returncode == 0:
        return ""
    return f"$ {command}\nexit status {done.returncode}\n{done.stdout}{done.stderr}\nbut the document says:\n{output}"


def _run_prompts(block: Block) -> list[str]:
    reports: list[str] = []
    names: dict[str, object] = {}
    for code, tell in ((block.before, lambda text: None), (block.code, reports.append)):
        test = doctest.DocTestParser().get_doctest(code, names, block.name, block.name, 0)
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test, out=tell, clear_globs=False)
        names = test.globs
    return reports


def _run_plain(block: Block, environment: Mapping[str, str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", block.code], cwd=ROOT, env=_surroundings(environment), capture_output=True, text=True, timeout=300
    )
    return [done.stderr] if done.returncode else []
